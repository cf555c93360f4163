"""What an agent is told about the attempts before its own."""

from harnd.domain.goal import events as e
from harnd.domain.goal.assignment import names_of, texts_wanted
from harnd.domain.goal.candidate import Apply, MilestoneDraft, WorkDraft
from harnd.domain.goal.evolve import evolve
from harnd.domain.goal.intent import Criterion
from harnd.domain.goal.proof import CriterionProof, Evidence, Proof
from harnd.domain.goal.usage import Usage
from protocol.ids import CommitId, CriterionId, Digest, TemplateName, TreeId, WorkId, WorkKey
from protocol.values import AttemptOutcome, FailureClass, Instant, Micros, Trigger, Verdict
from tests.sim.missions import Item, SimMission

BASE = CommitId("0" * 40)
WORK = WorkId("p1.wrap")
OUTPUT = Digest("f" * 64)
CRITERION = CriterionId("WC-1")
TEXTS = {OUTPUT: "AssertionError: too wide"}
UNPROVEN = Proof(
    commit=BASE,
    tree=TreeId("1" * 40),
    criteria=(CriterionProof(CRITERION, Verdict.UNSATISFIED, ("check",)),),
    evidence=(Evidence("check", "failed", Micros(1), exit_code=1, output=OUTPUT),),
)

CANDIDATE = Apply(
    rationale="One thing.",
    milestone=MilestoneDraft(sequence=1, title="Wrap", objective="Wrap.", acceptance=("It wraps.",)),
    work=(
        WorkDraft(
            key=WorkKey("wrap"),
            title="Wrap",
            objective="Wrap texts.",
            acceptance=("It wraps.",),
            dependencies=(),
            template=TemplateName("change"),
            paths=(),
        ),
    ),
)


def ended(number, failure, proof=None):
    lost = failure is FailureClass.LOST
    outcome = AttemptOutcome.LOST if lost else AttemptOutcome.FAILED
    return e.AttemptEnded(
        work=WORK,
        attempt=number,
        outcome=outcome,
        charged=not lost,
        ran=Micros(1),
        usage=Usage(calls=1),
        failure=failure,
        detail=f"{failure} it was",
        proof=proof,
    )


def tried(*ends):
    """A goal whose one item was tried so, and is being tried once more."""
    goal = None
    intent = SimMission(milestones=((Item("wrap"),),)).intent(BASE)
    work = e.WorkCreated(
        work=WORK,
        key=WorkKey("wrap"),
        plan=1,
        title="Wrap",
        objective="Wrap texts.",
        acceptance=(Criterion(CRITERION, "It wraps."),),
        dependencies=(),
        template=TemplateName("change"),
        paths=(),
    )
    graph = Digest("a" * 64)
    happened: list[e.GoalEvent] = [
        e.GoalCreated(intent=intent, digest=graph, by="operator"),
        e.PlanRequested(plan=1, trigger=Trigger.INITIAL, graph=graph),
        e.PlannerCalled(plan=1, call=1),
        e.PlannerReturned(plan=1, call=1, ran=Micros(1), charged=True),
        e.PlanProposed(plan=1, call=1, candidate=CANDIDATE, digest=graph, normalised=graph),
        work,
        e.PlanApplied(plan=1, digest=graph, root=WORK, by="operator"),
    ]
    for number, end in enumerate((*ends, None), start=1):
        happened.append(e.AttemptStarted(work=WORK, attempt=number, base=BASE, generation=1, calls=1))
        happened += [end] if end else []
    for second, event in enumerate(happened):
        goal = evolve(goal, event, Instant(second))
    assert goal is not None
    return goal


def feedback(goal):
    item = goal.work[WORK]
    return names_of(goal, item, len(item.attempts), {}, TEXTS).feedback


PROOF_FAILED = (
    "The last one failed (proof): proof it was",
    "Criteria not satisfied: WC-1",
    "It printed:\nAssertionError: too wide",
)


def test_a_first_attempt_is_told_nothing():
    assert feedback(tried()) == ()


def test_a_retry_is_told_what_failed():
    goal = tried(ended(1, FailureClass.PROOF, UNPROVEN))
    assert texts_wanted(goal.work[WORK]) == (OUTPUT,)
    assert feedback(goal) == PROOF_FAILED


def test_what_failed_is_not_forgotten_over_an_attempt_that_was_lost():
    goal = tried(ended(1, FailureClass.PROOF, UNPROVEN), ended(2, FailureClass.LOST), ended(3, FailureClass.LOST))
    assert texts_wanted(goal.work[WORK]) == (OUTPUT,)
    assert feedback(goal) == PROOF_FAILED


def test_an_attempt_that_was_lost_teaches_nothing():
    goal = tried(ended(1, FailureClass.LOST))
    assert texts_wanted(goal.work[WORK]) == ()
    assert feedback(goal) == ()
