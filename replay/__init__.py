"""The in-memory driver with virtual time, and bounded replays of recorded topics."""
