"""Missions to simulate: a repository in memory, frozen intent, scripted agents, and commands that prove.

A file is right when it says `good`.  The scripted agents follow one script whose rules read the prompt only, so that
they act alike however often the daemon dies.
"""

import random
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field, replace

import msgspec

from harnd.adapters.imaginary_commands import Outcome
from harnd.domain.goal.candidate import Apply, MilestoneDraft, WorkDraft
from harnd.domain.goal.intent import Automation, Criterion, Intent, Limits, Mission, Replanning, Specialist
from harnd.domain.goal.template import (
    AgentStage,
    ApproveStage,
    CommandStage,
    ParallelStage,
    PrepareStage,
    ProofCommand,
    Stage,
    Template,
)
from harnd.ports.sessions import CommandTask
from protocol.ids import (
    CommitId,
    CriterionId,
    Digest,
    EffectKey,
    GoalId,
    HarnessName,
    SpecialistName,
    TemplateName,
    WorkId,
    WorkKey,
)
from protocol.values import SECOND, Micros, Risk

REPOSITORY = "/repo"
FILES: Mapping[str, bytes] = {"README.md": b"a repository\n"}
MENDED = "The operator says: it is mended"
LASTING = "The world outside says: not now"
UNPLUGGED = "unplugged"  # no command can be started
MINUTE = Micros(60 * SECOND)


@dataclass
class Item:
    """One work item that the scripted planner proposes."""

    key: str
    needs: tuple[str, ...] = ()
    path: str = ""
    template: str = "change"
    trouble: tuple[str, ...] = ()  # what the agent does wrong, attempt by attempt
    takes: float = 5.0
    lasting: str = ""  # what goes wrong in whatever is tried until the second `until`
    until: float = 0.0
    declares: bool = True  # its path; without one its proof cannot be worded

    @property
    def file(self) -> str:
        return self.path or f"src/{self.key}.txt"


@dataclass
class SimMission:
    """Everything that happens outside the engine."""

    goal: str = "demo"
    milestones: tuple[tuple[Item, ...], ...] = ()
    planner_trouble: tuple[str, ...] = ()  # what the planner does wrong in its first calls of the first request
    limits: Mapping[str, int] = field(default_factory=dict)
    max_attempts: int = 3
    max_replans: int = 9
    auto_apply: bool = False
    accepts: bool = False  # work is accepted unasked when its proof is satisfied
    retries: bool = False  # blocked work is tried again unasked
    spare: int = 0  # milestones beyond those of the mission, for recovery
    meddled: str = ""  # a file that its operator changes in the worktree before the first answer to what is asked

    def intent(self, base: CommitId) -> Intent:
        limits = {
            "attempts": 60,
            "agent_calls": 200,
            "answers_per_work": 20,
            "parallel_work": 3,
            "agent_concurrency": 4,
            "active_runtime": Micros(24 * 60 * MINUTE),
            "ticks": 2_000,
            **self.limits,
        }
        return Intent(
            goal=GoalId(self.goal),
            title="A simulated mission",
            repository=REPOSITORY,
            base_ref="main",
            base_commit=base,
            limits=msgspec.convert(limits, Limits),
            team=(_specialist("maker"), _specialist("planner")),
            templates=tuple(_template(name, self.max_attempts) for name in ("careful", "change", "wide")),
            mission=Mission(
                objective="Every file says good.",
                acceptance=(Criterion(CriterionId("AC-1"), "the files are good"),),
                max_milestones=self.most,
            ),
            replanning=Replanning(
                planner=SpecialistName("planner"),
                max_replans=self.max_replans,
                work_per_plan=10,
                planned_work=60,
                auto_apply=self.auto_apply,
            ),
            automation=Automation(accept_passing_proof=self.accepts, retry_blocked=self.retries),
        )

    @property
    def most(self) -> int:
        """Return how many milestones there may be."""
        return max(1, len(self.milestones)) + self.spare

    def file_of(self, work: WorkId) -> str:
        """Return the file that an item writes, whichever plan has it."""
        key = work.partition(".")[2].removesuffix("-r")
        return next(item.file for items in self.milestones for item in items if item.key == key)

    def circumstances(self, prompt: str, now: float) -> str:
        """Return what is added to a prompt by the time of day: an agent keeps no state, and knows no clock."""
        hit = any(item.lasting in _TROUBLE and f".{item.key} of goal" in prompt for item in self._hit(now))
        return f"{prompt}\n{LASTING}" if hit else prompt

    def is_unplugged(self, key: EffectKey, now: float) -> bool:
        """Tell whether no command of an item can be started at this time of day."""
        return any(item.lasting == UNPLUGGED and f".{item.key}/attempt/" in key for item in self._hit(now))

    def _hit(self, now: float) -> Iterator[Item]:
        """Yield the items that something lasting befalls now."""
        yield from (item for items in self.milestones for item in items if item.lasting and now < item.until)

    def own_plan(self, *, step: int, sequence: int) -> Apply:
        """Return what a person writes in the planner's place: the work of a step, counted from 1."""
        return Apply(
            rationale="I know my way about",
            milestone=MilestoneDraft(sequence, f"step {step}", f"reach step {step}", ("it is reached",)),
            work=tuple(_own(item) for item in _again(self.milestones[step - 1])),
        )

    def script(self) -> str:
        again = (_again(items) for items in self.milestones)
        rules = [
            *self._planner_rules(),
            *(rule for items in (*self.milestones, *again) for item in items for rule in _rules(item)),
        ]
        return "\n".join(rules)

    def _planner_rules(self) -> list[str]:
        rules: list[str] = []
        for number, trouble in enumerate(self.planner_trouble, 1):
            rules.append(_rule(f"'Plan request {number}, trigger'", _PLANNER_TROUBLE[trouble], unless='"# Correction"'))
        for step, items in reversed([*enumerate(self.milestones, 1)]):
            rules += self._applications(step, _again(items), when=["'trigger recovery'", f"'reach step {step}'"])
        for step, items in enumerate(self.milestones, 1):
            rules += self._applications(step, items, unless=["'trigger recovery'", f"'reach step {step}'"])
        rules.append(_rule("'Plan request'", _COMPLETE.format(work=_roots(self.milestones))))
        return rules

    def _applications(
        self, step: int, items: tuple[Item, ...], *, when: Sequence[str] = (), unless: Sequence[str] = ()
    ) -> Iterator[str]:
        """Yield a rule for every sequence that the step can have: recoveries before it move it on."""
        for sequence in range(step, self.most + 1):
            left = f"'- milestones: {self.most - sequence + 1} left of {self.most}'"
            texts = ", ".join(("'Plan request'", left, *when))
            yield _rule(f"[{texts}]", _apply(step, sequence, items), unless=f"[{', '.join(unless)}]" if unless else "")


def _again(items: tuple[Item, ...]) -> tuple[Item, ...]:
    """Return the work of a milestone once more, under other keys and without trouble."""
    return tuple(
        replace(
            item,
            key=f"{item.key}-r",
            needs=tuple(f"{name}-r" for name in item.needs),
            path=item.file,
            trouble=(),
            declares=True,
        )
        for item in items
    )


def _own(item: Item) -> WorkDraft:
    return WorkDraft(
        key=WorkKey(item.key),
        title=f"file {item.key}",
        objective=f"make {item.file} good, as a person says",
        acceptance=("it is good",),
        dependencies=item.needs,
        template=TemplateName(item.template),
        paths=(item.file,),
    )


def respond(task: CommandTask, files: MutableMapping[str, bytes]) -> Outcome | None:
    """`check FILE` passes when the file says good; `format` always passes; anything else does not exist."""
    match task.argv:
        case ("check", name):
            good = files.get(name, b"").startswith(b"good")
            return Outcome(
                exit_code=0 if good else 1, stdout=f"{name} is {'good' if good else 'bad'}\n", takes=Micros(2 * SECOND)
            )
        case ("format", *_):
            return Outcome(takes=SECOND)
        case _:
            return None


def _specialist(name: str) -> Specialist:
    return Specialist(
        name=SpecialistName(name),
        harness=HarnessName("scripted"),
        timeout=Micros(10 * MINUTE),
        startup_silence=Micros(2 * MINUTE),
        silence=Micros(4 * MINUTE),
        max_turns=25,
        schema_attempts=3,
        options=(("script", "script.toml"),),
    )


def _template(name: str, max_attempts: int) -> Template:
    def agent(stage: str) -> AgentStage:
        return AgentStage(name=stage, specialist=SpecialistName("maker"), prompt="Make {{ work.title }}.", output=stage)

    formatting = CommandStage(name="format", argv=("format", "{{ work.key }}"), timeout=MINUTE)
    making: dict[str, tuple[Stage, ...]] = {
        "change": (agent("make"),),
        "wide": (ParallelStage(name="both", stages=(agent("one"), agent("two"))),),
        "careful": (
            agent("make"),
            ApproveStage(name="look", question="{{ outputs.make }}: is {{ work.key }} good?", risk=Risk.HIGH),
            agent("polish"),
            ApproveStage(name="release", question="Is it fit to be seen?", risk=Risk.CRITICAL),
        ),
    }
    return Template(
        name=TemplateName(name),
        purpose=f"a {name} of a file",
        digest=Digest(name.ljust(64, "0")),
        max_attempts=max_attempts,
        root=True,
        stages=(
            PrepareStage(name="prepare", argv=("format", "prepare"), timeout=MINUTE),
            *making[name],
            formatting,
        ),
        proofs=(ProofCommand(name="check", argv=("check", "{{ work.paths[0] }}"), timeout=MINUTE),),
    )


# --- the script


def _rule(when: str, body: str, *, unless: str = "", attempts: str = "") -> str:
    lines = ["[[rule]]", f"when = {when}"]
    if unless:
        lines.append(f"unless = {unless}")
    if attempts:
        lines.append(f"attempt = {attempts}")
    return "\n".join((*lines, body, ""))


def _apply(step: int, sequence: int, items: tuple[Item, ...]) -> str:
    work = ", ".join(_draft(item) for item in items)
    return (
        "matches = 'Plan request (?P<n>\\d+)'\n"
        "do = [{ sleep = 20.0 }]\n"
        'answer = { decision = "apply", rationale = "next", milestone = { sequence = '
        f'{sequence}, title = "step {step}", objective = "reach step {step}", '
        'acceptance = ["it is reached"] }, '
        f"work = [{work}] }}"
    )


def _draft(item: Item) -> str:
    needs = ", ".join(f'"{name}"' for name in item.needs)
    paths = f'"{item.file}"' if item.declares else ""
    return (
        f'{{ key = "{item.key}", title = "file {item.key}", objective = "make {item.file} good, as plan {{{{n}}}}", '
        f'acceptance = ["it is good"], dependencies = [{needs}], template = "{item.template}", '
        f"paths = [{paths}] }}"
    )


def _roots(milestones: tuple[tuple[Item, ...], ...]) -> str:
    # Which plan number the work had is only known to the prompt: the last active root is named there.
    del milestones
    return "{{root}}"


_COMPLETE = (
    "matches = '(?s)# Active work.*## (?P<root>p\\d+\\.[a-z0-9-]+): [^\\n]*\\n'\n"
    'answer = {{ decision = "complete", rationale = "all good", '
    'evidence = [{{ criterion = "AC-1", work = ["{work}"], note = "proved" }}] }}'
)

_PLANNER_TROUBLE = {
    "garbage": 'answer = "I would rather not say."',
    "shape": 'answer = { decision = "apply" }',
    "question": 'answer = { decision = "attention", rationale = "unsure", question = "Which way?" }',
    "exit": "exit = 3",
    "upstream": "exit = 75",
    "hang": "do = [{ hang = true }]",
    "silence": "do = [{ sleep = 500.0 }]\nanswer = 'late'",
}

_TALK = '{{ say = "still at it" }}, {{ sleep = 200.0 }}'
_TROUBLE = {
    "quota": 'do = [{{ write = "{file}", text = "half" }}]\nanswer = "later"\nstop = "out_of_quota"',
    "refused": 'answer = "I would rather not"\nstop = "refused"',
    "truncated": 'do = [{{ write = "{file}", text = "half" }}]\nanswer = "and th"\nstop = "truncated"',
    "auth": 'answer = "who are you?"\nstop = "not_logged_in"',
    "bad": 'do = [{{ write = "{file}", text = "bad\\n" }}]\nanswer = "done"',
    "idle": 'answer = "nothing to do"',
    "exit": "exit = 3",
    "upstream": "exit = 75",
    "hang": 'do = [{{ write = "{file}", text = "half" }}, {{ hang = true }}]',
    "garbage": 'do = [{{ print = "\\u0000\\u0007 noise" }}]\nexit = 9',
    "talk": f"do = [{', '.join([_TALK] * 4)}]",
}


def _rules(item: Item) -> list[str]:
    when = f"['of goal', '.{item.key} of goal']"
    troubles = [
        _rule(when, _TROUBLE[name].format(file=item.file), attempts=str(number))
        for number, name in enumerate(item.trouble, 1)
        if name != "good"
    ]
    write = f'{{ write = "{item.file}", text = "good {item.key}\\n" }}'
    good = f'do = [{{ say = "at it" }}, {{ sleep = {item.takes} }}, {write}]\nanswer = "done"'
    # What a person resolves goes on in the same attempt, and does it right once it is told.
    mended = _rule(f"{when[:-1]}, '{MENDED}']", good)
    lasting = (
        [_rule(f"{when[:-1]}, '{LASTING}']", _TROUBLE[item.lasting].format(file=item.file))]
        if item.lasting in _TROUBLE
        else []
    )
    polish = _rule(
        f"{when[:-1]}, 'stage polish.']",
        f'do = [{{ say = "polishing" }}, {{ append = "{item.file}", text = "polished\\n" }}]\nanswer = "done"',
    )
    return [polish, mended, *lasting, *troubles, _rule(when, good)]


def demo_mission() -> SimMission:
    """The mission of the demo, in small: two items at once, one that fails first, a root, then a second milestone."""
    return SimMission(
        milestones=(
            (Item("slug"), Item("wrap", trouble=("bad",)), Item("report", needs=("slug", "wrap"))),
            (Item("cli"),),
        )
    )


def careful_mission() -> SimMission:
    """A mission whose work asks twice before it is recorded, once beside other work and once alone."""
    return SimMission(
        milestones=(
            (Item("slug", template="careful"), Item("wrap"), Item("end", ("slug", "wrap"), template="careful")),
        )
    )


def overnight_mission() -> SimMission:
    """A mission that nobody attends: its only attempts fail for a while, in every way that may pass."""
    until = 300.0
    items = (
        Item("quota", lasting="quota", until=until),
        Item("down", lasting="upstream", until=until),
        Item("broken", lasting="exit", until=until),
        Item("wrong", trouble=("bad",)),
        Item("idle", trouble=("idle",)),
        Item("hung", trouble=("hang",)),
    )
    root = Item("root", needs=tuple(item.key for item in items))
    return SimMission(
        milestones=((*items, root),), max_attempts=1, auto_apply=True, accepts=True, retries=True, max_replans=2
    )


def random_mission(seed: int) -> SimMission:
    """A mission that follows from a seed."""
    dice = random.Random(seed)
    milestones = tuple(_random_items(dice, number) for number in range(1, dice.randint(1, 3) + 1))
    rare = random.Random(f"{seed}, rarely")
    milestones = tuple(tuple(_rarely(rare, item) for item in items) for items in milestones)
    troubles = tuple(dice.choice(tuple(_PLANNER_TROUBLE)) for _ in range(dice.choice((0, 0, 1, 2))))
    limits = {"parallel_work": dice.randint(1, 4), "agent_concurrency": dice.randint(1, 5)}
    if dice.random() < 0.15:
        limits |= {dice.choice(("attempts", "agent_calls", "ticks")): dice.randint(3, 12)}
    return SimMission(
        milestones=milestones,
        planner_trouble=troubles,
        limits=limits,
        max_attempts=dice.randint(1, 4),
        spare=dice.choice((0, 1, 1, 3)),
        auto_apply=dice.random() < 0.25,
        accepts=dice.random() < 0.25,
        retries=dice.random() < 0.25,
    )


def _random_items(dice: random.Random, milestone: int) -> tuple[Item, ...]:
    keys = [f"m{milestone}-{letter}" for letter in "abcdef"[: dice.randint(1, 5)]]
    items = [_random_item(dice, key, tuple(keys[:index])) for index, key in enumerate(keys)]
    needed = {name for item in items for name in item.needs}
    ends = tuple(item.key for item in items if item.key not in needed)
    if len(ends) > 1:
        items.append(Item(f"m{milestone}-end", needs=ends))
    return tuple(items)


def _rarely(dice: random.Random, item: Item) -> Item:
    """Let something rarer go wrong with one item in six."""
    luck = dice.random()
    if luck < 0.06:
        return replace(item, trouble=("talk", *item.trouble))
    if luck < 0.12:
        return replace(item, lasting=UNPLUGGED, until=dice.uniform(60, 400))
    return replace(item, declares=luck > 0.16)


def _random_item(dice: random.Random, key: str, earlier: tuple[str, ...]) -> Item:
    needs = tuple(name for name in earlier if dice.random() < 0.4)
    trouble = tuple(dice.choice(("good", *_TROUBLE)) for _ in range(dice.choice((0, 0, 1, 1, 2))))
    path = "src/shared.txt" if dice.random() < 0.1 else ""
    luck = dice.random()
    template = "wide" if luck < 0.2 else "careful" if luck > 0.85 else "change"
    return Item(key, needs=needs, trouble=trouble, path=path, template=template, takes=dice.uniform(0.1, 90))
