"""Publication: one decision log, every guard, one catalog."""
