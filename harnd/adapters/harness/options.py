"""Options: a specialist's settings for its harness, read strictly."""

from collections.abc import Mapping

Options = Mapping[str, str | tuple[str, ...]]


class BadOptionsError(Exception):
    """A specialist's options say something its harness does not understand; the session is not started."""


def words(options: Options, name: str) -> tuple[str, ...]:
    """Return a list of words, which must be there; one word may stand alone."""
    value = options.get(name)
    if not value:
        raise BadOptionsError(f"the option {name} is missing")
    return (value,) if isinstance(value, str) else value


def word(options: Options, name: str) -> str:
    """Return a single word, which must be there."""
    match words(options, name):
        case (value,):
            return value
        case several:
            raise BadOptionsError(f"the option {name} takes one word, not {len(several)}")


def flag(options: Options, name: str, *, default: bool) -> bool:
    """Return what `true` or `false` says."""
    match options.get(name):
        case None:
            return default
        case "true":
            return True
        case "false":
            return False
        case other:
            raise BadOptionsError(f"the option {name} is true or false, not {other!r}")
