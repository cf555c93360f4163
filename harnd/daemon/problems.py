"""Problems of a person's files, as a refusal lists them."""

from typing import Any, NamedTuple

from harnd.domain.problem import Problem
from protocol.decoding import write
from protocol.views import ProblemView


class Listed(NamedTuple):
    """How many there are, in words, and all of them for the refusal's details."""

    told: str
    details: dict[str, Any]


def listed(problems: list[Problem]) -> Listed:
    """List problems for a client."""
    views = [write(ProblemView(each.code, each.place, each.message, each.file, each.line)) for each in problems]
    return Listed(f"{len(problems)} problem{'s' if len(problems) != 1 else ''}", {"problems": views})
