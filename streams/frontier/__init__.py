"""The frontier: the one authority over a target. It claims, and it accepts the outcome (DESIGN §6)."""
