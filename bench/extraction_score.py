"""Precision and recall of extraction on the labelled pages of `../shared/data/pages` (see its README; not part of the project).

    python bench/extraction_score.py [FOLDER] [--wrong]

A price counts as right when it equals any accepted text as a decimal, wrong when another price is published, missed when none
is. Pages whose label is known to be a misread of its page (a thousands point taken for a decimal point, an aggregate of several
shops) are judged by the page: see `LABEL_NOTES`.
"""

import gzip
import json
import sys
from collections import Counter
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from streams.extraction.labels import number
from streams.extraction.page import OfferReading, PageContext, PageReading, read_page
from streams.page_tree import PageTree

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "data" / "pages"
NOT_JUDGED = {
    (
        "b475627f89.html.gz",
        "availability",
    ): "labelled in stock; markup and page say unavailable, and there is no buy button"
}
LABEL_NOTES = {
    "8cb33a3e85.html.gz": ("229.99", "229990", "$229.990 on the page is 229,990 pesos"),
    "9f0c6ced87.html.gz": ("5", "5000", "$5.000 on the page is 5,000 pesos"),
}


def decimal_of(text: str) -> Decimal | None:
    try:
        return Decimal(text.strip().replace(",", ""))
    except InvalidOperation:
        return None


def common(reading: PageReading) -> OfferReading | None:
    """The selected offer, or, while the variant is undecided, one that shares its price with all the others."""
    chosen = next((offer for offer in reading.offers if offer.selected), None)
    if chosen is None and len({(offer.price_minor, offer.currency) for offer in reading.offers}) == 1:
        chosen = reading.offers[0]
    return chosen


def main() -> None:
    arguments = [one for one in sys.argv[1:] if not one.startswith("--")]
    folder = Path(arguments[0]) if arguments else FOLDER
    if not (folder / "labels.json").exists():
        print("no labelled pages beside this checkout: name their folder")
        return
    labels: dict[str, dict[str, Any]] = json.loads((folder / "labels.json").read_text())
    tally: dict[str, Counter[str]] = {name: Counter() for name in ("price", "availability", "gtin", "sku", "brand")}
    lines: list[str] = []
    for name, label in labels.items():
        body = gzip.decompress((folder / name).read_bytes())
        reading = read_page(PageTree.parse(body, url=label["url"]), PageContext(url=label["url"]))
        offer = common(reading)
        for field, verdict, shown in judge(name, label, reading.offers, offer):
            tally[field][verdict] += 1
            if verdict != "right" and (field == "price" or verdict == "wrong"):
                reasons = [f"{one.field}:{one.reason}" for one in reading.refusals][:5]
                lines.append(
                    f"  {verdict:6} {field:12} {name} label {label.get(field)} got {shown} [{reading.verdict}] {reasons} {label['url'][:70]}"
                )
    for field, counts in tally.items():
        right, wrong, missed = counts["right"], counts["wrong"], counts["missed"]
        precision = right / (right + wrong) if right + wrong else 1.0
        recall = right / (right + wrong + missed) if counts else 0.0
        print(
            f"{field:12} right {right:3} wrong {wrong:3} missed {missed:3}  precision {precision:.3f} recall {recall:.3f}"
        )
    print(*lines, sep="\n")


def shared(offers: tuple[OfferReading, ...], field: str) -> str | None:
    """The field of the selected offer, else what all offers agree on."""
    chosen = [offer for offer in offers if offer.selected] or list(offers)
    values = {getattr(offer, field) for offer in chosen}
    value = values.pop() if len(values) == 1 else None
    return None if value == "Unknown" else value


def judge(
    name: str, label: dict[str, Any], offers: tuple[OfferReading, ...], offer: OfferReading | None
) -> list[tuple[str, str, str]]:
    """(field, right|wrong|missed, what was read) of every labelled field."""
    out = []
    accepted = {decimal_of(text) for text in label.get("price", ())}
    if name in LABEL_NOTES:
        accepted = {decimal_of(LABEL_NOTES[name][1])}
    if accepted:
        amount = None
        if offer is not None and offer.price_minor is not None and offer.exponent is not None:
            amount = Decimal(offer.price_minor).scaleb(-offer.exponent)
        out.append(
            (
                "price",
                "missed" if amount is None else "right" if amount in accepted else "wrong",
                f"{amount} {offer.currency if offer else ''}",
            )
        )
    for field in ("availability", "gtin", "sku", "brand"):
        value = shared(offers, field)
        wanted = label.get(field)
        if wanted and (name, field) not in NOT_JUDGED:
            alike = number if field in ("gtin", "sku") else str.lower
            texts, mine = {alike(text.strip()) for text in wanted}, alike(value or "")
            out.append((field, "missed" if not value else "right" if mine in texts else "wrong", str(value)))
    return out


if __name__ == "__main__":
    main()
