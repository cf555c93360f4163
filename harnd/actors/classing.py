"""Classing: which failure an ending is, by how the process ended and what its answer was.

Done means a result, then a valid answer, then the exit code, in this order: a finished answer is not thrown away
because the process ended badly after it, and success of a process says nothing about the work.
"""

from typing import Final, NamedTuple

from harnd.ports.sessions import Ended, Ending, Output, ReplyKind, SessionEnd
from protocol.values import AttemptOutcome, FailureClass

_WORDS: Final = 300  # so much of what somebody said goes on inside a sentence
_TRY_LATER: Final = 75  # EX_TEMPFAIL: how a program says that somebody else is at fault, for now


class Failure(NamedTuple):
    """What went wrong."""

    outcome: AttemptOutcome
    kind: FailureClass
    detail: str


def failure_of_session(end: SessionEnd, *, wants_json: bool) -> Failure | None:
    """Class the end of an agent call; None is success of the call, not of the work."""
    if (cut := _cut_short(end.ended)) is not None:
        return cut
    exit_code = end.ended.exit_code
    match end.reply.kind:
        case ReplyKind.VALID:
            return None
        case ReplyKind.EMPTY | ReplyKind.NO_RESULT if exit_code == _TRY_LATER:
            return _unreachable(end.ended)
        case ReplyKind.REFUSAL if exit_code == _TRY_LATER and not wants_json:
            return _unreachable(end.ended)  # its exit code is meant, its words may be anybody's
        case ReplyKind.EMPTY if exit_code == 0 and not wants_json:
            return None  # an agent may work in silence: the diff and the proof speak
        case ReplyKind.EMPTY | ReplyKind.NO_RESULT:
            return _failed(FailureClass.EMPTY, f"no answer, exit code {exit_code}: {_last_line(end.ended)}")
        case ReplyKind.REFUSAL:
            return _failed(FailureClass.REFUSAL, end.reply.problem or "the agent refused")
        case ReplyKind.OUT_OF_QUOTA:
            return _failed(FailureClass.QUOTA, _said(end))
        case ReplyKind.NOT_LOGGED_IN:
            return _failed(FailureClass.AUTH, _said(end))
        case ReplyKind.UNREACHABLE:
            return _failed(FailureClass.UPSTREAM, _said(end))
        case ReplyKind.TRUNCATED:
            return _failed(FailureClass.TRUNCATED, end.reply.problem or "the answer was cut short")
        case ReplyKind.INVALID:
            return _failed(FailureClass.SCHEMA, end.reply.problem)


def failure_of_command(ended: Ended, *, failing: FailureClass) -> Failure | None:
    """Class the end of a command; `failing` is what a bad exit code means."""
    if (cut := _cut_short(ended)) is not None:
        return cut
    if ended.exit_code == 0:
        return None
    return _failed(failing, f"exit code {ended.exit_code}: {_last_line(ended)}")


def _cut_short(ended: Ended) -> Failure | None:
    match ended.ending:
        case Ending.EXITED if ended.exit_code is None:
            # Not LOST, which nobody pays for: the daemon lived, and whoever kills its own watch would be run for ever.
            return _failed(FailureClass.PERMISSION, ended.detail)
        case Ending.EXITED:
            return None
        case Ending.TIMED_OUT:
            detail = _clause(ended.detail) or "it ran out of time"
            return Failure(AttemptOutcome.TIMED_OUT, FailureClass.TIMEOUT, detail)
        case Ending.SILENT_AT_START | Ending.STALLED:
            return _failed(FailureClass.STALLED, ended.detail or "it fell silent")
        case Ending.LOST:
            detail = "the daemon died while it ran"
            return Failure(AttemptOutcome.LOST, FailureClass.LOST, detail)
        case Ending.INTERRUPTED:
            detail = "the daemon was stopped while it ran"
            return Failure(AttemptOutcome.INTERRUPTED, FailureClass.LOST, detail)
        case Ending.NOT_STARTED:
            return _failed(FailureClass.ENVIRONMENT, ended.detail)


def _failed(kind: FailureClass, detail: str) -> Failure:
    return Failure(AttemptOutcome.FAILED, kind, _clause(detail))


def _unreachable(ended: Ended) -> Failure:
    return _failed(FailureClass.UPSTREAM, f"the agent could not reach its provider: {_last_line(ended)}")


def _said(end: SessionEnd) -> str:
    words = end.reply.text.strip()[:_WORDS]
    return f"{end.reply.problem}: {words}" if words else end.reply.problem


def _clause(sentence: str) -> str:
    # A detail goes on inside the sentences of others.
    return sentence.strip().rstrip(".")


def _last_line(ended: Ended) -> str:
    lines = [line for output in (ended.stderr, ended.stdout) for line in _text(output).splitlines() if line.strip()]
    return lines[-1].strip()[:_WORDS] if lines else "it printed nothing"


def _text(output: Output) -> str:
    return output.tail or output.head


def whole_text(ended: Ended) -> str:
    """Return what a process printed, as far as it was kept, for a person or the next attempt to read."""
    return "\n".join(part for part in (_kept(ended.stdout), _kept(ended.stderr)) if part)


def _kept(output: Output) -> str:
    if output.omitted_bytes == 0:
        return output.head
    return f"{output.head}\n[{output.omitted_bytes} bytes left out]\n{output.tail}"
