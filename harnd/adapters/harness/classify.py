"""Classifying: what a session's final answer is, the same for every harness, before anybody acts on what it says.

Evidence decides, never a default: what is unreadable, refused, cut off or empty is none of the rest, and a program that
did not come to its own end has not answered.  A program that only prints has one way to say that it failed, its exit
code: what it chats about at work is not looked at for signs of failure.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Final

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
    if speech is Speech.WHOLE and not wants_json:
        return _chat(heard.answered.text, exit_code=ended.exit_code)
    reply = _read(heard.answered, wants_json=wants_json)
    if speech is Speech.WHOLE and ended.exit_code != 0 and reply.kind is not ReplyKind.VALID:
        # Nothing but a whole object shows that what a failed program printed is an answer and not an error message.
        return _failed(reply.text, ended.exit_code)
    return reply


def _chat(text: str, *, exit_code: int | None) -> Reply:
    if exit_code != 0:
        return _refused_in_words(text) if is_refusal(text) else _failed(text, exit_code)
    if is_empty(text):
        return _nothing(text)
    return _clipped(text)


def _failed(text: str, exit_code: int | None) -> Reply:
    return _no_answer(ReplyKind.NO_RESULT, text, f"it ended with exit code {exit_code} and without an answer")


def _silence(heard: Heard, ended: Ended) -> str:
    if heard.not_understood and not heard.understood:
        return f"none of its {heard.not_understood} lines is one that this harness knows (exit code {ended.exit_code})"
    return f"its output ended without a final answer (exit code {ended.exit_code})"


_FAILED: Final[Mapping[Stop, tuple[ReplyKind, str]]] = {
    Stop.OUT_OF_QUOTA: (ReplyKind.OUT_OF_QUOTA, "the provider's quota is used up"),
    Stop.NOT_LOGGED_IN: (ReplyKind.NOT_LOGGED_IN, "the agent is not logged in"),
    Stop.UNREACHABLE: (ReplyKind.UNREACHABLE, "the provider failed"),
}


def _read(answered: Answered, *, wants_json: bool) -> Reply:
    text = answered.text
    if answered.stop in _FAILED:  # whatever else it says: nobody has answered
        kind, problem = _FAILED[answered.stop]
        return _no_answer(kind, text, problem)
    if answered.stop is Stop.TRUNCATED:
        return _no_answer(ReplyKind.TRUNCATED, text, "the model's output was cut off at its limit")
    if is_empty(text):
        return _nothing(text)
    if answered.stop is Stop.REFUSED:
        return _no_answer(ReplyKind.REFUSAL, text, "the model refused")
    return _object(text) if wants_json else _prose(text)


def _object(text: str) -> Reply:
    read = read_object(text)
    if not isinstance(read, Unreadable):
        notes = tuple(f"{note.place}: {note.code}" for note in read.notes)
        return Reply(ReplyKind.VALID, text, msgspec.json.encode(read.value), notes=notes)
    if read.code == "no_object" and is_refusal(text):
        return _refused_in_words(text)
    return _no_answer(ReplyKind.INVALID, text, str(read))


def _prose(text: str) -> Reply:
    return _refused_in_words(text) if is_refusal(text) else _clipped(text)


def _clipped(text: str) -> Reply:
    """Take a text for the answer: what was done is judged by the files, so that a long one is no fault."""
    return Reply(ReplyKind.VALID, text[: bounds.ANSWER_BYTES])


def _refused_in_words(text: str) -> Reply:
    return _no_answer(ReplyKind.REFUSAL, text, "the answer is a refusal in words")


def _nothing(text: str) -> Reply:
    return _no_answer(ReplyKind.EMPTY, text, "there is nothing in the answer [empty]")


def _no_answer(kind: ReplyKind, text: str, problem: str) -> Reply:
    return Reply(kind, text[: bounds.REJECTED_REPLY_CHARS], problem=problem)
