"""Errors for a reader: what went wrong in one line, every problem on its own, and the way out."""

from collections.abc import Iterator

import msgspec

from harnctl.client.errors import ClientError
from harnctl.render.blocks import Block, Paragraph
from harnctl.render.texts import problem, way_out
from protocol.views import ProblemView


def failed(error: ClientError) -> Iterator[Block]:
    """Say what went wrong and, where there is one, the way out."""
    found = problems(error)
    yield from (Paragraph(problem(one)) for one in found)
    if not found:
        yield Paragraph(f"error: {error.message} [{error.code}]")
    yield from way_out(error.fix)


def problems(error: ClientError) -> list[ProblemView]:
    """Return the problems that an error lists; none when it lists nothing that can be read."""
    try:
        return msgspec.convert(error.details.get("problems", []), list[ProblemView])
    except msgspec.ValidationError:
        return []
