"""Sources in the database: each change, its outbox rows and its look-up rows commit together or not at all (SPEC B4)."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, dataclass

import msgspec
import sqlalchemy as sa
from sqlalchemy.orm import Session

from control import sources
from control.capacity import Capacity, admission, committed_per_day
from control.errors import Conflict, Unknown
from control.io import Database
from control.request import SourceRequest
from control.schema import MerchantRow, OriginRow, OutboxRow, PositionRow, SourceRow
from control.sources import Change, ProofResult, Source
from topics.errors import Invalid
from topics.events.crawl import ProofObserved
from topics.events.policy import MerchantPolicy
from topics.specs import SOURCE_PROOF, codec

Rule = Callable[[Source, int], Change]
"""(source, now_ms) → what becomes of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A source as operators see it.

    Attributes:
        published: the current policy is relayed and acknowledged.
        changed_at_ms: database clock of the last change.
        capacity: admission figures; None in listings.
    """

    source: Source
    published: bool
    changed_at_ms: int
    capacity: Capacity | None = None


class Store:
    """Merchants and their sources."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def register(self, merchant: str, request: SourceRequest, token: str) -> tuple[View, bool]:
        """Returns the source and whether it is new; an identical repetition changes nothing.

        Raises:
            Conflict: the merchant has a source with another request.
            Invalid: malformed merchant id, or an origin that counts against another budget.
        """
        with self._database.writing() as session:
            self._database.serialize(session)
            now_ms = self._database.clock_ms(session)
            known = session.get(SourceRow, merchant)
            if known is None:
                change = sources.register(merchant, request, token, now_ms)
                _check_origins(session, merchant, request)
                session.add(MerchantRow(id=merchant, created_at_ms=now_ms))
                session.flush()
                _write(session, change, now_ms)
            elif _source(known).request != request:
                remedy = "the merchant is registered with another request; change it with PATCH on this address"
                raise Conflict("merchant", merchant, remedy)
            return _view(session, merchant, capacity=True), known is None

    def reconfigure(self, merchant: str, reread: Callable[[SourceRequest], SourceRequest], token: str) -> View:
        """Replaces the request by what `reread` makes of the present one; raises Unknown, Invalid."""
        with self._database.writing() as session:
            self._database.serialize(session)
            now_ms = self._database.clock_ms(session)
            source = _locked(session, merchant)
            request = reread(source.request)
            _check_origins(session, merchant, request)
            _write(session, sources.reconfigure(source, request, token, now_ms), now_ms)
            return _view(session, merchant, capacity=True)

    def change(self, merchant: str, rule: Rule) -> View:
        """Applies a rule to a source; raises Unknown, or what the rule raises, and then stores nothing."""
        with self._database.writing() as session:
            now_ms = self._database.clock_ms(session)
            _write(session, rule(_locked(session, merchant), now_ms), now_ms)
            return _view(session, merchant, capacity=True)

    def recover(self, policies: Collection[MerchantPolicy], token: Callable[[], str]) -> list[str]:
        """After a restore: raises every source above the topic's policy and returns the merchants touched (DESIGN §8)."""
        touched = []
        with self._database.writing() as session:
            self._database.serialize(session)
            now_ms = self._database.clock_ms(session)
            for policy in policies:
                row = session.get(SourceRow, policy.merchant, with_for_update=True)
                if row is not None and row.policy_rev >= policy.policy_rev:
                    continue
                if row is None:
                    change = sources.recovered(policy, token(), now_ms)
                    session.add(MerchantRow(id=policy.merchant, created_at_ms=now_ms))
                    session.flush()
                else:
                    change = sources.raised_above(_source(row), policy, now_ms)
                _write(session, change, now_ms)
                touched.append(policy.merchant)
        return touched

    def ping(self) -> None:
        """Raises DatabaseUnreachable when the database does not answer."""
        self._database.now_ms()

    def get(self, merchant: str) -> View:
        """Returns a source; raises Unknown."""
        with self._database.reading() as session:
            return _view(session, merchant, capacity=True)

    def page(self, after: str, limit: int, merchants: Collection[str] | None) -> list[View]:
        """Returns up to `limit` sources with ids above `after`, in order of id.

        Args:
            merchants: those the caller may see; None for all.
        """
        query = sa.select(SourceRow).where(SourceRow.merchant > after).order_by(SourceRow.merchant).limit(limit)
        if merchants is not None:
            query = query.where(SourceRow.merchant.in_(merchants))
        with self._database.reading() as session:
            return [_viewed(session, row, capacity=False) for row in session.scalars(query)]

    def take_proof(self, partition: int, offset: int, observed: ProofObserved) -> None:
        """Applies a proof outcome and remembers its position in one transaction; an unknown merchant's is passed over."""
        with self._database.writing() as session:
            now_ms = self._database.clock_ms(session)
            row = session.get(SourceRow, observed.merchant, with_for_update=True)
            if row is not None:
                _write(session, sources.prove(_source(row), observed, now_ms), now_ms)
            session.merge(PositionRow(topic=SOURCE_PROOF, partition=partition, next_offset=offset + 1))

    def positions(self, topic: str) -> dict[int, int]:
        """Returns the next offset to read per partition."""
        with self._database.reading() as session:
            rows = session.scalars(sa.select(PositionRow).where(PositionRow.topic == topic))
            return {row.partition: row.next_offset for row in rows}


def _locked(session: Session, merchant: str) -> Source:
    row = session.get(SourceRow, merchant, with_for_update=True)
    if row is None:
        raise Unknown("merchant", merchant, "register the merchant's source first")
    return _source(row)


def _source(row: SourceRow) -> Source:
    return Source(
        merchant=row.merchant,
        request=msgspec.convert(row.request, SourceRequest),
        status=row.status,
        source_epoch=row.source_epoch,
        disable_epoch=row.disable_epoch,
        policy_rev=row.policy_rev,
        changes=row.changes,
        proof_token=row.proof_token,
        proven=row.proven,
        proof=None if row.proof is None else ProofResult(**row.proof),
    )


def _write(session: Session, change: Change, now_ms: int) -> None:
    """Stores the source and queues its events; a change that changed nothing writes nothing."""
    source = change.source
    row = session.get(SourceRow, source.merchant)
    if row is not None and _source(row) == source:
        return
    policy_id = _queue(session, change, now_ms)
    values = asdict(source)
    values |= {
        "request": msgspec.to_builtins(source.request),
        "budget_key": source.request.budget_key,
        "committed_per_day": committed_per_day(source.request),
        "updated_at_ms": now_ms,
    }
    if policy_id is not None:
        values["policy_outbox_id"] = policy_id
    session.merge(SourceRow(**values))
    _write_origins(session, source)


def _queue(session: Session, change: Change, now_ms: int) -> int | None:
    """Returns the outbox id of the policy among the events, if there is one."""
    policy_id = None
    for event in change.events:
        row = OutboxRow(
            merchant=event.merchant,
            kind=type(event).__name__,
            event_id=event.event_id,
            value=codec().encode(event),
            created_at_ms=now_ms,
        )
        session.add(row)
        session.flush()  # ids in the order of the events
        if isinstance(event, MerchantPolicy):
            policy_id = row.id
    return policy_id


def _origins_of(request: SourceRequest) -> Sequence[str]:
    return tuple(dict.fromkeys((*request.allowed_origins, *request.media_origins)))


def _check_origins(session: Session, merchant: str, request: SourceRequest) -> None:
    """Refuses a second budget for an origin: together they would exceed what the site permits (SPEC D7)."""
    other = session.scalars(
        sa.select(OriginRow).where(
            OriginRow.origin.in_(_origins_of(request)),
            OriginRow.merchant != merchant,
            OriginRow.budget_key != request.budget_key,
        )
    ).first()
    if other is not None:
        remedy = f"requests to {other.origin} already count against {other.budget_key}; use that budget_key"
        raise Invalid("budget_key", request.budget_key, remedy)


def _write_origins(session: Session, source: Source) -> None:
    session.execute(sa.delete(OriginRow).where(OriginRow.merchant == source.merchant))
    for origin in _origins_of(source.request):
        session.add(OriginRow(origin=origin, merchant=source.merchant, budget_key=source.request.budget_key))
    session.flush()


def _view(session: Session, merchant: str, *, capacity: bool) -> View:
    row = session.get(SourceRow, merchant)
    if row is None:
        raise Unknown("merchant", merchant, "register the merchant's source first")
    return _viewed(session, row, capacity=capacity)


def _viewed(session: Session, row: SourceRow, *, capacity: bool) -> View:
    source = _source(row)
    queued = session.get(OutboxRow, row.policy_outbox_id)
    figures = None
    if capacity:
        others = sa.select(sa.func.coalesce(sa.func.sum(SourceRow.committed_per_day), 0)).where(
            SourceRow.budget_key == row.budget_key, SourceRow.merchant != row.merchant, SourceRow.status != "disabled"
        )
        figures = admission(source.request, int(session.scalar(others) or 0))
    return View(
        source=source,
        published=queued is not None and queued.relayed_at_ms is not None,
        changed_at_ms=row.updated_at_ms,
        capacity=figures,
    )
