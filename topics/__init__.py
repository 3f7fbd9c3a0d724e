"""The published language: events, keys, URLs, fences, money, evidence, the topic table, the codec."""
