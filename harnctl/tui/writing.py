"""Writing: a person's words, from the editor that is opened for them to the request that they go with.

Words that were written are kept until they were sent and taken, also when the thing that they are about changed
meanwhile or the daemon refused them.
"""

from typing import Final

from msgspec.structs import replace

from harnctl.editing.plan_text import plan_text, with_problems, without_problems
from harnctl.tui.errands import Step, Write
from harnctl.tui.messages import Refused, Written
from harnctl.tui.model import Browsing, Confirming, Decision, Model, Said, Tone, Wording, Writing
from harnctl.tui.things import ApprovalThing, Drawn, PlanThing, Subject, WorkThing
from protocol.ids import GoalId, IdempotencyKey
from protocol.replies import Done
from protocol.requests import (
    Change,
    DenyApproval,
    EditPlan,
    PauseGoal,
    RejectPlan,
    ReopenWork,
    ResolveWork,
    RetryPlan,
    RetryWork,
)

UNSENT: Final = IdempotencyKey("unsent")  # whoever sends a request puts its own key in


def confirm(model: Model, about: Drawn, decision: Decision) -> Step:
    """Show a decision whole and wait for its key."""
    return Step(replace(model, mode=Confirming(about, decision), said=None))


def write(model: Model, about: Drawn, wording: Wording, draft: str = "") -> Step:
    """Open the editor on a draft, or on what was written before, if anything was."""
    before = draft or _kept(model, about.subject, wording)
    if wording is Wording.PLAN and isinstance(about.thing, PlanThing):
        before = before or plan_text(about.thing.view)
    asked = f"{wording.value} ({about.subject.label})"
    whole = wording is Wording.PLAN
    return Step(replace(model, mode=Writing(about, wording), said=None), (Write(asked, before, whole=whole),))


def written(model: Model, message: Written) -> Step:
    """Go on with the words that were written."""
    if not isinstance(model.mode, Writing):
        return Step(model)
    about, wording = model.mode.about, model.mode.wording
    text = without_problems(message.text) if wording is Wording.PLAN else message.text
    model = keep(model, about.subject, wording, text)
    now = model.drawn
    if now is None or now.subject.key != about.subject.key or now.thing.stamp != about.thing.stamp:
        said = f"{about.subject.label} changed while you wrote: nothing was done, and your words are kept"
        return Step(replace(model, mode=Browsing(), said=Said(said, Tone.ASKS)))
    if isinstance(about.thing, PlanThing) and wording is Wording.PLAN and text == plan_text(about.thing.view):
        unchanged = keep(model, about.subject, wording, "")
        return Step(replace(unchanged, mode=Browsing(), said=Said("nothing was changed", Tone.ASKS)))
    return worded(model, about, wording=wording, text=text)


def not_written(model: Model, reason: str) -> Step:
    """Go back to browsing."""
    return Step(replace(model, mode=Browsing(), said=Said(reason, Tone.ASKS)))


def rewrite(model: Model) -> Step:
    """Open the editor on the words of the decision that waits for its key."""
    match model.mode:
        case Confirming(about, Decision(wording=wording, words=words)) if wording is not None:
            return write(model, about, wording, words)
        case _:
            return Step(model)


def worded(model: Model, about: Drawn, *, wording: Wording, text: str = "") -> Step:
    """Show the decision that words are for, and wait for its key."""
    label, request = _of_words(about, wording=wording, text=text)
    digest = None if wording is Wording.REASON else about.thing.digest  # a goal is paused whatever is proposed
    return confirm(model, about, Decision(about.subject, label, request, digest, text, wording))


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
        case Wording.NOTE, WorkThing(view=work):
            return f"Let {label} go on", ResolveWork(key=UNSENT, goal=work.goal, work=work.work, note=text)
        case Wording.REASON, _:
            goal = about.subject.goal
            return f"Pause {goal}", PauseGoal(key=UNSENT, goal=goal, reason=text)
        case Wording.DENIAL, ApprovalThing(digest=digest, view=asked) if digest is not None:
            deny = DenyApproval(key=UNSENT, goal=asked.goal, approval=asked.approval, digest=digest, reason=text)
            return f"Deny {label}", deny
        case Wording.PLAN, PlanThing(digest=digest, view=plan):
            edit = EditPlan(key=UNSENT, goal=plan.goal, plan=plan.plan, file=text.encode(), digest=digest)
            return f"Put your plan in the place of {label}", edit
        case Wording.FINDINGS, WorkThing(view=work):
            findings = tuple(line.strip() for line in text.splitlines() if line.strip())
            return f"Reopen {label}", ReopenWork(key=UNSENT, goal=work.goal, work=work.work, findings=findings)
        case _:
            raise AssertionError(f"{wording} is not for {type(about.thing).__name__}")


def _kept(model: Model, subject: Subject, wording: Wording) -> str:
    """Return what was written and not sent; a whole plan is nothing that could go with another decision."""
    return dict(model.drafts).get(_place(subject, wording), "")


def with_objections(model: Model, message: Refused) -> Model:
    """Put what is wrong with a plan at the top of what was written, for when the editor opens on it again."""
    match message.decision:
        case Decision(subject=subject, words=text, wording=Wording.PLAN) if message.problems:
            return keep(model, subject, Wording.PLAN, with_problems(text, message.problems))
        case _:
            return model


def keep(model: Model, subject: Subject, wording: Wording, text: str) -> Model:
    """Keep what was written, or nothing more."""
    place = _place(subject, wording)
    others = tuple((key, draft) for key, draft in model.drafts if key != place)
    return replace(model, drafts=(*others, (place, text)) if text else others)


def _place(subject: Subject, wording: Wording) -> tuple[GoalId, str]:
    goal, name = subject.key
    return (goal, f"{name}, edited") if wording is Wording.PLAN else (goal, name)
