"""Errors: one table of codes, and nobody says a code that is not in it."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from protocol.errors import CODES, FAMILIES, Exit, Family, Refusal, exit_code, family_of

ROOT = Path(__file__).parents[2]
SAYERS = {
    "Rejected": "",
    "Refusal": "",
    "FrameError": "",
    "RemoteProtocolError": "",
    "ProblemView": "",
    "Found": "workspace.",  # what it is given is the rest of the code
}


def said(package: str) -> Iterator[tuple[str, str]]:
    """Every code written out where something is refused, and where; an f-string is a pattern."""
    for path in sorted((ROOT / package).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Call(func=ast.Name(id=name), args=[ast.Constant(value=str(code)), *_]) if name in SAYERS:
                    yield re.escape(SAYERS[name] + code), f"{path.relative_to(ROOT)}:{node.lineno}"
                case ast.Call(func=ast.Name(id=name), args=[ast.JoinedStr(values=parts), *_]) if name in SAYERS:
                    pattern = "".join(
                        re.escape(str(part.value)) if isinstance(part, ast.Constant) else "[a-z_]+" for part in parts
                    )
                    yield pattern, f"{path.relative_to(ROOT)}:{node.lineno}"


@pytest.mark.parametrize("package", ["protocol", "harnd/domain/goal", "harnd/daemon", "harnd/adapters/git"])
def test_every_code_that_is_said_is_in_the_table(package):
    strangers = [
        f"{where}: {code}" for code, where in said(package) if not any(re.fullmatch(code, known) for known in CODES)
    ]
    assert strangers == []


def test_every_family_has_its_own_number_and_an_exit_code():
    assert set(FAMILIES) == set(Family)
    assert len({row.rpc for row in FAMILIES.values()}) == len(FAMILIES)
    assert {row.exit for row in FAMILIES.values()} == set(Exit) - {Exit.DONE}


def test_codes_are_dotted_words_and_sentences_end():
    assert [code for code in CODES if not re.fullmatch(r"[a-z]+(\.[a-z0-9_]+)?", code)] == []
    assert [code for code, row in CODES.items() if not row.sentence.endswith(".")] == []


@pytest.mark.parametrize(
    ("code", "exits"),
    [
        ("goal.unknown", Exit.NOT_FOUND),
        ("plan.stale", Exit.CONFLICT),
        ("principal.agent", Exit.REFUSED),
        ("request.bad_field", Exit.USAGE),
        ("version.mismatch", Exit.CONFIGURATION),
        ("daemon.unreachable", Exit.UNREACHABLE),
        ("store.unavailable", Exit.TRY_LATER),
        ("goal.parked", Exit.NEEDS_PERSON),
        ("internal", Exit.FAILURE),
    ],
)
def test_a_code_has_an_exit_code(code, exits):
    assert exit_code(code) == exits


def test_a_code_of_a_later_rule_is_a_refusal():
    assert family_of("policy.hardline") is Family.REFUSED


def test_a_refusal_is_written_with_everything_a_program_and_a_person_need():
    refusal = Refusal("plan.stale", "plan 2 has changed", fix="harnctl plan show billing 2", details={"digest": "ab"})
    assert refusal.error() == {
        "code": -32003,
        "message": "plan 2 has changed",
        "data": {
            "code": "plan.stale",
            "message": "plan 2 has changed",
            "fix": "harnctl plan show billing 2",
            "details": {"digest": "ab"},
        },
    }
