"""`python -m adcat`."""

from adcat.cli import main

main()
