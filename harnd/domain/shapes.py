"""Shapes: the few forms that schemas shown to models are made of.

Objects are closed, lists and texts are bounded, and no text that a person will read holds control characters.
"""

from typing import Final, TypeAlias

Schema: TypeAlias = dict[str, object]

SCHEMA: Final = "https://json-schema.org/draft/2020-12/schema"

# A person reads them on a terminal and in the titles of commits.  At least one character is no white space.
_LINE: Final = r"^[^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*$"
_LINES: Final = _LINE.replace(r"\x00-\x1f", r"\x00-\x08\x0b-\x1f")  # with tabs and newlines between


def an_object(**properties: Schema) -> Schema:
    """Ask for an object of exactly these keys."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def a_list(items: Schema, *, least: int, most: int) -> Schema:
    """Ask for a list."""
    return {"type": "array", "items": items, "minItems": least, "maxItems": most}


def a_line(most: int) -> Schema:
    """Ask for one line of at most so many characters."""
    description = "one line without control characters"
    return {"type": "string", "minLength": 1, "maxLength": most, "pattern": _LINE, "description": description}


def a_text(most: int) -> Schema:
    """Ask for lines of at most so many characters together."""
    return a_line(most) | {"pattern": _LINES, "description": "a text without control characters"}


def a_word(*words: str) -> Schema:
    """Ask for one of these words."""
    return {"type": "string", "enum": [str(word) for word in words]}
