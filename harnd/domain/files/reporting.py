"""Reporting: a limit in tokens or money holds what harnesses tell of; what they cannot tell is bounded otherwise.

A harness declares what it reports, under the options of each specialist.  Where one cannot report what is limited, the
limit is refused, unless the goal's file also writes down how many calls there may be and how long they may run.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias

from harnd.domain.files.amounts import micro_dollars
from harnd.domain.files.goal_file import options_of
from harnd.domain.files.source import At
from harnd.domain.goal.intent import Intent
from harnd.domain.problem import Problem
from protocol import bounds
from protocol.ids import HarnessName

Options: TypeAlias = tuple[tuple[str, str | tuple[str, ...]], ...]


class Reported(NamedTuple):
    """What a harness tells of each call."""

    tokens: bool = False
    money: bool = False


Reporting: TypeAlias = Callable[[HarnessName, Options], Reported]
"""What a harness tells under a specialist's options."""

INSTEAD: Final = ("agent_calls", "active_runtime")


def nothing(_harness: HarnessName, _options: Options) -> Reported:
    """Expect no harness to report anything."""
    return Reported()


def unreportable(goal: At, team: At | None, reporting: Reporting) -> Iterator[Problem]:
    """Say which limits no one could hold."""
    limits = goal["limits"]
    if team is None or all(key in limits for key in INSTEAD):
        return
    told = {str(member.path[-1]): _reported(member, reporting) for member in team.entries().values()}
    for limit in Reported._fields:
        silent = [name for name, reported in told.items() if not getattr(reported, limit)]
        if silent and _is_sound(limits, limit):
            message = (
                f"cannot be held: the {_harnesses(silent)} not report what is used; "
                "write `agent_calls` and `active_runtime` too, which bound it"
            )
            yield limits[limit].problem("limits.unreportable", message)


def said_once(intent: Intent, reporting: Reporting) -> tuple[str, ...]:
    """Tell whoever enrolls a goal which of its limits hold only part of what is spent."""
    limited = {"tokens": intent.limits.tokens, "money": intent.limits.money}
    sentences = list[str]()
    for limit, amount in limited.items():
        silent = [
            member.name for member in intent.team if not getattr(reporting(member.harness, member.options), limit)
        ]
        if amount is not None and silent:
            sentences.append(
                f"The limit in {limit} holds what is reported; the {_harnesses(silent)} not report it: "
                "those calls are counted as unknown, and agent calls and active runtime bound them."
            )
    return tuple(sentences)


def _is_sound(limits: At, limit: str) -> bool:
    """Tell whether a limit is written, and not refused for itself."""
    if limit == "tokens":
        return 1 <= limits[limit].whole(0) <= bounds.TOKENS
    return 1 <= (micro_dollars(limits[limit].value) or 0) <= bounds.MICRO_DOLLARS


def _reported(member: At, reporting: Reporting) -> Reported:
    return reporting(HarnessName(member["harness"].text()), options_of(member))


def _harnesses(silent: Sequence[str]) -> str:
    names = ", ".join(f"`{name}`" for name in silent)
    return f"harness of {names} does" if len(silent) == 1 else f"harnesses of {names} do"
