"""Thirty small goals with every kind of thing that waits for a person, what is decided of each, and what came of it.

The name of a goal says what its agents do: `fails-2` has a planner that refuses at first.  The first of each kind is
carried to its end; of the others the agents are at work when nothing waits any more, and stay so, which costs nothing.
`told` is what happened to the goals, which is the same wherever and whenever the same was decided.
"""

import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from enum import Enum, auto
from typing import Any, Final

from protocol.ids import GoalId
from protocol.values import Unit
from protocol.views import InboxKind
from tests.kit.daemons import CHANGE, TEAM, Home, follow
from tests.kit.planner_rules import completes, proposes

COUNTS: Final = {
    **dict.fromkeys(("plain", "rejected", "asks", "fails", "found", "blocks", "calls", "spends", "gated"), 3),
    "denied": 2,
    "mute": 1,
}
GOALS: Final = tuple(GoalId(f"{kind}-{number}") for kind, count in COUNTS.items() for number in range(1, count + 1))
MUTE: Final = GoalId("mute-1")  # nothing can be decided about it, and both homes leave it
LIMITS: Final = {"calls": "agent_calls = 1", "spends": "attempts = 1"}


class Answer(Enum):
    """What a person decides."""

    APPROVE = auto()
    REJECT = auto()
    REPLY = auto()
    AGAIN = auto()
    AGAIN_SO = auto()  # with words
    GIVE = auto()
    DENY = auto()
    ACCEPT = auto()
    REOPEN = auto()
    SETTLE = auto()  # accept, with one finding fixed and one left for later
    RETRY = auto()
    RETRY_SO = auto()  # with words
    EXTEND = auto()


KINDS: Final = {
    **dict.fromkeys((Answer.APPROVE, Answer.REJECT), InboxKind.PLAN),
    **dict.fromkeys((Answer.REPLY, Answer.AGAIN, Answer.AGAIN_SO), InboxKind.ATTENTION),
    **dict.fromkeys((Answer.GIVE, Answer.DENY), InboxKind.APPROVAL),
    **dict.fromkeys((Answer.ACCEPT, Answer.REOPEN, Answer.SETTLE), InboxKind.WORK),
    **dict.fromkeys((Answer.RETRY, Answer.RETRY_SO), InboxKind.BLOCKED),
    Answer.EXTEND: InboxKind.BUDGET,
}
FIRST: Final[Mapping[str, tuple[Answer, ...]]] = {
    "plain": (Answer.APPROVE,),
    "rejected": (Answer.REJECT,),
    "asks": (Answer.REPLY, Answer.APPROVE),
    "fails": (Answer.AGAIN, Answer.APPROVE),
    "found": (Answer.APPROVE, Answer.REOPEN),
    "blocks": (Answer.APPROVE, Answer.RETRY),
    "calls": (Answer.EXTEND, Answer.APPROVE),  # what a plan needs is more than there is
    "spends": (Answer.APPROVE, Answer.EXTEND),
    "gated": (Answer.APPROVE, Answer.GIVE),
    "denied": (Answer.APPROVE, Answer.DENY, Answer.RETRY),
    "mute": (),
}
WORDED: Final[Mapping[Answer, Answer]] = {
    Answer.AGAIN: Answer.AGAIN_SO,
    Answer.RETRY: Answer.RETRY_SO,
}  # of every second goal
TO_THE_END: Final[Mapping[str, tuple[Answer, ...]]] = {
    "rejected": (Answer.APPROVE, Answer.ACCEPT),
    "found": (Answer.SETTLE,),
    "denied": (Answer.GIVE, Answer.ACCEPT),
}
GATED: Final = ("gated", "denied")  # what they made is published only when a person allows it
GATE: Final = """
[[stages]]
kind = "approve"
name = "release"
question = "Publish what {{ goal.id }} made?"
risk = "high"

[[stages]]
kind = "agent"
name = "publish"
specialist = "maker"
prompt = "Publish it."

[[proofs]]"""
FINDINGS: Final = ("no test", "no docs")
LATER: Final = "later this week"

UNUSUAL_PLANNERS: Final = """
[[rule]]
when = ["Plan request 1,", "of goal asks-"]
answer = { decision = "attention", rationale = "It is not said.", question = "Which file is meant?" }

[[rule]]
when = ["Plan request 1,", "of goal fails-"]
answer = "I would rather not."
stop = "refused"

[[rule]]
when = ["Plan request 2,", "milestones: 1 left of 1"]
matches = 'of goal rejected-[^1]'
do = [{ say = "thinking" }, { hang = true }]
"""
MAKERS: Final = """
[[rule]]
when = "of goal blocks-"
attempt = 1
answer = "I would rather not."
stop = "refused"

[[rule]]
when = "of goal spends-"
attempt = 1
answer = "I did nothing."

[[rule]]
when = "Publish it."
matches = 'of goal \\w+-[^1], attempt'
do = [{ say = "thinking" }, { hang = true }]

[[rule]]
matches = 'of goal (?P<goal>(gated|denied)-\\d), attempt 1'
do = [{ write = "{{goal}}.txt", text = "changed" }]
answer = "Done."

[[rule]]
when = "of goal found-"
attempt = 1
matches = 'of goal (?P<goal>\\S+), attempt'
do = [{ write = "{{goal}}.txt", text = "changed" }]
answer = "Done."

[[rule]]
matches = 'of goal (?P<goal>\\w+-1), attempt (?P<attempt>\\d)'
do = [{ write = "{{goal}}.txt", text = "changed {{attempt}}" }]
answer = "Done."

[[rule]]
when = "of goal"
do = [{ say = "thinking" }, { hang = true }]
"""
SCRIPT: Final = "".join(
    (
        UNUSUAL_PLANNERS,
        proposes(
            "milestones: 1 left of 1",
            matches="Plan request (?P<plan>\\d)",
            objective="Change it, as plan {{plan}} says.",
        ),
        completes("{{work}}", matches="(?P<work>p\\d.change)"),
        MAKERS,
    )
)


def kind_of(goal: str) -> str:
    return goal.partition("-")[0]


def number_of(goal: str) -> int:
    return int(goal.partition("-")[2])


def is_ended(goal: str) -> bool:
    """Tell whether a goal is carried to its end."""
    return number_of(goal) == 1 and goal != MUTE


def story(goal: str) -> tuple[Answer, ...]:
    """All that is decided of a goal, in this order."""
    kind, number = kind_of(goal), number_of(goal)
    first = tuple(WORDED.get(answer, answer) if number % 2 == 0 else answer for answer in FIRST[kind])
    rest = (*TO_THE_END.get(kind, (Answer.ACCEPT,)), Answer.APPROVE)
    return (*first, *rest) if is_ended(goal) else first


def words_on(label: str) -> str:
    """What a person has to say, which names what it is about, so that it shows when it reaches another one."""
    return f"This is on {label}."


def growth(goal: str) -> dict[Unit, int]:
    """What is granted to a goal."""
    granted = {Unit.AGENT_CALLS: 20} if kind_of(goal) == "calls" else {Unit.ATTEMPTS: 3}
    return granted | ({Unit.TICKS: 7} if number_of(goal) % 2 == 0 else {})


def next_answer(goal: str, done: Mapping[str, int]) -> Answer | None:
    """What is decided of a goal next."""
    return next(iter(story(goal)[done.get(goal, 0) :]), None)


def is_left(done: Mapping[str, int]) -> bool:
    """Tell whether anything is left to be decided."""
    return any(next_answer(goal, done) for goal in GOALS)


# --- the homes


def enrol(home: Home) -> None:
    """Have a daemon that gave up on the mute goal, and give it the others."""
    home.write("script.toml", SCRIPT)
    patient = '\nsilence = "1d"\n'  # with those who stay at work
    home.write(
        "goal/team.toml", TEAM.format(script=home.root / "script.toml").replace("\n\n", f"{patient}\n") + patient
    )
    first = home.start()
    home.create(MUTE)
    with home.client() as client:
        follow(client, "plan.proposed", goal=MUTE)
    first.stop()
    home.poison(MUTE)
    daemon = home.start()
    daemon.wait_until("event=goal.parked", f"goal={MUTE}")
    for goal in GOALS:
        if goal != MUTE:
            gated = kind_of(goal) in GATED
            home.write("goal/change.toml", CHANGE.replace("[[proofs]]", GATE) if gated else CHANGE)
            home.create(goal, limits=LIMITS.get(kind_of(goal), ""))


def at_rest(home: Home) -> None:
    """Wait until nothing more happens to any goal."""
    with home.client() as client:
        for goal in GOALS:
            kind = kind_of(goal)
            if is_ended(goal):
                follow(client, "plan.completed", goal=goal)
            elif kind == "rejected":
                follow(client, "planner.called", goal=goal, plan=2)
            elif kind == "gated":
                follow(client, "approval.consumed", goal=goal)
            elif goal != MUTE:
                attempt = 2 if kind in {"found", "blocks", "spends", "denied"} else 1
                follow(client, "attempt.observed", goal=goal, attempt=attempt)


# --- what came of it


LEFT_OUT: Final = (
    "goal.ticked/1",  # how often harnd looks at a goal depends on what else happens at the time
    "goal.attended/1",  # whether something ran when a daemon came depends on when it came
)
TIMES: Final = ("ran", "expires_at")  # never the same twice; other instants stand beside the events, not in them
# Commits have dates, the intent has paths, and what lies around an attempt and its proof are digests over commits and
# durations.  These are named in the order of their appearance instead, so that two that were the same still have to be.
NAMED: Final = frozenset(
    {
        *((None, key) for key in ("commit", "base", "base_commit", "onto", "surroundings")),  # of any event
        *(("goal.created/1", "digest"), ("work.accepted/1", "proof")),
        *((f"approval.{what}/1", "digest") for what in ("requested", "approved", "denied")),
    }
)


def told(home: Home) -> dict[str, list[Any]]:
    """What happened to every goal, without what differs between two homes that live through the same."""
    with closing(sqlite3.connect(f"file:{home.database}?mode=ro", uri=True)) as conn:
        rows = conn.execute("SELECT stream, tag, body FROM events ORDER BY seq").fetchall()
    stories: dict[str, list[Any]] = {}
    names: dict[str, dict[str, str]] = {}
    for goal, tag, body in rows:
        if tag not in LEFT_OUT:
            elsewhere = body.replace(str(home.root), "HOME")
            known = names.setdefault(goal, {})
            stories.setdefault(goal, []).append(_timeless(json.loads(elsewhere), known, tag=tag))
    return stories


def _timeless(value: Any, known: dict[str, str], *, tag: str) -> Any:
    match value:
        case dict():
            return {key: _field(key, each, known, tag=tag) for key, each in value.items() if key not in TIMES}
        case list():
            return [_timeless(each, known, tag=tag) for each in value]
        case _:
            return value


def _field(key: str, value: Any, known: dict[str, str], *, tag: str) -> Any:
    if isinstance(value, str) and {(None, key), (tag, key)} & NAMED:
        return known.setdefault(value, f"name {len(known) + 1}")
    return _timeless(value, known, tag=tag)
