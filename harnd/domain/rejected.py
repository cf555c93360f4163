"""How the rules say no."""


class Rejected(Exception):  # noqa: N818 - the glossary's word: a rule rejects a command, nothing went wrong
    """A command was refused by a rule and changed nothing.  It becomes an error reply, never a logged error."""

    def __init__(self, code: str, reason: str, *, fix: str = "") -> None:
        """Refuse under a stable dotted code, with one sentence of reason and, where there is one, the way out."""
        super().__init__(f"{code}: {reason}")
        self.code = code
        self.reason = reason
        self.fix = fix
