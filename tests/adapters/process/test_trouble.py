"""Trouble that agent programs are known to make, each as a fake program that makes it."""

import os
import signal
import sys
from pathlib import Path

import anyio
import anyio.to_thread
import pytest

from harnd.actors.classing import failure_of_session
from harnd.adapters.commands import ProcessCommands
from harnd.adapters.harness import scripted
from harnd.adapters.harness.sessions import HarnessSessions
from harnd.adapters.process.leftovers import digest_of, marked
from harnd.adapters.process.spawner import Job, Limits, Spawner
from harnd.ports.errors import CorruptError, UnavailableError
from harnd.ports.sessions import CommandTask, Ended, Ending, ReplyKind, SessionEnd, SessionTask
from protocol import bounds
from protocol.ids import EffectKey, HarnessName, InstanceId
from protocol.values import SECOND, FailureClass, Micros
from tests.kit.agents import QUICK

AMPLE = Micros(50 * SECOND)
OF_LIBC = 1 << 31 | 1 << 32
"""Signals 32 and 33, which libc lets nobody touch: a machine may start everything with them ignored."""
KEY = EffectKey("goal/billing/work/p1.api/attempt/1/stage/1")


class House:
    """One daemon's runners on a temporary state directory."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.spawner = Spawner(root / "state", InstanceId("first"), grace=lambda: QUICK)
        self._commands = ProcessCommands(self.spawner)
        self._sessions = HarnessSessions(self.spawner)

    async def command(self, *argv: str, cwd: str = "", key: EffectKey = KEY) -> Ended:
        return await self._commands.run(CommandTask(key, argv, cwd or str(self.root), AMPLE))

    async def session(
        self, *argv: str, prompt: str = "Work.", silence: Micros = AMPLE, wants_json: bool = True
    ) -> SessionEnd:
        harness, options = HarnessName("command"), (("argv", argv),)
        task = SessionTask(KEY, harness, options, prompt, str(self.root), wants_json, AMPLE, silence, silence)
        return await self._sessions.run(task)

    def program(self, text: str, name: str = "program") -> str:
        file = self.root / name
        file.write_text(text)
        file.chmod(0o755)
        return str(file)

    def left(self) -> int:
        return len(marked(digest_of(self.root / "state")))


async def test_a_variable_is_passed_on_by_name_and_no_other(tmp_path: Path):
    spawner = Spawner(
        tmp_path / "state", InstanceId("first"), source={"PATH": os.environ["PATH"], "KEY": "k", "OTHER": "o"}
    )
    job = Job(KEY, ("sh", "-c", "echo $KEY/$OTHER"), str(tmp_path), Limits(AMPLE), passed=("KEY",))

    assert (await spawner.run(job)).stdout.head == "k/\n"


async def test_a_variable_that_is_not_set_where_harnd_was_started_starts_nothing(tmp_path: Path):
    spawner = Spawner(tmp_path / "state", InstanceId("first"), source={"PATH": os.environ["PATH"]})
    ended = await spawner.run(Job(KEY, ("true",), str(tmp_path), Limits(AMPLE), passed=("KEY",)))

    assert (ended.ending, ended.detail) == (
        Ending.NOT_STARTED,
        "true was not started: KEY is not set where harnd was started.",
    )


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


async def test_a_question_to_a_person_meets_no_terminal_and_no_input(house: House):
    ended = await house.command("sh", "-c", "echo 'Trust this folder? [y/n]'; read answer < /dev/tty; cat; echo $?")

    assert ended.stdout.head == "Trust this folder? [y/n]\n0\n"
    assert "/dev/tty" in ended.stderr.head


async def test_a_mute_program_that_ignores_requests_is_killed_with_its_tree(house: House):
    end = await house.session("sh", "-c", "trap '' TERM; while :; do sleep 600; done", silence=QUICK)

    assert (end.ended.ending, end.reply.kind) == (Ending.SILENT_AT_START, ReplyKind.NO_RESULT)
    assert house.left() == 0


async def test_a_stream_without_an_answer_is_no_result_whatever_the_exit_code(house: House):
    end = await house.session("sh", "-c", 'echo \'{"type": "started"}\'; echo \'{"type": "tool"}\'')

    assert (end.ended.exit_code, end.reply.kind) == (0, ReplyKind.INVALID)


async def test_a_grandchild_that_holds_the_pipe_does_not_hold_us(house: House):
    ended = await house.command("sh", "-c", "sleep 600 & echo ok")

    assert (ended.ending, ended.exit_code, ended.stdout.head, ended.killed) == (Ending.EXITED, 0, "ok\n", 1)
    assert house.left() == 0


async def test_a_whole_answer_counts_though_the_program_failed(house: House):
    end = await house.session("sh", "-c", "echo '{\"a\": 1}'; exit 1")

    assert (end.ended.exit_code, end.reply.kind, end.reply.value) == (1, ReplyKind.VALID, b'{"a":1}')


@pytest.mark.parametrize("said", ["", "Error: quota exceeded", '{"a": 1'])
async def test_what_a_failed_program_printed_is_no_answer_otherwise(house: House, said: str):
    end = await house.session("sh", "-c", f"printf %s '{said}'; exit 2")

    assert (end.ended.exit_code, end.reply.kind) == (2, ReplyKind.NO_RESULT)


CHAT = "I can't help noticing that the tests were flaky; fixed."


@pytest.mark.parametrize(
    ("script", "kind", "text"),
    [
        (f'echo "{CHAT}"', ReplyKind.VALID, f"{CHAT}\n"),
        (f'echo "{CHAT}"; exit 1', ReplyKind.REFUSAL, f"{CHAT}\n"),
        ("echo 'no such model'; exit 1", ReplyKind.NO_RESULT, "no such model\n"),
        ("true", ReplyKind.EMPTY, ""),
        (f"head -c {bounds.ANSWER_BYTES + 5} /dev/zero | tr '\\0' x", ReplyKind.VALID, "x" * bounds.ANSWER_BYTES),
    ],
)
async def test_the_chatter_of_an_agent_at_work_is_no_failure(house: House, script: str, kind: ReplyKind, text: str):
    end = await house.session("sh", "-c", script, wants_json=False)

    assert (end.reply.kind, end.reply.text) == (kind, text)


async def test_an_answer_that_must_be_an_object_is_not_clipped(house: House):
    end = await house.session("sh", "-c", f'printf \'{{"a": "%{bounds.ANSWER_BYTES}s"}}\' x')

    assert end.reply.kind is ReplyKind.INVALID
    assert "too_large" in end.reply.problem


LONG_LINE = """
import sys
sys.stdout.write('{"type": "did", "text": "' + "x" * (%d << 20) + '"}\\n')
sys.stdout.write('{"type": "answer", "text": "{\\\\"a\\\\": 1}"}\\n')
"""


@pytest.mark.parametrize("mebibytes", [1, 20])
async def test_a_line_of_any_length_does_not_hide_the_answer(
    house: House, mebibytes: int, monkeypatch: pytest.MonkeyPatch
):
    talker = house.program(LONG_LINE % mebibytes)
    monkeypatch.setattr(scripted, "command_line", lambda task, path: [sys.executable, talker])
    task = SessionTask(KEY, HarnessName("scripted"), (), "", str(house.root), True, AMPLE, AMPLE, AMPLE)
    end = await HarnessSessions(house.spawner).run(task)

    assert (end.reply.kind, end.reply.value) == (ReplyKind.VALID, b'{"a":1}')
    assert end.ended.stdout.total_bytes > mebibytes << 20
    assert (house.spawner.home(KEY).path / "stdout").stat().st_size <= bounds.OUTPUT_CAP_BYTES


async def test_a_prompt_that_nobody_reads_is_an_ordinary_failure(house: House):
    job = Job(
        KEY, ("sh", "-c", "echo gone >&2; exit 2"), "/", Limits(AMPLE), prompt="x" * 300_000, prompt_on_stdin=True
    )
    ended = await house.spawner.run(job)

    assert (ended.ending, ended.exit_code, ended.stderr.head) == (Ending.EXITED, 2, "gone\n")


@pytest.mark.parametrize("on_stdin", [False, True])
async def test_a_large_prompt_arrives_whole(house: House, on_stdin: bool):
    home = house.spawner.home(KEY)
    argv = ("wc", "-c") if on_stdin else ("wc", "-c", str(home.prompt))
    ended = await house.spawner.run(Job(KEY, argv, "/", Limits(AMPLE), prompt="x" * 300_000, prompt_on_stdin=on_stdin))

    assert ended.stdout.head.split()[0] == "300000"
    assert home.prompt.stat().st_mode & 0o777 == 0o600


async def test_what_was_said_is_private(house: House):
    await house.session("sh", "-c", "head -c 20000000 /dev/zero; echo >&2")
    kept = list((house.root / "state" / "sessions").rglob("*"))

    assert {file.name for file in kept if file.is_file()} == {
        *("prompt", "receipt", "stdout", "stdout.tail", "stderr", "result", "shim.log")
    }
    assert {file.stat().st_mode & 0o777 for file in kept if file.is_file()} == {0o600}
    assert {file.stat().st_mode & 0o777 for file in (*kept, kept[0].parent) if file.is_dir()} == {0o700}


async def test_a_state_directory_that_cannot_be_read_is_unavailable(house: House):
    home = house.spawner.home(KEY)
    home.make(None)
    (home.path / "result").mkdir()

    with pytest.raises(UnavailableError):
        await house.command("true")


async def test_a_result_that_no_shim_stored_is_corrupt(house: House):
    home = house.spawner.home(KEY)
    home.make(None)
    (home.path / "result").write_text('{"ending": "fine"}')

    with pytest.raises(CorruptError):
        await house.command("true")


async def test_a_program_is_looked_up_anew_at_every_start(house: House):
    stable = house.root / "agent"
    for version in ("one", "two"):
        house.program(f"#!/bin/sh\necho {version}\n", version)
        stable.unlink(missing_ok=True)
        stable.symlink_to(version)
        ended = await house.command(str(stable), key=EffectKey(version))

        assert ended.stdout.head == f"{version}\n"
        (house.root / version).unlink()
    gone = await house.command(str(stable), key=EffectKey("three"))

    assert gone.ending is Ending.NOT_STARTED
    assert str(stable) in gone.detail


async def test_what_is_in_the_way_of_a_start_is_named(house: House):
    script = house.program("#!/no/such/python\n", "script")
    plain = house.root / "plain"
    plain.write_text("no program")
    text = house.program("neither binary nor script", "text")
    details = [
        (await house.command("no-such-agent", key=EffectKey("1"))).detail,
        (await house.command(script, key=EffectKey("2"))).detail,
        (await house.command(str(plain), key=EffectKey("3"))).detail,
        (await house.command(text, key=EffectKey("4"))).detail,
        (await house.command("true", cwd="/no/such/place", key=EffectKey("5"))).detail,
        (await house.command("true", "a\0b", key=EffectKey("6"))).detail,
        (await house.command("true", "x" * (1 << 20), key=EffectKey("7"))).detail,
    ]
    expected = [
        "no executable of that name on PATH (",
        f"{script} asks for the interpreter /no/such/python, which is not there.",
        "Permission denied",
        "neither a binary for this machine nor a script with a #! line",
        "/no/such/place",
        "null byte",
        "too long",
    ]

    assert [each for each, found in zip(expected, details, strict=True) if each not in found] == []


async def test_e05_a_script_whose_interpreter_env_does_not_find_was_not_started(house: House):
    script = house.program("#!/usr/bin/env no-such-node\n", "agent")
    ended = await house.command(script)

    assert ended.ending is Ending.NOT_STARTED
    assert ended.detail.startswith(
        f"{script} was not started: {script} asks for no-such-node, and there is no executable"
    )
    assert "on PATH (/" in ended.detail


async def test_a_script_that_ends_like_env_by_itself_has_run(house: House):
    ended = await house.command(house.program("#!/usr/bin/env sh\nexit 127\n", "agent"))

    assert (ended.ending, ended.exit_code) == (Ending.EXITED, 127)


async def test_bytes_that_are_no_text_are_shown_as_such(house: House):
    ended = await house.command("printf", "a\\377\\000\\355\\240\\200b")

    assert ended.stdout.head.strip("\N{REPLACEMENT CHARACTER}ab") == ""
    assert ended.stdout.head.encode().decode() == ended.stdout.head


async def test_a_program_ended_by_a_signal_has_a_negative_code(house: House):
    ended = await house.command("sh", "-c", "kill -SEGV $$")

    assert (ended.ending, ended.exit_code) == (Ending.EXITED, -signal.SIGSEGV)


async def test_signals_and_descriptors_of_the_daemon_do_not_reach_the_program(house: House):
    reader, writer = os.pipe()
    os.set_inheritable(writer, True)  # as a socket from a service manager would be
    before = {number: signal.signal(number, signal.SIG_IGN) for number in (signal.SIGPIPE, signal.SIGUSR1, 40)}
    try:
        ended = await house.command(
            "sh", "-c", "ls /proc/self/fd | wc -l; grep SigIgn /proc/self/status; ps -o tty= $$"
        )
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        os.close(reader)
        os.close(writer)

    descriptors, _, ignored, terminal = ended.stdout.head.split()
    assert (descriptors, terminal) == ("4", "?")  # the fourth is of `ls` itself
    assert int(ignored, 16) & ~OF_LIBC == 0


async def test_a_shim_that_is_killed_is_not_taken_for_our_death_and_leaves_nothing(house: House):
    os.mkfifo(house.root / "signal")
    result: list[Ended] = []

    async def run() -> None:
        result.append(await house.command("sh", "-c", "setsid sleep 600 & printf '' > signal; wait"))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(run)
        await anyio.to_thread.run_sync((house.root / "signal").read_text)
        receipt = (house.spawner.home(KEY).path / "receipt").read_text()
        os.kill(int(receipt.split()[1]), signal.SIGKILL)

    assert [(ended.ending, ended.exit_code) for ended in result] == [(Ending.EXITED, None)]
    assert house.left() == 0


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("kill -KILL $PPID; sleep 600", "its shim was killed"),
        ('rm -r "$(dirname "$1")"', "its receipt was removed"),
        ('rm "$(dirname "$1")/receipt"; kill -KILL $PPID; sleep 600', "its receipt was removed"),
    ],
)
async def test_an_agent_that_breaks_its_watch_has_failed_and_is_not_run_again(house: House, script: str, why: str):
    argv = ("sh", "-c", f"echo ran >> runs; {script}", "sh", "{prompt_file}")
    end = await house.session(*argv, wants_json=False)
    failure = failure_of_session(end, wants_json=False)

    assert failure is not None
    assert failure.kind is FailureClass.PERMISSION
    assert why in failure.detail
    assert (await house.session(*argv, wants_json=False)).ended == end.ended
    assert (house.root / "runs").read_text() == "ran\n"
    assert house.left() == 0


async def test_an_agent_that_suspends_its_shim_is_held_to_its_time_all_the_same(house: House):
    spawner = Spawner(house.root / "state", InstanceId("first"), grace=lambda: QUICK, patience=QUICK)
    argv = ("sh", "-c", "echo said; kill -STOP $PPID; setsid sleep 600 & sleep 600")
    job = Job(KEY, argv, str(house.root), Limits(Micros(1 * SECOND)))
    with anyio.fail_after(30):
        ended = await spawner.run(job)

    assert (ended.ending, ended.exit_code) == (Ending.TIMED_OUT, None)
    assert ended.detail == "It was still running after 1 s and was ended."
    assert house.left() == 0
    assert await spawner.run(job) == ended


async def test_many_at_once(house: House):
    ended: list[Ended] = []

    async def run(number: int) -> None:
        ended.append(await house.command("echo", str(number), key=EffectKey(f"many/{number}")))

    async with anyio.create_task_group() as tasks:
        for number in range(64):
            tasks.start_soon(run, number)

    assert sorted(int(each.stdout.head) for each in ended) == list(range(64))
