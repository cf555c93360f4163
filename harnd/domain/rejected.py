"""How the rules say no."""

from harnd.domain.problem import Problem


class Rejected(Exception):
    """What was asked was refused by a rule, and nothing changed.  It becomes an error reply, never a logged error."""

    def __init__(self, code: str, reason: str, *, fix: str = "", problems: tuple[Problem, ...] = ()) -> None:
        """Refuse under a stable dotted code, with one sentence of reason and, where there is one, the way out.

        Where several things are wrong at once, `problems` has each by itself.
        """
        super().__init__(f"{code}: {reason}")
        self.code = code
        self.reason = reason
        self.fix = fix
        self.problems = problems
