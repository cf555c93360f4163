"""Reading: the one JSON object in a model's answer, or why there is none.

The untouched text is parsed first, strictly.  Only if that fails is one code fence removed that encloses the whole
answer, or one sentence that introduces an object reaching to the end of it; whoever reads an answer says what of this
may stand around the object.  Nothing is repaired: what stands inside strings is never edited, and an answer that could
be read in two ways is unreadable.

What no store or system call of ours could take is replaced by U+FFFD and noted: unpaired surrogates and NUL.
Nothing here raises, whatever the text.
"""

import json
import math
import re
from enum import Enum
from typing import Final, TypeAlias

import msgspec

from protocol import bounds

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
JsonObject: TypeAlias = dict[str, Json]

REPLACED: Final = "\N{REPLACEMENT CHARACTER}"
LARGEST_INTEGER: Final = 2**53 - 1  # beyond it, readers that use floats disagree about the value (RFC 8785 too)

_FENCE = re.compile(r"(?P<mark>`{3,}|~{3,})[ \t]*[\w+.-]*[ \t]*\n(?P<body>.*)(?P=mark)", re.DOTALL)
_SENTENCE_END = re.compile(r"[.!?]\s+\S|\n")
_CONTROL_TOKEN = re.compile(r"<[|\uff5c][^<>\n]{0,80}>|</?s>|<(?:bos|eos|pad|(?:start|end)_of_turn)>|\[/?INST\]")
_SHAPE = re.compile(r'"(?:[^"\\]|\\.)*"?|[\[\]{}]', re.DOTALL)
_UNFIT = re.compile("[\ud800-\udfff\0]")
_REFUSAL = re.compile(
    r"""(?: (?: i ['\u2019] m \s sorry | sorry | unfortunately | i \s apologi[sz]e ) ,? \s (?: but \s )? )?
        i (?: \s can ['\u2019]? t | \s cannot | \s can \s not | \s won ['\u2019] t | \s will \s not
            | \s must \s decline | (?: ['\u2019] m | \s am ) \s (?: unable | not \s able ) ) (?: \s to )? \s
        (?: help | assist | comply | fulfil | continue | provide | support | complete | create | do \s th(?:at|is) )""",
    re.IGNORECASE | re.VERBOSE,
)
_PLACE_CHARS: Final = 300
_REFUSAL_CHARS: Final = 1_000  # a longer text does more than refuse
_SCHEMA_WORDS: Final = frozenset({"$schema", "$defs", "$ref", "allOf", "anyOf", "oneOf"})
_SCHEMA_WRAPPERS: Final = ("schema", "json_schema", "input_schema", "parameters")


class Around(Enum):
    """What may stand around the object."""

    NOTHING = "nothing"  # but white space
    FENCE = "fence"  # one code fence that encloses the whole answer
    FENCE_OR_SENTENCE = "fence or sentence"  # or one sentence that introduces the object


class Note(msgspec.Struct, frozen=True):
    """Something that was lost on the way, and where."""

    code: str  # `surrogate` or `nul`
    place: str


class Read(msgspec.Struct, frozen=True):
    """The one object of an answer."""

    value: JsonObject
    notes: tuple[Note, ...] = ()


class Unreadable(msgspec.Struct, frozen=True):
    """Why an answer is not one JSON object.  The codes are stable."""

    code: str
    message: str
    place: str = ""  # a path such as `findings[0].line`, or `line 3, column 14`

    def __str__(self) -> str:
        """Write it as one line."""
        return f"{self.place}: {self.message} [{self.code}]" if self.place else f"{self.message} [{self.code}]"


class _Flaw(msgspec.Struct, frozen=True):
    """Stands in the parsed value where something is not allowed, until its place is known."""

    code: str
    message: str
    key: str = ""  # the one that is wrong, of an object


_Parsed: TypeAlias = "bool | int | float | str | list[_Parsed] | dict[str, _Parsed] | _Flaw | None"


def is_empty(text: str) -> bool:
    """Tell whether nothing is left of an answer without white space, invisible characters and control tokens."""
    return not any(each.isprintable() and not each.isspace() for each in _CONTROL_TOKEN.sub("", text))


def is_refusal(text: str) -> bool:
    """Tell whether a text that is not the answer opens, and is short enough, as a refusal.  In doubt it is not."""
    trimmed = text.strip()
    return len(trimmed) <= _REFUSAL_CHARS and _REFUSAL.match(trimmed) is not None


def read_object(text: str, *, around: Around = Around.FENCE_OR_SENTENCE) -> Read | Unreadable:
    """Read the one JSON object of an answer.  Lines are those of the text as it was given."""
    if len(text) > bounds.ANSWER_BYTES or len(text.encode("utf-8", "replace")) > bounds.ANSWER_BYTES:
        return Unreadable("too_large", f"{len(text)} characters; at most {bounds.ANSWER_BYTES} bytes are read")
    if is_empty(text):
        return Unreadable("empty", "there is nothing in the answer")
    as_it_stands = _parse(text)
    if isinstance(as_it_stands, Read) or as_it_stands.code not in _MAYBE_WRAPPED:
        return as_it_stands
    trimmed = text.strip().removeprefix("\ufeff").strip()
    above = text[: text.index(trimmed)]
    if around is not Around.NOTHING and (fence := _FENCE.fullmatch(trimmed)):
        return _parse(_in_its_place(fence["body"], above + trimmed[: fence.start("body")]))
    if trimmed.startswith("{"):
        return _parse(_in_its_place(trimmed, above))
    return (_after_one_sentence(trimmed, above) if around is Around.FENCE_OR_SENTENCE else None) or as_it_stands


def _in_its_place(text: str, above: str) -> str:
    """Put as many lines above a text as there were, so that what is wrong with it is found where it stands."""
    return "\n" * above.count("\n") + text


# What the untouched text can be refused for because of what stands around the object.  Any other flaw is the object's
# own, and looking for another object inside it could only find less than what was said.
_MAYBE_WRAPPED: Final = ("syntax", "no_object", "trailing_text")


def _after_one_sentence(text: str, above: str) -> Read | Unreadable | None:
    """Read the object that one sentence introduces; None when that is not what the answer looks like."""
    opening = text.find("{")
    introduction = text[:opening].strip() if opening > 0 else ""
    if not introduction or introduction.startswith(("```", "~~~")):  # a fence that does not enclose the answer
        return None
    if _SENTENCE_END.search(introduction):
        return Unreadable("leading_text", "there is more than one sentence before the object")
    return _parse(_in_its_place(text[opening:], above + text[:opening]))


def _parse(text: str) -> Read | Unreadable:
    if _depth(text) > bounds.ANSWER_DEPTH:
        return Unreadable("too_deep", f"objects and lists lie more than {bounds.ANSWER_DEPTH} deep in one another")
    try:
        value: _Parsed = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        return _syntax(text, error)
    return _admit(value)


def _depth(text: str) -> int:
    """Measure how deep the text goes, so that no parser has to recurse to find out."""
    depth = deepest = 0
    for match in _SHAPE.finditer(text):
        if match[0] in ("{", "["):
            depth += 1
            deepest = max(deepest, depth)
        elif match[0] in ("}", "]"):
            depth -= 1
    return deepest


def _syntax(text: str, error: json.JSONDecodeError) -> Unreadable:
    place = f"line {error.lineno}, column {error.colno}"
    rest = text[error.pos :].strip()
    match error.msg:
        case "Extra data":
            if rest.startswith(("{", "[")):
                return Unreadable("several_values", "another value follows the first", place)
            return Unreadable("trailing_text", "there is text after the value", place)
        case "Invalid control character at":
            return Unreadable("control_char", "a raw control character stands inside a string", place)
        case _ if "{" not in text:
            return Unreadable("no_object", "there is no JSON object in the answer")
        case _ if not rest:
            return Unreadable("unfinished", "the answer ends before the object does", place)
        case _ if error.msg.startswith("Unterminated string"):
            return Unreadable("unfinished", "the answer ends inside a string", place)
        case _:
            return Unreadable("syntax", f"not JSON: {error.msg[:1].lower()}{error.msg[1:]}", place)


def _admit(value: _Parsed) -> Read | Unreadable:
    """Take a parsed value whole or not at all."""
    notes: list[Note] = []
    try:
        admitted = _walk(value, "", notes)
    except _Refused as refused:
        return refused.why
    if not isinstance(admitted, dict):
        return Unreadable("not_an_object", f"the answer is {_kind(admitted)}, not an object")
    if _is_schema(admitted):
        return Unreadable("schema_echo", "the answer is a JSON schema, not an object that follows one")
    return Read(admitted, tuple(notes))


class _Refused(Exception):
    def __init__(self, why: Unreadable) -> None:
        super().__init__(why)
        self.why = why


def _walk(value: _Parsed, place: str, notes: list[Note]) -> Json:
    match value:
        case _Flaw(code=code, message=message, key=key):
            where = f"{place}.{key}" if place and key else place or key
            raise _Refused(Unreadable(code, message, where[:_PLACE_CHARS]))
        case str():
            return _fit(value, place, notes)
        case list():
            return [_walk(each, f"{place}[{index}]", notes) for index, each in enumerate(value)]
        case dict():
            return dict(_member(key, each, place, notes) for key, each in value.items())
        case _:
            return value


def _member(key: str, value: _Parsed, place: str, notes: list[Note]) -> tuple[str, Json]:
    fit = _fit(key, place, notes)
    return fit, _walk(value, f"{place}.{fit}" if place else fit, notes)


def _fit(text: str, place: str, notes: list[Note]) -> str:
    """Replace what nothing of ours could store or pass on."""
    codes = {"nul" if found == "\0" else "surrogate" for found in _UNFIT.findall(text)}
    notes.extend(Note(code, place[:_PLACE_CHARS]) for code in sorted(codes))
    return _UNFIT.sub(REPLACED, text)


def _kind(value: Json) -> str:
    match value:
        case list():
            return "a list"
        case str():
            return "a string"
        case bool() | None:
            return json.dumps(value)
        case _:
            return "a number"


def _is_schema(value: JsonObject) -> bool:
    """Recognise a schema that was given back instead of being followed, bare or as an API would wrap it."""
    wrapped = [value.get(name) for name in _SCHEMA_WRAPPERS]
    if any(isinstance(each, dict) and _is_schema(each) for each in wrapped):
        return True
    if not _SCHEMA_WORDS.isdisjoint(value):
        return True
    return isinstance(value.get("properties"), dict) and (value.get("type") == "object" or "required" in value)


# --- what the decoder makes of each part


def _object(pairs: list[tuple[str, _Parsed]]) -> dict[str, _Parsed] | _Flaw:
    seen: set[str] = set()
    for key, _ in pairs:
        fit = _UNFIT.sub(REPLACED, key)  # as it will be read: two keys that differ in what is replaced would meet
        if fit in seen:
            return _Flaw("duplicate_key", f"the key {fit[:100]!r} is there twice", fit)
        seen.add(fit)
    return dict(pairs)


def _integer(digits: str) -> int | _Flaw:
    # The length first: Python refuses to turn thousands of digits into a number.
    if len(digits) > len(f"-{LARGEST_INTEGER}") or abs(int(digits)) > LARGEST_INTEGER:
        return _Flaw("integer_range", "the number is an integer beyond 2^53 - 1")
    return int(digits)


def _float(digits: str) -> float | _Flaw:
    value = float(digits)
    return value if math.isfinite(value) else _Flaw("nonfinite", "the number is too large to be finite")


def _constant(name: str) -> _Flaw:
    return _Flaw("nonfinite", f"{name} is not JSON")


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_integer, parse_float=_float, parse_constant=_constant
)
