"""Decoding: from the parts of a message to typed requests, replies and notices, and back.

A request is checked whole: every unknown, missing and bad field is found, and one `Refusal` lists all of them.  Replies
and notices come from a daemon that shares these types, so there the first difference is enough.  Duplicate keys never
get here: `protocol.framing` refuses them.
"""

import json
from collections.abc import Mapping
from typing import Annotated, Any, Final, TypeVar, cast, get_args, get_origin

import msgspec
from msgspec.structs import FieldInfo

from protocol.bounds import PROBLEMS_SHOWN
from protocol.conversation import RemoteProtocolError
from protocol.errors import Refusal
from protocol.methods import METHODS, NOTICES
from protocol.notices import Notice
from protocol.requests import Request
from protocol.views import ProblemView

T = TypeVar("T")

SHOWN_CHARS: Final = 80  # of a value that was refused


def read_request(method: str, params: object) -> Request[Any]:
    """Read a request; raises `Refusal` under a `request.…` code, with every problem in its details."""
    if method not in METHODS:
        raise Refusal(
            "request.unknown_method",
            f"there is no method {method[:SHOWN_CHARS]!r}",
            details={"methods": sorted(METHODS)},
        )
    if not isinstance(params, dict):
        raise Refusal("request.not_object", "params is an object of named fields")
    given = cast("dict[str, object]", params)
    wanted = METHODS[method].request
    if problems := _problems(wanted, given):
        raise _refusal(method, problems)
    request: Request[Any] = msgspec.convert(given, wanted)
    return request


def read_reply(method: str, result: Mapping[str, object], as_type: type[T]) -> T:
    """Read a reply to `method`; raises `RemoteProtocolError` when it is not of the type that was promised."""
    try:
        return msgspec.convert(result, as_type)
    except msgspec.ValidationError as error:
        raise RemoteProtocolError("message.malformed", f"the reply to {method} is not one: {error}") from error


def read_notice(method: str, params: object) -> Notice | None:
    """Read a notice; None when this client does not know it, which is no error."""
    if method not in NOTICES:
        return None
    return read_reply(method, cast("Mapping[str, object]", params), NOTICES[method])


def write(message: msgspec.Struct) -> dict[str, object]:
    """Write a request, reply, notice or view as what JSON can carry; bytes become base64."""
    return cast("dict[str, object]", msgspec.to_builtins(message, str_keys=True))


def _problems(wanted: type[msgspec.Struct], given: Mapping[str, object]) -> list[ProblemView]:
    known = {field.encode_name: field for field in msgspec.structs.fields(wanted)}
    unknown = [
        ProblemView("request.unknown_field", name[:SHOWN_CHARS], "there is no such field")
        for name in given.keys() - known
    ]
    missing = [
        ProblemView("request.missing_field", name, f"{_meaning(field)} is wanted")
        for name, field in known.items()
        if field.required and name not in given
    ]
    bad = [problem for name in known.keys() & given.keys() if (problem := _bad(known[name], given[name]))]
    return sorted(unknown + missing + bad, key=lambda problem: (problem.place, problem.code))


def _bad(field: FieldInfo, value: object) -> ProblemView | None:
    try:
        msgspec.convert(value, field.type)
    except msgspec.ValidationError as error:
        place = field.encode_name + str(error).partition(" - at `$")[2].rstrip("`")
        return ProblemView("request.bad_field", place, f"{_meaning(field)} is wanted, not {_shown(value)}")
    return None


def _meaning(field: FieldInfo) -> str:
    """Say what a field is, by the description of its type."""
    parts = (field.type, *get_args(field.type))  # an optional field is a union
    metas = [meta for part in parts if get_origin(part) is Annotated for meta in get_args(part)[1:]]
    return next(
        (meta.description for meta in metas if isinstance(meta, msgspec.Meta) and meta.description), field.encode_name
    )


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= SHOWN_CHARS else f"{text[:SHOWN_CHARS]}…"


def _refusal(method: str, problems: list[ProblemView]) -> Refusal:
    first, more = problems[0], len(problems) - 1
    also = f" (and {more} more)" if more else ""
    return Refusal(
        first.code,
        f"{method}: {first.place}: {first.message}{also}",
        details={"problems": [write(problem) for problem in problems[:PROBLEMS_SHOWN]]},
    )
