"""The ledger of one goal: what was spent, what is set aside, and what is left.

Set aside before anything is dispatched, settled when it ended.  `spent + reserved` never passes the limit: whoever
reserves asks `left` first, and a rule that forgets it is stopped here.
"""

from collections.abc import Mapping

import msgspec

from harnd.domain.goal.intent import Intent
from protocol.values import Unit


class Entry(msgspec.Struct, frozen=True):
    """One unit's account."""

    limit: int
    spent: int = 0
    reserved: int = 0

    @property
    def left(self) -> int:
        """Return what can still be set aside."""
        return self.limit - self.spent - self.reserved


class Ledger(msgspec.Struct, frozen=True):
    """Every unit's account."""

    entries: dict[Unit, Entry]

    def limit(self, unit: Unit) -> int:
        """Return how much of a unit may be spent in all, extensions included."""
        return self.entries[unit].limit

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
        return self._with(unit, Entry(limit=entry.limit, spent=entry.spent + spent, reserved=entry.reserved - reserved))

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
        return Ledger({unit: Entry(limit=entry.limit, spent=entry.spent) for unit, entry in self.entries.items()})

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
        }
    )
