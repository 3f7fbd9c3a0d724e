"""What a URL looks like: product, listing or other, its page number. Hints only; the page itself decides."""

import re

from streams.url_pattern import split

PRODUCT, LISTING, OTHER = "product", "listing", "other"

_PRODUCT_PATH = re.compile(
    r"/(?:products?|items?|artikel|produkte?|produits?|productos?)/[^/]+/?\Z"
    r"|/(?:p|dp|pd|prod|itm|sku)/[^/]+(?:/[^/]+)?/?\Z"
    r"|/[^/]+-(?:p|pid|sku)-?\d{2,}(?:\.html?)?/?\Z"
    r"|[a-z][0-9_-]*-\d{4,}(?:\.html?)?\Z"
    r"|/[^/]+/(?:p|dp)\Z",
    re.IGNORECASE,
)
_PRODUCT_NAMES = frozenset(("product_id", "productid", "pid", "item_id", "itemid", "sku", "variant", "product"))
_LISTING_PATH = re.compile(
    r"/(?:collections?|categor(?:y|ies)|c|shop|store|catalog(?:ue)?|brands?|departments?|search|sale|new|tags?|products?|all"
    r"|kategorien?|marken?)(?:/|\Z)|/page/\d+/?\Z",
    re.IGNORECASE,
)
_PAGE_NAMES = frozenset(("page", "p", "pg", "paged", "pagenumber", "page_no", "pageindex", "seite"))
_OFFSET_NAMES = frozenset(("start", "offset", "from", "skip"))
_PAGE_PATH = re.compile(r"/page[/-](\d{1,9})/?\Z", re.IGNORECASE)
_OFFSET_PAGE = 10  # an offset counts items; a page shows at least so many
_ASSET = re.compile(
    r"\.(?:jpe?g|png|gif|webp|avif|svg|ico|bmp|tiff?|css|js|mjs|json|woff2?|ttf|otf|eot|pdf|zip|gz|rar|7z|tar|mp[34]|webm|ogg|"
    r"wav|mov|avi|docx?|xlsx?|pptx?|csv|exe|dmg|apk|ics|vcf)\Z",
    re.IGNORECASE,
)
_ACTION = re.compile(
    r"/(?:cart|basket|checkout|log-?in|log-?out|sign-?in|sign-?up|register|account|my-account|wishlist|compare|add[-_]?to[-_]?cart"
    r"|warenkorb|kasse|wp-admin|admin)(?:[/.]|\Z)",
    re.IGNORECASE,
)
_ACTION_NAMES = frozenset(("add-to-cart", "add_to_cart", "add_to_wishlist", "logout", "remove_item"))


def hint_of(identity: str, rel: str = "") -> str:
    """Returns `product`, `listing` or `other` for an identity URL and the `rel` it was linked with."""
    path, pairs = split(identity)
    if "next" in rel.casefold().split() or page_number(identity) is not None:
        return LISTING
    if _PRODUCT_PATH.search(path) or any(name in _PRODUCT_NAMES for name, _ in pairs):
        return PRODUCT
    return LISTING if _LISTING_PATH.search(path) else OTHER


def page_number(identity: str) -> int | None:
    """Returns the page that a listing URL names (offsets are counted in pages of ten), or None."""
    path, pairs = split(identity)
    found = _PAGE_PATH.search(path)
    if found:
        return int(found[1])
    for name, value in pairs:
        if name == "p" and path in ("/", "/index.php"):
            continue  # WordPress names a post so
        if name in _PAGE_NAMES and value.isdecimal():
            return int(value[:9])
        if name in _OFFSET_NAMES and value.isdecimal():
            return int(value[:9]) // _OFFSET_PAGE
    return None


def is_asset(identity: str) -> bool:
    """True when the path ends like a file that is no page."""
    return _ASSET.search(split(identity)[0]) is not None


def is_action(identity: str) -> bool:
    """True when following the link would do something (cart, login) instead of showing something."""
    path, pairs = split(identity)
    return _ACTION.search(path) is not None or any(name in _ACTION_NAMES for name, _ in pairs)
