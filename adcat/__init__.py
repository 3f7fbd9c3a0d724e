"""The front door: the `adcat` command, settings, the local stack, the demo and its sample store."""
