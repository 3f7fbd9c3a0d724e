"""The words that stand beside a price in an element of their own: they say what kind of price it is."""

import re
from collections.abc import Container, Sequence
from typing import Final

from streams.extraction.blocks import are_near
from streams.extraction.zone import Piece

WORDS_CHARS_MAX: Final = 40
STEPS_MAX: Final = 4
_HAS_DIGIT: Final = re.compile(r"\d")
_MEASURE: Final = re.compile(r"\(?\s?(?:/|per\b|pro\b|je\b)", re.IGNORECASE)


def beside(pieces: Sequence[Piece], index: int, step: int, read: Container[int], titles: Container[int]) -> str | None:
    """The text beside a piece in lower case, if it is short, without digits and in the same small element.

    Args:
        pieces: the zone.
        index: which of its texts.
        step: 1 for the text after it, -1 for the one before.
        read: memory ids of the elements that were read as part of a price.
        titles: those of the product's heading, which says nothing of a price: `Monthly Planner`.
    """
    at = index + step
    while 0 <= at < len(pieces) and pieces[at].parent.mem_id in read and abs(at - index) < STEPS_MAX:
        if _HAS_DIGIT.search(pieces[at].text) and step < 0:
            return None
        at += step
    if not 0 <= at < len(pieces):
        return None
    text, parent = pieces[at].text, pieces[at].parent
    if parent.mem_id in titles or len(text) > WORDS_CHARS_MAX:
        return None
    if _HAS_DIGIT.search(text) and (step < 0 or not _MEASURE.match(text)):
        return None  # a text with its own number speaks of that number, unless it is a measure: / 100 ml
    return text.lower() if are_near(parent, pieces[index].parent) else None
