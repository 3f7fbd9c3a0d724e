"""Who may do what: bearer tokens and the access they carry (SPEC I7). Default deny; pure, the clock is an argument.

A token is a JWT (RFC 7519) signed HS256 with a secret shared by the issuer and the services of one installation. A claim that is
absent grants nothing. Errors name a reason and never repeat the token.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

import jwt

from topics.errors import Invalid, Reject

ROLES: Final = ("operator", "service", "analyst")
ALL: Final = "*"
ALGORITHM: Final = "HS256"
SECRET_BYTES_MIN: Final = 32  # RFC 7518 3.2: a key of at least the hash's size
TOKEN_CHARS_MAX: Final = 8_192
_BEARER: Final = "bearer "
_CHECKED_HERE: Final = {"verify_exp": False, "verify_iat": False, "verify_nbf": False, "require": ["sub", "aud", "exp"]}


class Unauthenticated(Reject):
    """The caller did not prove who it is.

    Attributes:
        reason: `missing`, `expired`, `wrong_audience` or `invalid`; the whole message, so that no token leaks.
    """

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(f"bearer token {reason}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """What a verified caller may see.

    Attributes:
        subject: who it is, for logs.
        roles: some of `ROLES`.
        merchants: merchant ids, or `*` for all.
        markets: market keys such as `US:USD`, or `*` for all.
        expires_at_ms: at and after this instant the caller must present a new token.
    """

    subject: str
    roles: frozenset[str]
    merchants: frozenset[str]
    markets: frozenset[str]
    expires_at_ms: int

    def may(self, merchant: str, market: str | None = None) -> bool:
        """True when the merchant, and the market when one is given, are granted."""
        if ALL not in self.merchants and merchant not in self.merchants:
            return False
        return market is None or ALL in self.markets or market in self.markets

    def has(self, *roles: str) -> bool:
        """True when the caller holds one of the roles."""
        return not self.roles.isdisjoint(roles)


NOBODY: Final = Access(subject="", roles=frozenset(), merchants=frozenset(), markets=frozenset(), expires_at_ms=0)
"""Grants nothing: the access of a caller who was not authenticated."""


def issue(
    *,
    secret: bytes,
    audience: str,
    subject: str,
    roles: Iterable[str],
    now_ms: int,
    lifetime_ms: int,
    merchants: Iterable[str] = (),
    markets: Iterable[str] = (),
) -> str:
    """Returns a signed token; raises Invalid for an unknown role, an empty subject or a secret that is too short.

    Args:
        lifetime_ms: how long it lives from `now_ms`; rounded up to whole seconds, as `exp` counts them.
    """
    _check_secret(secret)
    held = sorted(set(roles))
    for role in held:
        if role not in ROLES:
            raise Invalid("roles", role, f"use some of {', '.join(ROLES)}")
    if not subject:
        raise Invalid("subject", subject, "name who will use the token")
    if lifetime_ms <= 0:
        raise Invalid("lifetime_ms", lifetime_ms, "a token lives longer than nothing")
    claims = {
        "sub": subject,
        "aud": audience,
        "roles": held,
        "merchants": sorted(set(merchants)),
        "markets": sorted(set(markets)),
        "iat": now_ms // 1_000,
        "exp": -(-(now_ms + lifetime_ms) // 1_000),
    }
    return jwt.encode(claims, secret, algorithm=ALGORITHM)


def bearer(header: str | None) -> str:
    """Returns the token of an Authorization header (RFC 6750 2.1); raises Unauthenticated when there is none."""
    if header is None or not header[: len(_BEARER)].lower() == _BEARER:
        raise Unauthenticated("missing")
    return header[len(_BEARER) :].strip()


def verify(token: str, secret: bytes, audience: str, now_ms: int) -> Access:
    """Returns what the token grants; raises Unauthenticated when it is not ours, not for us, or no longer valid."""
    _check_secret(secret)
    if not token:
        raise Unauthenticated("missing")
    if len(token) > TOKEN_CHARS_MAX:
        raise Unauthenticated("invalid")
    try:
        claims: dict[str, Any] = jwt.decode(
            token,
            secret,
            algorithms=[ALGORITHM],
            audience=audience,
            options=_CHECKED_HERE,  # type: ignore[arg-type]
        )
    except jwt.InvalidAudienceError:
        raise Unauthenticated("wrong_audience") from None
    except jwt.InvalidTokenError:
        raise Unauthenticated("invalid") from None
    access = _access(claims)
    if access.expires_at_ms <= now_ms:
        raise Unauthenticated("expired")
    return access


def _access(claims: dict[str, Any]) -> Access:
    subject, expires = claims["sub"], claims["exp"]
    if not isinstance(subject, str) or isinstance(expires, bool) or not isinstance(expires, int):
        raise Unauthenticated("invalid")
    return Access(
        subject=subject,
        roles=_words(claims, "roles") & frozenset(ROLES),
        merchants=_words(claims, "merchants"),
        markets=_words(claims, "markets"),
        expires_at_ms=expires * 1_000,
    )


def _words(claims: dict[str, Any], name: str) -> frozenset[str]:
    """A list claim; anything that is not a list of texts grants nothing but refuses the token, since we never wrote it."""
    words = claims.get(name, [])
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise Unauthenticated("invalid")
    return frozenset(words)


def _check_secret(secret: bytes) -> None:
    if len(secret) < SECRET_BYTES_MIN:
        raise Invalid("secret", f"{len(secret)} bytes", f"use at least {SECRET_BYTES_MIN} random bytes")
