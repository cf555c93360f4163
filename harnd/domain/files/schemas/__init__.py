"""Schemas: every key of the three kinds of files, with its bounds, its default and what it is for.

What must hold between two keys or two files is `agreement`'s matter.  The stages and parts that are designed and not
built are declared too, to be refused by name.
"""

from harnd.domain.files.schemas.goal import GOAL
from harnd.domain.files.schemas.team import SPECIALIST, team
from harnd.domain.files.schemas.template import PROOF, STAGES, TEMPLATE
from harnd.domain.files.schemas.work import WORK

__all__ = ["GOAL", "PROOF", "SPECIALIST", "STAGES", "TEMPLATE", "WORK", "team"]
