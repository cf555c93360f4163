"""Supervision: how often a failed actor is started again, to the microsecond."""

import pytest

from harnd.actors.supervision import RESTARTS, WINDOW_S, RestartBudget, pause
from protocol.values import SECOND, Instant

T0 = Instant(1_000 * SECOND)
WINDOW = WINDOW_S * SECOND


def spent(*instants: int) -> RestartBudget:
    """A budget of which this many restarts are gone."""
    budget = RestartBudget()
    for at in instants:
        assert budget.failed(Instant(at)) is not None
    return budget


def test_each_failure_in_a_row_is_waited_for_twice_as_long():
    budget = RestartBudget()

    again = [budget.failed(T0) for _ in range(RESTARTS)]

    assert again == [T0 + pause_us for pause_us in (200_000, 400_000, 800_000, 1_600_000, 3_200_000)]


def test_one_failure_more_than_the_budget_is_one_too_many():
    budget = spent(*[T0] * RESTARTS)
    assert repr(budget) == "<RestartBudget failures=5 of 5>"

    assert budget.failed(T0) is None


def test_it_stays_spent_within_the_window():
    budget = spent(*[T0] * RESTARTS)
    budget.failed(T0)

    assert budget.failed(Instant(T0 + WINDOW - 1)) is None


def test_a_failure_is_forgotten_when_the_window_has_passed_and_not_a_microsecond_before():
    last_moment, forgotten = Instant(T0 + WINDOW - 1), Instant(T0 + WINDOW)

    assert spent(*[T0] * RESTARTS).failed(last_moment) is None
    assert spent(*[T0] * RESTARTS).failed(forgotten) == forgotten + 200_000


def test_a_failure_once_in_a_window_is_never_held_against_an_actor():
    budget = RestartBudget()

    for time in range(100):
        at = Instant(T0 + time * WINDOW)
        assert budget.failed(at) == at + 200_000


@pytest.mark.parametrize(
    ("failures", "seconds"),
    [(1, 0.2), (2, 0.4), (9, 51.2), (10, 60), (11, 60), (10_000, 60)],
)
def test_a_pause_doubles_up_to_a_minute(failures, seconds):
    assert pause(failures) == seconds * SECOND
