"""Reading: from the bytes of a goal's files to a `GoalFile`, or to everything that is wrong with them.

A file that is no TOML is reported first and alone, since its values are not known; after that all mistakes of all
files are reported together, in the order of the files and their lines.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from harnd.domain.checking import flaws, shown
from harnd.domain.description import nearest
from harnd.domain.dialect import Schema
from harnd.domain.digest import canonical
from harnd.domain.files.agreement import Bundle, disagreements, own_work
from harnd.domain.files.goal_file import GoalFile, goal_file
from harnd.domain.files.keys import FILES
from harnd.domain.files.reporting import Reporting, nothing, unreportable
from harnd.domain.files.schemas import GOAL, TEMPLATE, team
from harnd.domain.files.source import At, Source, read_source, top
from harnd.domain.problem import Problem
from protocol import bounds

MAIN = "goal.toml"
MOST_BYTES: Final = bounds.EVENT_BYTES * 3 // 4  # it is stored in one event, with what is known of its parent


def read_goal(
    files: Mapping[str, bytes],
    *,
    harnesses: Mapping[str, Schema],
    reporting: Reporting = nothing,
    main: str = MAIN,
) -> GoalFile | list[Problem]:
    """Read a goal from its files, by the names under which the goal file knows them.

    `harnesses` are those that harnd has, each with the JSON Schema of its options: an object of texts, lists of texts
    and yes-or-no, whose keys are none that every specialist has.  `reporting` tells what each reports of its calls.
    """
    sources = _sources(files, main)
    unreadable = [source for source in sources.values() if isinstance(source, Problem)]
    if unreadable:
        return shown(unreadable)
    readable = {name: source for name, source in sources.items() if isinstance(source, Source)}
    bundle = _bundle(readable, main)
    problems = [*_missing(bundle.goal, files), *_misshapen(bundle, harnesses), *disagreements(bundle)]
    problems += unreportable(bundle.goal, bundle.team, reporting)
    problems += own_work(bundle, problems)
    if problems or bundle.team is None:
        return shown(sorted(problems, key=lambda problem: _order(problem, list(readable))))
    goal = goal_file(bundle.goal, bundle.team, bundle.templates)
    return goal if _fits(goal) else [_too_large(goal, main)]


def _fits(goal: GoalFile) -> bool:
    return len(canonical(goal)) <= MOST_BYTES


def _too_large(goal: GoalFile, main: str) -> Problem:
    message = f"takes {len(canonical(goal)):,} bytes with its files, expected at most {MOST_BYTES:,}"
    return Problem("goal.too_large", "", message, file=main)


def _sources(files: Mapping[str, bytes], main: str) -> dict[str, Source | Problem]:
    """Read the goal file and those that it names, in its order."""
    if main not in files:
        return {main: Problem("file.missing", "", "is not there, expected the goal file", file=main)}
    source = read_source(main, files[main])
    if isinstance(source, Problem):
        return {main: source}
    named = [at.text() for at in _named(top(source))]
    return {main: source, **{name: read_source(name, files[name]) for name in named if name in files and name != main}}


def _named(goal: At) -> Iterator[At]:
    """Go to every key that names a file."""
    yield goal["team"]
    yield from goal["templates"].items()


def _bundle(sources: Mapping[str, Source], main: str) -> Bundle:
    goal = top(sources[main])
    tops = {name: top(source) for name, source in sources.items()}
    templates = dict.fromkeys(goal["templates"].texts())
    return Bundle(goal, tops.get(goal["team"].text()), tuple(tops[name] for name in templates if name in tops))


def _missing(goal: At, files: Mapping[str, bytes]) -> Iterator[Problem]:
    for at in _named(goal):
        name = at.text()
        if name.strip() and name not in files:
            yield at.problem("file.missing", f"`{name}` is not there{nearest(name, files)}")


def _misshapen(bundle: Bundle, harnesses: Mapping[str, Schema]) -> Iterator[Problem]:
    """Hold every file against the schema of its kind."""
    yield from _against(GOAL, bundle.goal)
    if bundle.team is not None:
        yield from _against(team(bundle.team, harnesses), bundle.team)
    for template in bundle.templates:
        yield from _against(TEMPLATE, template)


def _against(schema: Schema, at: At) -> Iterator[Problem]:
    for path, code, message in flaws(at.value, schema, dialect=FILES):
        yield at.source.problem(path, code, message)


def _order(problem: Problem, files: list[str]) -> tuple[int, int]:
    return files.index(problem.file), problem.line
