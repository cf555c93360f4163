"""Events: a page past a cursor, each with its envelope and its body as it was stored.

Bodies are not understood here, so events of a newer harnd, and of goals that cannot be read, are listed like any other.
"""

from typing import Any, Final

import msgspec

from harnd.daemon.loading import unknown_goal
from harnd.daemon.queries.about import Sources
from harnd.ports.store import Recorded
from protocol import bounds
from protocol.replies import EventPage
from protocol.requests import ListEvents
from protocol.views import EventView

PAGE_BYTES: Final = bounds.FRAME_BYTES - bounds.EVENT_BYTES  # of bodies; their envelopes have the rest of the frame
SHOWN_CHARS: Final = 200  # of a body that is no JSON object


async def listed(sources: Sources, request: ListEvents) -> EventPage:
    """List a page of events; a page that would not fit into a frame is shorter than was asked for."""
    store, goal = sources.world.store, request.goal
    if goal is not None and await store.row(goal) is None:
        raise unknown_goal(goal)
    # Asked before the page: what is committed in between is past it, so no event of the goal can be jumped over.
    newest = await store.newest()
    found = await store.read_all(after=request.after, limit=request.limit, stream=goal)
    page = _fitting(found)
    reached = page[-1].seq if page else request.after
    if len(page) == len(found) < request.limit:  # the goal has no more: whoever goes on need not look at the others
        reached = max(reached, newest)
    return EventPage(tuple(map(_view, page)), reached)


def _fitting(events: list[Recorded]) -> list[Recorded]:
    size = 0
    for index, event in enumerate(events):
        size += len(event.body)
        if size > PAGE_BYTES and index:
            return events[:index]
    return events


def _view(event: Recorded) -> EventView:
    return EventView(
        seq=event.seq,
        goal=event.stream,
        version=event.version,
        at=event.at,
        tag=event.tag,
        body=_body(event.body),
    )


def _body(stored: bytes) -> dict[str, Any]:
    try:
        return msgspec.json.decode(stored, type=dict[str, Any])
    except (msgspec.MsgspecError, UnicodeDecodeError):
        # One damaged event must not end every page: it is shown for what it is, and its goal is refused elsewhere.
        return {"unreadable": stored.decode(errors="replace")[:SHOWN_CHARS]}
