"""The ledger of one goal: what was spent, what is set aside, and what is left.

Set aside before anything is dispatched, settled when it ended.  `spent + reserved` never passes the limit: whoever
reserves asks `left` first, and a rule that forgets it is stopped here.

Tokens and money are another matter: what a call will use is known when it has ended.  As much is set aside as calls
used so far on average, something must be left for one to begin, and what was spent can pass the limit by what was
under way.  A call that does not say what it used is counted, and stands for no amount.
"""

from collections.abc import Mapping

import msgspec

from harnd.domain.goal.intent import Intent
from harnd.domain.goal.usage import METERED, Usage
from protocol.values import Unit


class Entry(msgspec.Struct, frozen=True):
    """One unit's account."""

    limit: int
    spent: int = 0
    reserved: int = 0
    told: int = 0  # calls that reported what they used: only of tokens and money, and so is the next
    untold: int = 0  # calls that did not

    @property
    def left(self) -> int:
        """Return what can still be set aside."""
        return self.limit - self.spent - self.reserved

    @property
    def mean(self) -> int | None:
        """Return what a call used on average, rounded up; None while none has said."""
        return -(-self.spent // self.told) if self.told else None


class Ledger(msgspec.Struct, frozen=True):
    """Every unit's account."""

    entries: dict[Unit, Entry]

    def limit(self, unit: Unit) -> int:
        """Return how much of a unit may be spent in all, extensions included."""
        return self.entries[unit].limit

    def has(self, unit: Unit) -> bool:
        """Tell whether a unit is limited at all; tokens and money need not be."""
        return unit in self.entries

    def left(self, unit: Unit) -> int:
        """Return what can still be set aside of a unit."""
        return self.entries[unit].left

    def reserve(self, unit: Unit, count: int) -> "Ledger":
        """Set `count` aside."""
        entry = self._affording(unit, count)
        return self._with(unit, msgspec.structs.replace(entry, reserved=entry.reserved + count))

    def settle(self, unit: Unit, *, reserved: int, spent: int) -> "Ledger":
        """Give back what was set aside and book what was used."""
        entry = self.entries[unit]
        settled = msgspec.structs.replace(entry, spent=entry.spent + spent, reserved=entry.reserved - reserved)
        return self._with(unit, settled)

    def expected(self, calls: int) -> dict[Unit, int]:
        """Return how much of tokens and money to set aside for so many calls, where they are limited."""
        found: dict[Unit, int] = {}
        for unit in METERED:
            if calls and unit in self.entries:
                entry = self.entries[unit]
                found[unit] = max(0, min(entry.left, calls * max(1, entry.mean or 1)))
        return found

    def set_aside(self, amounts: Mapping[Unit, int]) -> "Ledger":
        """Set all of these aside."""
        ledger = self
        for unit, amount in amounts.items():
            ledger = ledger.reserve(unit, amount)
        return ledger

    def metered(self, set_aside: Mapping[Unit, int], usage: Usage) -> "Ledger":
        """Book what calls reported to have used of tokens and money, whoever is charged for them: it is spent."""
        ledger = self
        for unit in METERED:
            if unit not in ledger.entries:
                continue
            entry, told = ledger.entries[unit], usage.told(unit)
            booked = msgspec.structs.replace(
                entry,
                spent=entry.spent + told.amount,
                reserved=entry.reserved - set_aside.get(unit, 0),
                told=entry.told + told.calls,
                untold=entry.untold + told.silent,
            )
            ledger = ledger._with(unit, booked)
        return ledger

    def spend(self, unit: Unit, count: int = 1) -> "Ledger":
        """Book what is used the moment it is decided."""
        self._affording(unit, count)
        return self.settle(unit, reserved=0, spent=count)

    def extended(self, added: Mapping[Unit, int]) -> "Ledger":
        """Raise limits by so much each."""
        ledger = self
        for unit, count in added.items():
            entry = ledger.entries[unit]
            if count < 1:
                raise AssertionError(f"{unit}: a limit only grows, and this is {count}")
            ledger = ledger._with(unit, msgspec.structs.replace(entry, limit=entry.limit + count))
        return ledger

    def closed(self) -> "Ledger":
        """Give back everything that is set aside: nothing is owed any more."""
        return Ledger({unit: msgspec.structs.replace(entry, reserved=0) for unit, entry in self.entries.items()})

    def exhausted(self) -> tuple[Unit, ...]:
        """Name the units of which something was there and nothing is left."""
        return tuple(unit for unit, entry in self.entries.items() if entry.limit and entry.left <= 0)

    def _affording(self, unit: Unit, count: int) -> Entry:
        entry = self.entries[unit]
        if entry.left < count:
            raise AssertionError(f"{unit}: {count} more than {entry} allows")
        return entry

    def _with(self, unit: Unit, entry: Entry) -> "Ledger":
        if entry.reserved < 0 or entry.spent < 0:
            raise AssertionError(f"{unit}: settled more than was set aside: {entry}")
        return Ledger({**self.entries, unit: entry})


def opened(intent: Intent) -> Ledger:
    """Open the books of a new goal; without a planner nothing is planned, and without a mission each plan is a step."""
    replanning = intent.replanning
    requests, planned = (replanning.max_replans, replanning.planned_work) if replanning else (0, 0)
    milestones = intent.mission.max_milestones if intent.mission else 1 + requests  # the operator's graph is one
    return Ledger(
        {
            Unit.ATTEMPTS: Entry(intent.limits.attempts),
            Unit.AGENT_CALLS: Entry(intent.limits.agent_calls),
            Unit.PLANNER_CALLS: Entry(requests),
            Unit.MILESTONES: Entry(milestones),
            Unit.WORK_ITEMS: Entry(planned),
            Unit.TICKS: Entry(intent.limits.ticks),
            Unit.ACTIVE_RUNTIME_US: Entry(intent.limits.active_runtime),
            **({Unit.TOKENS: Entry(tokens)} if (tokens := intent.limits.tokens) is not None else {}),
            **({Unit.MICRO_DOLLARS: Entry(money)} if (money := intent.limits.money) is not None else {}),
        }
    )
