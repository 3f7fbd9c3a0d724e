"""The OpenAPI 3.1 document of the control API, built from the request type that the API validates with."""

import functools
from typing import Any, Final

import msgspec

from control.request import SourceRequest

_REF: Final = "#/components/schemas/{name}"
_COMMANDS: Final = {
    "disable": "Revoke: everything observed so far falls below the disable fence",
    "enable": "End a revocation under a new source epoch",
    "verify": "Fetch the proof of control again",
    "refresh": "Make everything due now (enabled sources)",
}
_ERROR: Final = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "field", "value", "remedy"],
            "properties": {name: {"type": "string"} for name in ("code", "field", "value", "remedy")},
        }
    },
}
_INTEGERS: Final = ("source_epoch", "disable_epoch", "policy_rev", "changed_at_ms")


@functools.cache
def document() -> dict[str, Any]:
    """Returns the document."""
    (_,), schemas = msgspec.json.schema_components([SourceRequest], ref_template=_REF)
    return {
        "openapi": "3.1.0",
        "info": {"title": "adcat control plane", "version": "1"},
        "paths": _paths(),
        "components": {
            "schemas": schemas | {"Source": _source(), "Error": _ERROR},
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"}},
        },
        "security": [{"bearer": []}],
    }


def _paths() -> dict[str, Any]:
    merchant: dict[str, Any] = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
    source, one = _content("Source"), [merchant]
    cursor = [
        {"name": "cursor", "in": "query", "schema": {"type": "string"}},
        {"name": "limit", "in": "query", "schema": {"type": "integer", "minimum": 1, "maximum": 500}},
    ]
    listing = {
        "type": "object",
        "properties": {
            "merchants": {"type": "array", "items": {"$ref": _REF.format(name="Source")}},
            "next_cursor": {"type": ["string", "null"]},
        },
    }
    registered = {
        "201": {"description": "registered, pending its proof of control", "content": source},
        "200": {"description": "already registered with the same request", "content": source},
    }
    body = {"required": True, "content": _content("SourceRequest")}
    patch = {"required": True, "content": {"application/merge-patch+json": {"schema": {"type": "object"}}}}
    paths: dict[str, Any] = {
        "/healthz": {"get": {"summary": "Readiness", "security": [], "responses": {"200": {"description": "ready"}}}},
        "/v1/merchants": {
            "get": _operation("List sources", cursor, {"application/json": {"schema": listing}}),
        },
        "/v1/merchants/{id}": {"get": _operation("One source", one, source)},
        "/v1/merchants/{id}/sources": {
            "post": _operation("Register a source", one, source) | {"requestBody": body},
            "patch": _operation("Reconfigure it", one, source) | {"requestBody": patch},
        },
    }
    paths["/v1/merchants/{id}/sources"]["post"]["responses"] |= registered
    for name, summary in _COMMANDS.items():
        paths[f"/v1/merchants/{{id}}/{name}"] = {"post": _operation(summary, one, source)}
    return paths


def _operation(summary: str, parameters: list[dict[str, Any]], content: dict[str, Any]) -> dict[str, Any]:
    return {
        "summary": summary,
        "parameters": parameters,
        "responses": {
            "200": {"description": "done", "content": content},
            "4XX": {"description": "refused; nothing was stored", "content": _content("Error")},
        },
    }


def _content(schema: str) -> dict[str, Any]:
    return {"application/json": {"schema": {"$ref": _REF.format(name=schema)}}}


def _source() -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {
            "merchant": {"type": "string"},
            "status": {"enum": ["pending", "enabled", "disabled"]},
            **{name: {"type": "integer"} for name in _INTEGERS},
            "published": {"type": "boolean", "description": "the current policy is relayed and acknowledged"},
            "effective_by_ms": {
                "type": "integer",
                "description": "latest end of a revocation's effect (disabled only)",
            },
            "proof": {"type": "object", "description": "url, token, proven, and the last outcome: ok, reason, at_ms"},
            "capacity": {"type": "object", "description": "permitted, committed and missing requests a day"},
            "request": {"$ref": _REF.format(name="SourceRequest")},
        },
    }
