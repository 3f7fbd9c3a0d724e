"""One parse of a page, shared by discovery (links) and extraction (everything else). Pure: bytes in, a tree out.

The bytes are judged before they are parsed (`page_shape`, SPEC F8); a page beyond a limit has an empty tree and says why in
`refusal`.
"""

import codecs
import re
from collections.abc import Iterator
from typing import Final, NamedTuple
from urllib.parse import urljoin, urlsplit

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser, LexborNode

from streams.page_shape import shape_refusal

BODY_BYTES_MAX: Final = 8 << 20
LINKS_MAX: Final = 20_000
HREF_CHARS_MAX: Final = 4_096
TEXT_CHARS_MAX: Final = 300

_MARKED: Final = "html, base, title, link, meta, h1, script, [itemscope], [itemprop]"
_CARRIED: Final = re.compile(rb"data-p(?:roduct(?:_variations)?|rice-amount|id)(?==)")
_META_CHARSET: Final = re.compile(rb"(?i)<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([a-z0-9_\-]{2,30})")
_CONTENT_CHARSET: Final = re.compile(r"(?i)charset\s*=\s*[\"']?([a-z0-9_\-]{2,30})")
_BOMS: Final = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_WEB_ALIASES: Final = {
    "iso-8859-1": "cp1252",
    "latin1": "cp1252",
    "latin-1": "cp1252",
    "us-ascii": "cp1252",
    "ascii": "cp1252",
}


class Element(NamedTuple):
    """An element with its tag and attributes read once."""

    node: LexborNode
    tag: str
    attributes: dict[str, str | None]

    def get(self, name: str) -> str:
        """An attribute's text; empty when absent or without value."""
        return self.attributes.get(name) or ""


class PageTree:
    """A parsed page.

    Attributes:
        url: where it came from.
        html: the decoded bytes as UTF-8, for byte scans; empty when refused.
        parser: lexbor's tree.
        refusal: why the page was not parsed, else None.
    """

    __slots__ = ("_base_url", "_canonical", "_carried", "_marked", "_title", "html", "parser", "refusal", "url")

    def __init__(self, *, url: str, html: bytes, refusal: str | None) -> None:
        self.url = url
        self.html = html
        self.refusal = refusal
        # mutation events only fill `<selectedcontent>`; without them parsing takes two thirds of the time
        self.parser = LexborHTMLParser(html or b"<html></html>", options=LexborDocumentOptions.WO_EVENTS)
        self._marked: dict[str | None, list[Element]] | None = None
        self._carried: set[str] | None = None
        self._base_url: str | None = None
        self._canonical: str | None = ""
        self._title: str | None = ""

    @classmethod
    def parse(cls, body: bytes, *, content_type: str | None = None, url: str) -> "PageTree":
        """Judges the bytes against the limits, decodes them and parses them once. Never raises on any bytes."""
        refusal = "body_too_large" if len(body) > BODY_BYTES_MAX else None
        html = b"" if refusal else to_utf8(body, content_type)
        refusal = refusal or shape_refusal(html)
        return cls(url=url, html=b"" if refusal else html, refusal=refusal)

    def marked(self, tag: str | None = None) -> list[Element]:
        """The elements that lanes ask for (`_MARKED`) in document order, found in one walk; of one tag, or all.

        A css query walks the whole tree once for each of its selectors, whatever they find: so there is one for all lanes.
        """
        if self._marked is None:
            every: list[Element] = []
            self._marked = {None: every}
            last = 0
            for node in self.parser.css(_MARKED):
                if node.mem_id != last:  # an element is yielded once for each selector that it matches
                    last = node.mem_id
                    element = Element(node, node.tag or "", node.attributes)
                    every.append(element)
                    self._marked.setdefault(element.tag, []).append(element)
        return self._marked.get(tag, [])

    def carrying(self, *names: str) -> list[LexborNode]:
        """The elements that have all of some attributes. Most pages have none: the bytes tell, in a tenth of a query's time.

        Args:
            names: lower case, as the platforms that have them write them; the first is one of `_CARRIED` and has a value.
        """
        if self._carried is None:
            self._carried = {found.decode("ascii") for found in _CARRIED.findall(self.html)}
        if names[0] not in self._carried:
            return []
        return self.parser.css("".join(f"[{name}]" for name in names))

    @property
    def base_url(self) -> str:
        """The URL that relative links are resolved against: `<base href>` where it is an http URL, else the page's own."""
        if self._base_url is None:
            found = [one.get("href") for one in self.marked("base") if "href" in one.attributes]
            base = join(self.url, found[0]) if found and found[0] else None
            self._base_url = base or self.url
        return self._base_url

    @property
    def canonical(self) -> str | None:
        """`rel=canonical`, resolved. Evidence, never permission to merge (SPEC C6)."""
        if self._canonical == "":
            links = [one for one in self.marked("link") if "href" in one.attributes]
            found = [one.get("href") for one in links if "canonical" in one.get("rel").lower().split()]
            self._canonical = join(self.base_url, found[0]) if found else None
        return self._canonical

    @property
    def title(self) -> str | None:
        """The head's title, else the first one anywhere (SVG has titles too)."""
        if self._title == "":
            titles = [one.node for one in self.marked("title")]
            node = next((one for one in titles[:9] if one.parent is not None and one.parent.tag == "head"), None)
            node = node or next(iter(titles), None)
            self._title = squeeze(node.text(), 500) or None if node is not None else None
        return self._title

    @property
    def lang(self) -> str | None:
        """The `lang` of the root element, lower-cased, e.g. `de-ch`."""
        text = next((one.get("lang") for one in self.marked("html")), "").strip().lower().replace("_", "-")
        return text[:20] or None

    def links(self) -> Iterator[tuple[str, str, str]]:
        """Yields (absolute href, rel, anchor text) of anchors, areas and link elements, in document order, at most 20,000."""
        seen = 0
        for node in self.parser.css("a[href], area[href], link[href]"):
            href = join(self.base_url, attribute(node, "href"))
            if href is None:
                continue
            seen += 1
            if seen > LINKS_MAX:
                return
            text = "" if node.tag == "link" else squeeze(node.text(), TEXT_CHARS_MAX)
            yield href, attribute(node, "rel").lower(), text


def attribute(node: LexborNode, name: str) -> str:
    """An attribute's text; empty when absent or without value."""
    return node.attributes.get(name) or ""


def parent_of(node: LexborNode) -> LexborNode | None:
    """The parent element; None at the root (lexbor's document and fragment nodes have no attributes)."""
    parent = node.parent
    return parent if parent is not None and parent.is_element_node else None


def squeeze(text: str, limit: int) -> str:
    """White space runs as one space, ends trimmed, cut to `limit` characters."""
    return " ".join(text[: limit * 8].split())[:limit]


def join(base: str, href: str) -> str | None:
    """An http(s) URL from a link, or None for another scheme, an empty or a malformed one."""
    href = href.strip()
    if not href or len(href) > HREF_CHARS_MAX:
        return None
    try:
        joined = urljoin(base, href)
        return joined if urlsplit(joined).scheme in ("http", "https") and urlsplit(joined).netloc else None
    except ValueError:
        return None


def to_utf8(body: bytes, content_type: str | None) -> bytes:
    """The page as UTF-8: by byte order mark, header, meta; then UTF-8 if valid, else windows-1252. Never raises."""
    for mark, name in _BOMS:
        if body.startswith(mark):
            return _recode(body[len(mark) :], name)
    header = _CONTENT_CHARSET.search(content_type or "")
    declared = header.group(1) if header else ""
    if not declared:
        meta = _META_CHARSET.search(body[:4096])
        declared = meta.group(1).decode("ascii", "replace") if meta else ""
    if declared.lower().startswith(("utf-8", "utf8", "utf-16")):
        declared = ""  # a meta element that could be read as ASCII is not UTF-16
    if not declared:
        try:
            body.decode("utf-8")
        except UnicodeDecodeError as bad:
            # one broken sequence in a long UTF-8 page is a fault of one text, not of the page's encoding
            utf8 = bad.start > 65_536 or body.count(b"\xc3") + body.count(b"\xe2\x80") > 50
            return _recode(body, "utf-8" if utf8 else "cp1252")
        return body
    return _recode(body, _WEB_ALIASES.get(declared.lower(), declared))


def _recode(body: bytes, encoding: str) -> bytes:
    try:
        return body.decode(encoding, "replace").encode("utf-8", "replace")
    except (LookupError, UnicodeError, ValueError):
        return body.decode("utf-8", "replace").encode("utf-8", "replace")
