"""The published language: one frozen class per event, grouped by who says it."""
