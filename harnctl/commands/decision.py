"""Decisions: a person's yes binds to a digest, the one of what they were shown and of nothing that came later."""

import shlex
from collections.abc import Iterable

from msgspec import Struct

from harnctl.client import Refused
from harnctl.console import Console
from harnctl.failures import Failure
from harnctl.render.blocks import Block, Paragraph, Style
from harnctl.render.texts import short
from harnctl.render.words import plain
from protocol import ids


class Subject(Struct, frozen=True):
    """What a decision is about."""

    name: str  # such as `plan 2 of billing`
    digest: ids.Digest | None  # None: there is nothing to decide
    state: str  # such as `in_review`
    blocks: Iterable[Block]  # what a person reads before they decide
    again: tuple[str, ...]  # the command to type without a terminal, up to its digest
    look: str  # the command that shows it as it is now
    undecidable: str  # the code of a decision about something that waits for none
    stale: str  # the code of a decision about something else than was read


def is_whole(digest: str | None) -> bool:
    """Tell whether a digest needs no looking up."""
    return digest is not None and ids.matches(ids.DIGEST, digest)


def bind(console: Console, verb: str, subject: Subject, *, digest: str | None, yes: bool) -> ids.Digest:
    """Return the digest that the decision binds to, after asking where nothing on the command line decides."""
    current = subject.digest
    if current is None:
        said = f"{subject.name} is {plain(subject.state)}, and does not wait for this decision"
        raise Refused(subject.undecidable, said, fix=subject.look)
    if digest is not None:
        if not current.startswith(digest):
            said = f"{subject.name} has the digest {short(current)} now, not {digest}"
            raise Refused(subject.stale, said, fix=f"look again: {subject.look}")
        return current
    console.say(subject.blocks)
    if not yes and not console.is_interactive:
        fix = shlex.join((*subject.again, "--digest", short(current)))
        raise Failure("decision.unconfirmed", "there is no terminal to ask on: give --digest or --yes", fix=fix)
    agree(console, f"{verb} {subject.name} with the digest {short(current)}?", yes=yes, again=subject.again)
    console.say([Paragraph(f"bound to {current}", style=Style.FAINT)])
    return current


def agree(console: Console, question: str, *, yes: bool, again: tuple[str, ...]) -> None:
    """Return when the person agrees; raises `Failure` when they do not or cannot be asked."""
    if yes:
        return
    if not console.is_interactive:
        raise Failure(
            "decision.unconfirmed", "there is no terminal to ask on: give --yes", fix=shlex.join((*again, "--yes"))
        )
    if not console.confirm(question):
        raise Failure("decision.declined", "nothing was changed")
