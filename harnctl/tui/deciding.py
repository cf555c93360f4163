"""Deciding: from the key that opens a decision to the answer of the daemon.

A decision is made of the thing as it was drawn.  Words are written first, findings are answered one by one, amounts are
typed; then everything is shown once more with the digest it binds to, and only `y` sends it.
"""

from msgspec.structs import replace

from harnctl import amounts
from harnctl.render.daemon import counted
from harnctl.tui.errands import ReadBudget, Send, Step
from harnctl.tui.keys import Action
from harnctl.tui.messages import Budgeted, Decided, Refused
from harnctl.tui.model import (
    WORDS_SHOWN,
    Browsing,
    Confirming,
    Decision,
    Disposing,
    Extending,
    Model,
    Said,
    Tone,
    Wording,
)
from harnctl.tui.reading import chain, look, read_inbox
from harnctl.tui.things import ApprovalThing, PlanThing, WorkThing, limits
from harnctl.tui.writing import UNSENT, confirm, keep, rewrite, with_objections, worded, write
from protocol.errors import Family, family_of
from protocol.requests import AcceptWork, ApprovePlan, ExtendGoal, GiveApproval, ResumeGoal
from protocol.values import DEFERRED, FIXED
from protocol.views import BudgetView

# --- opening a decision


def begin(model: Model, action: Action) -> Step:
    """Open a decision about the thing that is drawn."""
    about = model.drawn
    if about is None:
        return Step(model)
    subject = about.subject
    match action, about.thing:
        case Action.EXTEND, _:
            return Step(replace(model, said=None), (ReadBudget(subject.goal),))
        case Action.APPROVE, PlanThing(digest=digest, view=plan) if digest is not None:
            request = ApprovePlan(key=UNSENT, goal=plan.goal, plan=plan.plan, digest=digest)
            return confirm(model, about, Decision(subject, f"Approve {subject.label}", request, digest))
        case Action.GIVE, ApprovalThing(digest=digest, view=asked) if digest is not None:
            give = GiveApproval(key=UNSENT, goal=asked.goal, approval=asked.approval, digest=digest)
            return confirm(model, about, Decision(subject, f"Give {subject.label}", give, digest))
        case Action.DENY, ApprovalThing():
            return write(model, about, Wording.DENIAL)
        case Action.REJECT, PlanThing():
            return write(model, about, Wording.GUIDANCE)
        case Action.RETRY, PlanThing(view=plan) if plan.question:
            return write(model, about, Wording.ANSWER)
        case Action.RETRY, (PlanThing() | WorkThing()):
            return worded(model, about, wording=Wording.ADVICE)
        case Action.RESOLVE, WorkThing():
            return worded(model, about, wording=Wording.NOTE)
        case Action.EDIT, PlanThing():
            return write(model, about, Wording.PLAN)
        case Action.PAUSE, _:
            return worded(model, about, wording=Wording.REASON)
        case Action.RESUME, _:
            resume = ResumeGoal(key=UNSENT, goal=subject.goal)
            return confirm(model, about, Decision(subject, f"Let {subject.goal} go on", resume))
        case Action.REOPEN, WorkThing():
            return write(model, about, Wording.FINDINGS)
        case Action.ACCEPT, (WorkThing() as work):
            return _disposed(model, Disposing(about, work))
        case _:
            return Step(model)


# --- findings


def dispose(model: Model, action: Action) -> Step:
    """Answer the next open finding."""
    if not isinstance(model.mode, Disposing):
        return Step(model)
    mode = model.mode
    finding = mode.work.view.open_findings[len(mode.answers)].id
    match action:
        case Action.FIXED:
            return _disposed(model, replace(mode, answers=(*mode.answers, (finding, FIXED))))
        case Action.DEFER:
            return Step(replace(model, mode=replace(mode, reason="")))
        case Action.GO_ON if mode.reason is not None and mode.reason.strip():
            answer = (finding, DEFERRED + mode.reason.strip())
            return _disposed(model, replace(mode, answers=(*mode.answers, answer), reason=None))
        case _:
            return Step(model)


def _disposed(model: Model, mode: Disposing) -> Step:
    """Ask about the next finding, or go on to the accept when all are answered."""
    work, digest, subject = mode.work.view, mode.work.digest, mode.about.subject
    if len(mode.answers) < len(work.open_findings):
        return Step(replace(model, mode=mode, said=None))
    if digest is None:
        return Step(replace(model, mode=Browsing()))
    if len(work.doubts) > WORDS_SHOWN:  # more than one sees at once is not acknowledged by one key
        told = f"{len(work.doubts)} doubts to acknowledge: harnctl work accept {work.goal} {work.work}"
        return Step(replace(model, mode=Browsing(), said=Said(told, Tone.ASKS)))
    request = AcceptWork(
        key=UNSENT,
        goal=work.goal,
        work=work.work,
        digest=digest,
        dispositions=dict(mode.answers),
        acknowledged=tuple(doubt.name for doubt in work.doubts),
    )
    doubts = (f"{doubt.name} all the same: {doubt.said}" for doubt in work.doubts)  # first: they are always seen
    words = "\n".join((*doubts, *(f"{finding}: {answer}" for finding, answer in mode.answers)))
    return confirm(model, mode.about, Decision(subject, f"Accept {subject.label}", request, digest, words))


# --- budgets


def budgeted(model: Model, message: Budgeted) -> Step:
    """Open the form for more; or keep an open one in step with what somebody else grants meanwhile."""
    match model.mode:
        case Browsing():
            return _opened(model, message.budget)
        case Extending(about) as mode if about.subject.goal == message.budget.goal:
            changed = limits(mode.budget) != limits(message.budget)
            said = Said("the limits changed meanwhile: this is how they are now", Tone.ASKS) if changed else model.said
            return Step(replace(model, mode=replace(mode, budget=message.budget), said=said))
        case Confirming(about, budget=BudgetView() as budget) if about.subject.goal == message.budget.goal:
            if limits(budget) == limits(message.budget):
                return Step(model)
            told = f"the limits of {budget.goal} changed while you decided: nothing was done"
            return Step(replace(model, mode=Browsing(), said=Said(told, Tone.ASKS)))
        case _:
            return Step(model)


def _opened(model: Model, budget: BudgetView) -> Step:
    about = model.drawn
    if about is None or about.subject.goal != budget.goal:
        return Step(model)  # the person went on to something else
    asked = about.subject.budget
    offered = amounts.offered(budget.rows)
    at = offered.index(asked) if asked in offered else 0
    return Step(replace(model, mode=Extending(about, budget, at), said=None))


def extend(model: Model) -> Step:
    """Go on from the form to the decision."""
    if not isinstance(model.mode, Extending):
        return Step(model)
    mode, typed = model.mode, [(unit, text) for unit, text in model.mode.typed if text]
    added = {unit: amounts.read(unit, text) for unit, text in typed}
    wrong = [f"{counted(unit)}: {amounts.example(unit)}" for unit, amount in added.items() if amount is None]
    if wrong or not added:
        said = f"wanted: {'; '.join(wrong)}" if wrong else "type how much more"
        return Step(replace(model, said=Said(said, Tone.ASKS)))
    request = ExtendGoal(
        key=UNSENT, goal=mode.budget.goal, add={unit: amount for unit, amount in added.items() if amount is not None}
    )
    words = "\n".join(f"{counted(unit)}: {text} more" for unit, text in typed)
    decision = Decision(mode.about.subject, f"Extend the budget of {mode.budget.goal}", request, None, words)
    return Step(replace(model, mode=Confirming(mode.about, decision, mode.budget), said=None))


# --- sending


def send(model: Model) -> Step:
    """Send the decision that waits for its key."""
    if not isinstance(model.mode, Confirming) or model.sending is not None:
        return Step(model)
    decision = model.mode.decision
    return Step(replace(model, mode=Browsing(), sending=decision, said=None), (Send(decision),))


def decided(model: Model, message: Decided) -> Step:
    """Say what came of it, and go on to what waits next."""
    subject = message.decision.subject
    said = " ".join(("done.", *message.done.said))
    model = replace(model, sending=None, decided=subject)
    if (wording := message.decision.wording) is not None:  # words of another decision are still wanted
        model = keep(model, subject, wording, "")
    told = Said(f"{message.decision.label}: {said}", Tone.GOOD)
    return chain(replace(model, said=told), read_inbox, look)


def refused(model: Model, message: Refused) -> Step:
    """Say why not, and show how it is now; words that were written are kept."""
    model = replace(model, sending=None if message.decision is not None else model.sending)
    model = with_objections(model, message)
    match family_of(message.code):
        case Family.CONFLICT:
            tone, end = Tone.ASKS, "; nothing was done, and this is how it is now"
        case _:
            tone, end = Tone.BAD, f"; {message.fix}" if message.fix else ""
    before = f"{message.decision.label}: " if message.decision is not None else ""
    said = Said(f"{before}{message.reason}{end}  [{message.code}]", tone)
    return chain(replace(model, said=said), read_inbox, look)


def act(model: Model, action: Action) -> Step:
    """Do what a key does to a decision that was opened."""
    match action:
        case Action.YES:
            return send(model)
        case Action.REWRITE:
            return rewrite(model)
        case Action.FIXED | Action.DEFER:
            return dispose(model, action)
        case Action.GO_ON:
            return dispose(model, action) if isinstance(model.mode, Disposing) else extend(model)
        case _:
            return begin(model, action)
