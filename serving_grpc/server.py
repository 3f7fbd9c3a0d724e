"""Composition root of the serving process: a replica and its gRPC server in one process."""

import gc
import logging
import signal
import threading
from collections.abc import Callable
from types import FrameType
from wsgiref.simple_server import WSGIServer

from prometheus_client import start_http_server

from serving_grpc.callers import Callers
from serving_grpc.follower import Follower
from serving_grpc.io import read_secret
from serving_grpc.service import CatalogService, GrpcServer
from serving_grpc.settings import ServeSettings
from topics.clock import wall_ms

LOG = logging.getLogger(__name__)
JOIN_S = 15.0


class Serving:
    """The running process; tests start it in theirs.

    Args:
        clock: wall clock in ms.

    Attributes:
        port: gRPC port in use.
        metrics_port: Prometheus port in use, -1 for none.
        failure: what stopped the follower, if anything did.
    """

    def __init__(
        self,
        settings: ServeSettings,
        clock: Callable[[], int] = wall_ms,
        on_ready: Callable[[bool], None] | None = None,
    ) -> None:
        self._tell = on_ready
        self._stop = threading.Event()
        self.ready = threading.Event()
        self.failure: BaseException | None = None
        self.follower = Follower(settings, clock, self._on_ready)
        service = CatalogService(
            lambda: self.follower.replica,
            Callers(read_secret(settings.keys / "access.secret")),
            self.follower.metrics,
            clock,
        )
        address = f"{settings.host}:{settings.port}"
        self._grpc = GrpcServer(service, address, workers=settings.workers, calls_max=settings.calls_max)
        self.port = self._grpc.port
        self._metrics: WSGIServer | None = None
        self.metrics_port = -1
        if settings.metrics_port >= 0:
            self._metrics, _ = start_http_server(
                settings.metrics_port, addr=settings.host, registry=self.follower.metrics.registry
            )
            self.metrics_port = self._metrics.server_port
        self._thread = threading.Thread(target=self._follow, name="follow", daemon=True)

    def start(self) -> None:
        """Answers at once, UNAVAILABLE until caught up."""
        self._grpc.start()
        self._thread.start()
        LOG.info("gRPC on port %d, metrics on port %d", self.port, self.metrics_port)

    def wait(self, timeout_s: float | None = None) -> None:
        """Returns when stopped; raises what stopped the follower."""
        self._stop.wait(timeout_s)
        if self.failure is not None:
            raise self.failure

    def request_stop(self) -> None:
        self._stop.set()

    def close(self) -> None:
        """Drains calls, stops following, closes the store."""
        self._stop.set()
        self._grpc.stop()
        if self._metrics is not None:
            self._metrics.shutdown()
            self._metrics.server_close()
        if self._thread.is_alive():
            self._thread.join(JOIN_S)
        self.follower.close()

    def _on_ready(self, ready: bool) -> None:
        self._grpc.say(ready=ready)
        if ready:
            gc.freeze()  # millions of rows that no collection needs to walk again
            self.ready.set()
        else:
            self.ready.clear()
        if self._tell is not None:
            self._tell(ready)

    def _follow(self) -> None:
        try:
            self.follower.run(self._stop)
        except BaseException as error:  # noqa: BLE001 (handed to the main thread, which ends the process)
            self.failure = error
        finally:
            self._on_ready(False)
            self._stop.set()


def run_serve(settings: ServeSettings, on_ready: Callable[[bool], None] | None = None) -> None:
    """Serves until SIGTERM or SIGINT; raises Invalid for missing keys, Bug for a record that cannot be read.

    Args:
        on_ready: called with every change of readiness (caught up and the broker answers), from another thread.
    """
    serving = Serving(settings, on_ready=on_ready)

    def stop(_number: int, _frame: FrameType | None) -> None:
        serving.request_stop()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    serving.start()
    try:
        serving.wait()
    finally:
        serving.close()
