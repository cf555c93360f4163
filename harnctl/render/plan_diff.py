"""What a plan changes about the last one that had items: for a person who has read that one already.

Pure: two views in, blocks out.  Items are told apart by their keys, criteria and paths by what they say, wherever they
stand.  Every change is a mark and a word; colour only repeats them.
"""

from collections.abc import Iterable, Iterator

from harnctl.render.blocks import Block, Heading, Line, Paragraph, Span, Style
from harnctl.render.words import count
from protocol.ids import WorkKey
from protocol.views import CriterionView, PlanItem, PlanMilestone, PlanView

ADDED = Span("+ added", Style.GOOD)
REMOVED = Span("- removed", Style.BAD)
CHANGED = Span("~ changed", Style.ASKS)

Change = tuple[str, tuple[str, ...], tuple[str, ...]]  # of what, what it no longer says, what it says now


def compared(plan: PlanView, before: PlanView | None) -> Iterator[Block]:
    """Show what a plan changes about an earlier one of its goal; None: there is none with items."""
    if not plan.items:
        yield Paragraph(f"Plan {plan.plan} proposes no work, so there is nothing to compare.")
        return
    if before is None:
        yield Paragraph(f"Plan {plan.plan} is the first that proposes work: all of it is new.")
        return
    yield Line((Span(f"plan {plan.plan} against plan {before.plan}", Style.STRONG),))
    changes = [*_milestone(plan.milestone, before.milestone), *_items(plan, before)]
    yield Paragraph(_summary(plan, before) if changes else "Nothing differs but, it may be, the rationale.")
    yield from changes


def _summary(plan: PlanView, before: PlanView) -> str:
    new, old = _by_key(plan), _by_key(before)
    added, removed = new.keys() - old.keys(), old.keys() - new.keys()
    changed = [key for key in new.keys() & old.keys() if _item_changes(new[key], old[key])]
    kept = len(new) - len(added) - len(changed)
    numbers = f"{len(added)} added, {len(removed)} removed, {len(changed)} changed, {kept} as before"
    return f"{count(len(new), 'item')}: {numbers}"


# --- the milestone


def _milestone(new: PlanMilestone | None, old: PlanMilestone | None) -> Iterator[Block]:
    if new is None or old is None:
        if new is not old:
            yield Heading("milestone")
            yield Line((Span("  "), ADDED if new is not None else REMOVED))
        return
    changes = [
        *_said("sequence", str(new.sequence), str(old.sequence)),
        *_said("title", new.title, old.title),
        *_said("objective", new.objective, old.objective),
        *_listed("criteria", _texts(new.acceptance), _texts(old.acceptance)),
    ]
    if changes:
        yield Heading("milestone")
        yield Line((Span("  "), CHANGED))
        yield from _told(changes)


# --- items


def _items(plan: PlanView, before: PlanView) -> Iterator[Block]:
    new, old = _by_key(plan), _by_key(before)
    found = [block for key, item in new.items() for block in _item(item, old.get(key))]
    found += [block for key, item in old.items() if key not in new for block in _one(REMOVED, item)]
    if plan.root != before.root and plan.root in old and before.root in new:
        found += _told([("root", (str(before.root),), (str(plan.root),))])
    if found:
        yield Heading("items")
        yield from found


def _item(new: PlanItem, old: PlanItem | None) -> Iterator[Block]:
    if old is None:
        yield from _one(ADDED, new)
        yield Paragraph(new.objective, indent=4)
        needs = ", ".join(new.dependencies) or "nothing"
        yield Paragraph(f"with {new.template}, after {needs}, in {', '.join(new.paths) or 'any path'}", indent=4)
        yield from (Paragraph(f"{criterion.id}  {criterion.text}", indent=4) for criterion in new.acceptance)
    elif changes := _item_changes(new, old):
        yield from _one(CHANGED, new)
        yield from _told(changes)


def _one(mark: Span, item: PlanItem) -> Iterator[Block]:
    yield Line((Span("  "), mark, Span(f"  {item.key}", Style.STRONG), Span(f"  {item.title}")))


def _item_changes(new: PlanItem, old: PlanItem) -> list[Change]:
    return [
        *_said("title", new.title, old.title),
        *_said("objective", new.objective, old.objective),
        *_listed("criteria", _texts(new.acceptance), _texts(old.acceptance)),
        *_listed("after", new.dependencies, old.dependencies),
        *_said("template", new.template, old.template),
        *_listed("paths", new.paths, old.paths),
    ]


def _by_key(plan: PlanView) -> dict[WorkKey, PlanItem]:
    return {item.key: item for item in plan.items}


# --- what changed about one thing


def _said(what: str, new: str, old: str) -> Iterator[Change]:
    if new != old:
        yield what, (old,), (new,)


def _listed(what: str, new: Iterable[str], old: Iterable[str]) -> Iterator[Change]:
    now, then = list(new), list(old)
    gone, come = _without(then, now), _without(now, then)
    if gone or come:
        yield what, gone, come


def _without(some: list[str], others: list[str]) -> tuple[str, ...]:
    """Return what stands in `some` more often than in `others`: a text that is there twice may lose one."""
    left, found = list(others), list[str]()
    for one in some:
        if one in left:
            left.remove(one)
        else:
            found.append(one)
    return tuple(found)


def _told(changes: Iterable[Change]) -> Iterator[Block]:
    for what, gone, come in changes:
        yield Paragraph(what, indent=4)
        yield from (Paragraph(f"- {text}", indent=6, style=Style.BAD) for text in gone)
        yield from (Paragraph(f"+ {text}", indent=6, style=Style.GOOD) for text in come)


def _texts(criteria: tuple[CriterionView, ...]) -> tuple[str, ...]:
    return tuple(criterion.text for criterion in criteria)
