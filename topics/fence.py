"""The fence: order that an authority issues, so that no clock ever orders anything (SPEC G2)."""

from dataclasses import dataclass

LOG_EPOCH_SHIFT = 48
OFFSET_MAX = (1 << LOG_EPOCH_SHIFT) - 1
LOG_EPOCH_MAX = (1 << 15) - 1


def log_position(log_epoch: int, offset: int) -> int:
    """Returns one growing number for a record of a log: `log_epoch << 48 | offset`.

    It is a term when the record is an `OwnerStarted`, a published revision when the record is a decision (DESIGN §5).
    """
    if not 0 <= offset <= OFFSET_MAX:
        raise ValueError(f"offset {offset} is outside 0..2^48-1; start a new log epoch with `adcat topics new-epoch`")
    if not 0 < log_epoch <= LOG_EPOCH_MAX:
        raise ValueError(f"log_epoch {log_epoch} is outside 1..{LOG_EPOCH_MAX}; it is the number in the topic's name")
    return log_epoch << LOG_EPOCH_SHIFT | offset


@dataclass(frozen=True, slots=True, kw_only=True)
class Fence:
    """The fencing token `(source_epoch, term, generation)`, compared lexicographically and by `supersedes` only.

    Attributes:
        source_epoch: grows when the source is revoked or reconfigured; issued by control's SQL.
        term: log position of the owner's `OwnerStarted`; a later owner has a larger one.
        generation: offset of the inbox event that caused the claim, shifted left by 16, plus its output index.
    """

    source_epoch: int
    term: int
    generation: int

    def __post_init__(self) -> None:
        for name in ("source_epoch", "term", "generation"):
            if getattr(self, name) < 0:
                raise ValueError(f"fence.{name} is {getattr(self, name)}; it must be 0 or larger")

    def supersedes(self, other: "Fence | None") -> bool:
        """True when this fence is strictly later than `other`; anything supersedes no fence at all."""
        if other is None:
            return True
        return (self.source_epoch, self.term, self.generation) > (other.source_epoch, other.term, other.generation)


GENERATION_SHIFT = 16
OUTPUTS_MAX = 1 << GENERATION_SHIFT


def generation(offset: int, output_index: int) -> int:
    """Returns the generation of the `output_index`-th claim that the inbox event at `offset` caused (DESIGN §5)."""
    if not 0 <= output_index < OUTPUTS_MAX:
        raise ValueError(f"output_index {output_index} is outside 0..{OUTPUTS_MAX - 1}; claim less per event")
    return offset << GENERATION_SHIFT | output_index
