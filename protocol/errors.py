"""Errors: every stable code with one sentence, its family, and what a family means to JSON-RPC and to a shell script.

A code is for programs and never changes its meaning; message and fix are for people and may.  `docs/protocol.md` lists
this table and a test compares the two.  Only the standard library is used, so that the small clients can map codes.
"""

from collections.abc import Mapping
from enum import IntEnum, StrEnum
from typing import Final, NamedTuple


class Exit(IntEnum):
    """What `harnctl` exits with."""

    DONE = 0
    FAILURE = 1
    USAGE = 2
    REFUSED = 3
    NOT_FOUND = 4
    CONFLICT = 5
    UNREACHABLE = 6
    NEEDS_PERSON = 7
    TRY_LATER = 75
    CONFIGURATION = 78


class Family(StrEnum):
    """What a caller can do about an error."""

    PARSE = "parse"  # mend the client: the line is no frame
    MESSAGE = "message"  # mend the client: the frame is no message, or not one for now
    METHOD = "method"  # mend the client or the daemon: one is older than the other
    PARAMETERS = "parameters"  # mend what was given
    INTERNAL = "internal"  # report it
    REFUSED = "refused"  # a rule says no
    NOT_FOUND = "not_found"
    CONFLICT = "conflict"  # look again, then decide again
    NEEDS_PERSON = "needs_person"
    TRY_LATER = "try_later"
    CONFIGURATION = "configuration"
    UNREACHABLE = "unreachable"  # said by clients, never by the daemon


class Row(NamedTuple):
    """A family, in the terms of the two worlds that see it."""

    rpc: int
    exit: Exit


FAMILIES: Final[Mapping[Family, Row]] = {
    Family.PARSE: Row(-32700, Exit.FAILURE),
    Family.MESSAGE: Row(-32600, Exit.FAILURE),
    Family.METHOD: Row(-32601, Exit.FAILURE),
    Family.PARAMETERS: Row(-32602, Exit.USAGE),
    Family.INTERNAL: Row(-32603, Exit.FAILURE),
    Family.REFUSED: Row(-32001, Exit.REFUSED),
    Family.NOT_FOUND: Row(-32002, Exit.NOT_FOUND),
    Family.CONFLICT: Row(-32003, Exit.CONFLICT),
    Family.NEEDS_PERSON: Row(-32004, Exit.NEEDS_PERSON),
    Family.TRY_LATER: Row(-32005, Exit.TRY_LATER),
    Family.CONFIGURATION: Row(-32006, Exit.CONFIGURATION),
    Family.UNREACHABLE: Row(-32007, Exit.UNREACHABLE),
}


class Code(NamedTuple):
    """One stable code."""

    family: Family
    sentence: str


CODES: Final[Mapping[str, Code]] = {
    # --- lines
    "frame.too_long": Code(Family.PARSE, "A line passes 4 MiB; the connection is closed."),
    "frame.truncated": Code(Family.PARSE, "The peer stopped inside a line."),
    "frame.not_utf8": Code(Family.PARSE, "A line is not UTF-8."),
    "frame.nul": Code(Family.PARSE, "A line holds a NUL byte."),
    "frame.not_json": Code(Family.PARSE, "A line is not one JSON value."),
    "frame.not_text": Code(Family.PARSE, "A string holds a lone surrogate."),
    "frame.too_deep": Code(Family.PARSE, "An object is nested too deeply."),
    # --- messages
    "message.batch": Code(Family.MESSAGE, "A line holds a batch; one object a line is spoken here."),
    "message.not_object": Code(Family.MESSAGE, "A line holds something other than an object."),
    "message.duplicate_key": Code(Family.MESSAGE, "A key stands twice in one object."),
    "message.malformed": Code(Family.MESSAGE, "An object is no JSON-RPC 2.0 message."),
    "message.bad_id": Code(Family.MESSAGE, "An id is neither a string nor a whole number."),
    "message.id_in_flight": Code(Family.MESSAGE, "An id is that of a request not answered yet."),
    "message.out_of_turn": Code(Family.MESSAGE, "A message is not legal in the state of the connection."),
    # --- requests
    "request.unknown_method": Code(Family.METHOD, "There is no such method in the negotiated version."),
    "request.unknown_field": Code(Family.PARAMETERS, "A request has a field that its method does not have."),
    "request.missing_field": Code(Family.PARAMETERS, "A request lacks a field."),
    "request.bad_field": Code(Family.PARAMETERS, "A field has a wrong type, passes a bound or breaks a grammar."),
    "request.not_object": Code(Family.PARAMETERS, "The parameters are not an object of named fields."),
    "version.mismatch": Code(Family.CONFIGURATION, "Client and daemon have no protocol version in common."),
    # --- who asks
    "principal.agent": Code(Family.REFUSED, "The verb is an operator's and the peer is an agent, or may be one."),
    "principal.foreign": Code(Family.REFUSED, "The peer runs under another user id; the connection is closed."),
    # --- the daemon
    "internal": Code(Family.INTERNAL, "harnd has a bug; its log has the rest under the id in the details."),
    "reply.too_long": Code(Family.REFUSED, "The answer does not fit into one frame; ask for less."),
    "events.subscribed": Code(Family.REFUSED, "The connection has a subscription already."),
    "daemon.busy": Code(Family.TRY_LATER, "The daemon has as many connections as it takes."),
    "daemon.stopping": Code(Family.TRY_LATER, "The daemon is stopping."),
    "daemon.unreachable": Code(Family.UNREACHABLE, "No daemon answers at the socket."),
    "store.unavailable": Code(Family.TRY_LATER, "The store does not answer: busy, full or unreadable."),
    "store.corrupt": Code(Family.NEEDS_PERSON, "What was stored is not what was written; nothing is touched."),
    "key.reused": Code(Family.CONFLICT, "The idempotency key was used for another request."),
    # --- goals
    "goal.unknown": Code(Family.NOT_FOUND, "There is no such goal."),
    "goal.exists": Code(Family.CONFLICT, "There is a goal of that name with another intent."),
    "goal.ended": Code(Family.REFUSED, "The goal has succeeded or was cancelled."),
    "goal.not_ended": Code(Family.REFUSED, "The goal goes on, and what was asked is for one that has ended."),
    "goal.not_reopenable": Code(
        Family.REFUSED, "Too little is left of a budget that cannot grow for it to be reopened."
    ),
    "goal.archived": Code(Family.REFUSED, "The goal is archived, which is final."),
    "goal.invalid": Code(Family.CONFIGURATION, "The goal's files have problems; the details list all of them."),
    "goal.branch_exists": Code(Family.CONFLICT, "The repository has a branch of the goal's name already."),
    "goal.no_parent": Code(Family.NOT_FOUND, "There is no goal of the name that a new one is to go on from."),
    "goal.own_parent": Code(Family.CONFIGURATION, "A goal is to go on from itself."),
    "goal.parent_differs": Code(Family.CONFIGURATION, "File and request name two goals to go on from."),
    "goal.parent_elsewhere": Code(Family.CONFIGURATION, "The goal to go on from works on another repository."),
    "goal.moved": Code(Family.TRY_LATER, "The goal changed hands or moved on while the request was decided."),
    "goal.unreadable": Code(Family.NEEDS_PERSON, "An event of the goal cannot be read by this harnd."),
    "goal.parked": Code(Family.NEEDS_PERSON, "The goal's supervisor gave up; its reason says why."),
    "text.guidance_missing": Code(Family.PARAMETERS, "Guidance is wanted and there is none."),
    "text.guidance_too_long": Code(Family.PARAMETERS, "Guidance passes its bound."),
    "text.reason_missing": Code(Family.PARAMETERS, "A reason is wanted and there is none."),
    "text.reason_too_long": Code(Family.PARAMETERS, "A reason passes its bound."),
    "text.finding_missing": Code(Family.PARAMETERS, "A finding is empty."),
    "text.finding_too_long": Code(Family.PARAMETERS, "A finding passes its bound."),
    "budget.attempts": Code(Family.REFUSED, "Every attempt of the goal is spent."),
    "budget.planner_calls": Code(Family.REFUSED, "Every plan request of the goal is spent."),
    "budget.not_extendable": Code(Family.REFUSED, "A limit of the goal is one that does not grow."),
    "budget.ceiling": Code(Family.REFUSED, "A limit would grow past what a goal may have at most."),
    # --- repositories, when a goal is created
    "workspace.no_git": Code(Family.CONFIGURATION, "There is no git."),
    "workspace.old_git": Code(Family.CONFIGURATION, "The git is too old."),
    "workspace.no_filter": Code(Family.CONFIGURATION, "A filter that the files pass through is not installed."),
    "workspace.read_only": Code(Family.CONFIGURATION, "The repository cannot be written."),
    "workspace.foreign_owner": Code(Family.CONFIGURATION, "The repository belongs to another user."),
    "workspace.no_directory": Code(Family.NOT_FOUND, "There is no such directory."),
    "workspace.no_repository": Code(Family.NOT_FOUND, "The directory is no repository."),
    "workspace.no_ref": Code(Family.NOT_FOUND, "The repository has no such commit."),
    "workspace.no_commit": Code(Family.REFUSED, "The repository has no commit yet."),
    "workspace.no_checkout": Code(Family.REFUSED, "The directory lies inside a repository's own files."),
    "workspace.bare": Code(Family.REFUSED, "The repository is bare."),
    "workspace.inside_state": Code(Family.REFUSED, "The repository lies in harnd's own directory."),
    "workspace.holds_state": Code(Family.REFUSED, "harnd's own directory lies in the repository."),
    "workspace.name_taken": Code(Family.REFUSED, "A branch stands where harnd needs a folder of branches."),
    "workspace.unreadable": Code(Family.REFUSED, "git cannot read the repository."),
    # --- plans
    "plan.unknown": Code(Family.NOT_FOUND, "There is no such plan."),
    "plan.stale": Code(Family.CONFLICT, "The plan is not the one that was shown, or it no longer fits the goal."),
    "plan.invalid_edit": Code(Family.CONFIGURATION, "The edited plan has problems; the details list all of them."),
    "plan.not_proposed": Code(Family.REFUSED, "The plan does not wait for a decision."),
    "plan.not_passed": Code(
        Family.REFUSED, "The candidate did not pass its review; only an override with a reason lets it through."
    ),
    "plan.no_override": Code(Family.REFUSED, "The candidate waits for no override of its review."),
    "plan.not_asking": Code(Family.REFUSED, "The plan neither failed nor asks, so it is not asked for again."),
    # --- work
    "work.unknown": Code(Family.NOT_FOUND, "There is no such work item."),
    "work.not_active": Code(Family.REFUSED, "A later plan has built upon the plan of the work item."),
    "work.stale_proof": Code(Family.CONFLICT, "The proof is not the one that was shown: its digest differs."),
    "work.not_in_review": Code(Family.REFUSED, "The work item does not wait for a decision."),
    "work.not_resolvable": Code(Family.REFUSED, "Nothing of the work item stopped where it can go on."),
    "work.not_blocked": Code(Family.REFUSED, "The work item is not blocked, so it is not retried."),
    "work.not_reopenable": Code(Family.REFUSED, "The work item has nothing to reopen."),
    "work.integrated": Code(Family.REFUSED, "The work item is on the goal's branch already."),
    "work.findings_open": Code(Family.REFUSED, "A finding is neither fixed nor deferred with a reason."),
    "work.unacknowledged": Code(Family.REFUSED, "A flaky criterion or a changed protected path is not acknowledged."),
    "work.findings_count": Code(Family.REFUSED, "There are no findings, or too many."),
    "work.no_attempt": Code(Family.NOT_FOUND, "There is no such attempt."),
    "work.no_commit": Code(Family.NOT_FOUND, "The attempt left no commit, or its repository has it no more."),
    # --- approvals
    "approval.unknown": Code(Family.NOT_FOUND, "There is no such approval."),
    "approval.stale": Code(Family.CONFLICT, "The approval is not the one that was shown: its digest differs."),
    "approval.decided": Code(Family.CONFLICT, "The approval was decided otherwise; the first decision holds."),
    "approval.cancelled": Code(Family.CONFLICT, "What the approval was about is no more."),
    "approval.expired": Code(Family.CONFLICT, "The time of the approval is over; it is asked for anew."),
}


def family_of(code: str) -> Family:
    """Return the family of a code.  One that is not in the table came from a rule, and a rule refuses."""
    return CODES[code].family if code in CODES else Family.REFUSED


def exit_code(code: str) -> Exit:
    """Tell what a client that meets this error exits with."""
    return FAMILIES[family_of(code)].exit


class Refusal(Exception):
    """The daemon says no, under a stable code: raised by a handler, written as an error reply, raised by a client."""

    def __init__(self, code: str, message: str, *, fix: str = "", details: Mapping[str, object] | None = None) -> None:
        """Refuse with one sentence of reason and, where there is one, the way out (a command to type)."""
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.fix = fix
        self.details: Mapping[str, object] = details or {}

    def error(self) -> dict[str, object]:
        """Write it as the `error` member of a reply."""
        data = {"code": self.code, "message": self.message, "fix": self.fix, "details": dict(self.details)}
        return {"code": FAMILIES[family_of(self.code)].rpc, "message": self.message, "data": data}
