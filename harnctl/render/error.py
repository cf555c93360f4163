"""Errors for a reader: what went wrong in one line, every problem on its own, and the way out."""

from collections.abc import Iterator
from typing import Final

import msgspec

from harnctl.client.errors import ClientError
from harnctl.render.blocks import Block, Paragraph
from harnctl.render.texts import problem, way_out
from protocol.views import ProblemView

DECLINED: Final = "decision.declined"  # an answer like any other


def failed(error: ClientError, fix: str) -> Iterator[Block]:
    """Say what went wrong and, where there is one, the way out."""
    if error.code == DECLINED:
        yield Paragraph(error.message)
        return
    found = problems(error)
    yield from (Paragraph(problem(one)) for one in found)
    if not found:
        yield Paragraph(f"error: {error.message} [{error.code}]")
    yield from way_out(fix)


def problems(error: ClientError) -> list[ProblemView]:
    """Return the problems that an error lists; none when it lists nothing that can be read."""
    try:
        return msgspec.convert(error.details.get("problems", []), list[ProblemView])
    except msgspec.ValidationError:
        return []
