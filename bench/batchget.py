"""BatchGet of 200 keys from memory over real gRPC, token check included: items per CPU-second of the server process.

The floor is the same server answering canned bytes of the same size without looking anything up, so the ratio says what the checks and the
look-ups cost on top of Python gRPC on this machine. Cards are at most 300 B. Run: `python -m bench.batchget`.
"""

import argparse
import multiprocessing
import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from typing import Any

import grpc
import psutil

from serving_grpc.callers import AUDIENCE, Callers
from serving_grpc.catalog_pb2 import PURCHASE_AD, TEXT, BatchGetRequest, BatchGetResponse, Result
from serving_grpc.changes import LogRecord
from serving_grpc.metrics import Metrics
from serving_grpc.proofs import ProofBook
from serving_grpc.replica import Replica
from serving_grpc.service import SERVICE, CatalogService, GrpcServer
from topics.access import issue
from topics.clock import wall_ms
from topics.events.offer import Attribute, CatalogEntry, OfferContent
from topics.events.policy import Market, MerchantPolicy, PolicyProof
from topics.fence import Fence
from topics.keys import merchant_key, partition_of
from topics.specs import MERCHANT_POLICY, OFFER_CATALOG, POLICY_PROOF, codec

OFFERS = 50_000
MERCHANTS = 1_000
KEYS = 200
PARTITIONS = 8
SECRET = b"s" * 32
METHOD = f"/{SERVICE}/BatchGet"
HOUR_MS = 3_600_000


class NoShelf:
    """All rows are in memory."""

    def value(self, _key: str) -> bytes | None:
        return None


def filled(now_ms: int) -> Replica:
    """A replica with OFFERS rows of MERCHANTS merchants, policies known, proofs alive."""
    book = ProofBook(PARTITIONS, 2_000, lambda *_: True)
    replica = Replica(NoShelf(), book, partitions=PARTITIONS)
    replica.install(replica.plan((_entry(number, now_ms) for number in range(OFFERS)), {}), now_ms)
    replica.install(replica.plan((_policy(f"m{one}", now_ms) for one in range(MERCHANTS)), {}), now_ms)
    replica.install(replica.plan((_proof(one, now_ms) for one in range(PARTITIONS)), {}), now_ms)
    ends = {(topic, one): 0 for topic in (OFFER_CATALOG, MERCHANT_POLICY) for one in range(PARTITIONS)}
    replica.expect(ends)
    replica.observe(ends, now_ms)
    assert replica.ready()
    return replica


def _entry(number: int, now_ms: int) -> LogRecord:
    merchant = f"m{number % MERCHANTS}"
    content = OfferContent(
        url=f"https://{merchant}.example/products/{number}?variant={number % 7}",
        name=f"Lightweight trail running shoe model {number}, blue",
        price_minor=1_000 + number,
        currency="USD",
        exponent=2,
        list_price_minor=2_000 + number,
        availability="InStock",
        attributes=(Attribute(name="size", value="42"), Attribute(name="color", value="blue")),
    )
    entry = CatalogEntry(
        event_id="0" * 32,
        occurred_at_ms=now_ms,
        merchant=merchant,
        identity=f"pid:{number}",
        variant="42-blue",
        market="US:USD",
        revision=1 << 48 | number,
        fence=Fence(source_epoch=1, term=1, generation=number),
        decision_rev=1,
        observation_id="0" * 32,
        target_id="0" * 32,
        parser_rev="bench",
        lifecycle="active",
        reason="accepted",
        evidence_at_ms=now_ms,
        eligible_until_ms=now_ms + HOUR_MS,
        content_digest="0" * 32,
        content=content,
    )
    key = entry.offer_key.key
    return LogRecord(OFFER_CATALOG, partition_of(key, PARTITIONS), number, key, codec().encode(entry), now_ms)


def _policy(merchant: str, now_ms: int) -> LogRecord:
    origin = f"https://{merchant}.example"
    policy = MerchantPolicy(
        event_id="0" * 32,
        occurred_at_ms=now_ms,
        merchant=merchant,
        policy_rev=1,
        status="enabled",
        source_epoch=1,
        disable_epoch=0,
        start_url=origin,
        proof_url=origin,
        allowed_origins=(origin,),
        markets=(Market(country="US", currency="USD"),),
        budget_key=merchant,
    )
    key = merchant_key(merchant)
    return LogRecord(MERCHANT_POLICY, partition_of(key, PARTITIONS), 0, key, codec().encode(policy), now_ms)


def _proof(partition: int, now_ms: int) -> LogRecord:
    proof = PolicyProof(
        event_id="0" * 32,
        occurred_at_ms=now_ms,
        policy_log=MERCHANT_POLICY,
        partition=partition,
        complete_to=0,
        issued_at_ms=now_ms,
        expires_at_ms=now_ms + 600_000,
        key_id="bench",
        signature=b"",
    )
    return LogRecord(POLICY_PROOF, 0, partition, b"p", codec().encode(proof), now_ms)


def serve(pipe: Connection, canned: bytes | None) -> None:
    """The server process: says its port and the size of a card, then answers "cpu" with its CPU seconds so far, until None."""
    if canned is None:
        replica = filled(wall_ms())
        service = CatalogService(lambda: replica, Callers(SECRET), Metrics(lambda: replica, wall_ms), wall_ms)
        server: Any = GrpcServer(service, "127.0.0.1:0", workers=4, calls_max=64)
        port = server.port
    else:
        server, port = _canned(canned)
    server.start()
    pipe.send(port)
    process = psutil.Process()
    while pipe.recv() is not None:
        times = process.cpu_times()
        pipe.send(times.user + times.system)
    server.stop(0)


def _canned(body: bytes) -> tuple[Any, int]:
    server = grpc.server(ThreadPoolExecutor(4), maximum_concurrent_rpcs=64)
    handler = grpc.unary_unary_rpc_method_handler(
        lambda _request, _context: body, request_deserializer=bytes, response_serializer=bytes
    )
    server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler(SERVICE, {"BatchGet": handler})])
    return server, server.add_insecure_port("127.0.0.1:0")


def requests(number: int) -> list[bytes]:
    """Serialized requests of KEYS random keys each."""
    chosen = random.Random(7)
    return [
        BatchGetRequest(
            keys=[f"m{one % MERCHANTS}|pid:{one}|42-blue" for one in chosen.sample(range(OFFERS), KEYS)],
            market="US:USD",
            ad_format=TEXT,
            purpose=PURCHASE_AD,
        ).SerializeToString()
        for _ in range(number)
    ]


class Measured:
    """One server process and what it gave: items per CPU-second, and one answer."""

    def __init__(self, canned: bytes | None, asked: list[bytes], seconds: float, clients: int) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=serve, args=(theirs, canned), daemon=True)
        self._process.start()
        self._address = f"127.0.0.1:{self._pipe.recv()}"
        self.sample = b""
        self._load(asked, 0.5, clients)
        before, started = self._cpu(), time.perf_counter()
        calls = self._load(asked, seconds, clients)
        self.wall_s = time.perf_counter() - started
        self.items = calls * KEYS
        self.per_cpu_s = self.items / (self._cpu() - before)
        self._pipe.send(None)
        self._process.join(5)

    def _cpu(self) -> float:
        self._pipe.send("cpu")
        seconds: float = self._pipe.recv()
        return seconds

    def _load(self, asked: list[bytes], seconds: float, clients: int) -> int:
        until = time.perf_counter() + seconds
        done = [0] * clients

        def client(number: int) -> None:
            token = issue(
                secret=SECRET,
                audience=AUDIENCE,
                subject=f"bench-{number}",
                roles=["service"],
                now_ms=wall_ms(),
                lifetime_ms=HOUR_MS,
                merchants=["*"],
                markets=["*"],
            )
            metadata = (("authorization", f"Bearer {token}"),)
            with grpc.insecure_channel(self._address, [("grpc.use_local_subchannel_pool", 1)]) as channel:
                call = channel.unary_unary(METHOD)
                while time.perf_counter() < until:
                    self.sample = call(asked[(done[number] * clients + number) % len(asked)], metadata=metadata)
                    done[number] += 1

        threads = [threading.Thread(target=client, args=(number,)) for number in range(clients)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        return sum(done)


def main(seconds: float = 4.0, clients: int = 4) -> None:
    """Prints one line."""
    asked = requests(200)
    ours = Measured(None, asked, seconds, clients)
    results = BatchGetResponse.FromString(ours.sample).results
    assert len(results) == KEYS and all(one.status == Result.OK and one.ad_eligible for one in results)  # noqa: PT018
    card = max(one.card.ByteSize() for one in results)
    assert card <= 300, f"cards are {card} B"
    floor = Measured(ours.sample, asked, seconds, clients)
    print(
        f"BatchGet {KEYS} keys, cards <= {card} B: {ours.per_cpu_s:,.0f} items per server CPU-second (target 150,000), "
        f"{ours.per_cpu_s / floor.per_cpu_s:.2f} of the floor {floor.per_cpu_s:,.0f} (same bytes canned); "
        f"wall {ours.items / ours.wall_s:,.0f} items/s"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--clients", type=int, default=4)
    main(**vars(parser.parse_args()))
