"""A real daemon in a bad world: a full disk, damaged texts, a goal it cannot read, repeated requests, foreign hands."""

import hashlib
import resource
import sys

import pytest

from harnctl.client import Refused, new_key
from harnd.adapters.process.environment import SESSION
from harnd.daemon.principal import MARK
from protocol.ids import Digest
from protocol.requests import ApprovePlan, CancelGoal, ListGoals, ResolveWork, RetryWork, ShowPlan, ShowWork
from protocol.values import FailureClass, Phase, PlanStatus, WorkState
from tests.kit.daemons import BILLING, MAKER, ROOT, WORK, approve, carry, follow

pytestmark = pytest.mark.timeout(120)  # some seconds each, and many more on a machine that is busy

NOTHING = Digest(hashlib.sha256(b"").hexdigest())  # what a proof command that prints nothing leaves behind


def limit_files(pid: int, size: int) -> None:
    """Let no write of a process go past this size, as a full disk would not."""
    _, hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, hard))


# --- the disk


def test_a_full_disk_refuses_a_change_loses_nothing_and_goes_on_when_there_is_room(home):
    daemon = home.start()
    home.create()
    with home.client() as client:
        follow(client, "plan.proposed")
        digest = client.ask(ShowPlan(BILLING, 1)).digest
        assert digest is not None
        request = ApprovePlan(key=new_key(), goal=BILLING, plan=1, digest=digest)
        before = home.stored()

        limit_files(daemon.pid, 0)
        with pytest.raises(Refused) as refused:
            client.ask(request)
        assert refused.value.code == "store.unavailable"
        assert home.stored() == before
        assert client.ask(ShowPlan(BILLING, 1)).status is PlanStatus.PROPOSED

        limit_files(daemon.pid, resource.RLIM_INFINITY)
        assert client.ask(request).subject == "plan/1"
        assert carry(client).phase is Phase.SUCCEEDED


def test_a_text_that_was_damaged_blocks_its_item_with_the_reason_and_no_other(home):
    once = "[[rule]]\nwhen = 'Item p1.change of goal billing, attempt 1'\n"
    home.agents(f"{once}do = [{{ write = 'billing.txt', text = '' }}]\nanswer = 'Done.'\n{MAKER}")
    change = (home.root / "goal" / "change.toml").read_text()
    home.write("goal/change.toml", f"max_attempts = 1\n{change}")
    home.start()
    home.create()
    with home.client() as client:
        approve(client)
        follow(client, "attempt.ended", attempt=1, failure="proof")
        blob = home.state / "blobs" / NOTHING[:2] / NOTHING[2:]
        blob.write_bytes(b"not what was put")

        client.ask(RetryWork(key=new_key(), goal=BILLING, work=WORK))
        parked = follow(client, "attempt.parked", attempt=2)
        view = client.ask(ShowWork(BILLING, WORK))

        assert parked.body["failure"] == FailureClass.ENVIRONMENT
        assert parked.body["detail"] == f"blob {NOTHING} holds other bytes than were put (16 of them)"
        assert (view.state, NOTHING in view.reason) == (WorkState.BLOCKED, True)
        home.create("search")
        assert carry(client, "search").phase is Phase.SUCCEEDED

        blob.write_bytes(b"")
        client.ask(ResolveWork(key=new_key(), goal=BILLING, work=WORK))
        assert carry(client).phase is Phase.SUCCEEDED


def test_a_goal_that_cannot_be_read_parks_itself_while_another_comes_to_its_end(home):
    first = home.start()
    for goal in ("billing", "search"):
        home.create(goal)
        with home.client() as client:
            follow(client, "plan.proposed", goal=goal)
    first.stop()
    home.poison("billing")

    daemon = home.start()
    with home.client() as client:
        assert carry(client, "search").phase is Phase.SUCCEEDED
        daemon.wait_until("event=goal.parked", "goal=billing")
        rows = {row.goal: row.parked for row in client.ask(ListGoals()).goals}
        with pytest.raises(Refused) as refused:
            client.ask(ApprovePlan(key=new_key(), goal=BILLING, plan=1, digest=NOTHING))

    reason = rows["billing"]
    assert reason is not None
    assert reason.startswith("UnreadableEventError: ")
    assert (rows["search"], refused.value.code) == (None, "goal.unreadable")


# --- requests


def test_a_request_is_answered_the_same_way_by_the_next_daemon_and_another_under_its_key_is_refused(home):
    daemon = home.start()
    request = home.enrolment()
    with home.client() as client:
        created = client.ask(request)
    daemon.stop()
    home.start()

    with home.client() as client:
        assert client.ask(request) == created
        with pytest.raises(Refused) as refused:
            client.ask(home.enrolment(key=request.key, title="Another title"))

    assert refused.value.code == "key.reused"
    assert [event for event in home.stored() if event[1] == "goal.created/1"] == [(BILLING, "goal.created/1")]


def test_a_goal_that_is_there_is_not_created_again_and_one_that_ended_is_refused(home):
    home.start()
    assert home.create().created is True
    assert home.create().created is False
    with home.client() as client:
        client.ask(CancelGoal(key=new_key(), goal=BILLING, reason="moot"))
        with pytest.raises(Refused) as refused:
            client.ask(home.enrolment())
        with pytest.raises(Refused) as other:
            client.ask(home.enrolment(title="Another title"))
    assert (refused.value.code, refused.value.fix) == ("goal.ended", "choose another goal id")
    assert other.value.code == "goal.exists"


# --- foreign hands


def test_a_daemon_started_from_within_another_repository_touches_nothing_there(home):
    other = home.root / "other"
    other.mkdir()
    for words in (("init", "--quiet", "--initial-branch=main"), ("commit", "--quiet", "--allow-empty", "-m", "theirs")):
        home.git(*words, at=other)
    (other / "theirs.txt").write_text("half done")
    home.git("add", "theirs.txt", at=other)

    def everything() -> dict[str, bytes]:
        return {str(path.relative_to(other)): path.read_bytes() for path in other.rglob("*") if path.is_file()}

    before = everything()
    index = str(other / ".git" / "index")
    home.start(environ={"GIT_DIR": str(other / ".git"), "GIT_INDEX_FILE": index, "GIT_WORK_TREE": str(other)})
    home.create()
    with home.client() as client:
        assert carry(client).phase is Phase.SUCCEEDED

    assert everything() == before
    assert home.git("show", "harn/billing:billing.txt") == "changed"


def test_the_mark_of_a_session_is_the_one_that_peers_are_known_by():
    assert MARK == SESSION


def test_an_agent_that_would_approve_a_plan_is_refused(home):
    """An agent of one goal runs harnctl as a person would, on the plan of another goal."""
    home.start()
    home.create()
    with home.client() as client:
        follow(client, "plan.proposed")
        digest = client.ask(ShowPlan(BILLING, 1)).digest
        words = f"--socket {home.socket} --json plan approve billing 1 --digest {digest} --yes"
        agent = home.write(
            "agent.sh",
            f"cd {ROOT} && {sys.executable} -m harnctl {words} >{home.root}/said 2>&1\n"
            f"echo $? >{home.root}/code\ncd - && echo changed >search.txt\n",
        )
        team = home.root / "goal" / "team.toml"
        planner = team.read_text().partition("[maker]")[0]
        team.write_text(f'{planner}[maker]\nharness = "command"\nargv = ["sh", "{agent}"]\n')
        home.create("search")
        approve(client, goal="search")
        follow(client, "attempt.ended", goal="search")

        assert '"principal.agent"' in (home.root / "said").read_text()
        assert (home.root / "code").read_text() == "3\n"
        assert client.ask(ShowPlan(BILLING, 1)).status is PlanStatus.PROPOSED
        approve(client)  # as its operator may
