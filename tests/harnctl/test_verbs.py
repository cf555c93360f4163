"""Every verb that asks the daemon: what it sends, what it shows, and how it ends, as text and as JSON (case G15)."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

from harnctl.render.story import TELLERS, UNTOLD, told
from harnd.domain.goal.events import GoalEvent
from protocol import requests as ask
from protocol.decoding import write
from protocol.errors import Refusal
from protocol.ids import IDEMPOTENCY_KEY, CriterionId, Digest, GoalId, IdempotencyKey, WorkId, matches
from protocol.methods import METHODS
from protocol.values import SECOND, FailureClass, Instant, Micros, Unit
from protocol.views import CompletionEvidence, CriterionView, EventView
from tests.kit.scripted_daemon import golden

GOAL = GoalId("billing-export")
PARSER = WorkId("p1.parser")
PLAN = golden("plan.show").digest
PROOF = golden("work.show").proof_digest
ASKED: Digest = golden("approval.show").digest
HISTORIES = Path(__file__).parents[1] / "histories"
KEY = IdempotencyKey("any")


@dataclass(frozen=True)
class Verb:
    """One command line, what it asks for, and some of what a person must see."""

    line: str
    request: ask.Request[Any]
    shows: tuple[str, ...]

    @property
    def method(self) -> str:
        return self.request.method


VERBS = [
    Verb("goal list", ask.ListGoals(), ("billing-export  ! awaiting attention", "three crashes", "harnctl inbox")),
    Verb("goal show billing-export", ask.ShowGoal(GOAL), ("● running", "AC-2", "harnctl work accept billing-export")),
    Verb(
        "goal extend billing-export --attempts 10 --agent-calls 3 --ticks 5 --runtime 90m",
        ask.ExtendGoal(
            key=KEY,
            goal=GOAL,
            add={Unit.ATTEMPTS: 10, Unit.AGENT_CALLS: 3, Unit.TICKS: 5, Unit.ACTIVE_RUNTIME_US: 5_400_000_000},
        ),
        ("extended billing-export", "There may be 30 attempts in all now; 10 left.", "work is started next"),
    ),
    Verb("goal list --all", ask.ListGoals(archived=True), ("billing-export  ! awaiting attention",)),
    Verb(
        "goal pause billing-export --reason full",
        ask.PauseGoal(key=KEY, goal=GOAL, reason="full"),
        ("paused billing-export", "harnctl why billing-export"),
    ),
    Verb("goal pause billing-export", ask.PauseGoal(key=KEY, goal=GOAL), ("paused by ada: the disk is full",)),
    Verb("goal resume billing-export", ask.ResumeGoal(key=KEY, goal=GOAL), ("resumed billing-export",)),
    Verb(
        "goal reopen billing-export --finding one --finding two",
        ask.ReopenGoal(key=KEY, goal=GOAL, findings=("one", "two")),
        ("reopened billing-export p1.parser",),
    ),
    Verb(
        "goal reopen billing-export p1.parser --finding one",
        ask.ReopenGoal(key=KEY, goal=GOAL, findings=("one",), work=PARSER),
        ("reopened billing-export p1.parser",),
    ),
    Verb("goal archive billing-export --yes", ask.ArchiveGoal(key=KEY, goal=GOAL), ("archived billing-export",)),
    Verb(
        "goal cancel billing-export --reason done --yes",
        ask.CancelGoal(key=KEY, goal=GOAL, reason="done"),
        ("cancelled billing-export", "harnctl why billing-export"),
    ),
    Verb("plan list billing-export", ask.ListPlans(GOAL), ("1     ✓ applied", "harnctl plan show billing-export 2")),
    Verb(
        "plan show billing-export 1",
        ask.ShowPlan(GOAL, 1),
        ("! proposed", "Parsing first", "graph.cycle", f"harnctl plan approve billing-export 1 --digest {PLAN[:12]}"),
    ),
    Verb(
        f"plan approve billing-export 1 --digest {PLAN}",
        ask.ApprovePlan(key=KEY, goal=GOAL, plan=1, digest=PLAN),
        ("approved billing-export plan/1",),
    ),
    Verb(
        f"plan reject billing-export 1 --digest {PLAN} --guidance smaller",
        ask.RejectPlan(key=KEY, goal=GOAL, plan=1, digest=PLAN, guidance="smaller"),
        ("rejected billing-export",),
    ),
    Verb(
        "plan retry billing-export 1 --guidance again",
        ask.RetryPlan(key=KEY, goal=GOAL, plan=1, guidance="again"),
        ("asked again for billing-export",),
    ),
    Verb("work list billing-export", ask.ListWork(GOAL), ("! in review", "harnctl work show billing-export p1.parser")),
    Verb(
        "work show billing-export p1.parser",
        ask.ShowWork(GOAL, PARSER),
        (
            "✓ satisfied",
            "? unknown",
            "no test for empty input",
            f"--digest {PROOF[:12]}",
            "setup.cfg  (outside its declared paths)",
            "harnctl work diff billing-export p1.parser --attempt 1",
        ),
    ),
    Verb("work log billing-export p1.parser", ask.ShowWorkLog(GOAL, PARSER), ("FAILED", "70000 bytes left out")),
    Verb("work log billing-export p1.parser --attempt 2", ask.ShowWorkLog(GOAL, PARSER, 2), ("attempt 1",)),
    Verb(
        "work diff billing-export p1.parser",
        ask.ShowWorkDiff(GOAL, PARSER),
        (
            "billing-export/p1.parser attempt 1",
            "1 added, 1 removed in what is shown",
            "-def parse(text):",
            "70000 bytes more",
        ),
    ),
    Verb(
        "work diff billing-export p1.parser --attempt 2", ask.ShowWorkDiff(GOAL, PARSER, 2), ("+def parse(text: str):",)
    ),
    Verb(
        f"work accept billing-export p1.parser --digest {PROOF} --dispose f1=fixed --dispose f2=deferred:later",
        ask.AcceptWork(
            key=KEY, goal=GOAL, work=PARSER, digest=PROOF, dispositions={"f1": "fixed", "f2": "deferred: later"}
        ),
        ("accepted billing-export",),
    ),
    Verb(
        "work reopen billing-export p1.parser --finding one --finding two",
        ask.ReopenWork(key=KEY, goal=GOAL, work=PARSER, findings=("one", "two")),
        ("reopened billing-export",),
    ),
    Verb(
        "work retry billing-export p1.parser",
        ask.RetryWork(key=KEY, goal=GOAL, work=PARSER),
        ("tries again billing-export",),
    ),
    Verb(
        "work resolve billing-export p1.parser --note repaired",
        ask.ResolveWork(key=KEY, goal=GOAL, work=PARSER, note="repaired"),
        ("goes on billing-export",),
    ),
    Verb(
        "work cancel billing-export p1.parser --reason moot --yes",
        ask.CancelWork(key=KEY, goal=GOAL, work=PARSER, reason="moot"),
        ("cancelled billing-export",),
    ),
    Verb(
        "approval list",
        ask.ListApprovals(),
        (
            "billing-export  1",
            "! pending",
            "high",
            "Publish 2 rows",
            "could not be read: docs",
            "harnctl approval show",
        ),
    ),
    Verb(
        "approval list billing-export --all", ask.ListApprovals(GOAL, decided=True), ("billing-export  1", "! pending")
    ),
    Verb(
        "approval show billing-export 1",
        ask.ShowApproval(GOAL, 1),
        (
            "billing-export approval 1  ! pending",
            "stage release of attempt 1",
            "because nobody answered in time",
            "\nPublish 2 rows to the ledger?\nThe total is 12.50.\n",
            "src/export.py",
            f"harnctl approval approve billing-export 1 --digest {ASKED[:12]}",
            f"harnctl approval deny billing-export 1 --digest {ASKED[:12]}",
        ),
    ),
    Verb(
        f"approval approve billing-export 1 --digest {ASKED}",
        ask.GiveApproval(key=KEY, goal=GOAL, approval=1, digest=ASKED),
        ("approved billing-export", "running: p1.writer attempt 1"),
    ),
    Verb(
        f"approval deny billing-export 1 --digest {ASKED} --reason audit",
        ask.DenyApproval(key=KEY, goal=GOAL, approval=1, digest=ASKED, reason="audit"),
        ("denied billing-export", "p1.writer is blocked"),
    ),
    Verb("inbox", ask.ListInbox(), ("! billing-export p1.parser", "harnctl work accept billing-export p1.parser")),
    Verb(
        "why billing-export/p1.writer",
        ask.ShowWhy("billing-export/p1.writer"),
        (
            "p1.writer waits for p1.parser",
            "p1.parser failed (upstream)",
            "no: nobody pays for it",
            "by itself, until it was tried 3 times: 3 used",
            "goes on where it stopped",
            "harnctl work resolve billing-export p1.parser",
        ),
    ),
    Verb("why billing-export p1.writer", ask.ShowWhy("billing-export/p1.writer"), ("p1.writer waits for p1.parser",)),
    Verb(
        "budget billing-export",
        ask.ShowBudget(GOAL),
        (
            "3 of 100",
            "tokens  unknown",
            "$1.25",
            "$13.00 of $12.50  $0.00     -$0.50",
            "2 calls did not say how much: money is what is known.",
            "money           $2.50, more than is left",
            "tokens          unknown",
        ),
    ),
    Verb("events", ask.ListEvents(), ("41  ", "billing-export  plan 1 is applied: ")),
    Verb(
        "events --after 40 --limit 1 --goal billing-export",
        ask.ListEvents(after=40, limit=1, goal=GOAL),
        ("harnctl events --after 44 --goal billing-export",),
    ),
    Verb(
        "gc --dry-run",
        ask.ShowGc(),
        (
            "would clear away 5 things, 588 KiB",
            "p1.parser.2",
            "no repository at /srv/shop",
            "harnctl gc --older-than 14d",
        ),
    ),
    Verb(
        "gc --older-than 12h",
        ask.RunGc(key=KEY, older_than=Micros(12 * 3600 * SECOND)),
        ("cleared away 5 things", "2 refs", "unknown", "51200 MiB are free"),
    ),
    Verb("ps", ask.ListProcesses(), ("4711  billing-export  planning",)),
    Verb(
        "status",
        ask.ShowStatus(),
        ("● running  harnd 0.1.0  up 3m", "goal docs is parked", "socket    /", "harnctl inbox"),
    ),
    Verb("config show", ask.ShowConfig(), ("daemon.drain   90s", "daemon.state = /srv/harnd", "config check")),
    Verb(
        "config show --origin",
        ask.ShowConfig(),
        ("ORIGIN", "--drain", "file, line 4"),
    ),
]

every_verb = pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.line)


def without_key(request):
    return msgspec.structs.replace(request, key=KEY) if isinstance(request, ask.Change) else request


def test_work_that_would_clash_is_shown_with_the_paths_and_the_way_out(harnctl, daemon):
    daemon.answers("work.show", golden("work.show", would_clash=("src/ledger.py", "setup.cfg")), golden("work.show"))
    out = harnctl("work", "show", "billing-export", "p1.parser").out
    _, _, told = out.partition("would clash")
    assert [text for text in ("Reopen it", "  src/ledger.py", "  setup.cfg") if text not in told] == []
    assert "would clash" not in harnctl("work", "show", "billing-export", "p1.parser").out


def test_every_method_is_asked_by_some_verb():
    elsewhere = {"initialize", "goal.create", "plan.edit", "events.subscribe", "events.unsubscribe", "doctor.show"}
    assert {verb.method for verb in VERBS} == METHODS.keys() - elsewhere


@every_verb
def test_a_verb_asks_for_one_thing_and_shows_the_answer(verb, harnctl, daemon):
    ran = harnctl(*verb.line.split())
    assert (ran.code, ran.err) == (0, "")
    assert [without_key(request) for request in daemon.asked] == [verb.request]
    assert [text for text in verb.shows if text not in ran.out] == []


@every_verb
def test_as_json_the_answer_is_one_document(verb, harnctl, daemon):
    ran = harnctl(*verb.line.split(), "--json")
    assert (ran.code, ran.err) == (0, "")
    assert ran.document == json.loads(json.dumps({"schema": f"harnctl.{verb.method}/1", **write(golden(verb.method))}))


@every_verb
@pytest.mark.parametrize(("code", "exits"), [("goal.unknown", 4), ("plan.stale", 5), ("rule.of_its_own", 3)])
def test_a_refusal_is_said_with_its_code_and_way_out(verb, harnctl, daemon, code, exits):
    daemon.answers(verb.method, Refusal(code, "that is not so", fix="harnctl goal list"))
    ran = harnctl(*verb.line.split())
    assert (ran.code, ran.out) == (exits, "")
    assert ran.err == f"error: that is not so [{code}]\n  harnctl goal list\n"


@every_verb
def test_a_refusal_as_json_is_a_document_and_the_text_is_elsewhere(verb, harnctl, daemon):
    daemon.answers(verb.method, Refusal("goal.unknown", "no", details={"near": ["a"]}))
    ran = harnctl("--json", *verb.line.split())
    assert ran.code == 4
    assert ran.document == {
        "schema": "harnctl.error/1",
        "code": "goal.unknown",
        "message": "no",
        "fix": "",
        "exit": 4,
        "details": {"near": ["a"]},
    }
    assert ran.err == "error: no [goal.unknown]\n"


@pytest.mark.parametrize(
    "verb", [verb for verb in VERBS if verb.method != ask.ShowConfig.method], ids=lambda verb: verb.line
)
def test_without_a_daemon_every_verb_says_how_to_start_it(verb, harnctl):
    ran = harnctl(*verb.line.split())
    assert (ran.code, ran.out) == (6, "")
    assert "no daemon answers at" in ran.err
    assert ran.err.rstrip().endswith("harnd")
    assert harnctl(*verb.line.split(), "--json").document["code"] == "daemon.unreachable"


@every_verb
def test_every_change_carries_a_key_of_its_own(verb, harnctl, daemon):
    harnctl(*verb.line.split())
    harnctl(*verb.line.split())
    keys = [request.key for request in daemon.asked if isinstance(request, ask.Change)]
    assert all(matches(IDEMPOTENCY_KEY, key) for key in keys)
    assert len(set(keys)) == len(keys)


@every_verb
@pytest.mark.parametrize("columns", [7, 2, 1])
def test_a_screen_too_small_changes_nothing_but_the_look(verb, harnctl, daemon, columns):
    ran = harnctl(*verb.line.split(), columns=columns)
    assert (ran.code, ran.out.splitlines()[0]) == (0, "too small"[:columns])


@every_verb
def test_at_forty_columns_only_commands_and_logs_are_wider(verb, harnctl, daemon):
    ran = harnctl(*verb.line.split(), columns=40)
    assert [
        line
        for line in ran.out.splitlines()
        if len(line) > 40 and not line.startswith(("  harnctl ", "  git ", "diff "))
    ] == []


def test_a_shown_command_reaches_the_daemon_that_was_named(harnctl, daemon):
    ran = harnctl("goal", "list", "--state", "/srv/my state", "--socket", str(daemon.path), HARND_SOCKET="/nowhere")
    assert f"  harnctl --state '/srv/my state' --socket {daemon.path} inbox\n" in ran.out


def test_the_daemon_that_is_to_be_started_is_the_one_that_was_named(harnctl):
    ran = harnctl("goal", "list", "--state", "/srv/s", "--socket", "/srv/no.sock")
    assert ran.err.endswith("harnd --state /srv/s --socket /srv/no.sock\n")


def test_a_socket_alone_does_not_say_which_daemon_to_start(harnctl):
    ran = harnctl("goal", "list", "--socket", "/srv/no.sock")
    assert ran.err.endswith("try: start the daemon of this socket; its state directory is not known here\n")


def test_a_daemon_that_drains_is_shown_as_that(harnctl, daemon):
    daemon.answers("status.show", golden("status.show", draining=True))
    assert harnctl("status").out.startswith("● draining  harnd 0.1.0  up 3m\n")
    assert harnctl("status", "--json").document["draining"] is True


def test_nothing_is_said_when_there_is_nothing(harnctl, daemon):
    daemon.answers("goal.list", golden("goal.list", goals=()))
    daemon.answers("inbox.list", golden("inbox.list", items=()))
    daemon.answers("ps.list", golden("ps.list", processes=()))
    daemon.answers("events.list", golden("events.list", events=(), next_after=0))
    daemon.answers("plan.list", golden("plan.list", plans=()))
    daemon.answers("work.list", golden("work.list", work=()))
    assert [harnctl(*line.split()).out.splitlines()[0] for line in ("goal list", "inbox", "ps", "events")] == [
        "There is no goal yet.",
        "Nothing waits for you.",
        "Nothing runs.",
        "Nothing happened since.",
    ]
    assert harnctl("plan", "list", "docs").out.startswith("billing-export has no plan yet.\n")
    assert harnctl("work", "list", "docs").out.startswith("billing-export has no work yet.\n")


def test_what_a_model_wrote_does_nothing_in_text_and_in_json(harnctl, daemon):
    daemon.answers("plan.show", golden("plan.show", rationale="\x1b]52;c;eA==\x07 \x9b2J \u202e \x7f [/INST] [bold"))
    text, document = harnctl("plan", "show", "a", "1").out, harnctl("plan", "show", "a", "1", "--json").out
    assert r"\x1b]52;c;eA==\x07 \x9b2J \u202e \x7f [/INST] [bold" in text
    assert document.rstrip("\n").isprintable()
    assert document.isascii()
    assert json.loads(document)["rationale"] == "\x1b]52;c;eA==\x07 \x9b2J \u202e \x7f [/INST] [bold"


def test_what_failed_keeps_the_names_it_was_given(harnctl, daemon):
    failed = golden("plan.show", failure=FailureClass.STALLED, detail="my_agent.py: no such_file")
    daemon.answers("plan.show", failed)
    assert "stalled: my_agent.py: no such_file\n" in harnctl("plan", "show", "a", "1").out


def test_every_item_of_a_plan_and_every_problem_of_its_replies_is_shown(harnctl, daemon):
    """A person could read how many items there were, and how many objections, and none of them."""
    plan = golden("plan.show")
    texts = [text for item in plan.items for text in (item.key, item.title, item.objective, item.acceptance[0].text)]
    texts += [problem.message for problem in plan.problems]
    shown = harnctl("plan", "show", "a", "1").out
    assert [text for text in texts if text not in shown] == []
    document = json.loads(harnctl("plan", "show", "a", "1", "--json").out)
    assert document["items"] == json.loads(msgspec.json.encode(plan.items))
    assert document["problems"] == json.loads(msgspec.json.encode(plan.problems))


def test_a_claim_stands_below_the_criterion_that_it_is_about(harnctl, daemon):
    claim = CompletionEvidence(criterion=CriterionId("AC-1"), text="It runs.", note="I saw it.", references=("p1.a",))
    invariant = CriterionView(CriterionId("INV-1"), "No name is removed.")
    daemon.answers("plan.show", golden("plan.show", completion=(claim,), invariants=(invariant,)))
    shown = harnctl("plan", "show", "a", "1").out
    assert "  AC-1: It runs.\n    claimed: I saw it.\n      p1.a\n" in shown
    assert "  INV-1  No name is removed.\n" in shown


def test_a_page_of_events_ends_with_the_command_for_the_next_when_there_may_be_one(harnctl, daemon):
    assert "harnctl" not in harnctl("events", "--after", "40").out
    assert "\n\n  harnctl events --after 44\n" in harnctl("events", "--after", "40", "--limit", "1").out


def test_a_step_on_the_way_is_told_to_programs_only(harnctl, daemon):
    (event,) = golden("events.list").events
    ticked = msgspec.structs.replace(event, tag="goal.ticked/1", body={})
    daemon.answers("events.list", golden("events.list", events=(ticked,)))
    assert harnctl("events").out == ""
    assert harnctl("events", "--json").document["events"][0]["tag"] == "goal.ticked/1"


@pytest.mark.parametrize(("tag", "body"), [("goal.sung/3", {}), ("plan.rejected/1", {"unreadable": "x"})])
def test_an_event_that_cannot_be_put_into_words_is_told_by_its_name(harnctl, daemon, tag, body):
    (event,) = golden("events.list").events
    daemon.answers("events.list", golden("events.list", events=(msgspec.structs.replace(event, tag=tag, body=body),)))
    assert harnctl("events").out.endswith(f"  billing-export  {tag}\n")


@pytest.mark.parametrize(
    ("added", "said"),
    [
        ({"attempts": 10}, "ada lets the goal spend 10 more attempts"),
        ({"agent_calls": 1}, "ada lets the goal spend 1 more agent call"),
        (
            {"ticks": 5, "active_runtime_us": 5_400_000_000},
            "ada lets the goal spend 5 more ticks and 1h 30m more of active runtime",
        ),
    ],
)
def test_an_extension_is_told_by_what_it_adds(added, said):
    (event,) = golden("events.list").events
    assert told(msgspec.structs.replace(event, tag="budget.extended/1", body={"added": added, "by": "ada"})) == said


def test_every_event_there_is_has_a_sentence_or_none_on_purpose():
    tags = {str(event.__struct_config__.tag) for event in get_args(GoalEvent)}
    assert TELLERS.keys() | UNTOLD == tags
    assert TELLERS.keys() & UNTOLD == set()


@pytest.mark.parametrize("history", sorted(HISTORIES.glob("*.jsonl")), ids=lambda path: path.stem)
def test_every_event_of_a_saved_history_is_told_in_words(history):
    for number, line in enumerate(history.read_text(encoding="utf-8").splitlines()):
        body = json.loads(line)
        body = body.get("body", body)
        tag = body.get("type")
        if tag is None:
            continue
        event = EventView(seq=number, goal=GOAL, version=number, at=Instant(0), tag=tag, body=body)
        assert told(event) != tag
