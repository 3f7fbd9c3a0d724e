"""The private indexes: what is due, what is ready per site, which sites have work. Rebuilt from the rows at ownership.

The row is authoritative. Two rules keep the indexes harmless: an entry is **put before the row** that it leads to and
**removed after the row that made it obsolete**, so that a crash leaves stale entries and never a missing one; and an entry counts
only when its time equals the row's `due_at_ms`, so that stale ones are dropped when they are met.

Due keys are `(bucket, shard, time, target key)` as ordered bytes (SPEC D1). The watermark of SPEC D2 is the oldest entry itself:
buckets that passed during a downtime are met first, and no stored mark can be wrong. Ready keys are `(merchant, lane, rank, time,
target id)`; a site key is `(shard, merchant)`.
"""

import zlib
from collections.abc import Iterator
from itertools import islice

from streams.frontier.rows import DUE, READY, SITES, TARGETS, IndexRow, TargetRow
from streams.frontier.turn import Turn
from streams.stage import View
from topics.keys import split_key, target_key

BUCKET_MS = 60_000
SHARDS = 16
MOVES_MAX = 200
SITES_PER_SHARD_MAX = 1_024

CONTROL_LANE, OFFER_LANE, DISCOVERY_LANE = 0, 1, 2
_RANKS = {
    "robots": (CONTROL_LANE, 0),
    "proof": (CONTROL_LANE, 1),
    "seed": (CONTROL_LANE, 2),
    "product": (OFFER_LANE, 0),
    "sitemap": (DISCOVERY_LANE, 0),
    "listing": (DISCOVERY_LANE, 1),
    "other": (DISCOVERY_LANE, 2),
}


def lane_rank(row: TargetRow) -> tuple[int, int]:
    """Returns (lane, rank), smaller first: robots, proof and seed; products; sitemaps, listings and the rest."""
    word = row.hint if row.kind == "page" else row.kind
    return _RANKS.get(word, _RANKS["other"])


def _shard(key: bytes) -> int:
    return zlib.crc32(key) % SHARDS


def _bucket_prefix(bucket: int, shard: int) -> bytes:
    return bucket.to_bytes(6, "big") + bytes((shard,))


def due_key(due_at_ms: int, key: bytes) -> bytes:
    """Returns the ordered bytes of `(bucket, shard, time, target key)`; times are ms, 6 bytes each."""
    return _bucket_prefix(due_at_ms // BUCKET_MS, _shard(key)) + due_at_ms.to_bytes(6, "big") + key


def _read_due_key(entry: bytes) -> tuple[int, bytes]:
    return int.from_bytes(entry[7:13], "big"), entry[13:]


def ready_key(merchant: str, target_id: str, row: TargetRow) -> bytes:
    """Returns the ordered bytes of `(merchant, lane, rank, time, target id)`."""
    lane, rank = lane_rank(row)
    return lane_prefix(merchant, lane) + bytes((rank,)) + row.due_at_ms.to_bytes(6, "big") + target_id.encode("ascii")


def lane_prefix(merchant: str, lane: int) -> bytes:
    """Returns the prefix of a merchant's ready entries in one lane."""
    return merchant.encode("ascii") + b"\x00" + bytes((lane,))


def read_ready_key(entry: bytes) -> tuple[int, str]:
    """Returns (time in ms, target id) of a ready entry."""
    at = entry.index(b"\x00") + 3
    return int.from_bytes(entry[at : at + 6], "big"), entry[at + 6 :].decode("ascii")


def put_target(turn: Turn, merchant: str, target_id: str, row: TargetRow) -> None:
    """Stores a row, its index entry first. A row that is due already goes straight to its site's ready queue."""
    key = target_key(merchant, target_id)
    _index(turn, merchant, target_id, row)
    turn.view.put(TARGETS, key, row)


def _index(turn: Turn, merchant: str, target_id: str, row: TargetRow) -> None:
    if row.due_at_ms <= turn.now_ms:
        turn.view.put(READY, ready_key(merchant, target_id, row), IndexRow(applied=turn.offset))
        mark_site(turn, merchant)
    else:
        entry = due_key(row.due_at_ms, target_key(merchant, target_id))
        turn.view.put(DUE, entry, IndexRow(applied=turn.offset))


def ensure_indexed(turn: Turn, key: bytes, row: TargetRow) -> None:
    """Adds the entry of a stored row unless one stands already; a warm restart writes nothing."""
    merchant, target_id = split_key(key)
    if turn.view.get(DUE, due_key(row.due_at_ms, key)) is None:
        if turn.view.get(READY, ready_key(merchant, target_id, row)) is None:
            _index(turn, merchant, target_id, row)
        else:
            mark_site(turn, merchant)


def _site_key(merchant: str) -> bytes:
    key = merchant.encode("ascii")
    return bytes((_shard(key),)) + key


def mark_site(turn: Turn, merchant: str) -> None:
    """Puts the site among those that ticks attend to."""
    key = _site_key(merchant)
    if turn.view.get(SITES, key) is None:
        turn.view.put(SITES, key, IndexRow(applied=turn.offset))


def unmark_site(turn: Turn, merchant: str) -> None:
    """Takes an idle site out; the next ready target, policy or grant brings it back."""
    turn.view.delete(SITES, _site_key(merchant))


def sites_in_turn(turn: Turn) -> Iterator[str]:
    """Yields the merchants with work, starting at a place that rotates with the log (round robin, no stored cursor)."""
    for step in range(SHARDS):
        shard = (turn.offset + step) % SHARDS
        keys = [key for key, _ in islice(turn.view.scan(SITES, bytes((shard,))), SITES_PER_SHARD_MAX)]
        start = turn.offset // SHARDS % len(keys) if keys else 0
        for key in keys[start:] + keys[:start]:
            yield key[1:].decode("ascii")


def move_due(turn: Turn) -> int:
    """Moves due entries into the ready queues of their sites, oldest bucket first, at most `MOVES_MAX`; returns how many."""
    moved = 0
    current = turn.now_ms // BUCKET_MS
    bucket = _oldest_bucket(turn.view)
    while bucket is not None and bucket <= current and moved < MOVES_MAX:
        for shard in range(SHARDS):
            moved += _move_shard(turn, bucket, shard, MOVES_MAX - moved)
        if bucket == current:
            break
        bucket = _oldest_bucket(turn.view)
    return moved


def _oldest_bucket(view: View) -> int | None:
    for entry, _ in view.scan(DUE, b""):
        return int.from_bytes(entry[:6], "big")
    return None


def _move_shard(turn: Turn, bucket: int, shard: int, moves_max: int) -> int:
    entries = [entry for entry, _ in islice(turn.view.scan(DUE, _bucket_prefix(bucket, shard)), moves_max)]
    moved = 0
    for entry in entries:
        due_at_ms, key = _read_due_key(entry)
        if due_at_ms > turn.now_ms:
            break
        row: TargetRow | None = turn.view.get(TARGETS, key)
        if row is not None and row.due_at_ms == due_at_ms:
            merchant, target_id = split_key(key)
            turn.view.put(READY, ready_key(merchant, target_id, row), IndexRow(applied=turn.offset))
            mark_site(turn, merchant)
        turn.view.delete(DUE, entry)
        moved += 1
    return moved
