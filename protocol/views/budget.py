"""What a goal may spend and has spent.  Unknown is null and shown, never zero."""

from msgspec import Struct

from protocol.ids import GoalId
from protocol.values import MicroDollars, Unit


class BudgetRow(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One unit of a goal's ledger."""

    unit: Unit
    limit: int
    spent: int
    reserved: int
    left: int


class BudgetView(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A goal's ledger."""

    goal: GoalId
    rows: tuple[BudgetRow, ...]
    tokens: int | None  # None: some call did not report its own
    cost: MicroDollars | None
