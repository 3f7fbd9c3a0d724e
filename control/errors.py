"""What the control plane refuses, beside `topics.errors.Invalid` (422).

Invalid
├── Malformed     400: the body is not the JSON it must be
├── Conflict      409: the request is well formed but the source's present state forbids it
└── Unknown       404: no such merchant, or none that the caller may see (the same answer)
Reject
└── Forbidden     403: the caller's role or merchants do not allow the operation, whether the merchant exists or not
Retry
├── NotHolder     another relay holds the lease
└── Restored      the policy topic is ahead of the database: refuse until the epochs are raised
"""

from topics.errors import Invalid, Reject, Retry


class Malformed(Invalid):
    """The body cannot be read."""


class Conflict(Invalid):
    """The present state forbids it; the remedy says what to do first."""


class Unknown(Invalid):
    """Missing, or not for this caller."""


class Forbidden(Reject):
    """The caller is known and may not do this."""


class NotHolder(Retry):
    """The relay's lease belongs to another process, or lapsed and was taken over."""


class Restored(Retry):
    """The topic knows later policies than the database, as after a restore from a backup."""
