"""Start, stop and look at the embedded broker process."""

import base64
import contextlib
import hashlib
import os
import shutil
import signal
import socket
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import psutil
from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient

from adcat.broker.config import log_properties, server_properties
from adcat.broker.errors import PortTaken, StartFailed
from adcat.broker.jars import ensure_jars, find_java, locked
from adcat.broker.settings import BrokerSettings

STOP_S_MAX = 15.0
_POLL_S = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokerStatus:
    """What `status` saw.

    Attributes:
        running: the process of this home is alive.
        ready: it answered a metadata request.
        pid: its process id; None when it does not run.
        address: bootstrap address.
        log: its log file.
    """

    running: bool
    ready: bool
    pid: int | None
    address: str
    log: Path


def start(settings: BrokerSettings) -> BrokerStatus:
    """Starts the broker unless it runs, and returns when it answers a metadata request.

    Raises ToolMissing, DownloadFailed, PortTaken or StartFailed; a broker that fails to become ready is killed.
    """
    settings.folder.mkdir(parents=True, exist_ok=True)
    with locked(settings.folder / "lock"):
        process = _process(settings)
        if process is None:
            process = _launch(settings)
        _await_ready(settings, process)
    return status(settings)


def stop(settings: BrokerSettings) -> bool:
    """Stops the broker: SIGTERM, then SIGKILL after 15 s. Returns False when none ran."""
    process = _process(settings)
    if process is None:
        return False
    process.terminate()
    try:
        process.wait(STOP_S_MAX)
    except psutil.TimeoutExpired:
        process.kill()
        process.wait(STOP_S_MAX)
    settings.pid.unlink(missing_ok=True)
    return True


def status(settings: BrokerSettings) -> BrokerStatus:
    """Looks at the process and asks the broker for metadata (at most 2 s)."""
    process = _process(settings)
    return BrokerStatus(
        running=process is not None,
        ready=process is not None and _answers(settings, timeout_s=2.0),
        pid=None if process is None else process.pid,
        address=settings.address,
        log=settings.log,
    )


def free_port() -> int:
    """Returns a TCP port of 127.0.0.1 that nobody listens on right now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _process(settings: BrokerSettings) -> psutil.Process | None:
    """The live broker of this home; a reused pid is not taken for it."""
    try:
        process = psutil.Process(int(settings.pid.read_text()))
        if process.status() == psutil.STATUS_ZOMBIE:
            return None
        return process if str(settings.config) in process.cmdline() else None
    except (FileNotFoundError, ValueError, psutil.NoSuchProcess):
        return None


def _launch(settings: BrokerSettings) -> psutil.Process:
    java = find_java()
    jars = ensure_jars(settings)
    if _listens(settings.port):
        raise PortTaken(
            f"port {settings.port} is taken by another process: stop it or set ADCAT_KAFKA=127.0.0.1:<free port>"
        )
    settings.config.write_text(server_properties(settings, settings.controller_port or free_port()))
    settings.log_config.write_text(log_properties(settings))
    command = _java(settings, java, jars, settings.heap)
    with settings.output.open("wb") as output:
        if not (settings.data / "meta.properties").exists():
            _format(settings, _java(settings, java, jars, "128m"))
        # A session of its own: Ctrl-C in the terminal that started it does not reach the broker.
        broker = subprocess.Popen(
            [*command, "kafka.Kafka", str(settings.config)],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd=settings.folder,
            start_new_session=True,
        )
    settings.pid.write_text(f"{broker.pid}\n")
    return psutil.Process(broker.pid)


def _java(settings: BrokerSettings, java: str, jars: Path, heap: str) -> list[str]:
    # Serial collector and the first compiler only: ready in half the time and a third of the memory on two cores.
    flags = [f"-Xmx{heap}", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData"]
    logging = f"-Dlog4j2.configurationFile={settings.log_config}"
    return [java, *flags, "-Djava.awt.headless=true", logging, "-cp", f"{jars}/*"]


def _format(settings: BrokerSettings, command: list[str]) -> None:
    """Formats the storage once; a half-formatted folder of a killed attempt is wiped first."""
    shutil.rmtree(settings.data, ignore_errors=True)
    digest = hashlib.sha256(str(settings.data).encode() + os.urandom(16)).digest()[:16]
    cluster = base64.urlsafe_b64encode(digest).rstrip(b"=").decode().replace("-", "A")
    answer = subprocess.run(
        [*command, "kafka.tools.StorageTool", "format", "-t", cluster, "-c", str(settings.config)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    if answer.returncode != 0:
        raise StartFailed(
            f"formatting {settings.data} failed; is the disk full or the folder read-only?\n{answer.stderr[-800:]}"
        )


def _await_ready(settings: BrokerSettings, process: psutil.Process) -> None:
    deadline = time.monotonic() + settings.ready_s_max
    while time.monotonic() < deadline:
        if not process.is_running() or process.status() == psutil.STATUS_ZOMBIE:
            raise StartFailed(f"Kafka ended at start; its last lines, more in {settings.log}:\n{_last_lines(settings)}")
        if _listens(settings.port) and _answers(settings, timeout_s=2.0):
            return
        time.sleep(_POLL_S)
    with contextlib.suppress(psutil.NoSuchProcess):
        process.send_signal(signal.SIGKILL)
    settings.pid.unlink(missing_ok=True)
    raise StartFailed(
        f"Kafka was not ready in {settings.ready_s_max:.0f} s; see {settings.log}:\n{_last_lines(settings)}"
    )


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1.0)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _answers(settings: BrokerSettings, *, timeout_s: float) -> bool:
    admin = AdminClient({"bootstrap.servers": settings.address, "log_level": 0, "socket.timeout.ms": 2000})
    try:
        return bool(admin.list_topics(timeout=timeout_s).brokers)
    except KafkaException:
        return False


def _last_lines(settings: BrokerSettings) -> str:
    texts = [path.read_text(errors="replace") for path in (settings.log, settings.output) if path.exists()]
    return "\n".join("\n".join(text.splitlines()[-6:]) for text in texts)
