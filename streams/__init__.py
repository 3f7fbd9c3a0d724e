"""The stages: pure functions over events, run by Faust, by the in-memory driver, and by replay."""
