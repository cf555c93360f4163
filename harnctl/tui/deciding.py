"""Deciding: from the key that opens a decision to the answer of the daemon.

A decision is made of the thing as it was drawn.  Words are written first, findings are answered one by one, amounts are
typed; then everything is shown once more with the digest it binds to, and only `y` sends it.  Words that were written
are kept until they were sent and taken.
"""

from typing import Final

from msgspec.structs import replace

from harnctl import amounts
from harnctl.render.daemon import counted
from harnctl.tui.errands import ReadBudget, Send, Step, Write
from harnctl.tui.keys import Action
from harnctl.tui.messages import Budgeted, Decided, Refused, Written
from harnctl.tui.model import (
    WORDS_SHOWN,
    Browsing,
    Confirming,
    Decision,
    Disposing,
    Drawn,
    Extending,
    Model,
    PlanThing,
    Said,
    Subject,
    Tone,
    Wording,
    WorkThing,
    Writing,
    limits,
)
from harnctl.tui.reading import chain, look, read_inbox
from protocol.errors import Family, family_of
from protocol.ids import IdempotencyKey
from protocol.replies import Done
from protocol.requests import AcceptWork, ApprovePlan, Change, ExtendGoal, RejectPlan, ReopenWork, RetryPlan, RetryWork
from protocol.values import DEFERRED, FIXED
from protocol.views import BudgetView

UNSENT: Final = IdempotencyKey("unsent")  # whoever sends a request puts its own key in


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
        case Action.REJECT, PlanThing():
            return write(model, about, Wording.GUIDANCE)
        case Action.RETRY, PlanThing(view=plan) if plan.question:
            return write(model, about, Wording.ANSWER)
        case Action.RETRY, (PlanThing() | WorkThing()):
            return _worded(model, about, wording=Wording.ADVICE, text="")
        case Action.REOPEN, WorkThing():
            return write(model, about, Wording.FINDINGS)
        case Action.ACCEPT, (WorkThing() as work):
            return _disposed(model, Disposing(about, work))
        case _:
            return Step(model)


def confirm(model: Model, about: Drawn, decision: Decision) -> Step:
    """Show a decision whole and wait for its key."""
    return Step(replace(model, mode=Confirming(about, decision), said=None))


def write(model: Model, about: Drawn, wording: Wording, draft: str | None = None) -> Step:
    """Open the editor on what was written before, if anything was."""
    kept = dict(model.drafts).get(about.subject.key, "") if draft is None else draft
    asked = f"{wording.value} ({about.subject.label})"
    return Step(replace(model, mode=Writing(about, wording), said=None), (Write(asked, kept),))


# --- words


def written(model: Model, message: Written) -> Step:
    """Go on with the words that were written."""
    if not isinstance(model.mode, Writing):
        return Step(model)
    about, wording = model.mode.about, model.mode.wording
    model = _kept(model, about.subject, message.text)
    now = model.drawn
    if now is None or now.subject.key != about.subject.key or now.thing.stamp != about.thing.stamp:
        said = f"{about.subject.label} changed while you wrote: nothing was done, and your words are kept"
        return Step(replace(model, mode=Browsing(), said=Said(said, Tone.ASKS)))
    return _worded(model, about, wording=wording, text=message.text)


def not_written(model: Model, reason: str) -> Step:
    """Go back to browsing."""
    return Step(replace(model, mode=Browsing(), said=Said(reason, Tone.ASKS)))


def rewrite(model: Model) -> Step:
    """Open the editor on the words of the decision that waits for its key."""
    match model.mode:
        case Confirming(about, Decision(wording=wording, words=words)) if wording is not None:
            return write(model, about, wording, words or None)
        case _:
            return Step(model)


def _worded(model: Model, about: Drawn, *, wording: Wording, text: str) -> Step:
    label, request = _of_words(about, wording=wording, text=text)
    return confirm(model, about, Decision(about.subject, label, request, about.thing.digest, text, wording))


def _of_words(about: Drawn, *, wording: Wording, text: str) -> tuple[str, Change[Done]]:
    """Make the request that a person's words are for."""
    label = about.subject.label
    match wording, about.thing:
        case Wording.GUIDANCE, PlanThing(digest=digest, view=plan) if digest is not None:
            request = RejectPlan(key=UNSENT, goal=plan.goal, plan=plan.plan, digest=digest, guidance=text)
            return f"Reject {label}", request
        case ((Wording.ANSWER | Wording.ADVICE), PlanThing(view=plan)):
            verb = "Answer" if wording is Wording.ANSWER else "Ask again after"
            return f"{verb} {label}", RetryPlan(key=UNSENT, goal=plan.goal, plan=plan.plan, guidance=text)
        case Wording.ADVICE, WorkThing(view=work):
            return f"Retry {label}", RetryWork(key=UNSENT, goal=work.goal, work=work.work, guidance=text)
        case Wording.FINDINGS, WorkThing(view=work):
            findings = tuple(line.strip() for line in text.splitlines() if line.strip())
            return f"Reopen {label}", ReopenWork(key=UNSENT, goal=work.goal, work=work.work, findings=findings)
        case _:
            raise AssertionError(f"{wording} is not for {type(about.thing).__name__}")


def _kept(model: Model, subject: Subject, text: str) -> Model:
    others = tuple((key, draft) for key, draft in model.drafts if key != subject.key)
    return replace(model, drafts=(*others, (subject.key, text)) if text else others)


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
    if message.decision.wording is not None:  # words of another decision are still wanted
        model = _kept(model, subject, "")
    told = Said(f"{message.decision.label}: {said}", Tone.GOOD)
    return chain(replace(model, said=told), read_inbox, look)


def refused(model: Model, message: Refused) -> Step:
    """Say why not, and show how it is now; words that were written are kept."""
    model = replace(model, sending=None if message.decision is not None else model.sending)
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
