"""Admission: what is wrong with a contract before it is ever shown, all of it at once.

A contract is made by harnd, but of names and texts that come from repositories and people.  What could make a prompt
ambiguous is refused: an empty text, a pair asked twice, an id that holds the separator, a text under a wrong digest.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain
from pathlib import PurePosixPath
from typing import Any, Final, cast

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

from harnd.domain.description import quoted
from harnd.domain.digest import digest_of_bytes
from harnd.domain.measures import count
from harnd.domain.problem import Problem
from harnd.domain.review.contract import (
    NONCE,
    SEPARATOR,
    Captured,
    Contract,
    Declared,
    Grouping,
    Nonce,
    ResultKind,
    Subject,
)
from harnd.domain.review.coverage import manifest_problems
from harnd.domain.review.marks import is_plain
from protocol import bounds, ids
from protocol.ids import Digest

_FOREIGN_KEYWORDS: Final = frozenset({"$ref", "$dynamicRef", "$defs", "$id", "$anchor"})


def problems_in(contract: Contract, texts: Mapping[Digest, str]) -> list[Problem]:
    """Say everything that is wrong with a contract and the texts it names."""
    return list(
        chain(
            _ids(contract),
            _pairs(contract),
            _grouping(contract),
            _texts(contract, texts),
            _instructions(contract.instructions),
            _declared(contract),
            chain.from_iterable(_coverage(subject) for subject in contract.subjects),
            _schema(contract),
        )
    )


def problems_of_attempt(nonce: Nonce, output: str, shown: Iterable[str]) -> Iterator[Problem]:
    """Say what is wrong with a nonce and a place to write to, for a prompt that shows these texts."""
    if not ids.matches(NONCE, nonce):
        yield Problem("nonce.form", "nonce", "expected 32 lower-case hex digits")
    elif any(nonce in text for text in shown):
        yield Problem("nonce.in_text", "nonce", "stands in a text that is shown; expected a fresh one")
    if not _is_plain(output, bounds.DIRECTORY_CHARS) or not PurePosixPath(output).name or output.endswith("/"):
        yield Problem("output.form", "output", f"expected the path of one file, found {quoted(output)}")


# --- names


def _ids(contract: Contract) -> Iterator[Problem]:
    yield from _distinct("subject", [subject.id for subject in contract.subjects])
    yield from _distinct("criterion", [criterion.key for criterion in contract.criteria])
    for subject in contract.subjects:
        if not subject.inputs:
            yield Problem("text.missing", subject.id, "has no text to review")


def _distinct(what: str, names: list[str]) -> Iterator[Problem]:
    for name in names:
        yield from _id(what, name)
    yield from (Problem(f"{what}.duplicate", name, "is there twice") for name in _repeated(names))


def _id(what: str, name: str) -> Iterator[Problem]:
    if not _is_plain(name, bounds.PATH_CHARS):
        expected = f"one printable line of at most {bounds.PATH_CHARS} characters, without back-ticks"
        yield Problem(f"{what}.form", "", f"expected {expected}, found {quoted(name)}")
    elif SEPARATOR in f" {name} ":  # at an end as well: there it would meet the separator itself
        yield Problem(f"{what}.separator", name, f"holds the separator {SEPARATOR!r}")


def _is_plain(name: str, most: int) -> bool:
    return 0 < len(name) <= most and is_plain(name)


def _name(what: str, name: str) -> Iterator[Problem]:
    """Files are called anything; a name that is no plain line is shown quoted."""
    if not 0 < len(name) <= bounds.DIRECTORY_CHARS:
        found = f"expected a name of 1 to {bounds.DIRECTORY_CHARS:,} characters, found {len(name):,}"
        yield Problem(f"{what}.form", what, found)


def _repeated(names: Iterable[str]) -> list[str]:
    return [name for name, times in Counter(names).items() if times > 1]


# --- pairs


def _pairs(contract: Contract) -> Iterator[Problem]:
    if not 0 < len(contract.pairs) <= bounds.REVIEW_PAIRS:
        found = count(len(contract.pairs), "pair")
        yield Problem("pairs.count", "pairs", f"has {found}, expected 1 to {bounds.REVIEW_PAIRS}")
    for again in _repeated(str(pair) for pair in contract.pairs):
        yield Problem("pairs.duplicate", again, "is asked for twice")
    subjects = {subject.id for subject in contract.subjects}
    criteria = {criterion.key for criterion in contract.criteria}
    for pair in contract.pairs:
        if pair.subject not in subjects or pair.criterion not in criteria:
            yield Problem("pairs.unknown", str(pair), "names a subject or a criterion that is not given")
    yield from _unused("subject", subjects - {pair.subject for pair in contract.pairs})
    yield from _unused("criterion", criteria - {pair.criterion for pair in contract.pairs})


def _unused(what: str, names: Collection[str]) -> Iterator[Problem]:
    yield from (Problem(f"{what}.unused", name, "is given and no pair asks for it") for name in sorted(names))


def _grouping(contract: Contract) -> Iterator[Problem]:
    shared = contract.subjects if contract.grouping is Grouping.SUBJECT else contract.criteria
    if len(shared) > 1:
        yield Problem("grouping.mixed", "pairs", f"expected one {contract.grouping}, found {len(shared)}")


# --- texts


def _texts(contract: Contract, texts: Mapping[Digest, str]) -> Iterator[Problem]:
    captured = list(dict.fromkeys(contract.captured()))
    if len(captured) > bounds.REVIEW_INPUTS:
        yield Problem("inputs.count", "", f"has {len(captured)} texts, expected at most {bounds.REVIEW_INPUTS}")
    for one in captured:
        yield from _name("input", one.name)
        yield from _text(one, texts.get(one.digest))


def _text(captured: Captured, text: str | None) -> Iterator[Problem]:
    if text is None:
        yield Problem("input.missing", captured.name, "its text is not there")
    elif not text.strip():
        yield Problem("input.empty", captured.name, "is empty")
    elif not _is_text(text):
        yield Problem("input.binary", captured.name, "holds what is no text")
    elif digest_of_bytes(text.encode()) != captured.digest:
        yield Problem("input.digest", captured.name, "is another text than the one that was captured")


def _is_text(text: str) -> bool:
    return re.search("[\ud800-\udfff\0]", text) is None


def _instructions(text: str) -> Iterator[Problem]:
    if len(text) > bounds.INSTRUCTIONS_CHARS:
        found = f"has {len(text):,} characters, expected at most {bounds.INSTRUCTIONS_CHARS:,}"
        yield Problem("instructions.too_long", "instructions", found)
    if not _is_text(text):
        yield Problem("instructions.binary", "instructions", "holds what is no text")


# --- what is only named


def _declared(contract: Contract) -> Iterator[Problem]:
    for what, declared in (("scope", contract.scope), ("governance", contract.governance)):
        if len(declared) > bounds.REVIEW_INPUTS:
            yield Problem(f"{what}.count", what, f"names {len(declared)}, expected at most {bounds.REVIEW_INPUTS}")
        yield from _named(what, declared)


def _named(what: str, declared: tuple[Declared, ...]) -> Iterator[Problem]:
    for one in declared:
        yield from _name(what, one.path)
        if one.digest is not None and not ids.matches(ids.DIGEST, one.digest):
            yield Problem(f"{what}.digest", one.path, "expected a SHA-256 in hex")
    yield from (
        Problem(f"{what}.duplicate", path, "is named twice") for path in _repeated(one.path for one in declared)
    )


def _coverage(subject: Subject) -> Iterator[Problem]:
    if len(subject.coverage) > bounds.COVERED_FILES:
        found = f"lists {len(subject.coverage):,} files, expected at most {bounds.COVERED_FILES:,}"
        yield Problem("coverage.count", subject.id, found)
    yield from manifest_problems(subject.coverage)
    for covered in subject.coverage:
        yield from _name("coverage", covered.path)
        if covered.reason and not _is_plain(covered.reason, bounds.CRITERION_CHARS):
            yield Problem(
                "coverage.reason", covered.path, f"expected one printable line, found {quoted(covered.reason)}"
            )


# --- the schema


def _schema(contract: Contract) -> Iterator[Problem]:
    schema = contract.schema
    if schema is None:
        if contract.kind is ResultKind.ASSESSMENT:
            yield Problem("schema.missing", "schema", "an assessment follows a schema")
        return
    if contract.kind is not ResultKind.ASSESSMENT:
        yield Problem("schema.unwanted", "schema", f"a {contract.kind} follows no schema")
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        yield Problem("schema.invalid", "schema", f"is no schema: {quoted(error.message)}")
    if schema.get("type") != "object":
        yield Problem("schema.invalid", "schema", "expected the schema of an object")
    # It is shown and checked inside another schema, where a reference would point elsewhere.
    for keyword in sorted(_FOREIGN_KEYWORDS & _words(schema)):
        yield Problem("schema.reference", "schema", f"uses `{keyword}`, expected everything in its place")


def _words(value: object) -> set[str]:
    match value:
        case dict():
            table = cast("dict[str, Any]", value)
            return set(table).union(*(_words(item) for item in table.values()))
        case list():
            return set[str]().union(*(_words(item) for item in cast("list[Any]", value)))
        case _:
            return set()
