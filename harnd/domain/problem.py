"""Problems: what is wrong with something that came in, where, and what was expected.  All of them at once."""

import msgspec


class Problem(msgspec.Struct, frozen=True, omit_defaults=True):
    """One thing wrong.  `code` is stable (such as `graph.cycle`); `place` is a path such as `work[2].template`."""

    code: str
    place: str
    message: str  # a sentence that says what was found and what was expected
    file: str = ""
    line: int = 0  # from 1; 0 when there is none

    def __str__(self) -> str:
        """Write it the way a compiler would."""
        where = f"{self.file}:{self.line}: " if self.file and self.line else f"{self.file}: " if self.file else ""
        place = f"{self.place}: " if self.place else ""
        return f"{where}{place}{self.message} [{self.code}]"
