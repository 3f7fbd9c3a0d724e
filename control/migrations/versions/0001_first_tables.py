"""First tables: merchants, sources, origins, outbox, lease, positions."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_COUNTER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "merchants",
        sa.Column("id", sa.String(40), primary_key=True),
        sa.Column("created_at_ms", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "sources",
        sa.Column("merchant", sa.String(40), sa.ForeignKey("merchants.id"), primary_key=True),
        sa.Column("request", sa.JSON, nullable=False),
        sa.Column("status", sa.String(16), nullable=False, index=True),
        sa.Column("source_epoch", sa.BigInteger, nullable=False),
        sa.Column("disable_epoch", sa.BigInteger, nullable=False),
        sa.Column("policy_rev", sa.BigInteger, nullable=False),
        sa.Column("changes", sa.BigInteger, nullable=False),
        sa.Column("proof_token", sa.String(64), nullable=False),
        sa.Column("proven", sa.Boolean, nullable=False),
        sa.Column("proof", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("budget_key", sa.String(253), nullable=False, index=True),
        sa.Column("committed_per_day", sa.BigInteger, nullable=False),
        sa.Column("policy_outbox_id", sa.BigInteger, nullable=False),
        sa.Column("updated_at_ms", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "source_origins",
        sa.Column("origin", sa.String(300), primary_key=True),
        sa.Column("merchant", sa.String(40), sa.ForeignKey("merchants.id"), primary_key=True, index=True),
        sa.Column("budget_key", sa.String(253), nullable=False),
    )
    op.create_table(
        "outbox",
        sa.Column("id", _COUNTER, primary_key=True, autoincrement=True),
        sa.Column("merchant", sa.String(40), nullable=False),
        sa.Column("kind", sa.String(64), nullable=False),
        sa.Column("event_id", sa.String(32), nullable=False),
        sa.Column("value", sa.LargeBinary, nullable=False),
        sa.Column("created_at_ms", sa.BigInteger, nullable=False),
        sa.Column("relayed_at_ms", sa.BigInteger, nullable=True),
        sqlite_autoincrement=True,
    )
    op.create_index("outbox_unrelayed", "outbox", ["relayed_at_ms", "id"])
    op.create_table(
        "relay_lease",
        sa.Column("name", sa.String(40), primary_key=True),
        sa.Column("holder", sa.String(64), nullable=False),
        sa.Column("term", sa.BigInteger, nullable=False),
        sa.Column("until_ms", sa.BigInteger, nullable=False),
    )
    # The row exists from the start, so that taking the lease is always an update of a locked row.
    op.execute("INSERT INTO relay_lease (name, holder, term, until_ms) VALUES ('relay', '', 0, 0)")
    op.create_table(
        "positions",
        sa.Column("topic", sa.String(200), primary_key=True),
        sa.Column("partition", sa.Integer, primary_key=True),
        sa.Column("next_offset", sa.BigInteger, nullable=False),
    )


def downgrade() -> None:
    for table in ("positions", "relay_lease", "outbox", "source_origins", "sources", "merchants"):
        op.drop_table(table)
