"""Extending: the one thing about a frozen goal that a person can add to later, the limits of its spending.

A limit only grows, and never past what could have been enrolled.  Who may spend what is added is decided by the same
rules as before: nothing here starts anything.
"""

from collections.abc import Iterator
from typing import Final

from harnd.domain.goal import commands as c
from harnd.domain.goal import events as e
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.growth import GROWTHS, room
from harnd.domain.goal.rules.checks import refuse_ended
from harnd.domain.problem import Problem
from harnd.domain.rejected import Rejected
from harnd.domain.verbs import verb
from protocol.values import Unit

NOT_EXTENDABLE: Final = "budget.not_extendable"
CEILING: Final = "budget.ceiling"


def extend_goal(goal: Goal, command: c.ExtendGoal) -> list[e.GoalEvent]:
    """Add to limits, to all that were named or to none; refuses with everything that is wrong at once."""
    refuse_ended(goal)
    added = {unit: command.add[unit] for unit in Unit if unit in command.add}
    if problems := tuple(_problems(goal, added)):
        # Under the code of the first: what does not grow at all comes before what does not grow so far.
        said = "; ".join(problem.message for problem in problems)
        fix = f"look at what it may spend: {verb('budget', goal.intent.goal)}"
        raise Rejected(problems[0].code, said, fix=fix, problems=problems)
    return [e.BudgetExtended(added=added, by=command.by)] if added else []


def _problems(goal: Goal, added: dict[Unit, int]) -> Iterator[Problem]:
    for unit in added:
        growing = [grows for grows in GROWTHS if goal.ledger.has(grows)]
        if unit not in GROWTHS:
            yield Problem(NOT_EXTENDABLE, f"add.{unit}", f"{unit} cannot be extended; {', '.join(growing)} can")
        elif unit not in growing:
            yield Problem(NOT_EXTENDABLE, f"add.{unit}", f"{unit} of this goal are not limited")
    for unit, count in added.items():
        if unit in GROWTHS and goal.ledger.has(unit) and count > room(goal, unit):
            message = (
                f"{unit} may be {GROWTHS[unit].ceiling} at most and are {goal.limit(unit)} now: "
                f"expected up to {room(goal, unit)} more, found {count}"
            )
            yield Problem(CEILING, f"add.{unit}", message)
