"""Fetching: one task, one request, one outcome. Rules are pure; `io` holds the connector, `worker` the consumer group."""
