"""Reading a goal whose files are right: the value that they state, completed by defaults."""

import msgspec
import pytest

from harnd.domain.digest import digest_of_bytes
from harnd.domain.files.goal_file import GoalFile
from harnd.domain.goal.candidate import WorkDraft
from harnd.domain.goal.intent import Automation, Criterion, Intent, Limits, Mission, Parent, Replanning, Specialist
from harnd.domain.goal.template import (
    AgentStage,
    ApproveStage,
    CommandStage,
    ParallelStage,
    PrepareStage,
    ProofCommand,
    Template,
)
from protocol.ids import CommitId, CriterionId, Digest, GoalId, HarnessName, SpecialistName, TemplateName, WorkKey
from protocol.values import SECOND, Micros, Risk
from tests.kit.goal_files import CHANGE, GOAL, HEAD, OWN_WORK, TEAM, goal_files, read

COMMIT = CommitId("a" * 40)


def lasting(seconds: int) -> Micros:
    return Micros(seconds * SECOND)


def member(name: str, *argv: str) -> Specialist:
    return Specialist(
        name=SpecialistName(name),
        harness=HarnessName("command"),
        timeout=lasting(1_800),
        startup_silence=lasting(120),
        silence=lasting(600),
        max_turns=25,
        schema_attempts=2,
        options=(("argv", argv),),
    )


MISSION = Mission(
    objective="Bills can be exported.",
    acceptance=(
        Criterion(CriterionId("AC-1"), "The tests pass."),
        Criterion(CriterionId("AC-2"), "A bill is a line."),
    ),
    max_milestones=4,
)
SMALL = GoalFile(
    goal=GoalId("billing-export"),
    title="Export the billing",
    repository=".",
    base_ref=None,
    limits=Limits(
        attempts=100,
        agent_calls=500,
        answers_per_work=20,
        parallel_work=1,
        agent_concurrency=4,
        active_runtime=lasting(86_400),
        ticks=5_000,
    ),
    team=(member("builder", "build", "{prompt_file}"), member("planner", "plan")),
    templates=(
        Template(
            name=TemplateName("change"),
            purpose="Change the code.",
            digest=digest_of_bytes(CHANGE.encode()),
            max_attempts=3,
            root=True,
            stages=(AgentStage(name="build", specialist=SpecialistName("builder"), prompt="{{ work.title }}"),),
            proofs=(ProofCommand(name="tests", argv=("make", "test"), timeout=lasting(600)),),
        ),
    ),
    mission=MISSION,
    replanning=Replanning(planner=SpecialistName("planner"), max_replans=5, work_per_plan=8, planned_work=25),
)


def test_a_small_goal_is_completed_by_defaults():
    assert read(goal_files()) == SMALL


@pytest.mark.parametrize(
    ("text", "switches"),
    [
        ("accept_passing_proof = true", Automation(accept_passing_proof=True)),
        ("retry_blocked = true", Automation(retry_blocked=True)),
        ("resume_approved = false", Automation(resume_approved=False)),
        ("accept_passing_proof = false\nretry_blocked = false\nresume_approved = true", None),
        ("", None),
    ],
)
def test_a_switch_is_frozen_where_it_is_not_as_it_would_be_anyway(text, switches):
    assert read(goal_files(goal=f"{GOAL}\n[automation]\n{text}\n")).automation == switches


def test_an_intent_adds_what_only_the_daemon_knows():
    intent = read(goal_files()).intent(repository="/home/me/billing", base_commit=COMMIT)

    parts = {field: getattr(SMALL, field) for field in SMALL.__struct_fields__}
    changed = {"repository": "/home/me/billing", "base_ref": "HEAD", "base_commit": COMMIT}
    assert intent == Intent(**{**parts, **changed})


def test_everything_can_be_said():
    goal = (
        'repository = "../billing"\nbase = "release/2"\nlabels = ["money", "2024"]\n'
        + GOAL.replace(
            'planner = "planner"', 'planner = "planner"\nmax_replans = 100\nwork_per_plan = 25\nplanned_work = 100'
        )
        + "auto_apply = true\n"
        + "[limits]\nattempts = 1\nagent_calls = 2\nanswers_per_work = 3\nparallel_work = 4\nagent_concurrency = 5\n"
        + 'active_runtime = "30d"\nticks = 7\n'
        + "[automation]\naccept_passing_proof = false\nresume_approved = true\nretry_blocked = false\n"
    ).replace(
        "[replanning]", 'invariants = ["Nothing is lost."]\nnon_goals = [" Speed. "]\nmax_milestones = 20\n[replanning]'
    )
    team = TEAM + (
        'model = "large"\neffort = "high"\ninstructions = """\nBe brief.\n"""\ntimeout = 60\nstartup_silence = "5s"\n'
        'silence = "1m"\nmax_turns = 3\nschema_attempts = 4\nquiet = true\n'
    )

    found = read(goal_files(goal=goal, team=team))

    builder = msgspec.structs.replace(
        member("builder", "build", "{prompt_file}"),
        model="large",
        effort="high",
        instructions="Be brief.",
        timeout=lasting(60),
        startup_silence=lasting(5),
        silence=lasting(60),
        max_turns=3,
        schema_attempts=4,
        options=(("argv", ("build", "{prompt_file}")), ("quiet", "true")),
    )
    assert found == msgspec.structs.replace(
        SMALL,
        repository="../billing",
        base_ref="release/2",
        labels=("money", "2024"),
        limits=Limits(
            attempts=1,
            agent_calls=2,
            answers_per_work=3,
            parallel_work=4,
            agent_concurrency=5,
            active_runtime=lasting(30 * 86_400),
            ticks=7,
        ),
        team=(builder, member("planner", "plan")),
        mission=msgspec.structs.replace(
            MISSION,
            invariants=(Criterion(CriterionId("INV-1"), "Nothing is lost."),),
            non_goals=(Criterion(CriterionId("NG-1"), "Speed."),),
            max_milestones=20,
        ),
        replanning=Replanning(
            SpecialistName("planner"), max_replans=100, work_per_plan=25, planned_work=100, auto_apply=True
        ),
    )


def test_a_graph_of_ones_own_is_read_in_the_words_of_a_plan():
    found = read(goal_files(goal=HEAD + OWN_WORK))

    assert (found.mission, found.replanning) == (None, None)
    assert found.graph == (
        WorkDraft(
            key=WorkKey("lines"),
            title="Write bills as lines",
            objective="A bill can be written as a line.",
            acceptance=("The tests pass.",),
            dependencies=(),
            template=TemplateName("change"),
            paths=("src/lines",),
        ),
        WorkDraft(
            key=WorkKey("export"),
            title="Export bills",
            objective="Bills can be exported.",
            acceptance=("The tests pass.", "A bill is a line."),
            dependencies=("lines",),
            template=TemplateName("change"),
            paths=(),
        ),
    )


def test_a_mission_may_be_built_around_a_graph_of_ones_own():
    assert read(goal_files(goal=GOAL + OWN_WORK)) == msgspec.structs.replace(
        SMALL, graph=read(goal_files(goal=HEAD + OWN_WORK)).graph
    )


def test_a_planner_without_a_mission_is_one_for_what_goes_wrong():
    found = read(goal_files(goal=HEAD + '[replanning]\nplanner = "planner"\n' + OWN_WORK))
    assert (found.mission, found.replanning) == (None, SMALL.replanning)


def test_stages_of_every_kind_are_read():
    change = """\
name = "change"
purpose = "Change."
root = true
max_attempts = 5
stages = [
  { kind = "prepare", name = "modules", argv = ["make", "modules"], timeout = "1h", files = ["go.mod"] },
  { kind = "command", name = "list", argv = ["ls", "{{ work.id }}"], output = "files" },
  { kind = "parallel", name = "both", stages = [
    { kind = "agent", name = "code", specialist = "builder", prompt = "{{ outputs.files }}", inputs = ["files"] },
    { kind = "command", name = "format", argv = ["fmt"] },
  ] },
  { kind = "approve", name = "look", question = "Is {{ outputs.files }} all?" },
  { kind = "approve", name = "ship", question = "Ship it?", risk = "critical" },
]
proofs = [{ name = "tests", argv = ["make", "test"], timeout = 5, proves = ["WC-1", "WC-50"] }]
"""

    assert read(goal_files(change=change)).templates == (
        Template(
            name=TemplateName("change"),
            purpose="Change.",
            digest=digest_of_bytes(change.encode()),
            max_attempts=5,
            root=True,
            stages=(
                PrepareStage("modules", ("make", "modules"), lasting(3_600), files=("go.mod",)),
                CommandStage("list", ("ls", "{{ work.id }}"), lasting(600), output="files"),
                ParallelStage(
                    "both",
                    (
                        AgentStage("code", SpecialistName("builder"), "{{ outputs.files }}", inputs=("files",)),
                        CommandStage("format", ("fmt",), lasting(600)),
                    ),
                ),
                ApproveStage("look", "Is {{ outputs.files }} all?", Risk.MEDIUM),
                ApproveStage("ship", "Ship it?", Risk.CRITICAL),
            ),
            proofs=(ProofCommand("tests", ("make", "test"), lasting(5), proves=("WC-1", "WC-50")),),
        ),
    )


def test_a_goal_starts_from_its_parents_branch_unless_the_file_says_otherwise():
    parent = Parent(goal=GoalId("before"), intent=Digest("cd" * 32), head=COMMIT)
    said = read(goal_files(goal='parent = "before"\n' + GOAL))
    assert said.parent == "before"
    assert said.start(parent) == ("harn/before", COMMIT)
    assert said.intent(repository="/r", base_commit=COMMIT, parent=parent).parent == parent
    assert read(goal_files(goal='base = "v1"\n' + GOAL)).start(parent) == ("v1", "v1")
    assert read(goal_files()).start(None) == ("HEAD", "HEAD")


def test_a_byte_order_mark_says_nothing():
    marked = {name: b"\xef\xbb\xbf" + content for name, content in goal_files().items()}
    plain = read(goal_files())
    assert msgspec.structs.replace(read(marked), templates=()) == msgspec.structs.replace(plain, templates=())
