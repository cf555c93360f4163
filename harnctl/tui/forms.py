"""Forms: what is drawn while a person decides, filters or reads the help."""

from collections.abc import Iterator

from harnctl import amounts
from harnctl.render.blocks import Block, Fields, Gap, Heading, Line, Paragraph, Span, Style
from harnctl.render.daemon import amount, counted
from harnctl.tui.keys import TABLES
from harnctl.tui.model import WORDS_SHOWN, Confirming, Disposing, Extending
from protocol.values import Unit
from protocol.views import BudgetRow

NAMES = {" ": "space", "escape": "esc", "enter": "enter", "pageup": "page up", "pagedown": "page down"}
ARROWS = {"up": "↑", "down": "↓", "left": "←", "right": "→"}


def key_name(key: str) -> str:
    """Say a key the way a keyboard does."""
    return ARROWS.get(key) or NAMES.get(key, key)


def confirming(mode: Confirming) -> Iterator[Block]:
    """Show a decision whole: what is done, the words that go with it, and the digest it binds to."""
    decision = mode.decision
    yield Line((Span(f"{decision.label}?", Style.ASKS),))
    lines = decision.words.splitlines()
    yield from (Line((Span("  "), Span(line))) for line in lines[:WORDS_SHOWN])
    if len(lines) > WORDS_SHOWN:
        yield Line((Span(f"  … and {len(lines) - WORDS_SHOWN} more lines", Style.FAINT),))
    if decision.digest is not None:
        yield Paragraph(f"bound to {decision.digest}", style=Style.STRONG)


def disposing(mode: Disposing) -> Iterator[Block]:
    """Show the open finding that waits for an answer, and the answers that were given."""
    findings = mode.work.view.open_findings
    waits = findings[len(mode.answers)]
    yield Line((Span(f"finding {len(mode.answers) + 1} of {len(findings)} of {mode.work.view.work}", Style.FAINT),))
    yield Paragraph(f"{waits.id}: {waits.text}", style=Style.STRONG)
    if mode.reason is None:
        yield Paragraph("fixed (f), or left for later (l)?", indent=2, style=Style.ASKS)
    else:
        yield Paragraph(f"left for later, because: {mode.reason}_", indent=2, style=Style.ASKS)
    if mode.answers:
        yield Gap()
        yield Fields(mode.answers, indent=2)


def extending(mode: Extending) -> Iterator[Block]:
    """Show the budgets that can grow, what is typed for each, and what the one at hand is now and would be."""
    offered = amounts.offered(mode.budget.rows)
    typed, here = dict(mode.typed), offered[mode.at]
    for unit in offered:
        mark, end, style = ("> ", "_", Style.STRONG) if unit is here else ("  ", "", Style.PLAIN)
        yield Line((Span(mark, Style.ASKS), Span(f"{counted(unit)} + {typed.get(unit, '')}{end}", style)))
    row = next((row for row in mode.budget.rows if row.unit is here), None)
    yield Paragraph(_known(row, here, typed=typed.get(here, "")), indent=4, style=Style.ASKS)
    yield Paragraph("Milestones, plan requests and planned work were frozen with the intent.", style=Style.FAINT)


def _known(row: BudgetRow | None, unit: Unit, *, typed: str) -> str:
    more = amounts.read(unit, typed)
    if row is None:
        return amounts.example(unit)
    told = f"{amount(unit, row.left)} left of {amount(unit, row.limit)}"
    return f"{told}; {amount(unit, row.limit + more)} then" if more is not None else f"{told}; {amounts.example(unit)}"


def helping() -> Iterator[Block]:
    """Explain every key."""
    yield Paragraph(
        "A decision takes two keys: its own opens it and shows the digest it binds to, and only y sends it."
    )
    yield Paragraph("Nothing is sent by enter, by pasting, or about a thing that changed since it was drawn.")
    for name, table in TABLES.items():
        yield Gap()
        yield Heading(name)
        yield Fields(tuple((" ".join(map(key_name, one.keys)), one.told) for one in table), indent=2)
