"""One price text, read or left open: amount, currency, kind, and the reason when something stays unknown."""

import re
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from typing import Final

from streams.extraction import number_sense as sense
from streams.extraction.amount_spans import CENTS, Spotted, spot
from streams.extraction.numerals import prepared, read_number
from streams.extraction.price_words import (
    CURRENT,
    GROSS,
    LIST_AT_END,
    UP_TO,
    YIELDS,
    Kind,
    is_price_talk,
    word_after,
    word_before,
)
from streams.extraction.signs import candidates_of, choose, decimals_of, home_of
from streams.extraction.split_cents import is_split, join_cents

AMOUNTS_MAX: Final = 24
_CONTEXT_CHARS: Final = 40
_GROSS_MAX: Final = Decimal("1.3")  # no tax on goods is higher
_BREAK: Final = re.compile(r"[!|•]")


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceText:
    """What a text says about one amount.

    Attributes:
        amount: decimal in major units, or None.
        currency: ISO code, or None while open.
        candidates: currencies that the sign leaves open.
        kind: what the amount is.
        reason: why the amount or the currency is None; None when both are known.
        sign: the currency sign or code as found, or None.
        gross: the text says that tax is in it.
    """

    amount: Decimal | None
    currency: str | None
    candidates: tuple[str, ...]
    kind: Kind
    reason: str | None
    sign: str | None = None
    gross: bool = False


def parse_price(text: str, *, currency_hint: str | None = None, market: str | None = None) -> PriceText:
    """Reads the one price of a text; a range, several prices, or an open mark gives no amount."""
    found = _Reader.of(prepared(text), currency_hint, market, alone=True).amounts()
    pool = [one for one in found if one.sign] or found
    current = [one for one in pool if one.kind in (Kind.SINGLE, Kind.SALE, Kind.FROM)]
    pool = current or pool
    if not pool:
        return _open("no_amount")
    if any(one.kind is Kind.RANGE for one in found):
        return _open("range", kind=Kind.RANGE, like=pool[0])
    rivals = [one for one in found if not one.sign and one.kind is Kind.SINGLE]  # kept only where they look like prices
    if len({(one.amount, one.currency) for one in pool}) > 1 or (
        pool[0].sign and {one.amount for one in rivals} - {pool[0].amount}
    ):
        return _with_tax(pool) or _open("several_amounts", like=pool[0])
    return pool[0]


def _with_tax(pool: list[PriceText]) -> PriceText | None:
    """The one amount that is said to hold the tax, where every other may be the same price without it."""
    gross = [one for one in pool if one.gross and one.amount is not None]
    if len({one.amount for one in gross}) != 1 or gross[0].amount is None:
        return None
    price = gross[0].amount
    net = all(one.gross or (one.amount is not None and one.amount < price <= one.amount * _GROSS_MAX) for one in pool)
    return gross[0] if net and len({one.currency for one in pool}) == 1 else None


def _open(reason: str, *, kind: Kind = Kind.SINGLE, like: PriceText | None = None) -> PriceText:
    currency, candidates = (like.currency, like.candidates) if like else (None, ())
    return PriceText(amount=None, currency=currency, candidates=candidates, kind=kind, reason=reason)


def parse_amounts(text: str, *, currency_hint: str | None = None, market: str | None = None) -> tuple[PriceText, ...]:
    """Every amount of a text with its sign and kind, in order. Numbers that measure something else are left out."""
    return _amounts_in(prepared(text), currency_hint, market)


@lru_cache(maxsize=4_096)  # a page shows the same price in many of its elements, a shop on many of its pages
def _amounts_in(folded: str, hint: str | None, market: str | None) -> tuple[PriceText, ...]:
    return tuple(_Reader.of(folded, hint, market, alone=False).amounts())


@dataclass(slots=True, kw_only=True)
class _Reader:
    """Reads the numbers of one text, each with the words around it."""

    folded: str
    spotted: list[Spotted]
    hint: str | None
    market: str | None
    last_end: int = 0

    @classmethod
    def of(cls, folded: str, hint: str | None, market: str | None, *, alone: bool) -> "_Reader":
        folded = join_cents(folded, alone=alone)
        return cls(folded=folded, spotted=spot(folded, hint=hint, market=market), hint=hint, market=market)

    def amounts(self) -> list[PriceText]:
        signed = any(one.before or one.after for one in self.spotted)
        talk = signed or (bool(self.spotted) and self._is_bare())
        if not talk:
            return []
        kept = [one for i, one in enumerate(self.spotted) if self._is_money(i, signed=signed)][:AMOUNTS_MAX]
        labelled = self._labelled_first(kept)
        out: list[PriceText] = []
        for i, one in enumerate(kept):
            read = self._read(one, own_words=i == len(kept) - 1 or not labelled)
            if i and (read.sign or out[-1].sign) and sense.is_range(self.folded, kept[i - 1], one):
                out[-1], read = _as_range(out[-1]), _as_range(read)
            elif i and _is_same_price(out[-1], read, self.folded[kept[i - 1].right : one.left]):
                read = replace(read, kind=out[-1].kind)
            out.append(read)
            self.last_end = max(self.last_end, one.right)
        return out

    def _is_bare(self) -> bool:
        """Whether a text without a sign speaks of prices only."""
        return not sense.is_compound(self.folded) and is_price_talk(self.folded.lower())

    def _is_money(self, index: int, *, signed: bool) -> bool:
        """Whether a number is an amount: it has a sign, or stands like a price beside one that has, or alone."""
        one = self.spotted[index]
        if one.before or one.after:
            return not sense.is_percent(self.folded, one)
        if sense.is_measure(self.folded, one):
            return False
        if not signed or CENTS.search(one.number.text) or one.end > one.bare_end:
            return True
        beside = [self.spotted[i] for i in (index - 1, index + 1) if 0 <= i < len(self.spotted)]
        return any(
            sense.is_range(self.folded, *sorted((one, other), key=lambda two: two.left))
            for other in beside
            if other.before or other.after
        )

    def _labelled_first(self, kept: list[Spotted]) -> bool:
        """Whether words stand before the amounts and none behind the last: what is between two then names the second."""
        if len(kept) < 2:
            return False
        first = word_before(self.folded[max(0, kept[0].left - _CONTEXT_CHARS) : kept[0].left].lower())
        return first is not None and word_after(self.folded[kept[-1].right :][:_CONTEXT_CHARS].lower())[0] is None

    def _read(self, one: Spotted, *, own_words: bool) -> PriceText:
        sign = one.sign
        currency = choose(sign, hint=self.hint, market=self.market) if sign else self.hint
        candidates = candidates_of(sign) if sign and currency is None else ()
        kind, gross = self._kind(one, own_words=own_words)
        whole = one.end > one.bare_end  # `1.899,-` has no cents, so its point groups
        amount = read_number(
            one.number.text,
            market=self.market or home_of(currency),
            exponent=0 if whole else decimals_of(currency, candidates, self.market),
        )
        reason = self._reason(amount, one, kind)
        if reason is None and currency is None:
            reason = "ambiguous_currency" if sign else "no_currency"
        return PriceText(
            amount=amount if reason in (None, "ambiguous_currency", "no_currency") else None,
            currency=currency,
            candidates=candidates,
            kind=kind,
            reason=reason,
            sign=sign,
            gross=gross,
        )

    def _kind(self, one: Spotted, *, own_words: bool) -> tuple[Kind, bool]:
        """The kind of an amount by the words around it, and whether they say that tax is in it."""
        after, length = word_after(self.folded[one.right : one.right + _CONTEXT_CHARS].lower())
        if self._opens_next(one) or (after not in (None, Kind.UNIT, Kind.INSTALMENT, Kind.FROM) and not own_words):
            after = None
        before = self.folded[max(self.last_end, one.left - _CONTEXT_CHARS) : one.left].lower()
        before = _BREAK.split(before)[-1]
        ahead = word_before(before)
        if (
            after is not None
            and (own_words or after in (Kind.UNIT, Kind.INSTALMENT))
            and self._next_is_labelled_behind(one)
        ):
            self.last_end = one.right + length
        if sense.is_of_measure(before):
            ahead = Kind.UNIT
        if after == LIST_AT_END:
            after = Kind.LIST if one is self.spotted[-1] and ahead is None else None
        gross = GROSS in (after, ahead)
        named = (
            after if after not in (None, GROSS) and not (after == Kind.FROM and ahead in YIELDS[Kind.FROM]) else ahead
        )
        if after == GROSS and ahead == Kind.TAX_EXCLUDED:
            named = None
        if named == UP_TO:
            return Kind.RANGE, gross
        return (Kind(named) if named not in (None, GROSS) else Kind.SINGLE), gross

    def _opens_next(self, one: Spotted) -> bool:
        """Whether a bracket opens behind the amount that closes behind the next: `1,800円 (税込1,980円)`."""
        later = next((two for two in self.spotted if two.left >= one.right), None)
        between = self.folded[one.right : later.left].lstrip() if later else ""
        return between.startswith("(") and ")" not in between

    def _next_is_labelled_behind(self, one: Spotted) -> bool:
        """Whether the text's last amount has its words behind it: then so has every amount."""
        last = self.spotted[-1]
        return last is one or word_after(self.folded[last.right : last.right + _CONTEXT_CHARS].lower())[0] is not None

    def _reason(self, amount: Decimal | None, one: Spotted, kind: Kind) -> str | None:  # noqa: PLR0911  # one return a reason
        """Why an amount cannot be used, or None."""
        if kind is Kind.RANGE:
            return "range"
        if one.contested or one.disagrees:
            return "ambiguous_sign"
        if is_split(self.folded, one, market=self.market):
            return "split_number"
        if sense.is_multiplied(self.folded, one):
            return "multiplied"
        if kind in CURRENT and sense.is_for_several(self.folded, one):
            return "multi_buy"
        if amount is None:
            return "ambiguous_separator"
        if sense.is_negative(self.folded, one, self.last_end):
            return "negative"
        return "zero" if amount == 0 else None


def _is_same_price(one: PriceText, other: PriceText, gap: str) -> bool:
    """`66,46 € / 129,98 лв.`: one price in two currencies."""
    return gap.strip() in ("/", "(", "|") and one.currency != other.currency


def _as_range(one: PriceText) -> PriceText:
    return replace(one, amount=None, kind=Kind.RANGE, reason="range")
