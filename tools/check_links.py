"""Links: every relative link and anchor in the repository's Markdown resolves.

Links out of the repository are left alone: nothing is fetched.  Prints one line a
dead link and exits 1 if there is any.
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from urllib.parse import unquote

ROOT = Path(__file__).resolve().parent.parent

FENCE = re.compile(r"^ {0,3}(```+|~~~+)")
CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")
HEADING = re.compile(r"^ {0,3}#{1,6}\s+(.*?)\s*#*\s*$")
ANCHOR = re.compile(r"""<a\s[^>]*?(?:id|name)=["']([^"']+)["']""")
INLINE = re.compile(r"""\[[^\]]*\]\(\s*<?([^\s)>]+)>?(?:\s+["'(][^)]*)?\)""")
REFERENCE = re.compile(r"^ {0,3}\[[^\]]+\]:\s+<?([^\s>]+)")
FOREIGN = re.compile(r"^(?:[a-z][a-z0-9+.-]*:|//)", re.IGNORECASE)


def pages() -> list[Path]:
    """Every Markdown file that git tracks or would track."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.md"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [path for name in sorted(set(listed.split("\0")) - {""}) if (path := ROOT / name).is_file()]


def prose(page: Path) -> Iterator[tuple[int, str]]:
    """Number the lines of a page that lie outside fenced code."""
    fence = ""
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), start=1):
        mark = FENCE.match(line)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence):
            fence = ""
        elif not fence:
            yield number, line


@cache
def anchors(page: Path) -> frozenset[str]:
    """Name the places of a page that can be linked to, as code hosts name them: a repeated heading is numbered."""
    found: set[str] = set()
    for _, line in prose(page):
        found.update(ANCHOR.findall(line))
        if heading := HEADING.match(line):
            text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1]).strip().lower()
            slug = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
            names = (slug, *(f"{slug}-{n}" for n in range(1, 1000)))
            found.add(next(name for name in names if name not in found))
    return frozenset(found)


def links(page: Path) -> Iterator[tuple[int, str]]:
    """Give each link of a page that stays in the repository, with its line."""
    for number, line in prose(page):
        text = CODE.sub("", line)
        for target in (*INLINE.findall(text), *REFERENCE.findall(text)):
            if not FOREIGN.match(target):
                yield number, target


def fault(page: Path, target: str) -> str | None:
    """Tell what is wrong with a link, or nothing."""
    name, _, anchor = unquote(target).partition("#")
    aim = (ROOT / name.lstrip("/") if name.startswith("/") else page.parent / name).resolve() if name else page
    if not aim.is_relative_to(ROOT):
        return "leads out of the repository"
    if not aim.exists():
        return "leads nowhere"
    if anchor and aim.suffix == ".md" and anchor not in anchors(aim):
        return "names no heading there"
    return None


def main() -> int:
    """Check every page and return the exit status."""
    dead = [
        f"{page.relative_to(ROOT)}:{number}: {target} {what}"
        for page in pages()
        for number, target in links(page)
        if (what := fault(page, target))
    ]
    print("\n".join(dead) if dead else "Every link resolves.")
    return 1 if dead else 0


if __name__ == "__main__":
    sys.exit(main())
