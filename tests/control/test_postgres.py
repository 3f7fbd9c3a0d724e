"""The same rows on a real PostgreSQL: migration, transactions under concurrency, lease, proofs' clock (SPEC B4)."""

import os
import pwd
import shutil
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from control import sources
from control.errors import NotHolder
from control.io import Database, DatabaseUnreachable, migrate
from control.outbox import Outbox
from control.request import read_request
from control.store import Store

BINARIES = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
USER = "postgres"
PORT = 54_329


def _as_user(command):
    """PostgreSQL refuses root: as root its own account runs the server, otherwise we do."""
    if os.geteuid() != 0:
        return command
    return ["setpriv", f"--reuid={USER}", f"--regid={pwd.getpwnam(USER).pw_gid}", "--clear-groups", *command]


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    """A temporary server on a socket in its own folder; no TCP port."""
    if not BINARIES:
        pytest.skip("no PostgreSQL server under /usr/lib/postgresql")
    if os.geteuid() == 0 and shutil.which("setpriv") is None:
        pytest.skip("PostgreSQL refuses root and there is no setpriv to become another user")
    binaries = BINARIES[-1].parent
    folder = Path("/tmp") / f"adcat-pg-{os.getpid()}"  # short: a socket path has 107 bytes; readable by its account
    folder.mkdir(mode=0o700)
    if os.geteuid() == 0:
        shutil.chown(folder, USER)
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C"}
    started = folder / "data"
    options = f"-c listen_addresses='' -c unix_socket_directories={folder} -c port={PORT} -c fsync=off"
    try:
        for command in (
            [binaries / "initdb", "-D", started, "-U", "adcat", "-A", "trust", "-E", "UTF8"],
            [binaries / "pg_ctl", "-D", started, "-w", "-l", folder / "log", "-o", options, "start"],
        ):
            subprocess.run(_as_user(list(map(str, command))), check=True, capture_output=True, env=environment, cwd="/")
        yield f"postgresql://adcat@/postgres?host={folder}&port={PORT}"
        stop = [binaries / "pg_ctl", "-D", started, "-m", "immediate", "stop"]
        subprocess.run(_as_user(list(map(str, stop))), check=True, capture_output=True, env=environment, cwd="/")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def database(url):
    migrate(url)
    opened = Database(url)
    yield opened
    opened.close()


@pytest.fixture
def request_of(shop):
    return read_request(shop, allow_loopback=False)


def test_processes_that_migrate_together_agree(url):
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(migrate, [url] * 4))


def test_concurrent_registrations_of_one_merchant_make_one_source(database, request_of):
    store = Store(database)
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda n: store.register("together", request_of, f"token-{n}"), range(8)))
    assert sum(created for _, created in answers) == 1
    assert len({view.source.proof_token for view, _ in answers}) == 1


def test_concurrent_changes_of_one_merchant_are_queued_in_the_order_of_their_revisions(database, request_of):
    store, outbox = Store(database), Outbox(database, 15_000)
    store.register("busy", request_of, "token")
    start = threading.Barrier(6)

    def toggle(number):
        start.wait()
        for _ in range(5):
            store.change("busy", sources.disable if number % 2 else sources.enable)

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(toggle, range(6)))
    rows = [row.event for row in outbox.unrelayed(1_000) if row.merchant == "busy"]
    revs = [event.policy_rev for event in rows if hasattr(event, "policy_rev")]
    assert revs == list(range(1, len(revs) + 1))
    assert store.get("busy").source.policy_rev == len(revs)


def test_the_lease_has_one_holder_and_marks_are_fenced_by_its_term(database):
    one, two = Outbox(database, 15_000), Outbox(database, 15_000)
    lease = one.acquire("one")
    with pytest.raises(NotHolder):
        two.acquire("two")
    one.release(lease)
    taken = two.acquire("two")
    assert taken.term == lease.term + 1
    with pytest.raises(NotHolder):
        one.mark(lease, [1])
    two.requeue(taken, ["busy"])
    two.prune(taken, 0)
    assert "busy" in two.backlog(taken)
    two.release(taken)


def test_the_clock_is_the_databases(database):
    assert database.now_ms() > 1_600_000_000_000


def test_a_database_that_does_not_answer_is_named_without_its_password():
    with pytest.raises(DatabaseUnreachable, match=r"127\.0\.0\.1:1/x") as caught:
        migrate("postgresql://ann:secret@127.0.0.1:1/x")
    assert "secret" not in str(caught.value)
