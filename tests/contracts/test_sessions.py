"""What every `Sessions` holds, whether its agents are processes or imaginary: each sentence of the port, once."""

from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import anyio
import msgspec
import pytest
from trio.testing import MockClock

from harnd.ports.sessions import Capabilities, Ending, ReplyKind, SessionTask, Usage
from protocol.ids import HarnessName
from protocol.values import MicroDollars, Micros
from tests.kit.agents import QUICK, Agents, ImaginaryAgents, ProcessAgents, cancelled_when, task

LOGGED = '[[rule]]\ndo = [{ append = "log", text = "ran\\n" }]\nanswer = { a = 1 }'
HANGING = '[[rule]]\ndo = [{ write = "signal", text = "" }, { hang = true }]\nanswer = { a = 1 }'


class Kind(NamedTuple):
    backend: str
    agents: str


@pytest.fixture(params=[Kind("asyncio", "process"), Kind("trio", "process"), Kind("trio", "imaginary")], ids="-".join)
def kind(request: pytest.FixtureRequest) -> Kind:
    return Kind(*request.param)


@pytest.fixture
def anyio_backend(kind: Kind) -> tuple[str, dict[str, object]]:
    imaginary: dict[str, object] = {"clock": MockClock(autojump_threshold=0)} if kind.agents == "imaginary" else {}
    return kind.backend, imaginary


@pytest.fixture
def agents(kind: Kind, tmp_path: Path) -> Agents:
    return ImaginaryAgents() if kind.agents == "imaginary" else ProcessAgents(tmp_path)


async def test_an_agent_works_and_answers_with_one_object(agents: Agents):
    script = """
        [[rule]]
        when = ["Please", "work"]
        do = [{ write = "src/a.txt", text = "one\\n" }, { append = "src/a.txt", text = "two\\n" }]
        answer = { verdict = "done", count = 2 }
        tokens = 1200
        cost = 15000
    """
    end = await agents.sessions.run(task(agents, script))

    assert agents.file("src/a.txt") == "one\ntwo\n"
    assert (end.ended.ending, end.ended.exit_code, end.ended.killed) == (Ending.EXITED, 0, 0)
    assert (end.reply.kind, end.reply.value) == (ReplyKind.VALID, b'{"verdict":"done","count":2}')
    assert end.usage == Usage(tokens=1200, cost=MicroDollars(15000))


async def test_the_same_script_says_the_same_whoever_follows_it(agents: Agents):
    script = '[[rule]]\ndo = [{ say = "hm" }, { print = "oh" , to = "stderr" }]\nanswer = "Done."'
    end = await agents.sessions.run(task(agents, script, wants_json=False))

    assert end.ended.stdout.head == (
        '{"type": "did", "text": "hm"}\n'
        '{"type": "answer", "text": "Done.", "stop": "finished", "tokens": null, "cost": null}\n'
    )
    assert end.ended.stderr.head == "oh"
    assert (end.reply.kind, end.reply.text) == (ReplyKind.VALID, "Done.")


async def test_the_prompt_decides_which_rule_acts_and_what_it_says(agents: Agents):
    script = """
        [[rule]]
        attempt = 1
        answer = { rule = 1 }
        [[rule]]
        attempt = [2, 3]
        unless = "stop"
        matches = 'head (?P<head>[0-9a-f]+) is number (?P<n>\\d+)'
        answer = { head = "{{head}}", n = "{{n|int}}", text = "no {{other}}" }
    """
    prompt = "This is attempt 2; head 0ab1 is number 12."
    end = await agents.sessions.run(task(agents, script, prompt=prompt))

    assert end.reply.value == b'{"head":"0ab1","n":12,"text":"no {{other}}"}'


@pytest.mark.parametrize(
    ("said", "found", "problem"),
    [
        ('answer = "certainly"', ReplyKind.INVALID, "no_object"),
        ("answer = '{\"a\": NaN}'", ReplyKind.INVALID, "nonfinite"),
        ('answer = " \\n\\t"', ReplyKind.EMPTY, "empty"),
        ('answer = "<|im_end|>"', ReplyKind.EMPTY, "empty"),
        ("answer = \"I'm sorry, but I can't help with that.\"", ReplyKind.REFUSAL, "refusal"),
        ('answer = { a = 1 }\nstop = "refused"', ReplyKind.REFUSAL, "refused"),
        ('answer = { a = 1 }\nstop = "truncated"', ReplyKind.TRUNCATED, "cut off"),
        ('answer = "resets at 3pm"\nstop = "out_of_quota"', ReplyKind.OUT_OF_QUOTA, "quota"),
        ('answer = ""\nstop = "not_logged_in"', ReplyKind.NOT_LOGGED_IN, "not logged in"),
        ('answer = { a = 1 }\nstop = "unreachable"', ReplyKind.UNREACHABLE, "failed"),
        ('do = [{ say = "and then" }]', ReplyKind.NO_RESULT, "without a final answer"),
        ("do = [{ print = '{\"a\": 1}' }]", ReplyKind.NO_RESULT, "none of its 1 lines"),
        ("exit = 2", ReplyKind.NO_RESULT, "exit code 2"),
    ],
)
async def test_what_is_no_answer_never_counts_as_one(agents: Agents, said: str, found: ReplyKind, problem: str):
    reply = (await agents.sessions.run(task(agents, f"[[rule]]\n{said}"))).reply

    assert reply.kind is found
    assert problem in reply.problem
    assert reply.value is None


async def test_a_valid_answer_counts_whatever_the_exit_code(agents: Agents):
    end = await agents.sessions.run(task(agents, "[[rule]]\nanswer = { a = 1 }\nexit = 1"))

    assert (end.ended.exit_code, end.reply.kind, end.reply.value) == (1, ReplyKind.VALID, b'{"a":1}')


async def test_what_was_lost_on_the_way_is_noted(agents: Agents):
    script = '[[rule]]\nanswer = \'{"text": "a\\ud83d\\u0000b"}\''
    reply = (await agents.sessions.run(task(agents, script))).reply

    assert reply.kind is ReplyKind.VALID
    assert reply.value == '{"text":"a\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}b"}'.encode()
    assert reply.notes == ("text: nul", "text: surrogate")


@pytest.mark.parametrize(
    ("steps", "limits", "ending"),
    [
        ("{ say = 'up' }, { hang = true }", {"timeout": QUICK}, Ending.TIMED_OUT),
        ("{ hang = true }", {"startup_silence": QUICK}, Ending.SILENT_AT_START),
        ("{ print = 'Continue? [y/N] ' }, { hang = true }", {"startup_silence": QUICK}, Ending.SILENT_AT_START),
        ("{ say = 'up' }, { hang = true }", {"silence": QUICK}, Ending.STALLED),
        ("{ say = 'up' }, { sleep = 600 }", {"silence": QUICK}, Ending.STALLED),
    ],
)
async def test_an_agent_is_held_to_its_limits(agents: Agents, steps: str, limits: dict[str, Micros], ending: Ending):
    script = f"[[rule]]\ndo = [{steps}]\nstubborn = true\nanswer = {{ a = 1 }}"
    end = await agents.sessions.run(task(agents, script, **limits))

    assert (end.ended.ending, end.ended.exit_code) == (ending, None)
    assert (end.reply.kind, end.reply.problem) == (ReplyKind.NO_RESULT, end.ended.detail)
    assert end.ended.detail


async def test_the_last_words_of_an_agent_that_waits_for_a_person_are_told(agents: Agents):
    script = "[[rule]]\ndo = [{ print = 'Trust this folder? ' }, { hang = true }]"
    end = await agents.sessions.run(task(agents, script, startup_silence=Micros(2_000_000)))

    assert "interactive set-up" in end.ended.detail
    assert "Trust this folder?" in end.ended.detail


async def test_silence_is_counted_from_the_last_word(agents: Agents):
    steps = ", ".join("{ sleep = 0.2 }, { say = 'still here' }" for _ in range(6))
    script = f"[[rule]]\ndo = [{{ say = 'up' }}, {steps}]\nanswer = {{ a = 1 }}"
    end = await agents.sessions.run(task(agents, script, silence=Micros(1_000_000)))

    assert (end.ended.ending, end.reply.kind) == (Ending.EXITED, ReplyKind.VALID)


@pytest.mark.parametrize("lineage", ["child", "session", "orphan"])
async def test_what_an_agent_leaves_behind_is_ended_and_counted(agents: Agents, lineage: str):
    script = f"[[rule]]\ndo = [{{ leave = 600, as = '{lineage}' }}]\nstubborn = true\nanswer = {{ a = 1 }}"
    end = await agents.sessions.run(task(agents, script))

    assert (end.ended.ending, end.ended.killed, end.reply.kind) == (Ending.EXITED, 1, ReplyKind.VALID)


async def test_a_finished_key_gives_its_stored_result(agents: Agents):
    work = task(agents, LOGGED)
    first = await agents.sessions.run(work)
    again = await agents.sessions.run(work)

    assert again == first
    assert agents.file("log") == "ran\n"


async def test_a_key_asked_for_twice_at_once_runs_once(agents: Agents):
    work = task(agents, LOGGED)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(agents.sessions.run, work)
        tasks.start_soon(agents.sessions.run, work)

    assert agents.file("log") == "ran\n"


async def test_a_cancelled_session_is_interrupted_and_stays_so(agents: Agents):
    work = task(agents, HANGING)
    await cancelled_when(agents.signalled, partial(agents.sessions.run, work))
    end = await agents.sessions.run(work)

    assert (end.ended.ending, end.reply.kind) == (Ending.INTERRUPTED, ReplyKind.NO_RESULT)


async def test_a_session_whose_daemon_died_is_lost(agents: Agents):
    work = task(agents, HANGING)
    await agents.die_during(work)
    end = await agents.sessions.run(work)

    assert (end.ended.ending, end.reply.kind) == (Ending.LOST, ReplyKind.NO_RESULT)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"harness": HarnessName("telepathy")}, "telepathy"),
        ({"options": ()}, "script"),
    ],
)
async def test_what_cannot_be_started_says_why(agents: Agents, changes: dict[str, object], why: str):
    end = await agents.sessions.run(task(agents, "[[rule]]", **changes))

    assert (end.ended.ending, end.reply.kind) == (Ending.NOT_STARTED, ReplyKind.NO_RESULT)
    assert why in end.ended.detail


@pytest.mark.parametrize(
    ("script", "code", "says"),
    [
        ("[[rule]]\nwhen = 'something else'", 64, "no rule"),
        ("[[rule]]\nanwser = 'x'", 65, "unknown key 'anwser'"),
    ],
)
async def test_an_agent_without_a_way_to_act_says_so(agents: Agents, script: str, code: int, says: str):
    end = await agents.sessions.run(task(agents, script))

    assert (end.ended.exit_code, end.reply.kind) == (code, ReplyKind.NO_RESULT)
    assert says in end.ended.stderr.head


async def test_a_harness_declares_what_it_can_do(agents: Agents):
    declared = agents.sessions.capabilities(HarnessName("scripted"))

    assert declared == Capabilities(reports_tokens=True, reports_cost=True, read_only_launch=True)
    assert agents.sessions.capabilities(HarnessName("telepathy")) is None
    assert agents.sessions.capabilities(HarnessName("scripted"), (("fresh_context", "perhaps"),)) is None


# --- a task that is a file


READER = """
    [[rule]]
    when = "Review 1 pair"
    matches = ['nonce of this task is `(?P<nonce>[0-9a-f]+)`', 'exactly one file, `(?P<output>[^`]+)`']
    do = [{ write = "{{output}}", text = "{{nonce}}: PASS\\n" }]
    answer = "Written."
"""


def reading(agents: Agents, script: str, **changes: Any) -> tuple[SessionTask, str]:
    """Give an agent a task in a file, and one line that says so; return the task and where it is to write."""
    path, output = agents.write_task("")
    agents.write_task(f"Review 1 pair. The nonce of this task is `0ab1`.\nWrite to exactly one file, `{output}`.\n")
    line = f"Read {path} and follow it exactly."
    return task(agents, script, prompt=line, prompt_path=path, wants_json=False, **changes), output


async def test_an_agent_reads_its_task_from_the_file_and_writes_where_that_says(agents: Agents):
    work, output = reading(agents, READER)
    end = await agents.sessions.run(work)

    assert (end.ended.exit_code, end.reply.text) == (0, "Written.")
    assert agents.file(output) == "0ab1: PASS\n"


async def test_an_agent_whose_task_is_gone_says_so(agents: Agents):
    work, _ = reading(agents, READER)
    agents.write_task(None)
    end = await agents.sessions.run(work)

    assert (end.ended.exit_code, end.reply.kind) == (66, ReplyKind.NO_RESULT)
    assert "prompt.md" in end.ended.stderr.head


async def test_a_harness_that_remembers_earlier_calls_does_not_start_such_a_task(agents: Agents):
    options = (*agents.script(READER), ("fresh_context", "false"))
    work, output = reading(agents, READER, options=options)
    end = await agents.sessions.run(work)

    assert end.ended.ending is Ending.NOT_STARTED
    assert "fresh_context" in end.ended.detail
    assert agents.file(output) is None
    plain = await agents.sessions.run(msgspec.structs.replace(work, prompt="Review 1 pair", prompt_path=None))
    assert plain.ended.ending is Ending.EXITED


async def test_an_agent_can_be_taken_for_one_that_writes_and_remembers(agents: Agents):
    options = (*agents.script("[[rule]]"), ("fresh_context", "false"), ("read_only_launch", "false"))
    declared = agents.sessions.capabilities(HarnessName("scripted"), options)
    assert declared == Capabilities(reports_tokens=True, reports_cost=True, fresh_context=False, read_only_launch=False)
