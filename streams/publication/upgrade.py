"""An offer whose identity rises (`url:` → `sku:` → `pid:`) stays one offer: the old key becomes an alias (DESIGN §3)."""

from collections.abc import Iterable

from streams.offers import identity_rank
from topics.keys import OfferKey


def upgrades(lost: Iterable[str], fresh: Iterable[str]) -> dict[str, str]:
    """Returns old key → new key for the offers of one target whose identity rose between two observations of it.

    Args:
        lost: keys that the target supplied before and no longer does.
        fresh: keys that it supplies for the first time, all of them published.

    A lost key pairs with the only fresh key of a higher rank in its market and of its variant; without an equal variant,
    when exactly one key was lost and one is fresh in that market. Anything else is ambiguous and stays a miss.
    """
    olds, news = _parsed(lost), _parsed(fresh)
    pairs = {}
    for old_text, old in olds.items():
        better = [text for text, new in news.items() if _rises(old, new)]
        same_variant = [text for text in better if news[text].variant == old.variant]
        lone = len(better) == 1 and sum(one.market == old.market for one in olds.values()) == 1
        if len(same_variant) == 1:
            pairs[old_text] = same_variant[0]
        elif not same_variant and lone:
            pairs[old_text] = better[0]
    taken = list(pairs.values())
    return {old: new for old, new in pairs.items() if taken.count(new) == 1}


def _parsed(keys: Iterable[str]) -> dict[str, OfferKey]:
    return {key: OfferKey.parse(key.encode("ascii")) for key in keys}


def _rises(old: OfferKey, new: OfferKey) -> bool:
    return new.market == old.market and identity_rank(new.identity) < identity_rank(old.identity)
