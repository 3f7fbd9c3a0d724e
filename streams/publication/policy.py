"""A merchant's policy is taken from the decision log itself, so that its order with candidates is decided once."""

from dataclasses import replace

from streams.publication.rows import MerchantRow, Terms
from streams.stage import Emit, Position
from topics.events.base import event_id
from topics.events.offer import Quarantined
from topics.events.policy import MerchantPolicy
from topics.keys import merchant_key
from topics.specs import QUARANTINE


def take(policy: MerchantPolicy, position: Position, guard: MerchantRow) -> tuple[list[Emit], MerchantRow]:
    """Takes a policy of a larger revision; returns the outputs and the merchant row to put last.

    Entries are not rewritten: replicas read epochs from the policy log, and revocation never waits for offers (SPEC B5).
    A policy whose epochs fall (a database restored from a backup) is taken with the epochs known before, and shown:
    what was fenced off stays fenced off.
    """
    known = guard.terms
    if known is not None and policy.policy_rev < known.policy_rev:
        return [], guard.refused("stale_policy", position.offset)
    if known is None or policy.policy_rev > known.policy_rev:
        guard = replace(guard, terms=Terms.of(policy, known))
    terms = guard.terms
    assert terms is not None
    if policy.source_epoch >= terms.source_epoch and policy.disable_epoch >= terms.disable_epoch:
        return [], guard
    return [_regressed(policy, terms, position)], guard


def _regressed(policy: MerchantPolicy, terms: Terms, position: Position) -> Emit:
    key = merchant_key(policy.merchant)
    event = Quarantined(
        event_id=event_id("Quarantined", key, None, position.origin, 0),
        occurred_at_ms=position.now_ms,
        merchant=policy.merchant,
        stage="publish",
        subject=policy.merchant,
        url=policy.start_url,
        target_id="",
        field="source_epoch",
        reason="epoch_regressed",
        detail=(
            f"policy {policy.policy_rev} has epochs {policy.source_epoch}/{policy.disable_epoch}, "
            f"below the known {terms.source_epoch}/{terms.disable_epoch}, which stay in force"
        ),
    )
    return Emit(topic=QUARANTINE, key=key, event=event)
