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
    Browsing,
    Confirming,
    Decision,
    Disposing,
    Extending,
    Model,
    PlanThing,
    Said,
    Subject,
    Thing,
    Tone,
    Wording,
    WorkThing,
    Writing,
)
from harnctl.tui.reading import chain, look, read_inbox
from protocol.errors import Family, family_of
from protocol.ids import IdempotencyKey
from protocol.replies import Done
from protocol.requests import AcceptWork, ApprovePlan, Change, ExtendGoal, RejectPlan, ReopenWork, RetryPlan, RetryWork

UNSENT: Final = IdempotencyKey("unsent")  # whoever sends a request puts its own key in
FIXED: Final = "fixed"
DEFERRED: Final = "deferred: "


# --- opening a decision


def begin(model: Model, action: Action) -> Step:
    """Open a decision about the thing that is drawn."""
    thing, subject = model.thing, model.chosen
    if thing is None or subject is None:
        return Step(model)
    match action, thing:
        case Action.EXTEND, _:
            return Step(replace(model, said=None), (ReadBudget(subject.goal),))
        case Action.APPROVE, PlanThing(digest=digest, view=plan) if digest is not None:
            request = ApprovePlan(key=UNSENT, goal=plan.goal, plan=plan.plan, digest=digest)
            return confirm(model, thing, Decision(subject, f"Approve {subject.label}", request, digest))
        case Action.REJECT, PlanThing():
            return write(model, thing, Wording.GUIDANCE)
        case Action.RETRY, PlanThing(view=plan) if plan.question:
            return write(model, thing, Wording.ANSWER)
        case Action.RETRY, (PlanThing() | WorkThing()):
            return _worded(model, thing, subject, wording=Wording.ADVICE, text="")
        case Action.REOPEN, WorkThing():
            return write(model, thing, Wording.FINDINGS)
        case Action.ACCEPT, WorkThing():
            return _disposed(model, Disposing(thing))
        case _:
            return Step(model)


def confirm(model: Model, thing: Thing, decision: Decision) -> Step:
    """Show a decision whole and wait for its key."""
    return Step(replace(model, mode=Confirming(thing, decision), said=None))


def write(model: Model, thing: Thing, wording: Wording, draft: str | None = None) -> Step:
    """Open the editor on what was written before, if anything was."""
    if model.chosen is None:
        return Step(model)
    kept = dict(model.drafts).get(model.chosen, "") if draft is None else draft
    about = f"{wording.value} ({model.chosen.label})"
    return Step(replace(model, mode=Writing(thing, wording), said=None), (Write(about, kept),))


# --- words


def written(model: Model, message: Written) -> Step:
    """Go on with the words that were written."""
    mode, subject = model.mode, model.chosen
    if not isinstance(mode, Writing) or subject is None:
        return Step(model)
    model = _kept(model, subject, message.text)
    if model.thing is None or model.thing.stamp != mode.thing.stamp:
        said = f"{subject.label} changed while you wrote: nothing was done, and your words are kept"
        return Step(replace(model, mode=Browsing(), said=Said(said, Tone.ASKS)))
    return _worded(model, mode.thing, subject, wording=mode.wording, text=message.text)


def not_written(model: Model, reason: str) -> Step:
    """Go back to browsing."""
    return Step(replace(model, mode=Browsing(), said=Said(reason, Tone.ASKS)))


def rewrite(model: Model) -> Step:
    """Open the editor on the words of the decision that waits for its key."""
    match model.mode:
        case Confirming(thing, Decision(wording=wording, words=words)) if wording is not None:
            return write(model, thing, wording, words or None)
        case _:
            return Step(model)


def _worded(model: Model, thing: Thing, subject: Subject, *, wording: Wording, text: str) -> Step:
    label, request = _of_words(thing, subject, wording=wording, text=text)
    return confirm(model, thing, Decision(subject, label, request, thing.digest, text, wording))


def _of_words(thing: Thing, subject: Subject, *, wording: Wording, text: str) -> tuple[str, Change[Done]]:
    """Make the request that a person's words are for."""
    match wording, thing:
        case Wording.GUIDANCE, PlanThing(digest=digest, view=plan) if digest is not None:
            request = RejectPlan(key=UNSENT, goal=plan.goal, plan=plan.plan, digest=digest, guidance=text)
            return f"Reject {subject.label}", request
        case ((Wording.ANSWER | Wording.ADVICE), PlanThing(view=plan)):
            verb = "Answer" if wording is Wording.ANSWER else "Ask again after"
            return f"{verb} {subject.label}", RetryPlan(key=UNSENT, goal=plan.goal, plan=plan.plan, guidance=text)
        case Wording.ADVICE, WorkThing(view=work):
            return f"Retry {subject.label}", RetryWork(key=UNSENT, goal=work.goal, work=work.work, guidance=text)
        case Wording.FINDINGS, WorkThing(view=work):
            findings = tuple(line.strip() for line in text.splitlines() if line.strip())
            return f"Reopen {subject.label}", ReopenWork(key=UNSENT, goal=work.goal, work=work.work, findings=findings)
        case _:
            raise AssertionError(f"{wording} is not for {type(thing).__name__}")


def _kept(model: Model, subject: Subject, text: str) -> Model:
    others = tuple((name, draft) for name, draft in model.drafts if name != subject)
    return replace(model, drafts=(*others, (subject, text)) if text else others)


# --- findings


def dispose(model: Model, action: Action) -> Step:
    """Answer the next open finding."""
    if not isinstance(model.mode, Disposing):
        return Step(model)
    mode = model.mode
    finding = mode.thing.view.open_findings[len(mode.answers)].id
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
    work, digest = mode.thing.view, mode.thing.digest
    if len(mode.answers) < len(work.open_findings):
        return Step(replace(model, mode=mode, said=None))
    if model.chosen is None or digest is None:
        return Step(replace(model, mode=Browsing()))
    request = AcceptWork(key=UNSENT, goal=work.goal, work=work.work, digest=digest, dispositions=dict(mode.answers))
    words = "\n".join(f"{finding}: {answer}" for finding, answer in mode.answers)
    return confirm(model, mode.thing, Decision(model.chosen, f"Accept {model.chosen.label}", request, digest, words))


# --- budgets


def budgeted(model: Model, message: Budgeted) -> Step:
    """Open the form for more, unless the person went on to something else."""
    browsing = isinstance(model.mode, Browsing) and model.thing is not None
    if not browsing or model.thing is None or model.chosen is None or model.chosen.goal != message.budget.goal:
        return Step(model)
    asked = model.chosen.budget
    at = amounts.GROWING.index(asked) if asked in amounts.GROWING else 0
    return Step(replace(model, mode=Extending(model.thing, message.budget, at), said=None))


def extend(model: Model) -> Step:
    """Go on from the form to the decision."""
    if not isinstance(model.mode, Extending) or model.chosen is None:
        return Step(model)
    mode, typed = model.mode, [(unit, text) for unit, text in model.mode.typed if text]
    added = {unit: amounts.read(unit, text) for unit, text in typed}
    wrong = [f"{unit}: {amounts.example(unit)} is wanted" for unit, amount in added.items() if amount is None]
    if wrong or not added:
        said = "; ".join(wrong) or "type how much more"
        return Step(replace(model, said=Said(said, Tone.ASKS)))
    request = ExtendGoal(
        key=UNSENT, goal=mode.budget.goal, add={unit: amount for unit, amount in added.items() if amount is not None}
    )
    words = "\n".join(f"{counted(unit)}: {text} more" for unit, text in typed)
    return confirm(
        model, mode.thing, Decision(model.chosen, f"Extend the budget of {mode.budget.goal}", request, None, words)
    )


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
    model = _kept(replace(model, sending=None, decided=subject), subject, "")
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
