"""JSON Schemas of every message, made from the types; `tools/write_schemas.py` keeps `protocol/schema/` in step.

A schema describes the `params` of a request or notice, or the `result` of a reply; around them lies JSON-RPC 2.0.  Two
things a schema cannot say are in `docs/protocol.md`: duplicate keys are refused, and which message is legal when.
"""

import json
from typing import Any

import msgspec

from protocol.methods import METHODS, NOTICES
from protocol.replies import ErrorData

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schema_files() -> dict[str, str]:
    """Return the text of every schema file by its name."""
    messages: dict[str, type[msgspec.Struct]] = {"error": ErrorData}
    for name, method in METHODS.items():
        messages[f"{name}.request"] = method.request
        messages[f"{name}.reply"] = method.reply
    for name, notice in NOTICES.items():
        messages[f"{name}.notice"] = notice
    return {f"{name}.json": _text(name, message) for name, message in messages.items()}


def _text(name: str, message: type[msgspec.Struct]) -> str:
    (top,), parts = msgspec.json.schema_components([message], ref_template="#/$defs/{name}")
    schema: dict[str, Any] = {"$schema": DIALECT, "$id": name, **top, "$defs": parts}
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
