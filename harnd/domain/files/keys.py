"""Keys: how one key of a person's file is declared, and the dialect in which the declarations are checked.

A declaration is a JSON Schema with its description and default in it: the loader, the sentences of its refusals and
the tables of the manual are all read from the same one.  Bounds come from `protocol.bounds` and nowhere else.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from harnd.domain.dialect import Json, Mistake, Schema, Walk, extended, mistake, same
from harnd.domain.files.amounts import money
from harnd.domain.files.durations import duration, written
from protocol.bounds import Range

# --- one key


def text(what: str, ceiling: int, **more: object) -> Schema:
    """Declare a text of at most so many characters that is more than blanks."""
    return {"type": "string", "minLength": 1, "maxLength": ceiling, "description": what, **more}


def of_form(what: str, grammar: str, **more: object) -> Schema:
    """Declare a text that is as a whole of a grammar."""
    return {"type": "string", "pattern": f"^(?:{grammar})$", "description": what, **more}


def whole(what: str, choice: Range) -> Schema:
    """Declare a whole number; never 0 for unlimited, since every range starts at 1 or says why not."""
    return {
        "type": "integer",
        "minimum": choice.least,
        "maximum": choice.ceiling,
        "default": choice.default,
        "description": what,
    }


def lasting(what: str, choice: Range) -> Schema:
    """Declare a duration."""
    ends = [choice.least, choice.ceiling]
    return {"duration": ends, "default": written(choice.default), "description": what}


def most(what: str, ceiling: int) -> Schema:
    """Declare a whole number from 1 that nothing stands in for when it is not there."""
    return {"type": "integer", "minimum": 1, "maximum": ceiling, "description": what}


def paid(what: str, ceiling: int) -> Schema:
    """Declare an amount of money up to so many micro-dollars, that nothing stands in for when it is not there."""
    return {"money": [1, ceiling], "description": what}


def yes_or_no(what: str, *, default: bool) -> Schema:
    """Declare a choice between two."""
    return {"type": "boolean", "default": default, "description": what}


def several(what: str, each: Schema, ceiling: int, *, least: int = 0, **more: object) -> Schema:
    """Declare a list."""
    schema = {"type": "array", "items": each, "maxItems": ceiling, "description": what, **more}
    return {**schema, "minItems": least} if least else {**schema, "default": []}


def table(keys: Mapping[str, Schema], *, required: tuple[str, ...] = (), **more: object) -> Schema:
    """Declare a table that has these keys and no others."""
    return {
        "type": "object",
        "properties": dict(keys),
        "required": list(required),
        "additionalProperties": False,
        **more,
    }


def not_built(what: str, *, unless: tuple[object, ...] = ()) -> Schema:
    """Declare a part that harnd will have: refused by name, so that nobody believes it is on."""
    return {"not_built": {"what": what, "unless": list(unless)}}


# --- the dialect


def _not_built(_walk: Walk, part: Json, value: object, _schema: Schema) -> Iterator[Mistake]:
    if not any(same(value, fine) for fine in part["unless"]):
        yield mistake("feature.not_built", f"is not built yet: {part['what']}")


def _required(walk: Walk, names: list[str], value: Json, schema: Schema) -> Iterator[Mistake]:
    """Demand keys; the absence of one may itself be a part that is not built."""
    for name in names if walk.is_type(value, "object") else ():
        declared: Mapping[str, Any] = schema["properties"][name]
        if name in value:
            continue
        if "without" in declared:
            yield mistake("feature.not_built", f"is not built yet: {declared['without']}", name)
        else:
            yield mistake("missing", f"is missing, expected {declared['description']}", name)


FILES: Final = extended({"duration": duration, "money": money, "not_built": _not_built, "required": _required})
