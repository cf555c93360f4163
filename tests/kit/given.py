"""Given a goal, when it is asked something, then this happens: how the rules are tested.

    Given(in_review()).when(accept("p1.a")).then(e.WorkAccepted(...))

Goals are made by living: every builder puts commands to the real rules and folds what they answer, so no test stands
on a state that could not arise.  A builder names only what matters; the rest is a small mission of one or two items.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec
import pytest

from harnd.domain.digest import canonical, digest_of
from harnd.domain.goal import commands as c
from harnd.domain.goal import events as e
from harnd.domain.goal.candidate import (
    Apply,
    Attention,
    Candidate,
    Claim,
    Complete,
    MilestoneDraft,
    Proposal,
    WorkDraft,
)
from harnd.domain.goal.decide import decide
from harnd.domain.goal.evolve import evolve
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.intent import (
    Automation,
    Criterion,
    Intent,
    Limits,
    Mission,
    Replanning,
    ReviewPolicy,
    Specialist,
)
from harnd.domain.goal.plan import Plan
from harnd.domain.goal.proof import CriterionProof, Evidence, Proof, Run, evidence_of
from harnd.domain.goal.template import AgentStage, ParallelStage, ProofCommand, Stage, Template
from harnd.domain.goal.usage import Usage
from harnd.domain.goal.work import Work
from harnd.domain.problem import Problem
from harnd.domain.rejected import Rejected
from protocol.ids import (
    CommitId,
    CriterionId,
    Digest,
    GoalId,
    HarnessName,
    InstanceId,
    SpecialistName,
    TemplateName,
    TreeId,
    WorkId,
    WorkKey,
)
from protocol.values import SECOND, AttemptOutcome, FailureClass, Hold, Instant, Micros, Risk, Unit, Verdict

T0 = Instant(1_000_000 * SECOND)
MINUTE = Micros(60 * SECOND)
HOUR = Micros(60 * MINUTE)


def later(seconds: float) -> Instant:
    """So many seconds after every goal's beginning."""
    return Instant(T0 + round(seconds * SECOND))


# --- given, when, then


class Given:
    """A goal, or None where there is none yet."""

    def __init__(self, goal: Goal | None) -> None:
        self._goal = goal

    def when(self, command: c.GoalCommand) -> "Answer":
        """Ask it, twice: the same question has the same answer."""
        answer, again = (Answer.to(self._goal, command) for _ in range(2))
        assert answer.events == again.events
        assert answer.code == again.code
        return answer


class Answer(msgspec.Struct, frozen=True):
    """What the rules say."""

    events: tuple[e.GoalEvent, ...] = ()
    code: str = ""
    reason: str = ""

    @staticmethod
    def to(goal: Goal | None, command: c.GoalCommand) -> "Answer":
        try:
            return Answer(tuple(decide(goal, command)))
        except Rejected as error:
            return Answer(code=error.code, reason=error.reason)

    def then(self, *events: e.GoalEvent) -> None:
        """Exactly these events happen."""
        assert self.code == "", f"refused: {self.code}: {self.reason}"
        assert self.events == events

    def then_nothing(self) -> None:
        """What was asked already holds."""
        self.then()

    def then_refused(self, code: str, reason: str | None = None) -> None:
        """It is refused under this code, and in these words."""
        assert self.events == ()
        assert self.code == code
        if reason is not None:
            assert self.reason == reason


def live(goal: Goal | None, *commands: c.GoalCommand, at: Instant = T0) -> Goal:
    """Decide and fold one command after the other, all at one instant."""
    for command in commands:
        for event in decide(goal, command):
            goal = evolve(goal, event, at)
    assert goal is not None
    return goal


def refusal(code: str) -> Any:
    """Expect a rule to refuse under a code."""
    return pytest.raises(Rejected, match=f"^{code}: ")


# --- intents


def a_template(
    name: str = "change",
    *,
    agents: int = 1,
    wide: bool = False,
    root: bool = True,
    attempts: int = 3,
    proves: Iterable[str] = (),
    protected: Iterable[str] = (),
) -> Template:
    """A recipe whose stages are so many agent calls, one after the other or (wide) all at once."""
    calls = tuple(AgentStage(f"make-{n}", SpecialistName("maker"), "Make it.") for n in range(1, agents + 1))
    stages: tuple[Stage, ...] = (ParallelStage("together", calls),) if wide else calls
    return Template(
        name=TemplateName(name),
        purpose=f"for a {name}",
        digest=Digest("ab" * 32),
        max_attempts=attempts,
        root=root,
        stages=stages,
        proofs=(ProofCommand("check", ("make", "check"), MINUTE, tuple(proves)),),
        protected=tuple(protected),
    )


def a_specialist(name: str, *, schema_attempts: int = 2, instructions: str = "") -> Specialist:
    return Specialist(
        name=SpecialistName(name),
        harness=HarnessName("scripted"),
        timeout=Micros(30 * MINUTE),
        startup_silence=Micros(2 * MINUTE),
        silence=Micros(10 * MINUTE),
        max_turns=25,
        schema_attempts=schema_attempts,
        instructions=instructions,
    )


def an_intent(
    *,
    goal: str = "billing",
    acceptance: Iterable[str] = ("Bills are exported.",),
    templates: Iterable[Template] = (a_template(), a_template("chore", root=False)),
    milestones: int = 2,
    replans: int = 5,
    work_per_plan: int = 8,
    planned_work: int = 20,
    schema_attempts: int = 2,
    graph: Iterable[WorkDraft] = (),
    mission: bool = True,
    planner: bool = True,
    auto_apply: bool = False,
    accept_passing_proof: bool = False,
    retry_blocked: bool = False,
    resume_approved: bool = True,
    reviewers: Iterable[str] = (),
    rounds: int = 0,
    **limits: int | None,
) -> Intent:
    """Freeze what a person might enrol; `limits` are the cumulative ones, by their names."""
    chosen = {
        "attempts": 20,
        "agent_calls": 50,
        "answers_per_work": 10,
        "parallel_work": 2,
        "agent_concurrency": 4,
        "active_runtime": HOUR,
        "ticks": 100,
        **limits,
    }
    return Intent(
        goal=GoalId(goal),
        title="Export the billing",
        repository="/srv/billing",
        base_ref="main",
        base_commit=commit("base"),
        limits=msgspec.convert(chosen, Limits),
        team=tuple(
            sorted(
                (
                    a_specialist("maker"),
                    a_specialist("planner", schema_attempts=schema_attempts),
                    *(a_specialist(name) for name in reviewers),
                ),
                key=lambda member: member.name,
            )
        ),
        templates=tuple(templates),
        mission=Mission(
            objective="Bills can be exported.", acceptance=criteria("AC", *acceptance), max_milestones=milestones
        )
        if mission
        else None,
        replanning=Replanning(
            planner=SpecialistName("planner"),
            max_replans=replans,
            work_per_plan=work_per_plan,
            planned_work=planned_work,
            auto_apply=auto_apply,
        )
        if planner
        else None,
        graph=tuple(graph),
        automation=_automation(
            accept_passing_proof=accept_passing_proof, retry_blocked=retry_blocked, resume_approved=resume_approved
        ),
        review=ReviewPolicy(tuple(map(SpecialistName, reviewers)), rounds) if reviewers else None,
    )


def _automation(**chosen: bool) -> Automation | None:
    automation = Automation(**chosen)
    return automation if automation != Automation() else None


def criteria(prefix: str, *texts: str) -> tuple[Criterion, ...]:
    return tuple(Criterion(CriterionId(f"{prefix}-{number}"), text) for number, text in enumerate(texts, 1))


def commit(name: str) -> CommitId:
    """A commit id that can be told from others by its digits."""
    return CommitId(name.encode().hex().ljust(40, "0"))


def tree(name: str) -> TreeId:
    return TreeId(name.encode().hex().ljust(40, "f"))


# --- candidates


def draft(
    key: str,
    *needs: str,
    objective: str = "",
    acceptance: Iterable[str] = ("It works.",),
    template: str = "change",
    paths: Iterable[str] | None = None,
    title: str = "",
) -> WorkDraft:
    """One item of a plan; by default it declares a folder of its own."""
    return WorkDraft(
        key=WorkKey(key),
        title=title or f"Do {key}",
        objective=objective or f"Make {key} work.",
        acceptance=tuple(acceptance),
        dependencies=needs,
        template=TemplateName(template),
        paths=(f"src/{key}",) if paths is None else tuple(paths),
    )


def a_plan(*work: WorkDraft, sequence: int = 1, rationale: str = "This comes first.") -> Apply:
    """A milestone with this work; by default with the one item `a`."""
    milestone = MilestoneDraft(sequence, f"Step {sequence}", f"Reach step {sequence}.", (f"Step {sequence} is there.",))
    return Apply(rationale=rationale, milestone=milestone, work=work or (draft("a"),))


def completion(*work: str, criterion: str = "AC-1") -> Complete:
    claim = Claim(CriterionId(criterion), tuple(WorkId(name) for name in work), "It is proved.")
    return Complete(rationale="All is done.", evidence=(claim,))


def question(text: str = "Which format?") -> Attention:
    return Attention(rationale="It depends.", question=text)


def unfinished(candidate: Candidate, **changes: object) -> bytes:
    """What the planner would have to write to propose it, with some of its keys changed."""
    builtins = msgspec.to_builtins(candidate)
    return canonical({**builtins, **changes})


# --- what a person asks


def create(intent: Intent) -> c.CreateGoal:
    return c.CreateGoal(intent=intent, by="ada")


def cancel_goal(reason: str = "not needed") -> c.CancelGoal:
    return c.CancelGoal(by="ada", reason=reason)


def pause_at_once() -> c.PauseGoal:
    return c.PauseGoal(by="ada", reason="", hold=Hold.PARK)


def pause_goal(reason: str = "") -> c.PauseGoal:
    return c.PauseGoal(by="ada", reason=reason)


def resume_goal() -> c.ResumeGoal:
    return c.ResumeGoal(by="ada")


def reopen_goal(*findings: str, work: str | None = None) -> c.ReopenGoal:
    return c.ReopenGoal(work=WorkId(work) if work else None, findings=findings or ("It is slow.",), by="ada")


def archive_goal() -> c.ArchiveGoal:
    return c.ArchiveGoal(by="ada")


def extend_goal(add: Mapping[Unit, int]) -> c.ExtendGoal:
    return c.ExtendGoal(add=dict(add), by="ada")


def approve(candidate: Candidate, *, plan: int = 1, override: str | None = None) -> c.ApprovePlan:
    return c.ApprovePlan(plan=plan, digest=digest_of(candidate), by="ada", override=override)


def reject(candidate: Candidate, guidance: str = "smaller", *, plan: int = 1) -> c.RejectPlan:
    return c.RejectPlan(plan=plan, digest=digest_of(candidate), guidance=guidance, by="ada")


def edit_plan(candidate: Proposal, base: Candidate | None = None, *, plan: int = 1) -> c.EditPlan:
    return c.EditPlan(plan=plan, candidate=candidate, digest=digest_of(base) if base is not None else None, by="ada")


def retry_plan(guidance: str = "CSV", *, plan: int = 1) -> c.RetryPlan:
    return c.RetryPlan(plan=plan, guidance=guidance, by="ada")


def accept(work: str, proof: Proof | None = None, **dispositions: str) -> c.AcceptWork:
    """Accept the proof that `succeeded` reports, with a disposition for each finding."""
    digest = (proof or a_proof(work)).digest()
    return c.AcceptWork(work=WorkId(work), proof=digest, dispositions=tuple(dispositions.items()), by="ada")


def acknowledge(work: str, proof: Proof, *doubts: str) -> c.AcceptWork:
    """Accept a proof with these doubts named."""
    return msgspec.structs.replace(accept(work, proof), acknowledged=doubts)


def reopen(work: str, *findings: str) -> c.ReopenWork:
    return c.ReopenWork(work=WorkId(work), findings=findings or ("It is slow.",), by="ada")


def retry_work(work: str, guidance: str = "") -> c.RetryWork:
    return c.RetryWork(work=WorkId(work), guidance=guidance, by="ada")


def resolve(work: str, note: str = "") -> c.ResolveWork:
    return c.ResolveWork(work=WorkId(work), note=note, by="ada")


def cancel_work(work: str, reason: str = "not needed") -> c.CancelWork:
    return c.CancelWork(work=WorkId(work), reason=reason, by="ada")


# --- what the clock and the daemon ask


def tick(at: Instant = T0) -> c.Tick:
    return c.Tick(now=at)


def attend(instance: str = "second") -> c.Attend:
    return c.Attend(InstanceId(instance))


def give(goal: Goal, number: int = 1, *, by: str = "ada", at: Instant = T0) -> c.GiveApproval:
    """Approve what is asked, as it was seen."""
    return c.GiveApproval(approval=number, digest=goal.approvals[number - 1].digest, by=by, now=at)


def deny(goal: Goal, number: int = 1, reason: str = "not yet", *, by: str = "ada", at: Instant = T0) -> c.DenyApproval:
    """Refuse what is asked, as it was seen."""
    return c.DenyApproval(approval=number, digest=goal.approvals[number - 1].digest, reason=reason, by=by, now=at)


def use(goal: Goal, number: int = 1, *, of: str = "") -> c.UseApproval:
    """Go on with an approval; `of` names what lies in the worktree now."""
    approval = goal.approvals[number - 1]
    now = tree(of) if of else approval.tree
    return c.UseApproval(
        work=approval.work, attempt=approval.attempt, approval=number, question=approval.question, tree=now
    )


# --- reports of the planner


def answered(candidate: Candidate, *, plan: int = 1, call: int = 1, **used: int | None) -> c.ReportPlanner:
    return replied(canonical(candidate), plan=plan, call=call, **used)


def replied(value: bytes, *, plan: int = 1, call: int = 1, **used: int | None) -> c.ReportPlanner:
    """The planner answered with this one JSON object, having used so many `tokens` at such a `cost`."""
    plain = c.PlannerReport(ran=Micros(9 * SECOND), reply=digest_of("reply"), value=value)
    report = msgspec.structs.replace(plain, **used)
    return c.ReportPlanner(plan=plan, call=call, report=report)


def babbled(*, plan: int = 1, call: int = 1) -> c.ReportPlanner:
    """The planner answered, but not with one JSON object."""
    problems = (Problem("answer.unreadable", "", "there is no object in the answer"),)
    report = c.PlannerReport(ran=Micros(9 * SECOND), reply=digest_of("reply"), problems=problems)
    return c.ReportPlanner(plan=plan, call=call, report=report)


def unanswered(failure: FailureClass, *, plan: int = 1, call: int = 1, detail: str = "no luck") -> c.ReportPlanner:
    report = c.PlannerReport(ran=Micros(9 * SECOND), failure=failure, detail=detail)
    return c.ReportPlanner(plan=plan, call=call, report=report)


# --- reports of attempts


def a_proof(name: str, *, verdict: Verdict = Verdict.SATISFIED, of: Iterable[str] = ("WC-1",)) -> Proof:
    """A proof of one commit; its evidence is as good as its verdict."""
    found = {Verdict.SATISFIED: "passed", Verdict.UNSATISFIED: "failed", Verdict.UNKNOWN: "unknown"}[verdict]
    evidence = msgspec.convert({"name": "check", "found": found, "ran": 1}, Evidence)
    entries = tuple(CriterionProof(CriterionId(criterion), verdict, ("check",)) for criterion in of)
    return Proof(commit(name), tree(name), entries, (evidence,))


def a_flaky_proof(name: str, *, of: Iterable[str] = ("WC-1",), but: Iterable[str] = ()) -> Proof:
    """A proof of one commit of which some criteria (`of`) are flaky, and others (`but`) are satisfied."""
    runs = [Run("failed", Micros(1), exit_code=1), Run("passed", Micros(1), exit_code=0)]
    evidence = (evidence_of("check", runs[1:]), evidence_of("units", runs))
    entries = [CriterionProof(CriterionId(one), Verdict.UNKNOWN, ("check", "units")) for one in of]
    entries += [CriterionProof(CriterionId(one), Verdict.SATISFIED, ("check",)) for one in but]
    return Proof(commit(name), tree(name), tuple(entries), evidence)


def succeeded(
    work: str,
    attempt: int = 1,
    *,
    proof: Proof | None = None,
    calls: int = 1,
    changed: Iterable[str] | None = None,
    usage: Usage | None = None,
) -> c.ReportAttempt:
    """The attempt changed something and its proof holds."""
    report = c.AttemptReport(
        outcome=AttemptOutcome.SUCCEEDED,
        ran=Micros(60 * SECOND),
        usage=usage or Usage(calls=calls),
        commit=commit(work),
        tree=tree(work),
        changed=(f"src/{work.partition('.')[2]}/x.py",) if changed is None else tuple(changed),
        proof=proof or a_proof(work),
    )
    return c.ReportAttempt(work=WorkId(work), attempt=attempt, report=report)


def failed(
    work: str,
    failure: FailureClass = FailureClass.PROOF,
    attempt: int = 1,
    *,
    outcome: AttemptOutcome = AttemptOutcome.FAILED,
    calls: int = 1,
    **fields: object,
) -> c.ReportAttempt:
    plain = c.AttemptReport(
        outcome=outcome, ran=Micros(60 * SECOND), usage=Usage(calls=calls), failure=failure, detail="no luck"
    )
    report = msgspec.structs.replace(plain, **fields)
    return c.ReportAttempt(work=WorkId(work), attempt=attempt, report=report)


def asked(
    work: str,
    question: str = "Publish it?",
    *,
    attempt: int = 1,
    risk: Risk = Risk.MEDIUM,
    of: str = "",
    at: Instant = T0,
) -> c.ReportAttempt:
    """Report that an attempt stands before a stage that asks a person; `of` names what lies in its worktree."""
    asks = c.Asks(question=question, risk=risk, tree=tree(of or work), changed=("src/a.py",), at=at)
    report = c.AttemptReport(
        outcome=AttemptOutcome.FAILED,
        ran=MINUTE,
        usage=Usage(calls=1),
        failure=FailureClass.DECISION,
        stage="ask",
        asks=asks,
    )
    return c.ReportAttempt(work=WorkId(work), attempt=attempt, report=report)


def lost(work: str, attempt: int = 1) -> c.ReportAttempt:
    return failed(work, FailureClass.LOST, attempt, outcome=AttemptOutcome.LOST, calls=0)


# --- reports of integrations


def proved(work: str, number: int = 1, *, proof: Proof | None = None) -> c.ReportProved:
    """The integrated tree was proved."""
    name = f"merged {work}"
    return c.ReportProved(
        work=WorkId(work), number=number, commit=commit(name), tree=tree(name), proof=proof or a_proof(name)
    )


def parked(work: str, number: int = 1, *paths: str, failure: FailureClass = FailureClass.DECISION) -> c.ReportParked:
    return c.ReportParked(work=WorkId(work), number=number, failure=failure, detail="it clashes", paths=paths)


def moved(work: str, number: int = 1) -> c.ReportMoved:
    return c.ReportMoved(work=WorkId(work), number=number)


# --- goals that have lived


def a_goal(**intent: Any) -> Goal:
    """A goal that was just enrolled."""
    return live(None, create(an_intent(**intent)))


def planning(**intent: Any) -> Goal:
    """The planner has been called for the first time."""
    return live(a_goal(**intent), tick())


def proposed(candidate: Candidate | None = None, **intent: Any) -> Goal:
    """The planner has answered with this."""
    return live(planning(**intent), answered(candidate or a_plan()))


def applied(*work: WorkDraft, **intent: Any) -> Goal:
    """A plan with this work was approved; nothing of it has been started."""
    plan = a_plan(*work)
    return live(proposed(plan, **intent), approve(plan))


def working(*work: WorkDraft, **intent: Any) -> Goal:
    """Work was approved and what could be started has been."""
    return live(applied(*work, **intent), tick())


def in_review(*work: WorkDraft, **intent: Any) -> Goal:
    """The first attempt at `p1.a` succeeded."""
    return live(working(*work, **intent), succeeded("p1.a"))


def blocked(failure: FailureClass = FailureClass.ENVIRONMENT, *work: WorkDraft, **intent: Any) -> Goal:
    """The first attempt at `p1.a` failed so that a person must look."""
    return live(working(*work, **intent), failed("p1.a", failure))


def resolved(failure: FailureClass = FailureClass.QUOTA, *work: WorkDraft, **intent: Any) -> Goal:
    """What blocked `p1.a` is gone, and nothing has looked at it since."""
    return live(blocked(failure, *work, **intent), resolve("p1.a"))


def asking(*work: WorkDraft, risk: Risk = Risk.MEDIUM, **intent: Any) -> Goal:
    """A goal whose first item is parked, because a person is asked."""
    goal = working(*work, **intent)
    return live(goal, asked(next(iter(goal.work)), risk=risk))


def accepted(*work: WorkDraft, **intent: Any) -> Goal:
    """`p1.a` was accepted and waits to be brought in."""
    return live(in_review(*work, **intent), accept("p1.a"))


def integrating(*work: WorkDraft, **intent: Any) -> Goal:
    """`p1.a` is being brought in."""
    return live(accepted(*work, **intent), tick())


def integrated(goal: Goal, *names: str) -> Goal:
    """Carry items that are ready or running to the goal's branch, one after the other."""
    for name in names:
        goal = live(goal, tick())
        number = len(item(goal, name).attempts)
        goal = live(goal, succeeded(name, number), accept(name), tick())
        count = len(item(goal, name).integrations)
        goal = live(goal, proved(name, count), moved(name, count))
    return goal


def milestone_met(**intent: Any) -> Goal:
    """The only item of the first milestone is on the goal's branch."""
    return integrated(applied(**intent), "p1.a")


def reassessing(**intent: Any) -> Goal:
    """The first milestone is met and the planner has been called again."""
    return live(milestone_met(**intent), tick())


def success(**intent: Any) -> Goal:
    """The mission is met."""
    done = completion("p1.a")
    return live(reassessing(**intent), answered(done, plan=2), approve(done, plan=2))


def supplied(*work: WorkDraft, **intent: Any) -> Goal:
    """A mission around this work of its operator's was enrolled; nothing of it has been started."""
    return live(None, create(an_intent(graph=work or (draft("a"),), **intent)))


def plain(*work: WorkDraft, **intent: Any) -> Goal:
    """This work was enrolled, without a mission and without a planner."""
    return supplied(*work, **{"mission": False, "planner": False, **intent})


def cancelled(goal: Goal) -> Goal:
    return live(goal, cancel_goal())


# --- looking at goals


def item(goal: Goal, name: str) -> Work:
    return goal.work[WorkId(name)]


def the_plan(goal: Goal) -> Plan:
    assert goal.plan is not None
    return goal.plan


def differing(before: Goal, after: Goal) -> set[str]:
    """The fields in which two states of a goal differ, but for those that count and time every event."""
    fields: Callable[[Goal], dict[str, object]] = msgspec.structs.asdict
    old, new = fields(before), fields(after)
    return {name for name in old if old[name] != new[name]} - {"version", "since", "last_at"}
