"""A token grants what it names, to whom it names, until it expires; everything else is denied (SPEC I7)."""

import jwt
import pytest

from topics.access import NOBODY, Access, Unauthenticated, bearer, issue, verify
from topics.errors import Invalid

SECRET = b"s" * 32
NOW_MS = 1_800_000_000_000
MINUTE_MS = 60_000


def _token(**changes):
    given = {
        "secret": SECRET,
        "audience": "control",
        "subject": "ann",
        "roles": ["operator"],
        "now_ms": NOW_MS,
        "lifetime_ms": MINUTE_MS,
        "merchants": ["shoes"],
        "markets": ["US:USD"],
    }
    return issue(**(given | changes))


def _signed(**claims):
    base = {"sub": "ann", "aud": "control", "exp": NOW_MS // 1_000 + 60}
    return jwt.encode(base | claims, SECRET, algorithm="HS256")


def _reason(token, *, audience="control", now_ms=NOW_MS):
    with pytest.raises(Unauthenticated) as caught:
        verify(token, SECRET, audience, now_ms)
    assert not token or token not in str(caught.value)
    return caught.value.reason


def test_a_verified_token_grants_exactly_what_it_names():
    access = verify(_token(), SECRET, "control", NOW_MS)
    assert access == Access(
        subject="ann",
        roles=frozenset({"operator"}),
        merchants=frozenset({"shoes"}),
        markets=frozenset({"US:USD"}),
        expires_at_ms=NOW_MS + MINUTE_MS,
    )
    assert access.may("shoes")
    assert access.may("shoes", "US:USD")
    assert not access.may("shoes", "FR:EUR")
    assert not access.may("hats", "US:USD")
    assert access.has("operator", "service")
    assert not access.has("analyst")


def test_a_star_grants_every_merchant_or_market():
    access = verify(_token(merchants=["*"], markets=["*"]), SECRET, "control", NOW_MS)
    assert access.may("any", "JP:JPY")


def test_absent_claims_grant_nothing():
    access = verify(_signed(), SECRET, "control", NOW_MS)
    assert not access.may("shoes")
    assert not access.has("operator", "service", "analyst")
    assert not NOBODY.may("shoes")


def test_an_unknown_role_is_no_role():
    assert verify(_signed(roles=["root"]), SECRET, "control", NOW_MS).roles == frozenset()


@pytest.mark.parametrize(
    ("token", "reason"),
    [
        ("", "missing"),
        ("x" * 9_000, "invalid"),
        ("not.a.token", "invalid"),
        (_token(secret=b"o" * 32), "invalid"),
        (_token(audience="serving"), "wrong_audience"),
        (_signed(merchants="*"), "invalid"),
        (_signed(markets=[1]), "invalid"),
        (_signed(exp=True), "invalid"),
        (jwt.encode({"sub": "ann", "aud": "control"}, SECRET, algorithm="HS256"), "invalid"),
        (jwt.encode({"sub": "ann", "aud": "control", "exp": 9_999_999_999}, None, algorithm="none"), "invalid"),
    ],
)
def test_a_bad_token_is_refused_with_a_reason_and_never_repeated(token, reason):
    assert _reason(token) == reason


def test_a_token_ends_at_its_expiry_by_the_callers_clock():
    token = _token()
    assert verify(token, SECRET, "control", NOW_MS + MINUTE_MS - 1).subject == "ann"
    assert _reason(token, now_ms=NOW_MS + MINUTE_MS) == "expired"


@pytest.mark.parametrize("header", [None, "", "Basic abc", "Bearer"])
def test_a_request_without_bearer_header_is_unauthenticated(header):
    with pytest.raises(Unauthenticated):
        bearer(header)


def test_the_bearer_scheme_is_read_in_any_case():
    assert bearer("bEARER abc") == "abc"


@pytest.mark.parametrize("changes", [{"roles": ["root"]}, {"subject": ""}, {"lifetime_ms": 0}, {"secret": b"short"}])
def test_a_token_that_could_not_be_honored_is_not_issued(changes):
    with pytest.raises(Invalid):
        _token(**changes)
