"""How errors become refusals, in one place: what a rule or a port raises, as a client is told.

A bug is told by an id only, under which the log has the rest: a traceback may hold what a client must not see.
"""

import secrets

import msgspec
from structlog.typing import FilteringBoundLogger

from harnd.domain.goal.codec import UnreadableEventError
from harnd.domain.rejected import Rejected
from harnd.ports.errors import (
    ConflictError,
    CorruptError,
    FencedError,
    KeyReusedError,
    LeaseHeldError,
    StoppingError,
    UnavailableError,
)
from protocol.errors import Refusal
from protocol.framing import FrameTooLong


def refusal_of(error: Exception, log: FilteringBoundLogger) -> Refusal:
    """Say no for an error.  Only a bug and a corrupt store are logged as errors: the others are answers."""
    match error:
        case Refusal():
            return error
        case Rejected():
            return Refusal(error.code, error.reason, fix=error.fix, details=_details(error))
        case FrameTooLong():
            return Refusal("reply.too_long", "the answer does not fit into one frame", fix="ask for less, or in pages")
        case KeyReusedError():
            return Refusal("key.reused", "this idempotency key was used for another request", fix="use a new key")
        case ConflictError() | FencedError() | LeaseHeldError():
            return Refusal("goal.moved", "the goal changed hands or moved on meanwhile", fix="ask again")
        case StoppingError():
            return Refusal("daemon.stopping", str(error), fix="ask again when it has been started")
        case UnavailableError():
            return Refusal("store.unavailable", f"the store does not answer: {error}", fix="harnctl doctor")
        case CorruptError():
            log.error("store.corrupt", reason=str(error))
            return Refusal("store.corrupt", f"what was stored is not what was written: {error}", fix="harnctl doctor")
        case UnreadableEventError():
            return Refusal("goal.unreadable", f"the goal cannot be read: {error}", fix="start the harnd that wrote it")
        case _:
            return _bug(error, log)


def _details(error: Rejected) -> dict[str, object]:
    return {"problems": msgspec.to_builtins(error.problems)} if error.problems else {}


def _bug(error: Exception, log: FilteringBoundLogger) -> Refusal:
    bug = secrets.token_hex(4)
    log.error("request.failed", bug=bug, exc_info=error)
    return Refusal("internal", f"harnd has a bug; its log has the rest under {bug}", details={"bug": bug})
