"""Generation: a world that follows from its seed.

Every world has one special of the list, by its number, and draws one more; what else it holds is drawn as well.  So a
handful of worlds in a row holds everything, and no two are alike.
"""

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from tests.worlds.mission import (
    EXECUTABLE,
    FILE,
    LINK,
    Append,
    Blob,
    Deed,
    Delete,
    Fate,
    Finding,
    Hook,
    Item,
    Kind,
    Line,
    Link,
    Manner,
    Mission,
    Planning,
    Request,
    Tree,
    Trouble,
    World,
    Write,
)

SPECIALS = (
    "a clash",
    "a merge",
    "attempts used up",
    "blocked work that harnd would try again",
    "an item given up",
    "a goal cancelled in the middle",
    "two goals at once",
    "a rejected plan",
    "a question",
    "a planner that talks garbage",
    "a finding in review",
    "a finding on integrated work",
    "a finding on a finished mission",
    "a recovery",
    "a hook that formats",
    "a hook that refuses",
    "an agent that falls silent",
    "an agent that talks without end",
    "a link, a program, a deletion",
    "a flaky proof",
    "a proof that must fail first",
    "something prepared and kept",
    "the operator's own graph",
)
KINDS = {
    "a flaky proof": Kind.FLAKY,
    "a proof that must fail first": Kind.RED,
    "something prepared and kept": Kind.KEPT,
}
OWN, RETRIES = "the operator's own graph", "blocked work that harnd would try again"
IMPATIENT = frozenset({Trouble.STALL, Trouble.ENDLESS_TALK})  # what only ends with a limit
ENDINGS = frozenset({"an item given up", "a goal cancelled in the middle"})
AT_THE_END = ENDINGS | {"a finding on a finished mission"}  # a goal ends only once
PAUSING = ENDINGS | {"a recovery", RETRIES}  # what is lost there would only be lost after hours of pauses

TABLE, SHARED, CONTESTED = "table.txt", "a shared file.txt", "contested.txt"
LINES_APART = 8  # further than git looks around a change
BASE: Tree = {
    "README.md": Blob(FILE, b"# A world\n"),
    TABLE: Blob(FILE, "".join(f"line {number}\n" for number in range(120)).encode()),
    SHARED: Blob(FILE, b"what came first\n"),
    CONTESTED: Blob(FILE, b"what is not contested\n"),
    "old/one.txt": Blob(FILE, b"of yesterday\n"),
    'old/"two".bin': Blob(FILE, b"\0\1\2\3"),
    "-old": Blob(LINK, b"README.md"),
    "tool.sh": Blob(EXECUTABLE, b"#!/bin/sh\ntrue\n"),
}
NAMES = (
    "plain.txt",
    "two words.txt",
    "-dash.txt",
    "--help",
    "ünï cödé.txt",
    "日本語/ファイル.md",
    "new\nline.txt",
    'a "quote".txt',
    "it's.txt",
    "tab\there.bin",
    "back\\slash.txt",
    "deep/er/and deeper/file.txt",
    "$HOME.txt",
    "#hash.md",
    "semi;colon",
    "blank at the end ",
    "🙂.txt",
    ".dotfile",
    "CAPS.TXT",
    "undecodable/\udcff\udcfe.bin",
    ":(top)magic.txt",
    "refs/heads/main.txt",
    "%41.txt",
    "\u202etxt.exe",
)
SHAPES = ((1,), (1,), (2,), (2,), (3,), (5,), (1, 1), (2, 1), (1, 1, 1))  # drafts of each step; a root may be added
ORDINARY = (Trouble.BAD, Trouble.BAD, Trouble.IDLE, Trouble.EXIT, Trouble.NOISE, Trouble.REFUSAL)


def generate(seed: int) -> World:
    """Make the world of a seed."""
    dice = random.Random(f"world {seed}")
    specials = _specials(dice, seed)
    hook = Hook(
        formats="a hook that formats" in specials or dice.random() < 0.2,
        adds=dice.random() < 0.6,
        refuses="a hook that refuses" in specials,
    )
    goals = ["first", "second"] if "two goals at once" in specials else ["first"]
    missions = []
    for goal in goals:
        theirs = specials if goal == "first" else frozenset[str]()
        missions.append(_Drafting(dice, theirs, small=len(goals) > 1).mission(f"{goal}-{seed}"))
    return World(seed=seed, base=BASE, missions=tuple(missions), hook=hook, specials=specials)


def _specials(dice: random.Random, seed: int) -> frozenset[str]:
    mine = SPECIALS[seed % len(SPECIALS)]
    others = [
        name
        for name in SPECIALS
        if not ({mine, name} <= AT_THE_END) and not (RETRIES in (mine, name) and {mine, name} <= PAUSING)
    ]
    return frozenset({mine, dice.choice(others)})


class Draft(NamedTuple):
    """What an item is about, before it is one."""

    deeds: tuple[Deed, ...]
    declares: tuple[str, ...] = ()


class _Drafting:
    """One mission in the making."""

    def __init__(self, dice: random.Random, specials: frozenset[str], *, small: bool) -> None:
        self._dice = dice
        self._specials = specials
        self._small = small
        self._max_attempts = dice.choice((2, 2, 3))
        names = list(NAMES)
        dice.shuffle(names)
        self._names = iter(names)
        self._doomed = iter([path for path in BASE if path.startswith(("old/", "-old"))])
        self._lines = iter(dice.sample(range(0, 120, LINES_APART), 15))
        self._last_to_append = ""

    def mission(self, goal: str) -> Mission:
        dice = self._dice
        own = OWN in self._specials
        shapes = [shape for shape in SHAPES if len(shape) > own]  # with a step of the planner's after one's own
        shape = (1,) if self._small and not own else dice.choice(shapes)
        steps = [self._step(number, most) for number, most in enumerate(shape, start=1)]
        self._add_findings(steps)
        self._add_kinds(steps)
        self._add_loss(steps)
        self._add_ending(steps)
        self._add_troubles(steps)
        least = 2 if "a goal cancelled in the middle" in self._specials else 1  # the others go on beside it
        return Mission(
            goal=goal,
            steps=tuple(map(tuple, steps)),
            requests=tuple(self._requests(range(own, len(steps)))),
            max_attempts=self._max_attempts,
            parallel_work=dice.randint(least, 3),
            agent_concurrency=dice.randint(least, 4),
            own=own,
            retries=RETRIES in self._specials,
        )

    # --- the work graph

    def _step(self, number: int, most: int) -> list[Item]:
        special = list(self._special_drafts()) if number == 1 else []
        drafts = [*special, *(self._draft() for _ in range(max(1, most - len(special))))]
        items: list[Item] = []
        for letter, draft in zip("abcdefg", drafts, strict=False):
            items.append(self._item(f"m{number}-{letter}", draft, earlier=[] if draft in special else items))
        if special and CONTESTED in items[0].paths:
            items[1] = replace(items[1], clashes_with=items[0].key)
        return self._with_root(number, items)

    def _special_drafts(self) -> Iterator[Draft]:
        """Yield what depends on nothing, so that it is begun side by side."""
        if "a clash" in self._specials:
            yield Draft((Append(CONTESTED, "as the one says"),))
            yield Draft((Append(CONTESTED, "as the other says"),))
        if "a merge" in self._specials:
            yield Draft((self._line(),))
            yield Draft((self._line(),))
        if "a hook that formats" in self._specials:
            yield Draft((Write("to be trimmed.txt", b"too much \t\n \nat the end  "),))
        if "a link, a program, a deletion" in self._specials:
            yield Draft((Link(next(self._names), "../no/where"), Delete(next(self._doomed))))
            program = Write("new tool", b"\x7fELF\0\xff", executable=True)
            yield Draft((Write("tool.sh", b"#!/bin/sh\nfalse\n"), program))

    def _item(self, key: str, draft: Draft, *, earlier: list[Item]) -> Item:
        dice = self._dice
        needs = [item.key for item in earlier if dice.random() < 0.35]
        if any(deed.path == SHARED for deed in draft.deeds):
            # Lines at the end of one file follow one another only when the work does.
            needs += [self._last_to_append] if self._last_to_append and self._last_to_append not in needs else []
            self._last_to_append = key
        return Item(
            key=key,
            deeds=draft.deeds,
            needs=tuple(needs),
            template=dice.choice(("small", "small", "inner", "careful")),
            manner=dice.choice((Manner.PLAIN, Manner.PLAIN, Manner.COMMITS, Manner.LEAVES)),
            declares=draft.declares,
            takes=round(dice.uniform(0, 0.8), 2),
        )

    def _with_root(self, number: int, items: list[Item]) -> list[Item]:
        """Let one item come last, and be fit for it."""
        needed = {key for item in items for key in item.needs}
        ends = [item.key for item in items if item.key not in needed]
        if len(ends) > 1:
            root = replace(self._item(f"m{number}-end", self._file(), earlier=[]), needs=tuple(ends))
            items = [*items, root]
        else:
            root = next(item for item in items if item.key in ends)
        template = "small" if root.template == "inner" else root.template
        return [*(item for item in items if item is not root), replace(root, template=template)]

    def _draft(self) -> Draft:
        match self._dice.choice(("file", "file", "file", "line", "append", "link", "delete")):
            case "line":
                return Draft((self._line(),))
            case "append":
                return Draft((Append(SHARED, f"and then {self._dice.randrange(1000)}"),))
            case "link":
                return Draft((Link(next(self._names), self._dice.choice(("README.md", "/dev/null", "not there"))),))
            case "delete" if (path := next(self._doomed, None)) is not None:
                return Draft((Delete(path),))
            case _:
                return self._file()

    def _file(self) -> Draft:
        dice, path = self._dice, next(self._names)
        content = dice.choice(
            (
                f"text {dice.randrange(1000)}  \nand a tab\t\nand an end\n".encode(),
                f"no end of a line {dice.randrange(1000)}".encode(),
                b"\0\xff" + dice.randbytes(20),
                b"of another system\r\n\r\n",
            )
        )
        folder = path.partition("/")[0]
        declares = (folder,) if folder == "undecodable" else ()  # a plan can only hold what can be written down
        return Draft((Write(path, content, executable=dice.random() < 0.2),), declares)

    def _line(self) -> Line:
        number = next(self._lines)
        return Line(TABLE, number, f"line {number}, rewritten")

    # --- what the operator wants, and what goes wrong

    def _add_findings(self, steps: list[list[Item]]) -> None:
        for special, finding in (
            ("a finding in review", Finding.IN_REVIEW),
            ("a finding on integrated work", Finding.INTEGRATED),
        ):
            if special in self._specials:
                self._add_finding(self._dice.choice(steps), finding)
        if "a finding on a finished mission" in self._specials:
            steps[-1][-1] = self._to_be_amended(steps[-1][-1], Finding.FINISHED)

    def _add_finding(self, step: list[Item], finding: Finding) -> None:
        """Have one more item, on which the last of its step depends, amended."""
        name = f"{step[-1].key.partition('-')[0]}-{finding.name[:2].lower()}"
        item = self._to_be_amended(self._item(name, self._file(), earlier=[]), finding)
        step[-1] = replace(step[-1], needs=(*step[-1].needs, item.key))
        step.insert(0, item)

    def _to_be_amended(self, item: Item, finding: Finding) -> Item:
        """Have an item amended in a file of its own."""
        draft = self._file()
        deeds = tuple(deed for deed in draft.deeds if isinstance(deed, Write))
        amended: tuple[Deed, ...] = tuple(replace(deed, content=deed.content + b"amended\n") for deed in deeds)
        if finding is Finding.IN_REVIEW:  # the next attempt begins without what nobody has accepted
            amended = (*item.deeds, *amended)
        declares = (*item.paths, *draft.declares) or tuple(deed.path for deed in deeds)
        paths = tuple(dict.fromkeys((*declares, *(deed.path for deed in deeds if not draft.declares))))
        return replace(item, finding=finding, deeds=(*item.deeds, *deeds), amended=amended, declares=paths)

    def _add_kinds(self, steps: list[list[Item]]) -> None:
        """Have one more item of each special kind, on which the last of its step depends."""
        for special in sorted(self._specials & KINDS.keys()):
            step, kind = self._dice.choice(steps), KINDS[special]
            name = f"{step[-1].key.partition('-')[0]}-{kind}"
            step[-1] = replace(step[-1], needs=(*step[-1].needs, name))
            step.insert(0, replace(self._item(name, self._file(), earlier=[]), template=kind.value))

    def _add_loss(self, steps: list[list[Item]]) -> None:
        """Have one more step before the last, of which an item is never done: the planner then goes another way."""
        if "a recovery" not in self._specials:
            return
        lost = replace(self._item("m0-lost", self._file(), earlier=[]), fate=Fate.LOST, template="small")
        beside = self._item("m0-beside", self._file(), earlier=[])
        root = replace(self._item("m0-end", self._file(), earlier=[]), needs=(lost.key, beside.key), template="small")
        steps.insert(len(steps) - 1, [beside, lost, root])

    def _add_ending(self, steps: list[list[Item]]) -> None:
        """Have one more item in the last step that is the end of the goal; its root, or something before it."""
        fates = {"an item given up": Fate.GIVEN_UP, "a goal cancelled in the middle": Fate.ENDLESS}
        step = steps[-1]
        number = step[-1].key.partition("-")[0]
        for special in self._specials & fates.keys():
            item = replace(
                self._item(f"{number}-doomed", self._file(), earlier=[]), fate=fates[special], template="small"
            )
            if len(step) == 1 or self._dice.random() < 0.5:
                step.append(replace(item, needs=(step[-1].key,)))
            else:
                step[-1] = replace(step[-1], needs=(*step[-1].needs, item.key))
                step.insert(0, item)

    def _add_troubles(self, steps: list[list[Item]]) -> None:
        for step in steps:
            troubles = self._troubles if step is steps[-1] else self._passing_troubles
            step[:] = [replace(item, troubles=troubles(item)) for item in step]
        for special, trouble in (
            ("a hook that refuses", Trouble.HOOK),
            ("an agent that falls silent", Trouble.STALL),
            ("an agent that talks without end", Trouble.ENDLESS_TALK),
        ):
            if special in self._specials:
                self._trouble(steps[-1], (trouble,))
        if "attempts used up" in self._specials:
            self._trouble(steps[-1], (Trouble.BAD,) * self._max_attempts)
        if RETRIES in self._specials:
            self._trouble(steps[0], (Trouble.BAD,) * self._max_attempts)

    def _passing_troubles(self, item: Item) -> tuple[Trouble, ...]:
        """Draw so few that no person is needed: with a milestone left, the planner would be asked for another way."""
        if item.fate is Fate.LOST:
            return self._troubles(item)
        drawn = [each for each in self._troubles(item) if each is not Trouble.REFUSAL]
        return tuple(drawn[: self._max_attempts - 1])

    def _troubles(self, item: Item) -> tuple[Trouble, ...]:
        if item.fate is not Fate.DONE:
            return (Trouble.BAD,) * self._max_attempts if item.fate in (Fate.GIVEN_UP, Fate.LOST) else ()
        drawn = [self._dice.choice(ORDINARY) for _ in range(self._dice.choice((0, 0, 0, 0, 1, 1, 2)))]
        idle = drawn.index(Trouble.IDLE) if Trouble.IDLE in drawn else len(drawn)
        # Two of them tell the same of themselves, so an item has one at most.
        return tuple(each for number, each in enumerate(drawn) if each is not Trouble.IDLE or number == idle)

    def _trouble(self, step: list[Item], troubles: tuple[Trouble, ...]) -> None:
        """Let an item that is reached fail in these ways before everything else."""
        lost = {item.key for item in step if item.fate is not Fate.DONE}
        reached = [index for index, item in enumerate(step) if not lost & {item.key, *item.needs}]
        index = self._dice.choice([index for index in reached if step[index].template not in KINDS.values()])
        item = step[index]
        template = "brisk" if {*troubles} & IMPATIENT else item.template
        step[index] = replace(item, troubles=(*troubles, *item.troubles), template=template)

    # --- the planner

    def _requests(self, steps: range) -> Iterator[Request]:
        planned = [Request(Planning.APPLY, step) for step in steps]
        if not self._specials & ENDINGS:
            planned.append(Request(Planning.COMPLETE))
            if "a finding on a finished mission" in self._specials:
                planned.append(Request(Planning.COMPLETE))  # once more, after what was found
        for request in planned:
            yield from self._before(request, first=request is planned[0], last=request is planned[-1])
            stumbles = request.planning is Planning.APPLY and self._dice.random() < 0.15
            yield replace(request, planning=Planning.STUMBLE) if stumbles else request

    def _before(self, request: Request, *, first: bool, last: bool) -> Iterator[Request]:
        if "a question" in self._specials and first:
            yield Request(Planning.QUESTION)
        if "a planner that talks garbage" in self._specials and last:
            yield Request(self._dice.choice((Planning.GARBAGE, Planning.MUTE)))
        if "a rejected plan" in self._specials and first:
            yield Request(Planning.REJECTED, request.step)
