"""Work items and their logs as people see them, over a real store."""

from collections.abc import AsyncIterator

import msgspec
import pytest

from harnd.adapters.process.text import output_of
from harnd.domain.goal.template import CommandStage, PrepareStage
from harnd.domain.goal.usage import Usage
from harnd.domain.rejected import Rejected
from harnd.ports.processes import Trace
from harnd.ports.sessions import Ending
from protocol import requests as ask
from protocol.errors import Refusal
from protocol.ids import CriterionId, EffectKey, GoalId, TemplateName, WorkId
from protocol.replies import LogPart, WorkLog
from protocol.values import AttemptOutcome, FailureClass, Micros, Verdict, WorkState
from protocol.views import AttemptView, CriterionVerdict, Evidence, FindingView, WorkRow, WorkView
from tests.kit import given as g
from tests.kit.shelf import Shelf, shelf

BILLING = GoalId("billing")
A, B = WorkId("p1.a"), WorkId("p1.b")


@pytest.fixture
async def house() -> AsyncIterator[Shelf]:
    async with shelf() as made:
        yield made


async def enrolled(house: Shelf, *work, **intent) -> None:
    """A plan with this work was approved, and what could be started has been."""
    plan = g.a_plan(*work)
    await house.live(g.create(g.an_intent(**intent)), g.tick(), g.answered(plan), g.approve(plan), g.tick())


async def test_a_row_each_in_the_order_of_the_plan(house: Shelf):
    await enrolled(house, g.draft("a"), g.draft("b", "a"))
    house.at(125)
    assert (await house.ask(ask.ListWork(BILLING))).work == (
        WorkRow(
            work=A,
            title="Do a",
            state=WorkState.RUNNING,
            reason="attempt 1 at p1.a has run for 2m",
            template=TemplateName("change"),
            dependencies=(),
            attempts=1,
            root=False,
        ),
        WorkRow(
            work=B,
            title="Do b",
            state=WorkState.WAITING,
            reason="p1.b waits for p1.a; attempt 1 at p1.a has run for 2m",
            template=TemplateName("change"),
            dependencies=(A,),
            attempts=0,
            root=True,
        ),
    )


async def test_an_item_in_review_with_all_that_its_acceptance_needs(house: Shelf):
    await enrolled(house)
    house.at(60)
    await house.live(g.failed("p1.a", changed=("README.md",), reports=("the hook pre-commit was put back",)), g.tick())
    house.at(90)
    report = g.succeeded("p1.a", 2)
    usage = Usage(calls=1, tokens=10)
    await house.live(msgspec.structs.replace(report, report=msgspec.structs.replace(report.report, usage=usage)))
    await house.live(g.reopen("p1.a", "It is slow."), g.tick())
    house.at(200)
    await house.live(g.succeeded("p1.a", 3))
    proof = g.a_proof("p1.a")
    assert await house.ask(ask.ShowWork(BILLING, A)) == WorkView(
        goal=BILLING,
        work=A,
        title="Do a",
        objective="Make a work.",
        state=WorkState.IN_REVIEW,
        reason="p1.a is proved and waits to be accepted, with 1 finding to dispose of",
        template=TemplateName("change"),
        paths=("src/a",),
        dependencies=(),
        criteria=(
            CriterionVerdict(
                id=CriterionId("WC-1"),
                text="It works.",
                verdict=Verdict.SATISFIED,
                evidence=(Evidence(source="proof check", said="passed in 0s", digest=None),),
            ),
        ),
        attempts=(
            AttemptView(
                number=1,
                outcome=AttemptOutcome.FAILED,
                failure=FailureClass.PROOF,
                charged=True,
                started=g.T0,
                ended=g.later(60),
                commit=None,
                changed=("README.md",),
                detail="no luck; around the attempt: the hook pre-commit was put back",
                base=g.an_intent().base_commit,
                undeclared=("README.md",),
            ),
            _succeeded(2, started=60, ended=90),
            _succeeded(3, started=90, ended=200),
        ),
        open_findings=(FindingView(id="f1", text="It is slow."),),
        proof_digest=proof.digest(),
        integrated_commit=None,
        unknowns=(
            "attempt 1 did not report its tokens and cost",
            "attempt 2 did not report its cost",
            "attempt 3 did not report its tokens and cost",
        ),
        repository=g.an_intent().repository,
    )


def _succeeded(number: int, *, started: float, ended: float) -> AttemptView:
    return AttemptView(
        number=number,
        outcome=AttemptOutcome.SUCCEEDED,
        failure=None,
        charged=True,
        started=g.later(started),
        ended=g.later(ended),
        commit=g.commit("p1.a"),
        changed=("src/a/x.py",),
        detail="",
        base=g.an_intent().base_commit,
    )


async def test_of_an_attempt_that_runs_nothing_is_known(house: Shelf):
    await enrolled(house)
    view = await house.ask(ask.ShowWork(BILLING, A))
    (attempt,) = view.attempts
    assert (attempt.outcome, attempt.charged, attempt.ended) == (None, None, None)
    assert [(one.verdict, one.evidence) for one in view.criteria] == [(Verdict.UNKNOWN, ())]
    assert (view.proof_digest, view.unknowns) == (None, ())


async def test_an_attempt_without_agents_owes_no_report_of_tokens(house: Shelf):
    await enrolled(house, templates=(g.a_template(agents=0),))
    await house.live(g.succeeded("p1.a", calls=0))
    assert (await house.ask(ask.ShowWork(BILLING, A))).unknowns == ()


@pytest.mark.parametrize(
    ("verdict", "said"), [(Verdict.UNSATISFIED, "failed with exit code 2 in 3s"), (Verdict.UNKNOWN, "not known: cut")]
)
async def test_what_a_proof_found_is_said_for_each_criterion(house: Shelf, verdict, said):
    proof = g.a_proof("p1.a", verdict=verdict)
    (entry,) = proof.evidence
    entry = msgspec.structs.replace(entry, ran=Micros(3_000_000), exit_code=2, detail="cut")
    await enrolled(house)
    await house.live(g.succeeded("p1.a", proof=msgspec.structs.replace(proof, evidence=(entry,))))
    view = await house.ask(ask.ShowWork(BILLING, A))
    assert [(one.verdict, one.evidence[0].said) for one in view.criteria] == [(verdict, said)]
    assert ("proof check: cut" in view.unknowns) == (verdict is Verdict.UNKNOWN)
    assert view.proof_digest is None  # nothing that could be accepted


async def test_accepted_work_keeps_its_proof_and_gets_a_commit(house: Shelf):
    await enrolled(house)
    await house.live(g.succeeded("p1.a"), g.accept("p1.a"), g.tick(), g.proved("p1.a"), g.moved("p1.a"))
    view = await house.ask(ask.ShowWork(BILLING, A))
    assert view.state is WorkState.SUCCEEDED
    assert view.proof_digest == g.a_proof("p1.a").digest()
    assert view.integrated_commit == g.commit("merged p1.a")


@pytest.mark.parametrize(
    "request_",
    [ask.ShowWork(BILLING, B), ask.ShowWorkLog(BILLING, B), ask.ShowWorkDiff(BILLING, B), ask.ShowWhy("billing/p1.b")],
    ids=lambda request: request.method,
)
async def test_work_that_is_not_there_is_refused(house: Shelf, request_):
    await enrolled(house)
    with pytest.raises(Rejected, match=r"^work.unknown: goal billing has no work p1\.b$"):
        await house.ask(request_)


# --- logs

STAGES = (
    PrepareStage("deps", ("make", "deps"), g.MINUTE),
    *g.a_template().stages,
    CommandStage("format", ("make", "format"), g.MINUTE),
)


def trace(stdout: str = "", stderr: str = "", **changes) -> Trace:
    plain = Trace(
        started=g.later(1),
        ended=g.later(2),
        ending=Ending.EXITED,
        exit_code=0,
        stdout=output_of(stdout.encode()),
        stderr=output_of(stderr.encode()),
    )
    return msgspec.structs.replace(plain, **changes)


async def logged(house: Shelf, traces: dict[str, Trace], attempt: int | None = None) -> WorkLog:
    template = msgspec.structs.replace(g.a_template(), stages=STAGES)
    await enrolled(house, templates=(template,))
    prefix = "goal/billing/work/p1.a/attempt/1"
    house.seen.traces = {EffectKey(f"{prefix}/{key}"): trace for key, trace in traces.items()}
    return await house.ask(ask.ShowWorkLog(BILLING, A, attempt))


async def test_what_ran_is_logged_in_order_each_under_its_title(house: Shelf):
    keys = (
        "integrated/check",
        "integrated/prepare/deps",
        "proof/check",
        "proof/prepare/deps",
        "stage/format",
        "stage/make-1",
    )
    log = await logged(house, {"stage/deps": trace("ok\n"), **{key: trace() for key in keys}})
    assert log.parts[0] == LogPart(
        effect=EffectKey("goal/billing/work/p1.a/attempt/1/stage/deps"),
        title="prepare deps",
        started=g.later(1),
        ended=g.later(2),
        outcome="exit code 0",
        head="ok\n",
        tail="",
        omitted_bytes=0,
        digest=output_of(b"ok\n").digest,
    )
    assert [part.title for part in log.parts[1:]] == [
        "agent make-1",
        "command format",
        "prepare deps on the clean checkout",
        "proof check",
        "prepare deps on the integrated tree",
        "proof check on the integrated tree",
    ]


async def test_standard_error_is_a_part_of_its_own(house: Shelf):
    log = await logged(house, {"stage/make-1": trace("out", "err"), "stage/format": trace(stderr="only err")})
    assert [(part.title, part.head) for part in log.parts] == [
        ("agent make-1", "out"),
        ("agent make-1 (standard error)", "err"),
        ("command format (standard error)", "only err"),
    ]


async def test_of_a_long_output_head_and_tail_are_shown(house: Shelf):
    long = trace("a" * 8192 + "bbb" + "c" * 8192)
    (part,) = (await logged(house, {"stage/make-1": long})).parts
    assert (part.head, part.tail, part.omitted_bytes) == ("a" * 8192, "c" * 8192, 3)


@pytest.mark.parametrize(
    ("changes", "outcome"),
    [
        ({"exit_code": 3}, "exit code 3"),
        ({"exit_code": -9}, "ended by signal 9"),
        ({"ending": Ending.TIMED_OUT, "exit_code": None}, "ended: it ran out of time"),
        ({"ending": Ending.SILENT_AT_START, "exit_code": None}, "ended: it said nothing after its start"),
        ({"ending": Ending.STALLED, "exit_code": None}, "ended: it fell silent"),
        ({"ending": Ending.LOST, "exit_code": None, "ended": None}, "lost: the daemon died while it ran"),
        ({"ending": Ending.INTERRUPTED, "exit_code": None}, "interrupted by a stop"),
        ({"ending": Ending.NOT_STARTED, "exit_code": None, "detail": "no"}, "not started: no"),
        ({"ending": None, "exit_code": None, "ended": None}, "running"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_every_end_has_its_words(house: Shelf, changes, outcome):
    (part,) = (await logged(house, {"stage/make-1": trace("said", **changes)})).parts
    assert part.outcome == outcome
    assert (part.digest is None) == (outcome == "running")  # what will still grow has no digest


async def test_an_attempt_of_which_nothing_is_kept_has_no_parts(house: Shelf):
    assert await logged(house, {}) == WorkLog(goal=BILLING, work=A, attempt=1, parts=())


async def test_the_latest_attempt_is_meant_unless_one_is_named(house: Shelf):
    await enrolled(house)
    await house.live(g.failed("p1.a"), g.tick())
    assert (await house.ask(ask.ShowWorkLog(BILLING, A))).attempt == 2
    assert (await house.ask(ask.ShowWorkLog(BILLING, A, 1))).attempt == 1


@pytest.mark.parametrize(("work", "attempt"), [(A, 2), (B, None), (B, 1)])
async def test_an_attempt_that_was_not_made_is_refused(house: Shelf, work, attempt):
    await enrolled(house, g.draft("a"), g.draft("b", "a"))
    with pytest.raises(Refusal, match=r"^work.no_attempt: "):
        await house.ask(ask.ShowWorkLog(BILLING, work, attempt))


async def test_work_says_whether_it_can_go_on_where_it_stopped(house: Shelf):
    await enrolled(house)
    assert not (await house.ask(ask.ShowWork(BILLING, A))).resolvable
    await house.live(g.failed("p1.a", FailureClass.QUOTA))
    assert (await house.ask(ask.ShowWork(BILLING, A))).resolvable
