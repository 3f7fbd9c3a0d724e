"""The judgement on a proposed permit: each guard refuses by itself."""

from dataclasses import replace

import pytest

from streams.budget.pace import fits
from streams.budget.rows import BudgetRow, Outstanding, Wish
from topics.events.crawl import Permit

NOW_MS = 1_000_000
PERMIT = Permit(permit_id="k-05", budget_key="k", term=1, not_before_ms=NOW_MS, expires_at_ms=NOW_MS + 30_000)
WISH = Wish(merchant="a", term=1, wanted=9, interval_ms=1_000, concurrency_max=1, asked_at_ms=NOW_MS)
ROW = BudgetRow(applied=1, wishes=(WISH,), granted="k-04")
OUT = Outstanding(permit_id="k-04", granted_at_ms=0, expires_at_ms=0, frees_at_ms=NOW_MS + 1)


def test_a_permit_that_breaks_nothing_fits():
    assert fits(ROW, PERMIT, NOW_MS, 0)


@pytest.mark.parametrize(
    ("row", "permit", "hold_until_ms"),
    [
        pytest.param(replace(ROW, granted="k-05"), PERMIT, 0, id="granted before"),
        pytest.param(replace(ROW, next_slot_ms=NOW_MS + 1), PERMIT, 0, id="before the next slot"),
        pytest.param(replace(ROW, quiet_until_ms=NOW_MS + 1), PERMIT, 0, id="before Retry-After ends"),
        pytest.param(ROW, PERMIT, NOW_MS + 1, id="during hold-off"),
        pytest.param(ROW, replace(PERMIT, expires_at_ms=NOW_MS), 0, id="expired"),
        pytest.param(replace(ROW, outstanding=(OUT,)), PERMIT, 0, id="above the concurrency"),
    ],
)
def test_no_site_sees_more_than_its_budget_because_each_guard_refuses_alone(row, permit, hold_until_ms):
    assert not fits(row, permit, NOW_MS, hold_until_ms)
