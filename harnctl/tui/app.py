"""The application: a terminal that shows the model and hands in keys, on prompt_toolkit.

The terminal is given back on every end that can be caught: a key, a signal, an error in here.  After TERM or HUP the
process dies by that signal, as whoever sent it expects.  Runs on asyncio only, as prompt_toolkit does.
"""

import asyncio
import errno
import gc
import os
import signal
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import anyio
from anyio.abc import TaskGroup
from msgspec.structs import replace
from prompt_toolkit.application import Application, in_terminal
from prompt_toolkit.application.current import set_app
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout import FormattedTextControl, Layout, Window
from prompt_toolkit.output import Output

from harnctl.client import ClientError
from harnctl.console import Console
from harnctl.editing.beside import edited
from harnctl.failures import INTERRUPTED, Failure
from harnctl.render.blocks import Paragraph, Style
from harnctl.render.layout import Row
from harnctl.render.screen import Screen
from harnctl.tui import messages as m
from harnctl.tui.drawing import draw
from harnctl.tui.errands import Quit, Write
from harnctl.tui.model import Confirming, Model, Said, Size, Tone
from harnctl.tui.runner import Runner
from harnctl.tui.update import update
from protocol.errors import Exit
from protocol.views import InboxView

TICK_S: Final = 10.0
ESCAPE_S: Final = 0.05  # how long an escape may turn out to be the beginning of another key
HUNG_UP: Final = 129
KEYBOARD: Final = (signal.SIGINT, signal.SIGQUIT)  # which a terminal sends, to an editor too
SIGNALS: Final = (*KEYBOARD, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2)
STYLES: Final = {
    Style.PLAIN: "",
    Style.STRONG: "bold",
    Style.FAINT: "fg:ansibrightblack",
    Style.BAD: "fg:ansired bold",
    Style.GOOD: "fg:ansigreen",
    Style.ASKS: "fg:ansiyellow",
    Style.BUSY: "fg:ansicyan",
    Style.PICKED: "reverse",
}
KEYS: Final = {
    Keys.Up: "up",
    Keys.Down: "down",
    Keys.Left: "left",
    Keys.Right: "right",
    Keys.Home: "home",
    Keys.End: "end",
    Keys.PageUp: "pageup",
    Keys.PageDown: "pagedown",
    Keys.ControlM: "enter",
    Keys.ControlJ: "enter",
    Keys.ControlI: "tab",
    Keys.BackTab: "shift-tab",
    Keys.Escape: "escape",
    Keys.ControlH: "backspace",
    Keys.Delete: "backspace",
    Keys.ControlC: "ctrl-c",
}


class Tui:
    """One run of the TUI."""

    def __init__(
        self,
        socket: Path,
        console: Console,
        *,
        keyboard: Input | None = None,
        screen: Output | None = None,
        welcome: str = "",
        patience_s: float = 0.0,
    ) -> None:
        """Take over the terminal of this process, or the one that is given; nothing is drawn yet.

        A daemon that is not there is waited for `patience_s` seconds at first, and for ever later.
        """
        self._console = console
        self._app = self._application(keyboard, screen)
        self._runner = Runner(socket, self.dispatch, self._edit)
        self._tasks: TaskGroup | None = None
        self._signalled: signal.Signals | None = None
        self._editing: anyio.CancelScope | None = None
        self._left: int | None = None  # with this code
        self._failure: ClientError | None = None
        self._failed = False  # by a bug of ours
        unicode = Screen.of(console.out, console.environ).unicode
        self._patience_s = patience_s
        said = Said(welcome, Tone.ASKS) if welcome else None
        self.model = Model(now=console.now(), size=self._size(), unicode=unicode, said=said)

    async def run(self) -> int:
        """Show and answer until the person leaves; return what to exit with, or die by the signal that ended it.

        Raises `ClientError` when there is no daemon at first, or another kind of one later.
        """
        try:
            inbox = await self._runner.greet(self._patience_s)
            gc.collect()
            gc.freeze()  # a full collection past everything that was loaded takes longer than a key may
            code = await self._shown(inbox)
        finally:
            with anyio.CancelScope(shield=True):
                await self._runner.aclose()
        if self.model.sending is not None:
            left = f"{self.model.sending.label}: left before the answer came"
            self._console.tell([Paragraph(left, style=Style.ASKS)])
        if self._failure is not None:
            raise self._failure
        if self._signalled is not None:  # it was only put off
            os.kill(os.getpid(), self._signalled)
        return code

    def dispatch(self, message: m.Message) -> None:
        """Take a message, begin what it leads to, and have the screen drawn."""
        if isinstance(message, m.Listed | m.Looked):  # ages are told from when they were read
            self.model = replace(self.model, now=self._console.now())
        self.model, errands = update(self.model, message)
        for errand in errands:
            if isinstance(errand, Quit):
                self._leave(INTERRUPTED if errand.interrupted else Exit.DONE)
            elif self._tasks is not None:
                self._tasks.start_soon(self._runner.run, errand)
        self._app.invalidate()

    # --- the run

    async def _shown(self, inbox: InboxView) -> int:
        code: int = Exit.FAILURE
        async with anyio.create_task_group() as tasks:
            self._tasks = tasks
            tasks.start_soon(self._follow, inbox)
            tasks.start_soon(self._tick)
            asyncio.get_running_loop().set_exception_handler(self._callback_failed)
            with _signals(self._signal):
                code = await self._until_left()
            self._tasks = None
            tasks.cancel_scope.cancel()
        return code

    async def _until_left(self) -> int:
        try:
            return await self._app.run_async(
                pre_run=self._leave_if_asked, handle_sigint=False, set_exception_handler=False
            )
        except EOFError:  # the terminal is gone
            return HUNG_UP
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            return HUNG_UP

    async def _follow(self, inbox: InboxView) -> None:
        try:
            await self._runner.follow(inbox)
        except ClientError as error:  # what came back is no daemon for this client
            self._failure = error
            self._leave(Exit.FAILURE)

    def _leave(self, code: int) -> None:
        """Have the screen left, at once or as soon as it is there; the first to ask says with what code."""
        if self._left is None:
            self._left = code
        if self._editing is not None:  # prompt_toolkit waits for whoever has the terminal
            self._editing.cancel()
        if self._is_shown:
            self._app.exit(result=self._left)

    @property
    def _is_shown(self) -> bool:
        return self._app.future is not None and not self._app.future.done()

    def _leave_if_asked(self) -> None:
        if self._left is not None:
            self._leave(self._left)

    def _callback_failed(self, _loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Leave by an error in a callback: it would only be logged, onto the screen."""
        error = context.get("exception") or RuntimeError(context["message"])
        # A waiter that was woken twice, below us, is nothing wrong with the screen: the first time counts.
        if not isinstance(error, asyncio.InvalidStateError):
            self._fail(error)

    def _fail(self, error: BaseException) -> None:
        self._failed = True
        if self._is_shown:
            self._app.exit(exception=error)

    def _signal(self, number: signal.Signals) -> None:
        if number in KEYBOARD and self._editing is not None:
            return  # it is the editor's
        if number == signal.SIGINT:
            self.dispatch(m.Pressed("ctrl-c"))
        else:
            self._signalled = number
            self._leave(128 + number)

    async def _tick(self) -> None:
        while True:
            await anyio.sleep(TICK_S)
            self.dispatch(m.Ticked(self._console.now()))

    async def _edit(self, wanted: Write) -> m.Written | m.NotWritten:
        with set_app(self._app):
            async with in_terminal():
                if self._left is not None:  # while the terminal was waited for
                    return m.NotWritten("left")
                try:
                    with anyio.CancelScope() as self._editing:
                        return m.Written(await edited(self._console.environ, wanted.draft, about=_about(wanted)))
                except Failure as failure:
                    return m.NotWritten(failure.message)
                finally:
                    self._editing = None
        return m.NotWritten("the editor was ended")

    # --- the screen

    def _application(self, keyboard: Input | None, screen: Output | None) -> Application[int]:
        control = FormattedTextControl(self._fragments, focusable=True, show_cursor=False)
        app: Application[int] = Application(
            layout=Layout(Window(control, wrap_lines=False, always_hide_cursor=True)),
            key_bindings=self._bindings(),
            full_screen=True,
            after_render=lambda _app: self._tell_shown(),
            input=keyboard,
            output=screen,
        )
        app.ttimeoutlen = ESCAPE_S
        app.timeoutlen = ESCAPE_S
        return app

    def _bindings(self) -> KeyBindings:
        bindings = KeyBindings()

        @bindings.add(Keys.Any)
        def pressed(event: KeyPressEvent) -> None:
            for press in event.key_sequence:
                name = KEYS.get(press.key, press.key) if isinstance(press.key, Keys) else press.key
                self.dispatch(m.Pressed(str(name.value if isinstance(name, Keys) else name)))

        @bindings.add(Keys.BracketedPaste)
        def pasted(event: KeyPressEvent) -> None:
            self.dispatch(m.Pasted(event.data))

        @bindings.add(Keys.ControlL)
        def redraw(event: KeyPressEvent) -> None:
            event.app.renderer.clear()

        return bindings

    def _tell_shown(self) -> None:
        match self.model.mode:
            case Confirming(seen=False):
                self.dispatch(m.Shown())
            case _:
                pass

    def _fit(self) -> None:
        if (size := self._size()) != self.model.size:
            self.model = update(self.model, m.Resized(size)).model

    def _size(self) -> Size:
        found = self._app.output.get_size()
        return Size(found.columns, found.rows)

    def _fragments(self) -> StyleAndTextTuples:
        if self._failed:  # a last drawing is made on the way out, and one that fails would keep the terminal
            return []
        try:
            self._fit()
            return _painted(draw(self.model))
        except Exception as error:  # noqa: BLE001 - it ends the program, once the terminal is given back
            self._fail(error)
            return []


def _about(wanted: Write) -> str | None:
    """Say what words are for, which are all but its comments; a file says it itself and is taken as it is."""
    return None if wanted.whole else wanted.about


@contextmanager
def _signals(heard: Callable[[signal.Signals], None]) -> Generator[None]:
    """Hear of the signals that end a program, instead of being ended."""
    loop = asyncio.get_running_loop()
    before = {number: signal.getsignal(number) for number in SIGNALS}
    for number in SIGNALS:
        loop.add_signal_handler(number, heard, number)
    try:
        yield
    finally:
        for number, handler in before.items():
            loop.remove_signal_handler(number)
            signal.signal(number, handler)


def _painted(rows: Sequence[Row]) -> StyleAndTextTuples:
    fragments: StyleAndTextTuples = []
    for row in rows:
        fragments += [(STYLES[span.style], span.text) for span in row if span.text]
        fragments.append(("", "\n"))
    return fragments[:-1]
