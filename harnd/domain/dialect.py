"""The dialect: what each keyword of a schema demands, and the sentence that says what was found instead.

JSON Schema (draft 2020-12) as `jsonschema` walks it, with our own words for the keywords that harnd's schemas use.
Where it is stricter than the draft: 1.0 is not a whole number and NaN is not a number, `$` does not match before a
closing newline, and under `minLength` a text of blanks alone is empty.  Of `anyOf` and `oneOf` only the branch is
reported that the value names, by a property that is a `const` in each of them or else by its type.  `distinct` is
our own: texts that differ in more than case and outer blanks.

Branches are objects and exclude each other, so that `oneOf` and `anyOf` are one; no value is held against two of them.
"""

import math
import re
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final, Protocol, TypeAlias, cast

from jsonschema import Draft202012Validator, validators
from jsonschema.exceptions import ValidationError

from harnd.domain.description import describe, interval, nearest, one_of
from harnd.domain.measures import count

Json: TypeAlias = Any  # a value or a schema as it was read: what it is, is what the keywords find out
Schema: TypeAlias = Mapping[str, Any]

_BRANCH_ERRORS: Final = 1_000  # enough to compare branches by


class Walk(Protocol):
    """What a keyword sees of the library's walk through a value."""

    def is_type(self, instance: object, kind: str, /) -> bool:
        """Tell whether a value is of a kind that `type` can name."""
        ...

    def descend(self, instance: Json, schema: Json, path: str | int | None = None) -> Iterator[ValidationError]:
        """Walk on, into a value that lies at `path` below this one."""
        ...

    def iter_errors(self, instance: Json) -> Iterator[ValidationError]:
        """Walk a whole value."""
        ...


Dialect: TypeAlias = Callable[[Schema], Walk]


class Mistake(ValidationError):
    """One thing wrong, in our words.  Keywords yield it; other errors of the library get a general sentence."""


def mistake(code: str, message: str, *path: str | int) -> Mistake:
    """Report a mistake at `path` below the value that a keyword looks at."""
    return Mistake(message, validator=code, path=path)


# --- what a value must be

_KINDS: Final = {
    "object": "an object",
    "array": "a list",
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
}


def _type(walk: Walk, types: str | list[str], value: object, _schema: Schema) -> Iterator[Mistake]:
    kinds = [types] if isinstance(types, str) else types
    if not any(walk.is_type(value, kind) for kind in kinds):
        yield mistake("type", f"expected {' or '.join(_KINDS[kind] for kind in kinds)}, found {describe(value)}")


def _enum(walk: Walk, options: list[object], value: object, schema: Schema) -> Iterator[Mistake]:
    if _mistyped(walk, value, schema) or any(same(value, option) for option in options):
        return
    words = [option for option in options if isinstance(option, str)]
    hint = nearest(value, words) if isinstance(value, str) else ""
    yield mistake("enum", f"expected {one_of(options)}, found {describe(value)}{hint}")


def _const(walk: Walk, only: object, value: object, schema: Schema) -> Iterator[Mistake]:
    if not (_mistyped(walk, value, schema) or same(value, only)):
        yield mistake("const", f"expected {one_of([only])}, found {describe(value)}")


def _mistyped(walk: Walk, value: object, schema: Schema) -> bool:
    """Tell whether `type` has already said it: a wrong value is one mistake, not two."""
    kinds = schema.get("type", [])
    return bool(kinds) and not any(walk.is_type(value, kind) for kind in ([kinds] if isinstance(kinds, str) else kinds))


# --- numbers and texts


def _minimum(walk: Walk, least: Json, value: Json, schema: Schema) -> Iterator[Mistake]:
    if walk.is_type(value, "number") and value < least:
        yield mistake("range", f"expected {interval(least, schema.get('maximum'))}, found {describe(value)}")


def _maximum(walk: Walk, most: Json, value: Json, schema: Schema) -> Iterator[Mistake]:
    if walk.is_type(value, "number") and value > most:
        yield mistake("range", f"expected {interval(schema.get('minimum'), most)}, found {describe(value)}")


def _pattern(walk: Walk, pattern: str, value: Json, schema: Schema) -> Iterator[Mistake]:
    if not walk.is_type(value, "string") or re.search(_whole(pattern), value):
        return
    if schema.get("minLength") and not value.strip():
        return  # which has said already that it is empty
    expected = schema.get("description", f"a text of the form {pattern}")
    yield mistake("pattern", f"expected {expected}, found {describe(value)}")


def _whole(pattern: str) -> str:
    """Make a closing `$` mean the end, as it does outside Python."""
    return f"{pattern[:-1]}\\Z" if pattern.endswith("$") and not pattern.endswith("\\$") else pattern


def _max_length(walk: Walk, most: int, value: Json, _schema: Schema) -> Iterator[Mistake]:
    if walk.is_type(value, "string") and len(value) > most:
        yield mistake("too_long", f"has {len(value):,} characters, expected at most {most:,}")


def _min_length(walk: Walk, least: int, value: Json, _schema: Schema) -> Iterator[Mistake]:
    if not walk.is_type(value, "string"):
        return
    if least and not value.strip():
        yield mistake("too_short", "is empty, expected a text")
    elif len(value) < least:
        yield mistake("too_short", f"has {count(len(value), 'character')}, expected at least {least:,}")


# --- lists


def _max_items(walk: Walk, most: int, value: Json, _schema: Schema) -> Iterator[Mistake]:
    if walk.is_type(value, "array") and len(value) > most:
        yield mistake("too_long", f"has {count(len(value), 'entry')}, expected at most {most:,}")


def _min_items(walk: Walk, least: int, value: Json, _schema: Schema) -> Iterator[Mistake]:
    if walk.is_type(value, "array") and len(value) < least:
        yield mistake("too_short", f"has {count(len(value), 'entry')}, expected at least {least:,}")


def _unique(walk: Walk, wanted: object, value: Json, _schema: Schema) -> Iterator[Mistake]:
    if wanted and walk.is_type(value, "array"):
        yield from _repeats([_frozen(item) for item in value])


def _distinct(walk: Walk, wanted: object, value: Json, _schema: Schema) -> Iterator[Mistake]:
    if wanted and walk.is_type(value, "array"):
        texts = [item.strip().casefold() if isinstance(item, str) else "" for item in value]
        yield from _repeats([text or None for text in texts])


def _repeats(keys: Sequence[Hashable | None]) -> Iterator[Mistake]:
    first: dict[Hashable, int] = {}
    for index, key in enumerate(keys):
        if key is not None and first.setdefault(key, index) != index:
            yield mistake("duplicate", f"says the same as entry [{first[key]}]", index)


def _contains(walk: Walk, wanted: Json, value: Json, _schema: Schema) -> Iterator[Mistake]:
    if walk.is_type(value, "array") and not any(_fits(walk, item, wanted) for item in value):
        yield mistake("missing", f"expected {wanted.get('description', 'an entry of another kind')}, found none")


def _fits(walk: Walk, value: Json, schema: Json) -> bool:
    return next(walk.descend(value, schema), None) is None


# --- objects


def _required(walk: Walk, names: list[str], value: Json, schema: Schema) -> Iterator[Mistake]:
    if not walk.is_type(value, "object"):
        return
    for name in names:
        if name not in value:
            what = schema.get("properties", {}).get(name, {}).get("description", "")
            yield mistake("missing", f"is missing, expected {what}" if what else "is missing", name)


def _additional(walk: Walk, allowed: Json, value: Json, schema: Schema) -> Iterator[ValidationError]:
    if not walk.is_type(value, "object"):
        return
    known: Schema = schema.get("properties", {})
    patterns: Schema = schema.get("patternProperties", {})
    for name in value:
        if name in known or any(re.search(pattern, name) for pattern in patterns):
            continue
        if allowed is False:
            offered = [key for key in known if _is_offered(known[key])]
            yield mistake("unknown_key", f"is not a key here{nearest(name, offered) or _keys(offered)}", name)
        else:
            yield from walk.descend(value[name], allowed, path=name)


def _keys(known: Collection[str]) -> str:
    return f", expected {one_of(known)}" if known else ""


def _is_offered(schema: Json) -> bool:
    """Tell whether to propose a key or a branch: not one that a dialect knows only to refuse it by name."""
    return isinstance(schema, bool) or "not_built" not in schema


def _names(walk: Walk, schema: Json, value: Json, _schema: Schema) -> Iterator[ValidationError]:
    """Report a badly named entry at that entry, not at the object that holds it."""
    if walk.is_type(value, "object"):
        for name in value:
            for error in walk.descend(name, schema):
                error.path.appendleft(name)
                yield error


def _max_properties(walk: Walk, most: int, value: Json, _schema: Schema) -> Iterator[Mistake]:
    if walk.is_type(value, "object") and len(value) > most:
        yield mistake("too_long", f"has {count(len(value), 'entry')}, expected at most {most:,}")


def _min_properties(walk: Walk, least: int, value: Json, _schema: Schema) -> Iterator[Mistake]:
    if walk.is_type(value, "object") and len(value) < least:
        yield mistake("too_short", f"has {count(len(value), 'entry')}, expected at least {least:,}")


# --- branches


def _any_of(walk: Walk, branches: list[Json], value: object, _schema: Schema) -> Iterator[ValidationError]:
    name = _discriminator(branches)
    if name and walk.is_type(value, "object"):
        yield from _named_branch(walk, branches, value, name)
    else:
        yield from _fitting_branch(walk, branches, value)


def _discriminator(branches: list[Json]) -> str:
    """Find the property that is a `const` in every branch; branches are written in place, not referred to."""
    tables: list[Schema] = [branch.get("properties", {}) for branch in branches]
    return next((name for name in tables[0] if all("const" in table.get(name, {}) for table in tables)), "")


def _named_branch(walk: Walk, branches: list[Json], value: Json, name: str) -> Iterator[ValidationError]:
    names = [branch["properties"][name]["const"] for branch in branches]
    offered = [branch["properties"][name]["const"] for branch in branches if _is_offered(branch["properties"][name])]
    if name not in value:
        yield mistake("missing", f"is missing, expected {one_of(offered)}", name)
        return
    for branch, its_name in zip(branches, names, strict=True):
        if same(value[name], its_name):
            yield from walk.descend(value, branch)
            return
    word = value[name]
    hint = nearest(word, [known for known in offered if isinstance(known, str)]) if isinstance(word, str) else ""
    yield mistake("enum", f"expected {one_of(offered)}, found {describe(word)}{hint}", name)


def _fitting_branch(walk: Walk, branches: list[Json], value: object) -> Iterator[ValidationError]:
    """Report the branch of the value's type, and of several the one that complains least."""
    typed = [branch for branch in branches if not _mistyped(walk, value, branch)]
    if not typed:
        kinds = [kind for branch in branches for kind in _listed(branch["type"])]
        yield from _type(walk, list(dict.fromkeys(kinds)), value, {})
        return
    complaints = [list(islice(walk.descend(value, branch), _BRANCH_ERRORS)) for branch in typed]
    yield from min(complaints, key=len)


def _listed(kinds: Json) -> list[str]:
    return [kinds] if isinstance(kinds, str) else kinds


# --- equality and counts


def _frozen(value: Json) -> Hashable:
    """Make two values equal exactly when JSON says so: `true` is not 1, and the order of keys is nothing."""
    match value:
        case bool():
            return ("true or false", value)
        case dict():
            return frozenset((key, _frozen(item)) for key, item in cast("dict[str, Any]", value).items())
        case list():
            return tuple(_frozen(item) for item in cast("list[object]", value))
        case _:
            return cast("Hashable", value)


def same(one: object, other: object) -> bool:
    """Tell whether two values are equal as JSON."""
    return _frozen(one) == _frozen(other)


# --- the dialect


def _is_whole(_checker: object, value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(checker: object, value: object) -> bool:
    return _is_whole(checker, value) or (isinstance(value, float) and math.isfinite(value))


_KEYWORDS: Final[dict[str, Any]] = {
    "type": _type,
    "enum": _enum,
    "const": _const,
    "minimum": _minimum,
    "maximum": _maximum,
    "pattern": _pattern,
    "maxLength": _max_length,
    "minLength": _min_length,
    "maxItems": _max_items,
    "minItems": _min_items,
    "uniqueItems": _unique,
    "distinct": _distinct,
    "contains": _contains,
    "maxProperties": _max_properties,
    "minProperties": _min_properties,
    "required": _required,
    "additionalProperties": _additional,
    "propertyNames": _names,
    "anyOf": _any_of,
    "oneOf": _any_of,
}

_extend: Callable[..., Dialect] = vars(validators)["extend"]  # read so because the library leaves it untyped

DIALECT: Final = _extend(
    Draft202012Validator,
    validators=_KEYWORDS,
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine_many({"integer": _is_whole, "number": _is_number}),
)


def extended(keywords: Mapping[str, object]) -> Dialect:
    """Give a dialect that knows further keywords, each `(walk, its value, the value found, the schema)`."""
    return _extend(DIALECT, validators=keywords)
