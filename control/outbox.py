"""The outbox as the relay sees it: a lease, rows to send, marks that only the lease's holder can set."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import TypeVar

import sqlalchemy as sa
from sqlalchemy.orm import Session

from control.errors import NotHolder
from control.io import Database
from control.relay import Queued
from control.schema import LeaseRow, OutboxRow, SourceRow
from topics.specs import codec

_Value = TypeVar("_Value", int, str)
_LEASE = "relay"
_IDS_MAX = 500  # bound parameters of one statement


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """The right to relay.

    Attributes:
        term: grows with every new holder.
        now_ms: database clock when it was granted or renewed.
    """

    holder: str
    term: int
    now_ms: int


class Outbox:
    """Rows of committed events, in order.

    Args:
        database: where they are.
        lease_ms: how long a silent holder keeps the lease.
    """

    def __init__(self, database: Database, lease_ms: int) -> None:
        self._database = database
        self._lease_ms = lease_ms

    def acquire(self, holder: str) -> Lease:
        """Takes, renews or takes over the lease; raises NotHolder while another one holds it."""
        with self._database.writing() as session:
            row = _lease_row(session)
            now_ms = self._database.clock_ms(session)
            if row.holder != holder:
                if row.until_ms > now_ms:
                    raise NotHolder(f"relay {row.holder} holds the lease for another {row.until_ms - now_ms} ms")
                row.holder = holder
                row.term += 1
            row.until_ms = now_ms + self._lease_ms
            return Lease(holder=holder, term=row.term, now_ms=now_ms)

    def release(self, lease: Lease) -> None:
        """Ends the lease at a clean stop, so that the next relay need not wait; nothing happens when it is already lost."""
        with self._database.writing() as session:
            row = _lease_row(session)
            if (row.holder, row.term) == (lease.holder, lease.term):
                row.until_ms = 0
                row.holder = ""

    def unrelayed(self, limit: int) -> list[Queued]:
        """Returns the oldest rows that are not relayed; raises Undecodable for a value that no release wrote."""
        query = sa.select(OutboxRow).where(OutboxRow.relayed_at_ms.is_(None)).order_by(OutboxRow.id).limit(limit)
        with self._database.reading() as session:
            return [
                Queued(id=row.id, merchant=row.merchant, event=codec().decode(row.value))
                for row in session.scalars(query)
            ]

    def mark(self, lease: Lease, ids: Collection[int]) -> None:
        """Records acknowledged rows; raises NotHolder when the lease was taken over, so that the new holder sends them again."""
        with self._database.writing() as session:
            _check(session, lease)
            now_ms = self._database.clock_ms(session)
            for chunk in _chunks(ids):
                session.execute(sa.update(OutboxRow).where(OutboxRow.id.in_(chunk)).values(relayed_at_ms=now_ms))

    def backlog(self, lease: Lease) -> set[str]:
        """Returns the merchants with rows not relayed.

        Raises:
            NotHolder: another relay may have sent rows to offsets that this one has not seen.
        """
        query = sa.select(OutboxRow.merchant).where(OutboxRow.relayed_at_ms.is_(None)).distinct()
        with self._database.writing() as session:
            _check(session, lease)
            return set(session.scalars(query))

    def now_ms(self) -> int:
        """Returns the database clock, read in a transaction of its own."""
        return self._database.now_ms()

    def policy_revs(self) -> dict[str, int]:
        """Returns the policy revision of every merchant."""
        with self._database.reading() as session:
            rows = session.execute(sa.select(SourceRow.merchant, SourceRow.policy_rev))
            return dict(rows.tuples().all())

    def requeue(self, lease: Lease, merchants: Collection[str]) -> None:
        """Lets the current policy of the merchants be sent once more, with its event id."""
        with self._database.writing() as session:
            _check(session, lease)
            for chunk in _chunks(merchants):
                current = sa.select(SourceRow.policy_outbox_id).where(SourceRow.merchant.in_(chunk))
                session.execute(sa.update(OutboxRow).where(OutboxRow.id.in_(current)).values(relayed_at_ms=None))

    def prune(self, lease: Lease, before_ms: int) -> None:
        """Deletes rows relayed before an instant, except those of current policies."""
        current = sa.select(SourceRow.policy_outbox_id)
        with self._database.writing() as session:
            _check(session, lease)
            session.execute(
                sa.delete(OutboxRow).where(OutboxRow.relayed_at_ms < before_ms, OutboxRow.id.not_in(current))
            )


def _lease_row(session: Session) -> LeaseRow:
    row = session.get(LeaseRow, _LEASE, with_for_update=True)
    assert row is not None, "the migration creates it"
    return row


def _check(session: Session, lease: Lease) -> None:
    row = _lease_row(session)
    if (row.holder, row.term) != (lease.holder, lease.term):
        raise NotHolder(f"relay {row.holder or 'nobody'} took over the lease in term {row.term}")


def _chunks(values: Iterable[_Value]) -> list[list[_Value]]:
    every = list(values)
    return [every[at : at + _IDS_MAX] for at in range(0, len(every), _IDS_MAX)]
