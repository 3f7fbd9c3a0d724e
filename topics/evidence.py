"""Claims: what a page said about a field, where, and how it was read (SPEC F3)."""

from dataclasses import dataclass

RAW_CHARS_MAX = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One claim of a page about a field.

    Attributes:
        syntax: lane that read it, for example `json-ld`, `microdata`, `opengraph`, `visible`.
        path: pointer inside that syntax.
        raw: text as it stood, at most 256 characters.
        normaliser: name of the rule that turned the text into a value.
        repair: what had to be repaired before it could be read, or None.
    """

    syntax: str
    path: str
    raw: str
    normaliser: str = ""
    repair: str | None = None
