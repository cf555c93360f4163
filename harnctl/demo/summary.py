"""The words around a demo: what is about to happen, what came of it on one screen, and what to type to look closer."""

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from harnctl.demo.outcome import BRANCH, Outcome
from harnctl.demo.place import GOAL, Place
from harnctl.demo.story import Tally
from harnctl.render.blocks import Block, Command, Fields, Gap, Heading, Paragraph, Verbatim
from harnctl.render.texts import short
from harnctl.render.words import count, plain
from protocol.ids import Digest


def opening(place: Place, *, seed: int | None, alone: bool) -> Iterator[Block]:
    """Say what is about to happen, and who decides."""
    yield Heading("harnd carries a small goal: an objective, a planner, two agents, proofs")
    yield Paragraph(
        f"Everything lies in {place.root} and is kept.  Agents follow a script; nothing leaves this machine."
    )
    if seed is not None:
        yield Paragraph(f"Meanwhile the daemon is killed again and again (seed {seed}; SEED={seed} repeats it).")
    if alone:
        yield Paragraph("Nobody is asked: the demo approves and accepts by itself, as a person would.")
    yield Gap()


def ending(place: Place, outcome: Outcome, tally: Tally) -> Iterator[Block]:
    """Say what came of it: the branch, the sums, what failed, and how to look closer."""
    yield Gap()
    yield Heading(f"git log --oneline --graph {BRANCH}")
    yield Verbatim(place.git("log", "--oneline", "--graph", BRANCH).rstrip())
    yield Gap()
    yield Heading("what came of it")
    yield Fields(tuple(_sums(outcome, tally)), indent=2)
    yield from _unproven(tally)
    yield from left_off(place, ("goal", "show", GOAL), items=tally.items)


def left_off(place: Place, first: tuple[str, ...], *, items: int) -> Iterator[Block]:
    """Say where everything lies and how to go on, with this command first."""
    yield Gap()
    yield Paragraph(f"Everything is in {place.root}; the daemon is stopped.  To look closer, start it again:")
    yield Command((*program("harnd"), "--state", str(place.state), "--socket", str(place.socket)))
    yield Paragraph("and in another terminal:")
    looks = (("work", "show", GOAL, "p1.wrap"),) if items else ()
    for words in dict.fromkeys((first, *looks, ("events", "--goal", GOAL))):
        yield Command((*program("harnctl"), "--socket", str(place.socket), *words))
    if place.git("for-each-ref", f"refs/heads/{BRANCH}"):  # there is none before the first attempt
        yield Command(("git", "-C", str(place.repository), "log", "--stat", BRANCH))
    yield Gap()


def program(name: str) -> tuple[str, ...]:
    """Return the words that run a program of this installation, as short as they can be."""
    if shutil.which(name):
        return (name,)
    beside = Path(sys.executable).with_name(name)
    if not beside.exists():
        return (sys.executable, "-m", name)
    return (os.path.relpath(beside) if beside.is_relative_to(Path.cwd()) else str(beside),)


def _sums(outcome: Outcome, tally: Tally) -> Iterator[tuple[str, str]]:
    yield "phase", plain(outcome.phase) if outcome.phase is not None else "unknown"
    yield "tree", short(Digest(outcome.tree)) if outcome.tree is not None else "none"
    yield "work", f"{count(tally.milestones, 'milestone')}, {count(tally.items, 'item')}"
    yield "attempts", str(tally.attempts)
    yield "events", str(tally.events)
    yield "kills", str(outcome.kills)
    yield "left", f"processes: {outcome.processes_left}, worktrees: {outcome.worktrees_left}"
    yield "seconds", str(outcome.seconds)


def _unproven(tally: Tally) -> Iterator[Block]:
    if tally.unproven:
        yield Gap()
        yield Heading("what did not succeed, and why")
        yield from (Paragraph(line, indent=2) for line in tally.unproven)
