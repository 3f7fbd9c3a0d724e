"""The tables of the control plane (SPEC B4). SQLite by default, PostgreSQL by URL; Alembic creates them (`control/migrations`).

A source's request is one JSON document, read and written as a whole; what is compared, summed or locked has a column.
"""

from typing import Any

from sqlalchemy import JSON, BigInteger, Boolean, ForeignKey, Index, Integer, LargeBinary, String
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

# SQLite counts up on its own only in a column declared INTEGER.
_Counter = BigInteger().with_variant(Integer, "sqlite")


class Base(DeclarativeBase):
    """All tables of the control plane."""

    type_annotation_map = {int: BigInteger, dict[str, Any]: JSON}  # noqa: RUF012 - read by SQLAlchemy


class MerchantRow(Base):
    """A merchant; the row that serializes everything about it."""

    __tablename__ = "merchants"
    id: Mapped[str] = mapped_column(String(40), primary_key=True)
    created_at_ms: Mapped[int]


class SourceRow(Base):
    """A merchant's source; field by field `control.sources.Source`.

    `policy_outbox_id` is the outbox row of the current policy: it is never pruned, and re-publishing it repeats its event id.
    """

    __tablename__ = "sources"
    merchant: Mapped[str] = mapped_column(ForeignKey("merchants.id"), primary_key=True)
    request: Mapped[dict[str, Any]]
    status: Mapped[str] = mapped_column(String(16), index=True)
    source_epoch: Mapped[int]
    disable_epoch: Mapped[int]
    policy_rev: Mapped[int]
    changes: Mapped[int]
    proof_token: Mapped[str] = mapped_column(String(64))
    proven: Mapped[bool] = mapped_column(Boolean)
    proof: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    budget_key: Mapped[str] = mapped_column(String(253), index=True)
    committed_per_day: Mapped[int]
    policy_outbox_id: Mapped[int]
    updated_at_ms: Mapped[int]


class OriginRow(Base):
    """Which budget counts requests to an origin: one origin has one budget, whoever crawls it (SPEC D7)."""

    __tablename__ = "source_origins"
    origin: Mapped[str] = mapped_column(String(300), primary_key=True)
    merchant: Mapped[str] = mapped_column(ForeignKey("merchants.id"), primary_key=True, index=True)
    budget_key: Mapped[str] = mapped_column(String(253))


class OutboxRow(Base):
    """An event that was committed together with the change that caused it (transactional outbox).

    `value` is the event in wire format: what was committed is what is sent, also after an upgrade.
    """

    __tablename__ = "outbox"
    __table_args__ = (
        Index("outbox_unrelayed", "relayed_at_ms", "id"),
        {"sqlite_autoincrement": True},
    )
    id: Mapped[int] = mapped_column(_Counter, primary_key=True, autoincrement=True)
    merchant: Mapped[str] = mapped_column(String(40))
    kind: Mapped[str] = mapped_column(String(64))
    event_id: Mapped[str] = mapped_column(String(32))
    value: Mapped[bytes] = mapped_column(LargeBinary)
    created_at_ms: Mapped[int]
    relayed_at_ms: Mapped[int | None]


class LeaseRow(Base):
    """Who relays; `term` grows with every new holder and fences the marks of an old one."""

    __tablename__ = "relay_lease"
    name: Mapped[str] = mapped_column(String(40), primary_key=True)
    holder: Mapped[str] = mapped_column(String(64))
    term: Mapped[int]
    until_ms: Mapped[int]


class PositionRow(Base):
    """Next offset to read of a topic that control consumes, stored in the transaction of its effect."""

    __tablename__ = "positions"
    topic: Mapped[str] = mapped_column(String(200), primary_key=True)
    partition: Mapped[int] = mapped_column(Integer, primary_key=True)
    next_offset: Mapped[int]
