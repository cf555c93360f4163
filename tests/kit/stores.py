"""Builders for what goes into a store; each names only what matters to the test that asks."""

from harnd.ports.store import Append, Fact, GoalRow, InboxRow, Once, Rows
from protocol.ids import Digest, GoalId, IdempotencyKey, InstanceId
from protocol.values import SECOND, Instant, Micros

BILLING = GoalId("billing")
SEARCH = GoalId("search")
ME = InstanceId("me")
OTHER = InstanceId("other")
TTL = Micros(30 * SECOND)


class SetClock:
    """A clock that shows what it was set to."""

    def __init__(self, at: int = 1_000 * SECOND) -> None:
        self.at = at

    def now(self) -> Instant:
        return Instant(self.at)

    async def sleep_until(self, at: Instant) -> None:
        raise AssertionError(f"nobody sleeps here, least of all until {at}")


def fact(n: int = 1) -> Fact:
    return Fact("thing.happened/1", b'{"n":%d}' % n)


def goal_row(
    goal: GoalId = BILLING, *, title: str = "Export", due: bool = False, wake_at: int | None = None, since: int = 1
) -> GoalRow:
    return GoalRow(
        goal=goal,
        title=title,
        phase="ready",
        next_action="run",
        reason="work is ready",
        since=Instant(since),
        due=due,
        wake_at=None if wake_at is None else Instant(wake_at),
    )


def inbox_row(goal: GoalId = BILLING, *, subject: str = "plan/1", since: int = 1) -> InboxRow:
    return InboxRow(goal, "plan", subject, "a plan waits", Instant(since), Digest("ab" * 32))


def change(
    stream: GoalId = BILLING,
    *,
    expected: int = 0,
    fence: int = 1,
    at: int = 7,
    facts: tuple[Fact, ...] = (fact(),),
    row: GoalRow | None = None,
    inbox: tuple[InboxRow, ...] = (),
    once: Once | None = None,
) -> Append:
    rows = Rows(row or goal_row(stream), inbox)
    return Append(stream, expected, fence, Instant(at), facts, rows, once)


def once(key: str = "k1", *, payload: str = "aa" * 32, answer: bytes = b'{"ok":true}') -> Once:
    return Once(IdempotencyKey(key), Digest(payload), answer)
