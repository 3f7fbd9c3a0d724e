"""A small client of the control plane's HTTP API, for the demo and `adcat crawl`."""

from dataclasses import dataclass
from typing import Any

import aiohttp

from topics.errors import AdcatError


class ApiRefused(AdcatError):
    """The control plane refused a request; the message is its own."""

    def __init__(self, status: int, body: dict[str, Any]) -> None:
        error = body.get("error", {})
        self.status = status
        self.code = str(error.get("code", ""))
        where = f"{error['field']} is {error.get('value')!r}: " if error.get("field") else ""
        super().__init__(f"{where}{error.get('remedy', body)} (HTTP {status})")


@dataclass(slots=True)
class ControlClient:
    """Calls the control plane with an operator's token."""

    session: aiohttp.ClientSession
    base: str
    token: str

    async def call(self, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        """Returns the answer's JSON; raises ApiRefused for a 4xx or 5xx."""
        headers = {"Authorization": f"Bearer {self.token}"}
        async with self.session.request(method, self.base + path, json=body, headers=headers) as answer:
            content: dict[str, Any] = await answer.json()
            if answer.status >= 400:
                raise ApiRefused(answer.status, content)
            return content

    async def register(self, merchant: str, source: dict[str, Any]) -> dict[str, Any]:
        """Registers a source and returns it with its proof token and capacity figures."""
        return await self.call("POST", f"/v1/merchants/{merchant}/sources", source)

    async def merchant(self, merchant: str) -> dict[str, Any]:
        """Returns a merchant's source with its status."""
        return await self.call("GET", f"/v1/merchants/{merchant}")

    async def verify(self, merchant: str) -> dict[str, Any]:
        """Asks for another look at the proof of control."""
        return await self.call("POST", f"/v1/merchants/{merchant}/verify")

    async def disable(self, merchant: str) -> dict[str, Any]:
        """Revokes a source."""
        return await self.call("POST", f"/v1/merchants/{merchant}/disable")
