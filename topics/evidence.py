"""What a value rests on: the claims of a page, each with its place, its raw text and what was done to it (SPEC F3)."""

from dataclasses import dataclass
from typing import Final, Self

RAW_CHARS_MAX: Final = 256
PATH_CHARS_MAX: Final = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One statement of the page about one field.

    Attributes:
        syntax: lane that read it: json-ld, microdata, rdfa, meta, platform, selector, visible, policy.
        path: where it stands in that lane, e.g. `script[2]/@graph/0/offers/0/price`.
        raw: its text as found, at most 256 characters.
        normaliser: what turned `raw` into the value, e.g. `decimal`, `minor_x100`, `currency_sign`; empty for none.
        repair: what had to be mended before it could be read, steps joined by `+`; empty for none.
    """

    syntax: str
    path: str
    raw: str
    normaliser: str = ""
    repair: str = ""

    def __post_init__(self) -> None:
        assert len(self.raw) <= RAW_CHARS_MAX, "build claims with Claim.of"
        assert len(self.path) <= PATH_CHARS_MAX, "build claims with Claim.of"

    @classmethod
    def of(cls, syntax: str, path: str, raw: object, *, normaliser: str = "", repair: str = "") -> Self:
        """A claim with `raw` and `path` cut to their limits and lone surrogates replaced (the claim must encode as UTF-8)."""
        text = str(raw)[:RAW_CHARS_MAX].encode("utf-8", "replace").decode("utf-8")
        where = path[:PATH_CHARS_MAX].encode("utf-8", "replace").decode("utf-8")
        return cls(syntax=syntax, path=where, raw=text, normaliser=normaliser, repair=repair)


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """The claims that one accepted field rests on, in the order of the lanes."""

    field: str
    claims: tuple[Claim, ...]
