"""Whatever is asked in whatever order, the store answers as a few dictionaries would."""

from contextlib import closing

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from harnd.adapters.store import memory, rows
from harnd.adapters.store.append import append
from harnd.adapters.store.chain import verify
from harnd.adapters.store.leases import acquire, release, renew, usurp
from harnd.adapters.store.reads import read
from harnd.ports.errors import ConflictError, FencedError, LeaseHeldError
from harnd.ports.store import Lease
from protocol.ids import GoalId, InstanceId
from protocol.values import Instant, Micros
from tests.kit.stores import change, fact

GOALS = st.sampled_from([GoalId("a"), GoalId("b")])
HOLDERS = st.sampled_from([InstanceId("x"), InstanceId("y")])
TTL = Micros(10)


class LeasedStreams(RuleBasedStateMachine):
    """Two goals, two daemons, and a clock that also goes backwards."""

    def __init__(self) -> None:
        super().__init__()
        self.conn = memory()
        self.now = Instant(100)
        self.current: dict[GoalId, Lease] = {}
        self.granted: list[Lease] = []
        self.versions: dict[GoalId, int] = {}

    def teardown(self) -> None:
        with closing(self.conn):
            assert verify(self.conn) is None

    def is_current(self, lease: Lease) -> bool:
        current = self.current.get(lease.stream)
        return current is not None and current.fence == lease.fence

    @rule(step=st.integers(-5, 15))
    def time_passes(self, step: int) -> None:
        self.now = Instant(self.now + step)

    @rule(goal=GOALS, holder=HOLDERS)
    def somebody_acquires(self, goal: GoalId, holder: InstanceId) -> None:
        held = self.current.get(goal)
        if held is not None and held.holder != holder and self.now < held.expires_at:
            with pytest.raises(LeaseHeldError):
                acquire(self.conn, goal, holder, now=self.now, ttl=TTL)
            return
        lease = acquire(self.conn, goal, holder, now=self.now, ttl=TTL)
        assert lease.fence == 1 + max((old.fence for old in self.granted if old.stream == goal), default=0)
        self.granted.append(lease)
        self.current[goal] = lease

    @rule(choice=st.data())
    def somebody_appends_under_a_grant_of_any_age(self, choice: st.DataObject) -> None:
        if not self.granted:
            return
        lease = choice.draw(st.sampled_from(self.granted))
        at = self.versions.get(lease.stream, 0)
        expected = choice.draw(st.sampled_from([at, at, at, at + 1, max(at - 1, 0)]))
        asked = change(lease.stream, expected=expected, fence=lease.fence, facts=(fact(1), fact(2)))
        if not self.is_current(lease) or expected != at:
            with pytest.raises(ConflictError if self.is_current(lease) else FencedError):
                append(self.conn, asked)
            return
        append(self.conn, asked)
        self.versions[lease.stream] = at + 2

    @rule(choice=st.data())
    def somebody_releases_a_grant_of_any_age(self, choice: st.DataObject) -> None:
        if self.granted:
            lease = choice.draw(st.sampled_from(self.granted))
            release(self.conn, lease)
            if self.is_current(lease):
                del self.current[lease.stream]

    @rule()
    def everybody_renews_every_grant(self) -> None:
        for lease in self.granted:
            lost = renew(self.conn, (lease,), now=self.now, ttl=TTL)
            assert lost == (frozenset() if self.is_current(lease) else {lease.stream})
        for goal, lease in self.current.items():
            self.current[goal] = Lease(goal, lease.holder, lease.fence, Instant(self.now + TTL))

    @rule(holder=HOLDERS)
    def somebody_usurps(self, holder: InstanceId) -> None:
        others = [goal for goal, lease in self.current.items() if lease.holder != holder]
        assert usurp(self.conn, holder) == len(others)
        for goal in others:
            del self.current[goal]

    @invariant()
    def streams_and_rows_have_come_as_far_as_was_acknowledged(self) -> None:
        assert {row.goal: row.version for row in rows.goals(self.conn)} == self.versions
        for goal, version in self.versions.items():
            assert [event.version for event in read(self.conn, goal, after=0)] == list(range(1, version + 1))


test_leased_streams = LeasedStreams.TestCase
test_leased_streams.settings = settings(max_examples=30, stateful_step_count=30, deadline=None)
