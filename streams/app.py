"""Composition root of the Faust workers: which stage runs with which effects."""

import struct
from typing import NoReturn

from streams.blobs.io import BlobStore
from streams.budget.stage import BUDGET
from streams.frontier.stage import FRONTIER
from streams.parse.io import Reader
from streams.parse.stage import PARSE
from streams.publication.stage import PUBLISH
from streams.shell.app import ShellApp, build_app, run_worker
from streams.shell.settings import ShellSettings
from topics import admin
from topics.admin import Sizing, TopicMismatch
from topics.schemas import released
from topics.specs import codec

STAGES = {stage.name: stage for stage in (FRONTIER, BUDGET, PARSE, PUBLISH)}


def run_stage(name: str, settings: ShellSettings, sizing: Sizing, blobs_url: str) -> NoReturn:
    """Runs one stage until it is told to stop (exit 0) or stops by itself (see streams/shell/settings.py)."""

    def verify() -> None:
        problems = admin.verify(settings.bootstrap, sizing)
        if problems:
            raise TopicMismatch("; ".join(problems))

    run_worker(_app(name, settings, blobs_url), verify)


def _app(name: str, settings: ShellSettings, blobs_url: str) -> ShellApp:
    prepare = Reader(BlobStore(blobs_url)).prepare if name == PARSE.name else None
    return build_app(STAGES[name], settings, codec(), prepare, must_decode=is_policy)


def is_policy(value: bytes) -> bool:
    """True for a record that names a policy schema: a policy that cannot be read must stop the worker (DESIGN §4)."""
    if len(value) < 5:
        return False
    return struct.unpack_from(">I", value, 1)[0] in _POLICY_IDS


_POLICY_IDS = frozenset(one.schema_id for one in released() if one.event == "MerchantPolicy")
