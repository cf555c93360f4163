"""The tables of `docs/writing-goals.md` and `docs/configuration.md`, written from the declarations that files are
checked against.

python -m tests.kit.key_tables    rewrites them in place
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from harnd.domain.files.config_file import keys
from harnd.domain.files.durations import written
from harnd.domain.files.schemas import GOAL, PROOF, SPECIALIST, STAGES, TEMPLATE, WORK
from harnd.domain.measures import dollars

MANUAL = Path(__file__).parents[2] / "docs" / "writing-goals.md"
CONFIGURATION = MANUAL.with_name("configuration.md")
CONFIG_KEYS = re.compile(r"<!-- config keys -->\n.*?<!-- end -->", re.DOTALL)
MARKED = re.compile(r"<!-- keys: (?P<name>[^>]+) -->\n.*?<!-- end -->", re.DOTALL)


def tables() -> dict[str, str]:
    """Write the table of every file and stage under the name by which the manual marks it."""
    specialist = {"properties": SPECIALIST, "required": ["harness"]}
    stages = {f"stage {kind}": stage for kind, stage in STAGES.items() if stage.get("required")}
    schemas = {"goal.toml": GOAL, "work": WORK, "team.toml": specialist, "template": TEMPLATE, **stages, "proof": PROOF}
    return {name: _table(schema) for name, schema in schemas.items()}


def rewritten(manual: str) -> str:
    """Put the tables in their places."""
    current = tables()
    assert [match["name"] for match in MARKED.finditer(manual)] == list(current)
    return MARKED.sub(lambda match: f"<!-- keys: {match['name']} -->\n\n{current[match['name']]}\n<!-- end -->", manual)


def configured(page: str) -> str:
    """Put the table of the configuration in its place."""
    rows = [
        f"| `{key}` | {_escaped(declared['description'])} | {_bounds(declared)} | {_default(declared, 'by rule')} "
        f"| {'yes' if declared.get('live') else 'no'} |"
        for key, declared in keys().items()
    ]
    table = "\n".join(["| key | what it is | values | default | live |", "|---|---|---|---|---|", *rows])
    (marked,) = CONFIG_KEYS.findall(page)
    return page.replace(marked, f"<!-- config keys -->\n\n{table}\n\n<!-- end -->")


def _table(schema: Mapping[str, Any]) -> str:
    lines = ["| key | what it is | bounds | default |", "|---|---|---|---|", *_rows(schema, "")]
    return "\n".join(lines) + "\n"


def _rows(schema: Mapping[str, Any], prefix: str) -> Iterator[str]:
    for key, declared in schema["properties"].items():
        name = f"{prefix}{key}"
        if "properties" in declared:
            yield from _rows(declared, f"{name}.")
        elif "description" in declared:
            default = "required" if key in schema["required"] else _default(declared)
            yield f"| `{name}` | {_escaped(declared['description'])} | {_bounds(declared)} | {default} |"


def _default(declared: Mapping[str, Any], absent: str = "none") -> str:
    default = declared.get("default")
    if default in (None, []):
        return absent
    return f"`{str(default).lower()}`" if isinstance(default, bool) else f"`{default}`"


def _bounds(declared: Mapping[str, Any]) -> str:
    if "duration" in declared:
        least, most = declared["duration"]
        return f"{written(least)} to {written(most)}"
    if "money" in declared:
        least, most = declared["money"]
        return f"{dollars(least)} to {dollars(most)}"
    if "minimum" in declared:
        return f"{declared['minimum']:,} to {declared['maximum']:,}"
    if declared["type"] == "array":
        each = _bounds(declared["items"]) if "type" in declared["items"] else ""
        return f"{declared.get('minItems', 0)} to {declared['maxItems']:,}{f' of {each}' if each else ''}"
    if "enum" in declared:
        return ", ".join(f"`{option}`" for option in declared["enum"])
    if "maxLength" in declared:
        return f"≤ {declared['maxLength']:,} characters"
    return "true or false" if declared["type"] == "boolean" else ""


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    MANUAL.write_text(rewritten(MANUAL.read_text()))
    CONFIGURATION.write_text(configured(CONFIGURATION.read_text()))
