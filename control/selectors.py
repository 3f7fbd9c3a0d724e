"""Merchant selectors as an operator writes them (SPEC B2): what would find nothing by mistake is refused before it is stored."""

from collections.abc import Mapping
from typing import Annotated, Final

import msgspec
from selectolax.lexbor import LexborHTMLParser, SelectolaxError

from topics.errors import Invalid
from topics.events.policy import SELECTOR_FIELDS, Selector

CSS_CHARS_MAX: Final = 300
_TRIED: Final = "; try it on saved pages with `adcat inspect selectors`"

_Css = Annotated[str, msgspec.Meta(extra_json_schema={"minLength": 1, "maxLength": CSS_CHARS_MAX})]
Selectors = Annotated[
    dict[str, _Css],
    msgspec.Meta(max_length=len(SELECTOR_FIELDS), extra_json_schema={"propertyNames": {"enum": list(SELECTOR_FIELDS)}}),
]
"""Field name to CSS selector. What a single one must be is judged below, where the refusal can name its field."""


def all_texts(selectors: Mapping[str, object]) -> None:
    """Raises Invalid, naming the field, for a selector that is no text; msgspec names no key of an object."""
    for field, css in selectors.items():
        if not isinstance(css, str):
            raise Invalid(f"selectors.{field}", css, "write a CSS selector as text")


def checked_selectors(selectors: Mapping[str, str]) -> None:
    """Raises Invalid, naming the field, for an unknown field name or what the parser's own engine does not take for CSS."""
    page = LexborHTMLParser("<html></html>")
    for field, css in selectors.items():
        where = f"selectors.{field}"
        if field not in SELECTOR_FIELDS:
            raise Invalid(where, css, f"selectors are for {', '.join(SELECTOR_FIELDS)}")
        if len(css) > CSS_CHARS_MAX:
            raise Invalid(where, css[:CSS_CHARS_MAX], f"use at most {CSS_CHARS_MAX} characters{_TRIED}")
        try:
            page.css(css)
        except (SelectolaxError, ValueError):
            raise Invalid(where, css, f"this is no CSS selector that the parser knows{_TRIED}") from None


def in_order(selectors: Mapping[str, str]) -> tuple[Selector, ...]:
    """Returns them as the policy carries them: the order in which they were written means nothing."""
    return tuple(Selector(field=field, css=selectors[field]) for field in SELECTOR_FIELDS if field in selectors)
