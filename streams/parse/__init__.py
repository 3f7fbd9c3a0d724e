"""Parse: discovery and extraction over one parsed tree, composed into a stage (DESIGN §7)."""
