"""Problems with something that came in, as they travel: in plans, and in the details of `goal.invalid`."""

from msgspec import Struct


class ProblemView(Struct, frozen=True, forbid_unknown_fields=True):
    """One thing wrong, where, and what was expected."""

    code: str
    place: str  # a path such as `work[2].template`
    message: str
    file: str = ""
    line: int = 0  # from 1; 0 when there is none
