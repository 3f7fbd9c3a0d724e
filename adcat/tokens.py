"""Bearer tokens for local use; in production an identity provider issues the same claims."""

from collections.abc import Sequence

from adcat.settings import Settings
from topics.access import issue
from topics.clock import wall_ms

DAY_MS = 86_400_000
ANY = ("*",)


def local_token(
    settings: Settings,
    audience: str,
    *,
    roles: Sequence[str] = ("operator",),
    merchants: Sequence[str] = ANY,
    markets: Sequence[str] = ANY,
    lifetime_ms: int = DAY_MS,
) -> str:
    """Returns a token signed with this stack's secret, which `adcat up` and the demo create in ADCAT_HOME/keys."""
    from control.keys import read_secret

    return issue(
        secret=read_secret(settings.keys),
        audience=audience,
        subject="local",
        roles=roles,
        now_ms=wall_ms(),
        lifetime_ms=lifetime_ms,
        merchants=merchants,
        markets=markets,
    )
