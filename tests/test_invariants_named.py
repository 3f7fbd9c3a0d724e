"""Every invariant of DESIGN §10 has tests that name it; this list is the map from one to the other."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
INVARIANTS = {
    "serving imports no stage": ["pyproject.toml::A slow merchant or a broken parser cannot enter the ad request"],
    "stages meet only in topics": ["pyproject.toml::Stages meet only in topics"],
    "one writer per compacted topic, one per event type elsewhere": [
        "tests/flows/test_invariants.py::test_one_writer_per_compacted_topic_one_per_event_type_elsewhere"
    ],
    "pure code has no clock, no randomness, no I/O": [
        "pyproject.toml::Pure by default: I/O only in io.py, shells and composition roots, Faust only in streams.shell"
    ],
    "fences and revisions only grow": [
        "tests/flows/test_invariants.py::test_fences_and_revisions_only_grow",
        "tests/publication/test_candidates.py::test_fences_and_revisions_only_grow",
        "tests/topics/test_fence.py::test_supersedes_is_a_strict_total_order",
    ],
    "nothing passes a tombstone or disable fence": [
        "tests/flows/test_invariants.py::test_nothing_passes_a_tombstone",
        "tests/flows/test_invariants.py::test_nothing_passes_a_disable_fence",
        "tests/publication/test_absence.py::test_nothing_passes_a_tombstone_but_a_later_observation",
        "tests/publication/test_candidates.py::test_nothing_passes_a_disable_fence",
        "tests/publication/test_machine.py::Publication",
        "tests/serving/test_replica.py::test_nothing_passes_a_tombstone",
    ],
    "a replay never re-dates evidence": [
        "tests/flows/test_invariants.py::test_a_replay_never_redates_evidence",
        "tests/publication/test_candidates.py::test_a_replay_never_redates_evidence",
    ],
    "generation orders, clocks do not": [
        "tests/flows/test_invariants.py::test_generation_orders_clocks_do_not",
        "tests/flows/test_walkthroughs.py::test_generation_81_of_an_alias_finishes_late_with_a_later_clock_and_loses_to_82",
        "tests/frontier/test_frontier.py::test_generation_orders_clocks_do_not",
        "tests/publication/test_candidates.py::test_generation_orders_clocks_do_not",
    ],
    "a cache hit is checked like a miss": [
        "tests/serving/test_eligibility.py::test_a_cache_hit_is_checked_like_a_miss"
    ],
    "unknown policy authorizes nothing": [
        "tests/flows/test_invariants.py::test_unknown_policy_authorizes_nothing",
        "tests/publication/test_candidates.py::test_unknown_policy_authorizes_nothing",
        "tests/serving/test_eligibility.py::test_unknown_policy_authorizes_nothing",
    ],
    "unknown is not zero": [
        "tests/flows/test_invariants.py::test_unknown_is_not_zero",
        "tests/publication/test_candidates.py::test_unknown_is_not_zero",
    ],
    "a permit is spent at most once": [
        "tests/flows/test_invariants.py::test_a_permit_is_spent_at_most_once",
        "tests/streams/fetch/test_spent.py::test_a_permit_is_spent_at_most_once",
        "tests/frontier/test_lease_machine.py::Lease",
    ],
    "no site sees more than its budget, whatever crashes": [
        "tests/flows/test_invariants.py::test_no_site_sees_more_than_its_budget_whatever_crashes",
        "tests/flows/test_crash_storm.py::test_whatever_crashes_the_catalog_is_that_of_an_undisturbed_run",
        "tests/budget/test_budget_machine.py::Budget",
        "tests/broker/test_end_to_end.py::test_every_worker_killed_once_leaves_the_same_catalog_and_no_site_sees_more_than_its_budget",
    ],
    "one claim, at most one observation": [
        "tests/flows/test_invariants.py::test_one_claim_at_most_one_observation",
        "tests/frontier/test_lease_machine.py::Lease",
    ],
    "an accepted event is never lost": [
        "tests/flows/test_invariants.py::test_an_accepted_event_is_never_lost",
        "tests/broker/test_shell_restarts.py::test_ten_kills_under_backlog_lose_nothing",
    ],
    "the same log gives the same catalog": [
        "tests/flows/test_replay.py::test_the_same_log_gives_the_same_catalog",
        "tests/publication/test_stage.py::test_the_same_log_gives_the_same_catalog_wherever_the_process_dies",
    ],
}


@pytest.mark.parametrize("invariant", INVARIANTS)
def test_the_invariant_has_its_tests(invariant):
    assert INVARIANTS[invariant]
    for name in INVARIANTS[invariant]:
        path, _, test = name.partition("::")
        text = (ROOT / path).read_text()
        found = (
            f'name = "{test}"' in text
            if path.endswith(".toml")
            else re.search(rf"^(?:async )?(?:def|class) {test}\b", text, re.MULTILINE)
        )
        assert found, f"{invariant}: {name} does not exist"


def test_the_tests_that_the_architecture_names_exist():
    """docs/ARCHITECTURE.md has the same list for readers, one row an invariant."""
    text = (ROOT / "docs" / "ARCHITECTURE.md").read_text()
    table = text.partition("## Invariants")[2].partition("\n## ")[0]
    rows = [line for line in table.splitlines() if line.startswith("| ") and "`" in line]
    assert len(rows) >= len(INVARIANTS) - 2, "the first row of the table holds three"
    for row in rows:
        named = re.findall(r"`(tests/[^`]+)`", row)
        assert named, f"{row} names no test"
        assert [path for path in named if not (ROOT / path).exists()] == []
