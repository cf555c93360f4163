"""Thirty goals worked off twice, by keys alone and by verbs in another home; the same must have happened in both."""

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import closing
from typing import NamedTuple

import pytest

from harnctl.amounts import GROWING
from harnctl.client import new_key
from harnctl.render.daemon import counted
from protocol.ids import WorkId
from protocol.replies import Done
from protocol.requests import (
    AcceptWork,
    ApprovePlan,
    Change,
    DenyApproval,
    ExtendGoal,
    GiveApproval,
    ListInbox,
    RejectPlan,
    ReopenWork,
    RetryPlan,
    RetryWork,
)
from protocol.values import Unit
from protocol.views import InboxItem
from tests.e2e.tui.conftest import TUI, environ_of
from tests.kit.daemons import ROOT, Home
from tests.kit.terminal import Seen, Terminal
from tests.kit.thirty_goals import (
    FINDINGS,
    GOALS,
    KINDS,
    LATER,
    MUTE,
    Answer,
    at_rest,
    enrol,
    growth,
    is_left,
    kind_of,
    next_answer,
    told,
    words_on,
)

pytestmark = pytest.mark.timeout(300)

PATIENT_S = 60.0  # a planner may have to wait for thirty others
MOST_S = 240.0
EDITOR = """
label=$(sed -n 's/^# .* (\\(.*\\))$/\\1/p' "$1" | head -n 1)
if grep -q '^# what is wrong' "$1"
then printf 'no test\\n\\n  no docs\\n' >"$1"
else printf 'This is on %s.\\n' "$label" >"$1"
fi
"""
OFFERED = {
    Answer.APPROVE: "a approve",
    Answer.REJECT: "r reject",
    **dict.fromkeys((Answer.ACCEPT, Answer.SETTLE), "a accept"),
    Answer.GIVE: "a approve",
    Answer.DENY: "r deny",
    Answer.REOPEN: "o reopen",
    Answer.REPLY: "t answer",
    **dict.fromkeys((Answer.AGAIN, Answer.AGAIN_SO, Answer.RETRY, Answer.RETRY_SO), "t retry"),
    Answer.EXTEND: "x extend budget",
}
ROW = re.compile(
    r"([> ]) (plan|attention|approval|work|blocked|budget|parked) +([a-z]+-\d)(?: (\S.*?))? +\d+\w* *(?:│|$)"
)


# --- by keys


class Waits(NamedTuple):
    """A row of the list, as it is seen."""

    kind: str
    goal: str
    what: str

    @property
    def label(self) -> str:
        """What the TUI calls it."""
        return called(self.goal, self.what)


class ByKeys:
    """A person at the TUI, who goes by what it shows."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self._done: dict[str, int] = {}
        self._last: Waits | None = None

    def work_off(self) -> None:
        self._terminal.keys("/", "rejected", "enter")
        self._decide_while(lambda: any(not self._done.get(goal) for goal in GOALS if kind_of(goal) == "rejected"))
        self._terminal.keys("/", *["backspace"] * len("rejected"), "enter")
        self._terminal.wait_for(lambda seen: "filter" not in seen.lines[0])
        self._decide_while(lambda: is_left(self._done))

    def _decide_while(self, more: Callable[[], bool]) -> None:
        while more():
            seen = self._terminal.wait_for(self._has_work, within_s=PATIENT_S)
            rows, chosen = _rows(seen), _chosen(seen)
            if chosen is not None and self._wants(chosen):
                self._decide(chosen)
            else:
                self._move(chosen, to=next(row for row in rows if self._wants(row)), rows=rows)

    def _move(self, chosen: Waits | None, *, to: Waits, rows: Sequence[Waits]) -> None:
        is_above = chosen is not None and rows.index(to) < rows.index(chosen)
        self._terminal.keys("up" if is_above else "down")
        self._terminal.wait_for(lambda seen: _chosen(seen) not in (None, chosen))

    def _has_work(self, seen: Seen) -> bool:
        return _chosen(seen) is not None and any(map(self._wants, _rows(seen)))

    def _wants(self, row: Waits) -> bool:
        answer = next_answer(row.goal, self._done)
        if answer is None or KINDS[answer] != row.kind:
            return False
        return answer is Answer.SETTLE or row != self._last  # what was just decided may be there for a moment

    def _decide(self, row: Waits) -> None:
        answer = next_answer(row.goal, self._done)
        assert answer is not None
        steps, asked = _steps(answer, row)
        drawn = (OFFERED[answer], f"│ {row.label} ", *(FINDINGS if answer is Answer.SETTLE else ()))
        self._terminal.wait_for(lambda seen: all(text in seen for text in drawn))
        for key, wanted in steps:
            self._terminal.keys(key)
            self._terminal.wait_for(wanted)
        self._terminal.wait_for(f"{asked}?")
        self._terminal.keys("y")
        self._terminal.wait_for(lambda seen: f"{asked}: done." in seen and _chosen(seen) not in (None, row))
        self._done[row.goal] = self._done.get(row.goal, 0) + 1
        self._last = row


def _rows(seen: Seen) -> list[Waits]:
    return [Waits(found[2], found[3], found[4] or found[3]) for line in seen.lines if (found := ROW.match(line))]


def _chosen(seen: Seen) -> Waits | None:
    """The chosen row; while the choice moves there are two for a moment, or none, and then it is not known."""
    marked = [row for row, line in zip(_rows(seen), filter(ROW.match, seen.lines), strict=True) if line[0] == ">"]
    return marked[0] if len(marked) == 1 else None


def _steps(answer: Answer, row: Waits) -> tuple[list[tuple[str, str]], str]:
    """The keys and what is to be seen after each, and what is asked in the end."""
    label, words = row.label, words_on(row.label)
    match answer:
        case Answer.APPROVE:
            return [("a", "bound to ")], f"Approve {label}"
        case Answer.REJECT:
            return [("r", words)], f"Reject {label}"
        case Answer.GIVE:
            return [("a", "bound to ")], f"Give {label}"
        case Answer.DENY:
            return [("r", words)], f"Deny {label}"
        case Answer.REPLY:
            return [("t", words)], f"Answer {label}"
        case Answer.AGAIN:
            return [("t", "e write for it")], f"Ask again after {label}"
        case Answer.AGAIN_SO:
            return [("t", "e write for it"), ("e", words)], f"Ask again after {label}"
        case Answer.ACCEPT:
            return [("d", "+changed"), ("a", "bound to ")], f"Accept {label}"
        case Answer.REOPEN:
            return [("o", FINDINGS[1])], f"Reopen {label}"
        case Answer.SETTLE:
            typed = [("l", "because: _"), (LATER, f"because: {LATER}_"), ("enter", f"f2: deferred: {LATER}")]
            return [("a", "finding 1 of 2"), ("f", "finding 2 of 2"), *typed], f"Accept {label}"
        case Answer.RETRY:
            return [("t", "e write for it")], f"Retry {label}"
        case Answer.RETRY_SO:
            return [("t", "e write for it"), ("e", words)], f"Retry {label}"
        case Answer.EXTEND:
            return [("x", " + _"), *_typed(growth(row.goal)), ("enter", " more")], f"Extend the budget of {row.goal}"


def _typed(granted: Mapping[Unit, int]) -> Iterator[tuple[str, str]]:
    """Type every amount into its row; the form begins at the first, which is the one that is used up."""
    at = GROWING.index(next(iter(granted)))
    for unit, amount in granted.items():
        for below in GROWING[at + 1 : GROWING.index(unit) + 1]:
            yield "down", f"> {counted(below)} + _"
        at = GROWING.index(unit)
        yield str(amount), f"> {counted(unit)} + {amount}_"


# --- by verbs


class ByVerbs:
    """A person at the command line; what was typed once is sent by a program from then on."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._done: dict[str, int] = {}
        self._typed: set[Answer] = set()

    def work_off(self) -> None:
        with self._home.client() as client, self._home.client() as follower, follower.events() as events:
            while is_left(self._done):
                for item in client.ask(ListInbox()).items:
                    answer = next_answer(item.goal, self._done)
                    if answer is None or KINDS[answer] is not item.kind:
                        continue
                    if answer in self._typed:
                        client.ask(_request(answer, item))
                    else:
                        self._type(*_verb(answer, item))
                        self._typed.add(answer)
                    self._done[item.goal] = self._done.get(item.goal, 0) + 1
                next(events)

    def _type(self, *words: str) -> None:
        environ = {"PATH": os.environ["PATH"], "HOME": str(self._home.root), "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-m", "harnctl", *words, "--socket", str(self._home.socket)]
        ran = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, timeout=60, check=False)
        assert ran.returncode == 0, f"{words}: {ran.stderr}"


def _request(answer: Answer, item: InboxItem) -> Change[Done]:
    goal, words = item.goal, words_on(called(item.goal, item.subject))
    plan, work, digest = _plan(item), WorkId(item.subject), item.digest
    match answer:
        case Answer.APPROVE if digest is not None:
            return ApprovePlan(key=new_key(), goal=goal, plan=plan, digest=digest)
        case Answer.REJECT if digest is not None:
            return RejectPlan(key=new_key(), goal=goal, plan=plan, digest=digest, guidance=words)
        case Answer.GIVE if digest is not None:
            return GiveApproval(key=new_key(), goal=goal, approval=_approval(item), digest=digest)
        case Answer.DENY if digest is not None:
            return DenyApproval(key=new_key(), goal=goal, approval=_approval(item), digest=digest, reason=words)
        case Answer.REPLY:
            return RetryPlan(key=new_key(), goal=goal, plan=plan, guidance=words)
        case Answer.AGAIN | Answer.AGAIN_SO:
            guidance = words if answer is Answer.AGAIN_SO else ""
            return RetryPlan(key=new_key(), goal=goal, plan=plan, guidance=guidance)
        case Answer.ACCEPT if digest is not None:
            return AcceptWork(key=new_key(), goal=goal, work=work, digest=digest)
        case Answer.SETTLE if digest is not None:
            settled = {"f1": "fixed", "f2": f"deferred: {LATER}"}
            return AcceptWork(key=new_key(), goal=goal, work=work, digest=digest, dispositions=settled)
        case Answer.REOPEN:
            return ReopenWork(key=new_key(), goal=goal, work=work, findings=FINDINGS)
        case Answer.RETRY | Answer.RETRY_SO:
            guidance = words if answer is Answer.RETRY_SO else ""
            return RetryWork(key=new_key(), goal=goal, work=work, guidance=guidance)
        case Answer.EXTEND:
            return ExtendGoal(key=new_key(), goal=goal, add=growth(goal))
        case _:
            raise AssertionError(f"{item} cannot be answered so: {answer}")


def _verb(answer: Answer, item: InboxItem) -> tuple[str, ...]:
    words, plan, work = (
        words_on(called(item.goal, item.subject)),
        (item.goal, str(_plan(item))),
        (item.goal, item.subject),
    )
    bound = ("--digest", item.digest or "", "--yes")
    so = ("--guidance", words)
    match answer:
        case Answer.APPROVE:
            return "plan", "approve", *plan, *bound
        case Answer.REJECT:
            return "plan", "reject", *plan, *bound, *so
        case Answer.GIVE:
            return "approval", "approve", item.goal, str(_approval(item)), *bound
        case Answer.DENY:
            return "approval", "deny", item.goal, str(_approval(item)), *bound, "--reason", words
        case Answer.REPLY:
            return "plan", "retry", *plan, "--guidance", words
        case Answer.AGAIN | Answer.AGAIN_SO:
            return "plan", "retry", *plan, *(so if answer is Answer.AGAIN_SO else ())
        case Answer.ACCEPT:
            return "work", "accept", *work, *bound
        case Answer.SETTLE:
            return "work", "accept", *work, *bound, "--dispose", "f1=fixed", "--dispose", f"f2=deferred:{LATER}"
        case Answer.REOPEN:
            return "work", "reopen", *work, *(word for text in FINDINGS for word in ("--finding", text))
        case Answer.RETRY | Answer.RETRY_SO:
            return "work", "retry", *work, *(so if answer is Answer.RETRY_SO else ())
        case Answer.EXTEND:
            options = [(f"--{unit.replace('_', '-')}", str(amount)) for unit, amount in growth(item.goal).items()]
            return "goal", "extend", item.goal, *(word for option in options for word in option)


def _plan(item: InboxItem) -> int:
    return int(item.subject.removeprefix("plan/")) if item.subject.startswith("plan/") else 0


def _approval(item: InboxItem) -> int:
    return int(item.subject.removeprefix("approval/"))


def called(goal: str, what: str) -> str:
    """What the TUI calls something that waits; in its list an approval is a number and what is at stake."""
    what = re.sub(r"#(\d+) +high", r"approval \1", what).replace("/", " ")
    return f"{what} of {goal}" if re.fullmatch(r"plan \d|approval \d|p\d\.change", what) else goal


# --- both


def by_keys(home: Home) -> None:
    enrol(home)
    environ = environ_of(home.socket, home=home.root, EDITOR=f"sh {home.write('editor.sh', EDITOR)}")
    with Terminal.start(TUI, environ=environ, columns=120, rows=40, cwd=ROOT) as terminal:
        ByKeys(terminal).work_off()
        # What is left is the goal that harnd gave up on, and its plan, which nobody can decide.
        left = terminal.wait_for("2 things wait for you", within_s=PATIENT_S)
        assert {(row.kind, row.goal) for row in _rows(left)} == {("plan", MUTE), ("parked", MUTE)}
        terminal.keys("q")
        assert terminal.ended() == 0
    at_rest(home)


def by_verbs(home: Home) -> None:
    enrol(home)
    ByVerbs(home).work_off()
    at_rest(home)


def test_every_kind_of_thing_worked_off_by_keys_alone_leaves_the_same_events_as_the_verbs():
    # The homes are closed first, whatever happened: that ends whoever still waits for a daemon of theirs.
    with ThreadPoolExecutor(2) as people, closing(Home()) as one, closing(Home()) as other:
        lives = [people.submit(by_keys, one), people.submit(by_verbs, other)]
        done, late = wait(lives, timeout=MOST_S, return_when=FIRST_EXCEPTION)
        for life in done:
            life.result()
        assert not late, "something still waits that was never shown, or was shown and could not be decided"
        seen, expected = told(one), told(other)

    assert sorted(seen) == sorted(GOALS)
    for goal in GOALS:
        assert seen[goal] == expected[goal], goal
