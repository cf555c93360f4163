"""The harness `command`: how its options become a command line, and what it declares."""

from typing import Any

import msgspec
import pytest

from harnd.adapters.harness import command
from harnd.adapters.harness.options import BadOptionsError
from harnd.adapters.harness.sessions import HARNESSES
from harnd.ports.sessions import Capabilities, SessionTask
from protocol.ids import EffectKey, HarnessName
from protocol.values import SECOND, Micros

AMPLE = Micros(SECOND)
TASK = SessionTask(EffectKey("k"), HarnessName("command"), (), "prompt", "/", True, AMPLE, AMPLE, AMPLE)


def words(*argv: str, **changes: Any) -> list[str]:
    return command.command_line(msgspec.structs.replace(TASK, options=(("argv", argv),), **changes), "/p")


def test_the_path_of_the_prompt_takes_its_place():
    assert words("agent", "--prompt={prompt_file}") == ["agent", "--prompt=/p"]


def test_model_and_effort_are_given_where_the_specialist_has_them():
    assert words("agent", "{model}:{effort}", model="m", effort="high") == ["agent", "m:high"]
    with pytest.raises(BadOptionsError, match="model"):
        words("agent", "{model}")


def test_other_braces_stay():
    assert words("sh", "-c", 'echo "${HOME}" {a,b} {"x"} {0}')[2] == 'echo "${HOME}" {a,b} {"x"} {0}'


def test_what_is_filled_in_is_not_filled_again():
    assert words("{model}", model="{prompt_file}") == ["{prompt_file}"]


@pytest.mark.parametrize("options", [(), (("argv", ()),), (("argv", "x"), ("shell", "true"))])
def test_bad_options_are_refused(options: tuple[tuple[str, str | tuple[str, ...]], ...]):
    with pytest.raises(BadOptionsError):
        command.command_line(msgspec.structs.replace(TASK, options=options), "/p")


def test_it_declares_nothing_but_what_the_operator_says():
    assert command.capabilities({}) == Capabilities(fresh_context=True)
    assert command.capabilities({"fresh_context": "false", "read_only_launch": "true"}) == Capabilities(
        fresh_context=False, read_only_launch=True
    )
    with pytest.raises(BadOptionsError):
        command.capabilities({"fresh_context": "maybe"})


@pytest.mark.parametrize("line", [b"", b"\xff", b"null", b"[]", b'{"type": 1}', b'{"type": "answer", "text": 1}'])
def test_no_harness_stumbles_over_a_line(line: bytes):
    assert [harness.read_report(line) for harness in HARNESSES.values()] == [None, None]
