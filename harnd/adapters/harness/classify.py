"""Classifying: what a session's final answer is, the same for every harness, before anybody acts on what it says.

Evidence decides, never a default: what is unreadable, refused, cut off or empty is none of the rest, and a program that
did not come to its own end has not answered.
"""

from collections.abc import Callable, Iterable

import msgspec

from harnd.adapters.harness.reports import Answered, Report, Speech, Stop
from harnd.domain.reading import Unreadable, is_empty, is_refusal, read_object
from harnd.ports.sessions import Ended, Ending, Reply, ReplyKind
from protocol import bounds


class Heard(msgspec.Struct, frozen=True):
    """What was heard from an agent: its answer, if there was one, and how many lines were and were not understood."""

    answered: Answered | None = None
    understood: int = 0
    not_understood: int = 0


def hear(lines: Iterable[bytes], read_report: Callable[[bytes], Report | None]) -> Heard:
    """Understand report after report; the last answer is the final one."""
    answered: Answered | None = None
    understood = not_understood = 0
    for line in lines:
        report = read_report(line)
        understood += report is not None
        not_understood += report is None
        if isinstance(report, Answered):
            answered = report
    return Heard(answered, understood, not_understood)


def classify(heard: Heard, ended: Ended, *, speech: Speech, wants_json: bool) -> Reply:
    """Say what the answer is."""
    if ended.ending is not Ending.EXITED:
        return Reply(ReplyKind.NO_RESULT, problem=ended.detail)
    if heard.answered is None:
        return Reply(ReplyKind.NO_RESULT, problem=_silence(heard, ended))
    reply = _read(heard.answered, wants_json=wants_json)
    if speech is Speech.WHOLE and ended.exit_code != 0 and not (wants_json and reply.kind is ReplyKind.VALID):
        # Nothing but a whole object shows that what a failed program printed is an answer and not an error message.
        problem = f"it ended with exit code {ended.exit_code} and without an answer"
        return Reply(ReplyKind.NO_RESULT, reply.text, problem=problem)
    return reply


def _silence(heard: Heard, ended: Ended) -> str:
    if heard.not_understood and not heard.understood:
        return f"none of its {heard.not_understood} lines is one that this harness knows (exit code {ended.exit_code})"
    return f"its output ended without a final answer (exit code {ended.exit_code})"


def _read(answered: Answered, *, wants_json: bool) -> Reply:
    text = answered.text
    if answered.stop is Stop.TRUNCATED:
        return _no_answer(ReplyKind.TRUNCATED, text, "the model's output was cut off at its limit")
    if is_empty(text):
        return _no_answer(ReplyKind.EMPTY, text, "there is nothing in the answer [empty]")
    if answered.stop is Stop.REFUSED:
        return _no_answer(ReplyKind.REFUSAL, text, "the model refused")
    return _object(text) if wants_json else _prose(text)


def _object(text: str) -> Reply:
    read = read_object(text)
    if not isinstance(read, Unreadable):
        notes = tuple(f"{note.place}: {note.code}" for note in read.notes)
        return Reply(ReplyKind.VALID, text, msgspec.json.encode(read.value), notes=notes)
    if read.code == "no_object" and is_refusal(text):
        return _no_answer(ReplyKind.REFUSAL, text, "the answer is a refusal in words")
    return _no_answer(ReplyKind.INVALID, text, str(read))


def _prose(text: str) -> Reply:
    if is_refusal(text):
        return _no_answer(ReplyKind.REFUSAL, text, "the answer is a refusal in words")
    if len(text) > bounds.ANSWER_BYTES:
        return _no_answer(ReplyKind.INVALID, text, f"more than {bounds.ANSWER_BYTES} characters [too_large]")
    return Reply(ReplyKind.VALID, text)


def _no_answer(kind: ReplyKind, text: str, problem: str) -> Reply:
    return Reply(kind, text[: bounds.REJECTED_REPLY_CHARS], problem=problem)
