"""The client: the public way to ask harnd from Python, blocking (`Client`) or with anyio (`AsyncClient`).

    from harnctl.client import Client, new_key
    from protocol.requests import ApprovePlan, ShowPlan

    with Client() as client:
        plan = client.ask(ShowPlan(goal, 1))
        client.ask(ApprovePlan(key=new_key(), goal=goal, plan=1, digest=plan.digest), patience_s=30)
        for event in client.events(after=0, goal=goal):
            print(event.seq, event.tag)

Questions and changes are the classes of `protocol.requests`, and each is answered by its own type: `ask(ShowGoal(...))`
is a `GoalView` to a type checker.  A connection is made when it is first needed and again when it was lost.  Errors are
three families: `Unreachable` (nobody answers), `Refused` (the daemon says no, under a stable code) and `ProtocolError`
(it does not speak this protocol).  `docs/client.md` is a tour.
"""

from typing import TYPE_CHECKING

from harnctl.client.errors import Barred, ClientError, Late, Lost, ProtocolError, Refused, Unreachable, VersionMismatch
from harnctl.client.following import Presence
from harnctl.client.keys import new_key
from harnctl.client.sync import Client, Events

if TYPE_CHECKING:
    from harnctl.client.aio import AsyncClient, AsyncEvents

__all__ = [
    "AsyncClient",
    "AsyncEvents",
    "Barred",
    "Client",
    "ClientError",
    "Events",
    "Late",
    "Lost",
    "Presence",
    "ProtocolError",
    "Refused",
    "Unreachable",
    "VersionMismatch",
    "new_key",
]


def __getattr__(name: str) -> object:
    if name not in {"AsyncClient", "AsyncEvents"}:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from harnctl.client import aio  # noqa: PLC0415 - anyio takes its time, and the command line does without it

    return getattr(aio, name)
