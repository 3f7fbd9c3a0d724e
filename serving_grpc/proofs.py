"""Enablement proofs: what lets a policy partition authorize anything, and until when (SPEC I8, DESIGN §8). Pure.

A proof says "policy log L, partition p, complete to offset o until t". It counts only while the replica has applied the partition up
to `o`: a replica that stops hearing either policies or proofs fails closed within the proof lifetime.
"""

from collections.abc import Callable
from typing import Final

from topics.events.policy import PolicyProof
from topics.specs import MERCHANT_POLICY

PENDING_MAX: Final = 32
LIFETIME_MS_MAX: Final = 600_000
"""A signed lifetime above ten minutes is a mistake of the issuer; it authorizes nothing."""
Verify = Callable[[str, bytes, bytes], bool]
"""`(key_id, signature, signed bytes) -> genuine`."""


class ProofBook:
    """The proofs of every policy partition.

    Args:
        partitions: P of the policy log.
        allowance_ms: clock allowance that is taken off every expiry.
        verify: judges a signature.

    Attributes:
        until_ms: per partition, expiry of the best proof that counts minus the allowance; 0 for none.
    """

    def __init__(self, partitions: int, allowance_ms: int, verify: Verify) -> None:
        self.until_ms = [0] * partitions
        self._allowance_ms = allowance_ms
        self._verify = verify
        self._pending: list[list[tuple[int, int]]] = [[] for _ in range(partitions)]

    def offer(self, proof: PolicyProof, applied: int, now_ms: int) -> str:
        """Takes a proof and returns what became of it: `counted`, `waiting`, `expired`, `foreign`, `clock` or `forged`.

        Args:
            applied: next policy offset of the partition that this replica has not applied yet.
        """
        if proof.policy_log != MERCHANT_POLICY or not 0 <= proof.partition < len(self.until_ms):
            return "foreign"
        until = proof.expires_at_ms - self._allowance_ms
        if until <= now_ms:
            return "expired"
        ahead = proof.issued_at_ms - now_ms > self._allowance_ms  # our clock is slow: its expiry would come too late
        if ahead or proof.expires_at_ms - proof.issued_at_ms > LIFETIME_MS_MAX:
            return "clock"
        if not self._verify(proof.key_id, proof.signature, proof.signed_bytes()):
            return "forged"
        waiting = self._pending[proof.partition]
        waiting.append((proof.complete_to, until))
        del waiting[:-PENDING_MAX]
        self.advance(proof.partition, applied)
        return "counted" if proof.complete_to <= applied else "waiting"

    def advance(self, partition: int, applied: int) -> None:
        """Lets the waiting proofs count that `applied` now covers."""
        waiting = self._pending[partition]
        covered = [until for complete_to, until in waiting if complete_to <= applied]
        if covered:
            self.until_ms[partition] = max(self.until_ms[partition], *covered)
            self._pending[partition] = [one for one in waiting if one[0] > applied]
