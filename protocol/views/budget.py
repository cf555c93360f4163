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
    left: int  # below 0 where what was under way passed a limit in tokens or money
    unknown: int = 0  # calls that did not report it: of tokens and money only


class ForecastRow(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How much more of a unit it would take until the work that is planned is done, at the mean so far."""

    unit: Unit
    more: int | None  # None: nothing is known that it could be reckoned from


class BudgetView(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A goal's ledger."""

    goal: GoalId
    rows: tuple[BudgetRow, ...]
    tokens: int | None  # None: some call did not report its own
    cost: MicroDollars | None
    forecast: tuple[ForecastRow, ...] = ()
