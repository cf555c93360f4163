"""docs/protocol.md says what the code says: its tables are the code's tables, its bounds the code's bounds."""

import inspect
import re
from pathlib import Path

import pytest

from protocol import bounds
from protocol.conversation import NEXT, SENDER
from protocol.errors import CODES, FAMILIES
from protocol.methods import MAX_VERSION, METHODS, MIN_VERSION, NOTICES

PAGE = (Path(__file__).parents[2] / "docs" / "protocol.md").read_text(encoding="utf-8")


def table(*heads: str) -> list[tuple[str, ...]]:
    """The rows of the table with these column heads, without code marks."""
    head = "| " + " | ".join(heads) + " |\n"
    _, _, rest = PAGE.partition(head)
    assert rest, f"no table {heads}"
    rows = rest.split("\n\n", 1)[0].splitlines()[1:]
    return [tuple(cell.strip().strip("`") for cell in row.strip("|").split("|")) for row in rows]


def sentence(thing: object) -> str:
    return (inspect.getdoc(thing) or "").splitlines()[0]


def test_the_turns_are_those_of_the_table():
    assert table("state", "message", "sent by", "next state") == [
        (state, kind, SENDER[kind], after) for state, kinds in NEXT.items() for kind, after in kinds.items()
    ]


def test_the_methods_are_those_of_the_table():
    assert table("method", "changes", "what it is") == [
        (name, "changes" if method.changes else "", sentence(method.request)) for name, method in METHODS.items()
    ]


def test_the_notices_are_those_of_the_table():
    assert table("notice", "what it is") == [(name, sentence(notice)) for name, notice in NOTICES.items()]


def test_the_families_are_those_of_the_table():
    assert table("family", "JSON-RPC code", "exit code of harnctl") == [
        (family, str(row.rpc), str(int(row.exit))) for family, row in FAMILIES.items()
    ]


def test_the_codes_are_those_of_the_table():
    assert table("code", "family", "meaning") == [(code, row.family, row.sentence) for code, row in CODES.items()]


@pytest.mark.parametrize(
    "words",
    [
        f"at most {bounds.FRAME_BYTES // 2**20} MiB a line",
        f"a string of up to {bounds.REQUEST_ID_CHARS} characters",
        f"{bounds.REQUESTS_IN_FLIGHT} requests of a connection",
        f"{bounds.CONNECTIONS} connections are open at once, {bounds.AGENT_CONNECTIONS} of them agents'",
        f"longer than {bounds.SOCKET_PATH_BYTES} bytes",
        f"one page of {bounds.EVENTS_PER_PAGE.default} events, {bounds.SUBSCRIBER_QUEUE} more",
        f"The versions are {MIN_VERSION} to {MAX_VERSION}",
    ],
)
def test_a_bound_on_the_page_is_the_bound_of_the_code(words):
    assert words in re.sub(r"\s+", " ", PAGE)
