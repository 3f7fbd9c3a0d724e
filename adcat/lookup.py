"""BatchGet calls as an ad-ranking service makes them."""

import asyncio
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import grpc

from serving_grpc import catalog_pb2, catalog_pb2_grpc
from topics.keys import OfferKey

KEYS_MAX = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """Results of one look-up of many keys.

    Attributes:
        statuses: counts by merchant; an OK that must not be shown counts as `OK, not eligible: <reason>`.
        seconds: wall time of all calls.
    """

    statuses: dict[str, Counter[str]]
    seconds: float


@dataclass(slots=True)
class Lookup:
    """Calls a replica with a bearer token."""

    address: str
    token: str

    def batch_get(self, keys: Sequence[OfferKey]) -> Answers:
        """Looks up all keys, 200 a call; raises grpc.RpcError when the replica does not answer."""
        counts: dict[str, Counter[str]] = defaultdict(Counter)
        started = time.monotonic()
        with grpc.insecure_channel(self.address) as channel:
            stub = catalog_pb2_grpc.CatalogStub(channel)  # type: ignore[no-untyped-call]  # generated
            for at in range(0, len(keys), KEYS_MAX):
                chunk = keys[at : at + KEYS_MAX]
                for key, result in zip(chunk, self._call(stub, chunk), strict=True):
                    counts[key.merchant][_word(result)] += 1
        return Answers(statuses=dict(counts), seconds=time.monotonic() - started)

    async def batch_get_async(self, keys: Sequence[OfferKey]) -> Answers:
        """The same, off the event loop."""
        return await asyncio.to_thread(self.batch_get, keys)

    def _call(self, stub: catalog_pb2_grpc.CatalogStub, keys: Sequence[OfferKey]) -> Sequence[catalog_pb2.Result]:
        request = catalog_pb2.BatchGetRequest(
            keys=[key.key.decode() for key in keys],
            ad_format=catalog_pb2.TEXT,
            purpose=catalog_pb2.PURCHASE_AD,
        )
        answer = stub.BatchGet(request, metadata=[("authorization", f"Bearer {self.token}")], timeout=5)
        results: Sequence[catalog_pb2.Result] = answer.results
        return results


def _word(result: catalog_pb2.Result) -> str:
    status: str = catalog_pb2.Result.Status.Name(result.status)
    return status if result.ad_eligible or status != "OK" else f"OK, not eligible: {result.ineligible_reason}"
