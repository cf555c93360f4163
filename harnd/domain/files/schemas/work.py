"""The keys of one `[[work]]` table: an item of a graph that a person writes."""

from typing import Final

from harnd.domain.files.keys import of_form, several, table, text
from harnd.domain.files.schemas.forms import LINE, criteria
from protocol import bounds, ids

WORK: Final = table(
    {
        "key": of_form("what the item is called, of small letters, digits and dashes", ids.WORK_KEY),
        "title": text("one line that says what it is", bounds.TITLE_CHARS, pattern=LINE),
        "objective": text("what is to be true when it is done", bounds.OBJECTIVE_CHARS),
        "acceptance": criteria("what must hold, each shown by a proof: `WC-1`, `WC-2` …", bounds.CRITERIA, least=1),
        "dependencies": several(
            "the keys of earlier items that it builds on", text("a key", bounds.LABEL_CHARS), bounds.DEPENDENCIES
        ),
        "template": of_form("the template that it is done by, by its `name`", ids.NAME),
        "paths": several(
            "the files, folders or globs that it may change; one without any runs alone",
            text("a path", bounds.PATH_CHARS),
            bounds.DECLARED_PATHS,
        ),
    },
    required=("key", "title", "objective", "acceptance", "template"),
)
