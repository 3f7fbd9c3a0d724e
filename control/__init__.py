"""The control plane: merchants and sources in SQL, the outbox relay that publishes them, and the HTTP API."""
