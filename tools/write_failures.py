"""Failures: writes the table of docs/failures.md from the rows that the rules go by.  Needs no argument.

A test compares the two, so the page cannot say one thing and harnd do another.
"""

from pathlib import Path
from typing import Final

from harnd.domain.goal.failure import ROWS, FailureRow
from protocol.values import Asked, FailureClass

PAGE: Final = Path(__file__).resolve().parent.parent / "docs" / "failures.md"
BEGIN: Final = "<!-- written by tools/write_failures.py -->\n"
END: Final = "<!-- end of what is written -->\n"
HEADS: Final = (
    *("class", "what happened", "charged", "tried again by itself", "then asked"),
    *("`work resolve`", "`retry_blocked`", "what you can do"),
)


def table() -> str:
    """Return the whole table."""
    rows = [HEADS, ("---",) * len(HEADS), *(_cells(failure, row) for failure, row in ROWS.items())]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def page(written: str) -> str:
    """Return a page with the table as it is now in the place of the one it has."""
    before, begin, rest = written.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"{PAGE.name} lacks the marks between which the table stands")
    return f"{before}{begin}\n{table()}\n{end}{after}"


def _cells(failure: FailureClass, row: FailureRow) -> tuple[str, ...]:
    return (
        f"`{failure}`",
        row.happened,
        _yes(row.charged),
        _again(failure, row),
        "the planner" if row.asked is Asked.PLANNER else "you",
        "goes on" if row.resolvable else "no",
        _yes(row.unattended),
        row.advice,
    )


def _again(failure: FailureClass, row: FailureRow) -> str:
    if not row.retried:
        return "no"
    if row.uncharged_bound is None:
        return "as often as may be"
    return f"{row.uncharged_bound} {'in a row' if failure is FailureClass.UPSTREAM else 'in all'}"


def _yes(held: bool) -> str:  # noqa: FBT001 - a cell of the table
    return "yes" if held else "no"


def main() -> None:
    """Write the table anew."""
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    print(f"{len(ROWS)} rows in {PAGE}")


if __name__ == "__main__":
    main()
