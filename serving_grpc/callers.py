"""Who calls: bearer tokens verified once and remembered until they expire (SPEC I7). Default deny; the clock is an argument."""

from typing import Final

from topics.access import Access, verify

AUDIENCE: Final = "serving"
CALLERS_MAX: Final = 10_000


class Callers:
    """Verified tokens, bounded; verifying one costs ~25 µs, remembering it ~0.2 µs.

    Args:
        secret: HS256 secret shared with the issuer.
    """

    def __init__(self, secret: bytes, callers_max: int = CALLERS_MAX) -> None:
        self._secret = secret
        self._callers_max = callers_max
        self._known: dict[str, Access] = {}

    def access(self, token: str, now_ms: int) -> Access:
        """Returns what the token grants; raises Unauthenticated. Refusals are not remembered."""
        known = self._known.get(token)
        if known is not None and known.expires_at_ms > now_ms:
            return known
        self._known.pop(token, None)
        access = verify(token, self._secret, AUDIENCE, now_ms)
        if len(self._known) >= self._callers_max:
            self._known.clear()
        self._known[token] = access
        return access
