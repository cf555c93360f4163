"""The key table of `docs/tui.md`, written from the bindings that the TUI goes by.

python -m tests.kit.tui_manual    rewrites it in place
"""

import re
from collections.abc import Iterator
from pathlib import Path

from harnctl.tui.forms import key_name
from harnctl.tui.keys import TABLES

MANUAL = Path(__file__).parents[2] / "docs" / "tui.md"
MARKED = re.compile(r"<!-- keys -->\n.*?<!-- end -->", re.DOTALL)


def rewritten(manual: str) -> str:
    """Put the table in its place."""
    table = "\n".join(["| while | keys | what they do |", "|---|---|---|", *_rows()])
    return MARKED.sub(lambda _: f"<!-- keys -->\n\n{table}\n\n<!-- end -->", manual)


def _rows() -> Iterator[str]:
    for mode, bindings in TABLES.items():
        for one in bindings:
            yield f"| {mode} | {' '.join(f'`{key_name(key)}`' for key in one.keys)} | {one.told} |"


if __name__ == "__main__":
    MANUAL.write_text(rewritten(MANUAL.read_text(encoding="utf-8")), encoding="utf-8")
