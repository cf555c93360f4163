"""How the rules say no."""


class Rejected(Exception):
    """A command was refused by a rule and changed nothing.  It becomes an error reply, never a logged error."""

    def __init__(self, code: str, reason: str, *, fix: str = "") -> None:
        """Refuse under a stable dotted code, with one sentence of reason and, where there is one, the way out."""
        super().__init__(f"{code}: {reason}")
        self.code = code
        self.reason = reason
        self.fix = fix
