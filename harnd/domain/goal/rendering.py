"""Rendering: the texts of a template that name what they are about, such as `{{ work.title }}`.

Jinja, cut down by an allow-list of its syntax to what fills in a text: names, `if`, `for`, comparisons and a few
filters.  There is no call, no assignment, no include and nothing that multiplies, so that a text is bounded by what
it was given: loops are counted and the result is capped.  A value is put in as it is and never read as a template.
Whether a text can go wrong is found at load by `problems_in`; nothing here knows files or lines of files.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, islice
from typing import Any, Final, NamedTuple, TypeAlias, cast

import msgspec
from jinja2 import StrictUndefined, Template, TemplateError, TemplateSyntaxError, UndefinedError, nodes
from jinja2.runtime import LoopContext, Undefined
from jinja2.sandbox import ImmutableSandboxedEnvironment

from harnd.domain.goal.names import ALL, FIELDS, Names, trials
from protocol import bounds

Value: TypeAlias = Any  # whatever an expression comes to

RENDERED_CHARS: Final = bounds.BRIEFING_BYTES  # no prompt is longer than a briefing
LOOP_STEPS: Final = 10_000
_NODES: Final = 2_000  # of syntax: compiling takes about a millisecond for four
_TOKENS: Final = 5 * _NODES  # counted first, since parsing takes its time too
_TOO_MANY: Final = f"has more than {_NODES:,} names, tags and other parts; split it, or say more of it in plain text"
_LOOPS_WITHIN: Final = 4
_DEPTH: Final = 40
_INDENT: Final = 40


class TextProblem(NamedTuple):
    """One thing wrong with a text; `line` counts from 1 within the text."""

    line: int
    code: str
    message: str


class RenderError(Exception):
    """A text could not be filled in.  What `problems_in` finds nothing in fails only on outsized values."""

    def __init__(self, code: str, message: str, *, line: int = 1) -> None:
        super().__init__(message)
        self.code = code
        self.line = line


def render(text: str, names: Names) -> str:
    """Fill in a text; raises `RenderError` when it is none or grows past `RENDERED_CHARS`."""
    for problem in _problems_once(text, tuple(sorted(names.outputs))):
        raise RenderError(problem.code, problem.message, line=problem.line)
    return _filled(text, names)


@lru_cache(maxsize=1_024)  # the same few texts are filled in again at every attempt
def _problems_once(text: str, outputs: tuple[str, ...]) -> tuple[TextProblem, ...]:
    return tuple(_problems(text, ALL, outputs=outputs))


def problems_in(text: str, *, offered: frozenset[str] = ALL, outputs: Sequence[str] = ()) -> list[TextProblem]:
    """Say what is wrong with a text that may use the names `offered` and the `outputs` of earlier stages.

    What its syntax does not show is found by filling it in twice: as a first attempt, and as one that has feedback.
    """
    problems = _problems(text, offered, outputs=outputs)
    for names in () if problems else trials(outputs):
        try:
            _filled(text, names)
        except RenderError as error:
            return [TextProblem(error.line, error.code, str(error))]
    return problems


# --- what is wrong with it, by its syntax

_ALLOWED: Final[tuple[type[nodes.Node], ...]] = (
    *(nodes.Template, nodes.Output, nodes.TemplateData, nodes.If, nodes.For),
    *(nodes.Name, nodes.Const, nodes.Getattr, nodes.Getitem, nodes.List, nodes.Tuple),
    *(nodes.And, nodes.Or, nodes.Not, nodes.Compare, nodes.Operand, nodes.CondExpr, nodes.Test),
    *(nodes.Add, nodes.Sub, nodes.Neg, nodes.Filter),
)
_TESTS: Final = frozenset({"defined", "none", "eq", "ne", "lt", "le", "gt", "ge", "in", "even", "odd"})


def _problems(text: str, offered: frozenset[str], *, outputs: Sequence[str] | Mapping[str, str]) -> list[TextProblem]:
    try:
        tree = _read(text)
    except RenderError as error:
        return [TextProblem(error.line, error.code, str(error))]
    own = {node.name for node in tree.find_all(nodes.Name) if node.ctx == "store"} | {"loop"}
    fields = {**{name: FIELDS.get(name, frozenset()) for name in offered}, "outputs": frozenset(outputs)}
    found = chain.from_iterable(_said_of(node, offered, own, fields) for node in _walk(tree))
    return sorted(found, key=lambda problem: problem.line)


def _read(text: str) -> nodes.Template:
    try:
        if len(list(islice(_ENVIRONMENT.lex(text), _TOKENS + 1))) > _TOKENS:
            raise RenderError("text.refused", _TOO_MANY)
        tree = _ENVIRONMENT.parse(text)
    except TemplateSyntaxError as error:
        raise RenderError("text.syntax", f"is no template: {error.message}", line=error.lineno) from error
    except RecursionError as error:
        raise RenderError("text.refused", "is nested too deeply") from error
    except ValueError as error:  # a number of thousands of digits
        raise RenderError("text.syntax", f"is no template: {error}") from error
    _refuse_outsized(tree)
    return tree


def _refuse_outsized(tree: nodes.Template) -> None:
    """Keep the compiler off its limits: nesting and loops within loops crash it, and many parts take it minutes."""
    level: list[tuple[nodes.Node, int]] = [(tree, 0)]
    count = 0
    for _ in range(_DEPTH):
        level = [(child, loops + isinstance(child, nodes.For)) for node, loops in level for child in _below(node)]
        count += len(level)
        if count > _NODES:
            raise RenderError("text.refused", _TOO_MANY)
        if any(loops > _LOOPS_WITHIN for _, loops in level):
            raise RenderError("text.refused", f"has more than {_LOOPS_WITHIN} loops within each other")
    if level:
        raise RenderError("text.refused", "is nested too deeply")


def _below(node: nodes.Node) -> Iterator[nodes.Node]:
    return node.iter_child_nodes()


def _walk(tree: nodes.Node) -> Iterator[nodes.Node]:
    yield tree
    for child in _below(tree):
        yield from _walk(child)


def _said_of(
    node: nodes.Node, offered: frozenset[str], own: set[str], fields: Mapping[str, frozenset[str]]
) -> Iterator[TextProblem]:
    match node:
        case nodes.Name(name=name) if node.ctx == "load" and name not in own and name not in offered:
            known = "is not offered here" if name in ALL else "is not known"
            yield TextProblem(node.lineno, "text.unknown_name", f"`{name}` {known}; there are {_listed(offered)}")
        case nodes.Name(name=name) if node.ctx == "store" and name in ALL:
            yield TextProblem(node.lineno, "text.refused", f"a loop cannot call its entry `{name}`, which is a name")
        case (
            nodes.Getattr(node=nodes.Name(name=name), attr=field)
            | nodes.Getitem(node=nodes.Name(name=name), arg=nodes.Const(value=str(field)))
        ) if name in offered and name not in own and field not in fields[name]:
            have = f"has {_listed(fields[name])}" if fields[name] else "has none that this text may name"
            yield TextProblem(node.lineno, "text.unknown_name", f"`{name}.{field}` is not known; `{name}` {have}")
        case nodes.Filter(name=name) if name not in _FILTERS:
            yield TextProblem(node.lineno, "text.refused", f"has no filter `{name}`; there are {_listed(_FILTERS)}")
        case nodes.Test(name=name) if name not in _TESTS:
            yield TextProblem(node.lineno, "text.refused", f"has no test `{name}`; there are {_listed(_TESTS)}")
        case nodes.For(recursive=True):
            yield TextProblem(node.lineno, "text.refused", "a loop cannot call itself")
        case _ if not isinstance(node, _ALLOWED):
            kind = type(node).__name__.lower()
            yield TextProblem(node.lineno, "text.refused", f"may name, compare and loop, and not use `{kind}`")
        case _:
            pass


def _listed(words: Iterator[str] | frozenset[str] | Mapping[str, object]) -> str:
    return ", ".join(f"`{word}`" for word in sorted(words))


# --- filling it in


def _filled(text: str, names: Names) -> str:
    pieces: list[str] = []
    length = 0
    try:
        for piece in _compiled(text).generate({**_plain(names), _COUNTER: _Steps()}):
            pieces.append(piece)
            length += len(piece)
            if length > RENDERED_CHARS:
                raise RenderError("text.runaway", f"grows past {RENDERED_CHARS:,} characters")
    except (TemplateError, TypeError, ValueError, ArithmeticError) as error:
        raise RenderError("text.failed", _sentence(error), line=_line_of(error)) from error
    return "".join(pieces)


def _plain(names: Names) -> dict[str, Any]:
    return cast("dict[str, Any]", msgspec.to_builtins(names))


def _sentence(error: Exception) -> str:
    if isinstance(error, UndefinedError):
        return f"names what is not there: {error.message}"
    return f"cannot be filled in: {error}"


def _line_of(error: Exception) -> int:
    """Read the line off the traceback, which jinja rewrites to lines of the text."""
    line, frame = 1, error.__traceback__
    while frame is not None:
        if frame.tb_frame.f_code.co_filename == "<template>":
            line = frame.tb_lineno
        frame = frame.tb_next
    return line


_COUNTER: Final = "_steps"  # cannot be said by a text: it is no offered name


class _Steps:
    """How many steps all loops of one rendering may still take together."""

    def __init__(self) -> None:
        self._left = LOOP_STEPS

    def over(self, items: object) -> Iterator[object]:
        if not isinstance(items, list | tuple):
            raise TypeError("only lists can be looped over")
        for item in cast("Sequence[object]", items):
            self._left -= 1
            if self._left < 0:
                raise RenderError("text.runaway", f"loops more than {LOOP_STEPS:,} times")
            yield item


@lru_cache(maxsize=1_024)
def _compiled(text: str) -> Template:
    return _counted(_read(text))


def _counted(tree: nodes.Template) -> Template:
    """Send every loop through the counter, in the tree: a text cannot get at it there."""
    for loop in tree.find_all(nodes.For):
        counter = nodes.Name(_COUNTER, "load", lineno=loop.lineno)
        loop.iter = nodes.Filter(loop.iter, "counted", [counter], [], None, None, lineno=loop.lineno)
    return _ENVIRONMENT.from_string(tree)


# --- the environment


def _join(items: object, separator: object = "") -> str:
    if not isinstance(items, list | tuple):
        raise TypeError("only lists can be joined")
    texts = [_printed(item) for item in cast("Sequence[object]", items)]
    between = _printed(separator)
    if sum(map(len, texts)) + len(between) * len(texts) > RENDERED_CHARS:
        raise RenderError("text.runaway", f"joins more than {RENDERED_CHARS:,} characters")
    return between.join(texts)


def _indent(text: object, width: object = 4) -> str:
    """Indent all lines but the first, as a continuation of what stands before it."""
    if not isinstance(width, int) or not 0 <= width <= _INDENT:
        raise TypeError(f"a text is indented by 0 to {_INDENT}")
    lines = _printed(text).split("\n")
    return f"\n{' ' * width}".join(lines)


def _length(value: object) -> int:
    if not isinstance(value, list | tuple | str | dict):
        raise TypeError("only lists and texts have a length")
    return len(cast("Sequence[object]", value))


def _printed(value: object) -> str:
    """Write a text or a number; anything else would come out in Python's own notation."""
    if isinstance(value, Undefined):
        return str(value)  # raises with the name in it
    if isinstance(value, str | int) and not isinstance(value, bool):
        return f"{value}"
    raise TypeError("only texts and numbers can be written; take a list apart with `for` or `join`")


def _lower(text: object) -> str:
    return _printed(text).lower()


def _trim(text: object) -> str:
    return _printed(text).strip()


def _upper(text: object) -> str:
    return _printed(text).upper()


def _counted_over(items: object, steps: _Steps) -> Iterator[object]:
    return steps.over(items)


_FILTERS: Final[Mapping[str, Callable[..., object]]] = {
    "indent": _indent,
    "join": _join,
    "length": _length,
    "lower": _lower,
    "trim": _trim,
    "upper": _upper,
}


class _Environment(ImmutableSandboxedEnvironment):
    """A sandbox in which an attribute is an entry of an object, or something of `loop`, and nothing of Python."""

    def getattr(self, obj: Value, attribute: str) -> Value:
        if isinstance(obj, LoopContext):
            return super().getattr(obj, attribute)
        return self.getitem(obj, attribute)

    def getitem(self, obj: Value, argument: Value) -> Value:
        if isinstance(obj, Undefined):
            return obj[argument]  # raises with the name in it
        try:
            return obj[argument]
        except (LookupError, TypeError):
            return self.undefined(obj=obj, name=argument)


def _environment() -> _Environment:
    environment = _Environment(
        undefined=StrictUndefined,
        finalize=_printed,
        trim_blocks=True,  # a line that is only `{% … %}` leaves no empty line behind
        lstrip_blocks=True,
        keep_trailing_newline=True,
        cache_size=0,
    )
    environment.globals = {}
    environment.filters = {**_FILTERS, "counted": _counted_over}
    return environment


_ENVIRONMENT: Final = _environment()
