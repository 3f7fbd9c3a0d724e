"""The shape of a page's bytes, judged before they are parsed: one pass, linear in their length (SPEC F8).

lexbor is fast and forgiving, but not bounded: measured on 1.0.2, 20,000 nested elements take 1.3 s, 30,000 attributes on one
tag 2.8 s, and one text run of 1 MB takes 140 MB.
"""

import re
from collections.abc import Iterator
from typing import Final

TAGS_MAX: Final = 150_000
DEPTH_MAX: Final = 6_000
ATTRIBUTES_MAX: Final = 2_000
TEXT_RUN_BYTES_MAX: Final = 400_000
_LONG_PIECE: Final = 4_096

_VOID: Final = re.compile(
    rb"(?i)(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr|p|li|dt|dd|tr|td|th|option)[\s/>]"
)
_QUOTED: Final = re.compile(rb"\"[^\"]*\"|'[^']*'")
_RAW_TEXT: Final = re.compile(rb"(?i)(script|style)[\s/>]")
_TAG: Final = re.compile(rb"[A-Za-z][A-Za-z0-9:\-]*[\s/]")


def shape_refusal(html: bytes) -> str | None:
    """Why these bytes must not reach the parser, or None. Linear in their length."""
    tags = html.count(b"<")
    if tags >= TAGS_MAX:
        return "too_many_tags"
    if any(_long_piece_refusal(piece) for piece in _long_pieces(html)):
        reason = _outside_raw_text(html.split(b"<"))
        if reason:
            return reason
    if tags >= DEPTH_MAX and _may_be_deep(html) and _depth(html.split(b"<")) > DEPTH_MAX:
        return "nested_too_deep"
    return None


def _long_pieces(html: bytes) -> Iterator[bytes]:
    """What stands between two `<` and is longer than `_LONG_PIECE`: such a piece fills a window of half its length."""
    at = 0
    while at < len(html):
        if html.find(b"<", at, at + _LONG_PIECE // 2) >= 0:
            at += _LONG_PIECE // 2
            continue
        start, end = html.rfind(b"<", 0, at) + 1, html.find(b"<", at)
        end = len(html) if end < 0 else end
        if end - start > _LONG_PIECE:
            yield html[start:end]
        at = end + 1


def _may_be_deep(html: bytes) -> bool:
    """A cheap upper bound of the nesting: opened less closed tags at the ends of 64 slices, plus what one slice may add."""
    step = len(html) // 64 + 1
    depth = 0
    for start in range(0, len(html), step):
        marks, closed = html.count(b"<", start, start + step), html.count(b"</", start, start + step)
        if depth + marks - closed > DEPTH_MAX:
            return True
        depth = max(0, depth + marks - 2 * closed)
    return False


def _outside_raw_text(pieces: list[bytes]) -> str | None:
    """The first refusal of a piece that is not inside a script or style (there `a<b` is no tag, and long text is cheap)."""
    inside = b""
    for piece in pieces:
        if inside:
            if piece[: len(inside)].lower() != inside:
                continue
            inside = b""
        opened = _RAW_TEXT.match(piece)
        if opened:
            inside = b"/" + opened.group(1).lower()
        reason = _long_piece_refusal(piece) if len(piece) > _LONG_PIECE else None
        if reason:
            return reason
    return None


def _long_piece_refusal(piece: bytes) -> str | None:
    """Judges one tag and the text after it."""
    raw = piece.startswith(b"!--") or _RAW_TEXT.match(piece)
    if not raw and not _TAG.match(piece):
        return "text_run_too_long" if len(piece) > TEXT_RUN_BYTES_MAX else None
    if raw and b">" in piece[:_LONG_PIECE]:
        return None
    head, _, text = _QUOTED.sub(b" ", piece).partition(b">")
    if max(head.count(b"="), head.count(b"/"), len(head.split())) > ATTRIBUTES_MAX:
        return "too_many_attributes"
    return "text_run_too_long" if not raw and len(text) > TEXT_RUN_BYTES_MAX else None


def _depth(pieces: list[bytes]) -> int:
    """An upper estimate of the nesting: elements that close themselves or each other do not count."""
    depth = deepest = 0
    for piece in pieces:
        first = piece[:1]
        if first == b"/":
            depth = max(0, depth - 1)
        elif first.isalpha() and not _VOID.match(piece) and not piece.rstrip().endswith(b"/>"):
            depth += 1
            deepest = max(deepest, depth)
    return deepest
