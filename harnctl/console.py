"""The console: where one command of harnctl speaks, asks and listens.

A reply leaves here as a document or as text, never as both: with `--json` standard output holds one JSON document and
nothing else, and what is said to a person goes to standard error.  Whether a person can be asked has nothing to do
with colour.  JSON is written in ASCII, so nothing in it acts on a terminal either.  An answer that cannot be written is
a failure; a remark that cannot be written is nobody's business and changes no exit code.
"""

import io
import json
import os
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TextIO

import msgspec

from harnctl.client import Client, ClientError
from harnctl.client.place import NoSocketPath, find_socket, unit_directory
from harnctl.failures import Failure, exit_of
from harnctl.render.blocks import Block, Command
from harnctl.render.error import failed
from harnctl.render.layout import lines, shown
from harnctl.render.screen import Screen
from protocol.decoding import write
from protocol.requests import ReplyT, Request
from protocol.socket_path import SOCKET, STATE
from protocol.values import SECOND, Instant

ERROR: Final = "error"
YES: Final = frozenset({"y", "yes"})
UNIT: Final = "harnd.service"  # what systemd starts it by, where it is installed
STARTS: Final = "start it: "  # what the way out of a dead daemon begins with


class Undecided(KeyboardInterrupt):
    """Ctrl-C at a question."""


class Lost(Failure):
    """Standard output takes nothing more, as on a full disk; what was asked for may well have been done."""


@dataclass
class Console:
    """The three streams, what the person chose, and the way to the daemon."""

    out: TextIO
    err: TextIO
    stdin: TextIO
    environ: Mapping[str, str]
    clock: Callable[[], float] = time.time
    json: bool = False
    state: Path | None = None
    socket: Path | None = None

    # --- the daemon

    @property
    def socket_path(self) -> Path:
        """Where the daemon is expected."""
        try:
            return find_socket(self.environ, state=self.state, socket=self.socket)
        except NoSocketPath as error:
            raise Failure("socket.no_path", str(error), fix=f"set {SOCKET} to a shorter path") from error

    def client(self) -> Client:
        """Return a client of the daemon; it connects when first asked."""
        return Client(self.socket_path)

    def ask(self, request: Request[ReplyT]) -> ReplyT:
        """Ask the daemon one question."""
        with self.client() as client:
            return client.ask(request)

    # --- speaking

    def show(self, name: str, reply: msgspec.Struct, blocks: Iterable[Block]) -> None:
        """Give the answer of a command: its reply as a document of this name, or its blocks."""
        if self.json:
            self._document(name, write(reply))
        else:
            self._write(self.out, blocks)

    def say(self, blocks: Iterable[Block]) -> None:
        """Tell a person something that is not the answer."""
        self._write(self.err if self.json else self.out, blocks)

    def tell(self, blocks: Iterable[Block]) -> None:
        """Tell a person something on standard error, whatever the answer looks like."""
        self._write(self.err, blocks)

    def fail(self, error: ClientError) -> int:
        """Report an error and return what to exit with."""
        code, fix = exit_of(error), self.way_out(error)
        if self.json and not isinstance(error, Lost):
            facts = {"code": error.code, "message": error.message, "fix": fix, "exit": code}
            self._document(ERROR, {**facts, "details": dict(error.details)})
        self._write(self.err, failed(error, fix))
        return code

    def way_out(self, error: ClientError) -> str:
        """Return what to do about an error; a daemon whose state is not known here cannot be started from here."""
        if not error.fix.startswith(STARTS):
            return error.fix
        is_named = self.state or self.environ.get(STATE)
        if self.socket is not None and not is_named:
            return "start the daemon of this socket; its state directory is not known here"
        if not is_named and (unit_directory(self.environ) / UNIT).exists():
            return "look at its service: harnctl service status"
        return error.fix

    # --- asking a person

    @property
    def is_interactive(self) -> bool:
        """Tell whether there is a person who sees a question and can answer it."""
        return self.stdin.isatty() and self.err.isatty()

    @property
    def has_screen(self) -> bool:
        """Tell whether a person sits at a terminal that can be drawn on."""
        return self.stdin.isatty() and self.out.isatty() and self.environ.get("TERM", "") not in {"", "dumb"}

    def confirm(self, question: str) -> bool:
        """Ask a question; anything but a clear yes is no."""
        return self.question(f"{question} [y/N]").lower() in YES

    def question(self, text: str) -> str:
        """Ask a question and return the line that was typed, which is empty at the end of input."""
        asked = f"{shown(text, self._screen(self.err))} "
        try:
            self._put(self.err, [asked])  # from here on Ctrl-C is an answer, also before anything is read
            return self.stdin.readline().strip()
        except KeyboardInterrupt:
            self._put(self.err, ["\n"])  # the cursor stands behind the question
            raise Undecided from None

    # --- the rest

    def now(self) -> Instant:
        """Return the present moment."""
        return Instant(int(self.clock() * SECOND))

    def addressed(self, block: Block) -> Block:
        """Make a command reach this daemon when it is pasted: what was said on the command line is said again."""
        if not isinstance(block, Command):
            return block
        state = ("--state", str(self.state)) if self.state else ()
        socket = ("--socket", str(self.socket)) if self.socket else ()
        match block.words:
            case ("harnctl" | "harnd" as program, *rest):
                return Command((program, *state, *socket, *rest), block.why)
            case (python, "-m", "harnd", *rest):
                return Command((python, "-m", "harnd", *state, *socket, *rest), block.why)
            case _:
                return block

    def _document(self, name: str, content: Mapping[str, object]) -> None:
        text = json.dumps({"schema": f"harnctl.{name}/1", **content}, separators=(",", ":"))
        self._put(self.out, [text + "\n"])

    def _write(self, stream: TextIO, blocks: Iterable[Block]) -> None:
        self._put(stream, (line + "\n" for line in lines(map(self.addressed, blocks), self._screen(stream))))

    def _put(self, stream: TextIO, texts: Iterable[str]) -> None:
        """Write to the end, or not at all: whoever reads the answer is told, and a remark is let go."""
        try:
            stream.writelines(texts)
            stream.flush()
        except OSError as error:
            turn_away(stream)
            if stream is self.err:
                return
            if isinstance(error, BrokenPipeError):
                raise
            said = f"the answer could not be written to standard output: {error.strerror or error}"
            raise Lost("output.lost", said, fix="look whether it was done before you do it again") from error

    def _screen(self, stream: TextIO) -> Screen:
        return Screen.of(stream, self.environ)


def turn_away(stream: TextIO) -> None:
    """Point a stream at nothing: what it still holds would fail once more when the program ends."""
    with suppress(io.UnsupportedOperation), Path(os.devnull).open("wb") as nothing:
        os.dup2(nothing.fileno(), stream.fileno())
