"""Forms that the schemas of several files share."""

from typing import Final

from harnd.domain.dialect import Schema
from harnd.domain.files.keys import of_form, several, text
from protocol import bounds

FORM: Final = "small letters, digits, dashes and underscores"
OUTPUT: Final = r"[a-z][a-z0-9_]{0,31}"  # so that `outputs.name` can be written
LINE: Final = r"^[^\x00-\x1f\x7f-\x9f]*$"  # it is shown on terminals
WORD: Final = r"[^\x00]*"
REPOSITORY_PATH: Final = r"(?!/)(?!.*(?:^|/)\.\.?(?:/|$))[^\x00\\\n]+"
REF: Final = r"[^\s\x00-\x1f\x7f-][^\s\x00-\x1f\x7f]*"


def criteria(what: str, ceiling: int, *, least: int = 0) -> Schema:
    """Declare criteria, each a text, none twice."""
    return several(what, text("a criterion", bounds.CRITERION_CHARS), ceiling, least=least, distinct=True)


def argv(what: str) -> Schema:
    """Declare a command as its words."""
    return several(what, of_form("a word without NUL", WORD), bounds.ARGV_WORDS, least=1)
