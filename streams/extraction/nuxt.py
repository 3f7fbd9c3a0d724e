r"""Nuxt 2 ships its state as a call, `window.__NUXT__=(function(a,b){a.x=1;return {...}}({},"text"))`: read without running it.

The grammar is that of `devalue`, which writes these calls: literals, `void 0`, `!0`, `new Date(n)`, `Array(n)`, parameter names,
and assignments to members of parameters before the `return`. Anything else, or more than the limits allow, is left unread.
"""

import math
import re
from typing import Any, Final

CALL_CHARS_MAX: Final = 600_000
TOKENS_MAX: Final = 200_000
NODES_MAX: Final = 60_000
DEPTH_MAX: Final = 64
ARRAY_MAX: Final = 10_000

_HEAD: Final = re.compile(r"__NUXT__\s{0,9}=\s{0,9}\(?\s*function\s*\(([\w$,\s]{0,20000})\)\s*\{")
_TOKEN: Final = re.compile(
    r'\s*(?:(?P<string>"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\')|(?P<number>-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)'
    r"|(?P<name>[A-Za-z_$][\w$]*)|(?P<mark>[{}\[\]():,;.=!-]))",
    re.DOTALL,
)
_ESCAPE: Final = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))", re.DOTALL)
_ESCAPED: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": ""}
_WORDS: Final = {"true": True, "false": False, "null": None, "undefined": None, "NaN": None, "Infinity": None}


class _Unread(ValueError):
    """The call is not what devalue writes, or is beyond a limit."""


def nuxt_value(text: str) -> Any:
    """Returns what the first `__NUXT__=(function…` call of a script returns, as plain JSON values, or None when it cannot be read."""
    head = _HEAD.search(text) if len(text) <= CALL_CHARS_MAX else None
    if head is None:
        return None
    names = [name.strip() for name in head.group(1).split(",") if name.strip()]
    try:
        return _Copier().copy(_Call(text, head.end()).value(names), 0)
    except _Unread:
        return None


class _Call:
    """Reads one call: the arguments stand behind the body, so the body's end is found first."""

    def __init__(self, text: str, at: int) -> None:
        self._tokens = _tokens(text, at)
        self._at = 0
        self._names: dict[str, Any] = {}

    def value(self, names: list[str]) -> Any:
        self._at = self._body_end()
        if self._peek() == ")":  # `(function(){…})(…)` as well as `(function(){…}(…))`
            self._at += 1
        arguments = self._list("(", ")", 0)
        if len(arguments) < len(names):
            arguments += [None] * (len(names) - len(arguments))
        self._names = dict(zip(names, arguments, strict=False))
        self._at = 0
        while self._peek() != "return":
            self._assignment()
        self._at += 1
        return self._read(0)

    def _body_end(self) -> int:
        depth = 1
        for number, (kind, piece) in enumerate(self._tokens):
            if kind == "mark" and piece in "{}":
                depth += 1 if piece == "{" else -1
                if depth == 0:
                    return number + 1
        raise _Unread

    def _peek(self) -> str:
        return self._tokens[self._at][1] if self._at < len(self._tokens) else ""

    def _next(self) -> tuple[str, str]:
        if self._at >= len(self._tokens):
            raise _Unread
        self._at += 1
        return self._tokens[self._at - 1]

    def _expect(self, mark: str) -> None:
        if self._next() != ("mark", mark):
            raise _Unread

    def _assignment(self) -> None:
        """One `name.member=value;` with as many members as there are."""
        kind, name = self._next()
        holder = self._names.get(name) if kind == "name" else None
        member = self._member()
        while self._peek() in (".", "["):
            holder = _inner(holder, member)
            member = self._member()
        self._expect("=")
        value = self._read(0)
        if isinstance(holder, dict):
            holder[str(member)] = value
        elif isinstance(holder, list) and isinstance(member, int) and 0 <= member < len(holder):
            holder[member] = value
        else:
            raise _Unread
        self._expect(";")

    def _member(self) -> str | int:
        if self._peek() == ".":
            self._at += 1
            return self._next()[1]
        self._expect("[")
        kind, piece = self._next()
        self._expect("]")
        if kind == "number" and piece.isdecimal():
            return int(piece[:9])
        if kind != "string":
            raise _Unread
        return _unquoted(piece)

    def _read(self, depth: int) -> Any:
        if depth > DEPTH_MAX:
            raise _Unread
        kind, piece = self._next()
        if kind in ("string", "number"):
            return _unquoted(piece) if kind == "string" else _number(piece)
        if kind == "name":
            return self._named(piece, depth)
        if piece in ("{", "["):
            self._at -= 1
            return self._object(depth) if piece == "{" else self._list("[", "]", depth)
        if piece == "!":
            return not self._read(depth + 1)
        if piece == "-" and self._peek() in ("Infinity", *self._names):
            self._read(depth + 1)
            return None
        raise _Unread

    def _named(self, name: str, depth: int) -> Any:
        if name in self._names:
            return self._names[name]
        if name in _WORDS:
            return _WORDS[name]
        if name == "void":
            self._read(depth + 1)
            return None
        if name == "new" and self._next()[1] == "Date":
            inner = self._list("(", ")", depth + 1)
            return inner[0] if inner else None
        if name == "Array":
            (size,) = self._list("(", ")", depth + 1) or (0,)
            if isinstance(size, int) and 0 <= size <= ARRAY_MAX:
                return [None] * size
        if name == "Object" and [self._next()[1], self._next()[1]] == [".", "create"]:
            self._list("(", ")", depth + 1)
            return {}
        raise _Unread

    def _object(self, depth: int) -> dict[str, Any]:
        self._expect("{")
        out: dict[str, Any] = {}
        while self._peek() != "}":
            kind, piece = self._next()
            if kind == "mark":
                raise _Unread
            key = _unquoted(piece) if kind == "string" else piece
            self._expect(":")
            out[key] = self._read(depth + 1)
            if self._peek() != "}":
                self._expect(",")
        self._at += 1
        return out

    def _list(self, opened: str, closed: str, depth: int) -> list[Any]:
        self._expect(opened)
        out: list[Any] = []
        while self._peek() != closed:
            out.append(self._read(depth + 1))
            if self._peek() != closed:
                self._expect(",")
        self._at += 1
        return out


def _tokens(text: str, at: int) -> list[tuple[str, str]]:
    """The tokens up to the end of the call, or up to the first character that begins none."""
    out: list[tuple[str, str]] = []
    while len(out) < TOKENS_MAX:
        match = _TOKEN.match(text, at)
        if match is None:
            return out
        kind = match.lastgroup or ""
        out.append((kind, match.group(kind)))
        at = match.end()
    raise _Unread


def _inner(holder: Any, member: str | int) -> Any:
    if isinstance(holder, dict):
        return holder.get(str(member))
    return holder[member] if isinstance(holder, list) and isinstance(member, int) and member < len(holder) else None


def _number(piece: str) -> int | float | None:
    if piece.lstrip("-").isdecimal() and len(piece) < 20:
        return int(piece)
    value = float(piece)
    return value if math.isfinite(value) else None


def _unquoted(piece: str) -> str:
    inner = piece[1:-1]
    if "\\" not in inner:
        return inner
    text = _ESCAPE.sub(_character, inner)
    # two escapes of one pair of surrogates are one character; a lone one is no text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _character(match: re.Match[str]) -> str:
    code = match.group(1) or match.group(2)
    return chr(int(code, 16)) if code else _ESCAPED.get(match.group(3), match.group(3))


class _Copier:
    """Copies values that may share parts or hold themselves into plain trees, within the limits."""

    def __init__(self) -> None:
        self._left = NODES_MAX

    def copy(self, value: Any, depth: int) -> Any:
        self._left -= 1
        if self._left < 0 or depth > DEPTH_MAX:
            raise _Unread
        if isinstance(value, dict):
            return {key: self.copy(inner, depth + 1) for key, inner in value.items()}
        if isinstance(value, list):
            return [self.copy(inner, depth + 1) for inner in value]
        return value
