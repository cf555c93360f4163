"""Checks that several families of rules share."""

from harnd.domain.goal.goal import Ending, Goal
from harnd.domain.goal.lookup import item_named
from harnd.domain.goal.work import Work
from harnd.domain.rejected import Rejected
from harnd.domain.verbs import verb
from protocol.ids import WorkId


def refuse_ended(goal: Goal) -> None:
    """Refuse anything that would change a goal that has ended."""
    if goal.ending is not None:
        fix = verb("goal", "reopen", goal.intent.goal) if goal.ending is Ending.SUCCEEDED and not goal.archived else ""
        ended = "has succeeded" if goal.ending is Ending.SUCCEEDED else "was cancelled"
        reason = f"goal {goal.intent.goal} {ended}; nothing about it can be decided"
        raise Rejected("goal.ended", reason, fix=fix)


def bounded(name: str, text: str, most: int) -> str:
    """Return a person's words without outer white space; refuse none, and more than `most` characters."""
    plain = text.strip()
    if not plain:
        raise Rejected(f"text.{name}_missing", f"{name} is missing", fix=f"say it in at most {most} characters")
    if len(plain) > most:
        raise Rejected(f"text.{name}_too_long", f"{name} has {len(plain)} characters; at most {most} are kept")
    return plain


def active_item(goal: Goal, name: WorkId) -> Work:
    """Return an item of the active graph."""
    item = item_named(goal, name)
    if goal.milestone is None or item.plan != goal.milestone.plan:
        raise Rejected("work.not_active", f"{name} belongs to plan {item.plan}, which a later plan has built upon")
    return item
