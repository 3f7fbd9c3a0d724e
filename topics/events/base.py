"""What all events share: an identity derived from where they come from, and the time the broker gave their cause."""

import hashlib
from dataclasses import dataclass

from topics.fence import Fence


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A fact that happened; immutable, validated when built.

    Attributes:
        event_id: 32 hex digits, `event_id()` of the input that caused it; equal input gives an equal id, so readers deduplicate.
        occurred_at_ms: broker time of the cause in ms since the epoch (never a worker's clock inside a stage).
    """

    event_id: str
    occurred_at_ms: int


def event_id(kind: str, key: bytes, fence: Fence | None, origin: str, index: int) -> str:
    """Returns 32 hex digits of SHA-256 over (type, key, fence, input coordinates, output index) (DESIGN §3).

    Args:
        kind: the event's class name.
        key: canonical key bytes of the record.
        fence: the fence it carries, if any.
        origin: coordinates of the input, `topic/partition/offset` for a stage, a row id for control's outbox.
        index: position among the outputs of that input.
    """
    fence_text = "" if fence is None else f"{fence.source_epoch}.{fence.term}.{fence.generation}"
    text = "\x1f".join((kind, key.hex(), fence_text, origin, str(index)))
    return hashlib.sha256(text.encode()).hexdigest()[:32]
