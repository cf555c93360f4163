"""A daemon that says what a test tells it to: a real socket, real framing and turns, and no rules of its own.

What nobody scripted is answered with the golden message of its method.  `asked` holds every request in order.  An
`Impostor` gets the bare connection instead.
"""

import json
import socket
import threading
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Self

import msgspec

from protocol.conversation import Asked, Conversation, Role
from protocol.decoding import read_reply, read_request, write
from protocol.errors import Refusal
from protocol.framing import FrameReader, write_frame
from protocol.methods import METHODS
from protocol.notices import Notice
from protocol.requests import Initialize, Request, SubscribeEvents

GOLDEN: Final = Path(__file__).parents[1] / "protocol" / "golden"
HANG_UP: Final = object()  # an answer, or the end of what a subscriber is told

Answer = msgspec.Struct | Refusal | object


def golden(method: str, **changes: object) -> Any:
    """The reply to a method as the golden message has it, with some of its fields changed."""
    result = json.loads((GOLDEN / f"{method}.json").read_text(encoding="utf-8"))["reply"]["result"]
    return msgspec.structs.replace(read_reply(method, result, METHODS[method].reply), **changes)


class Impostor:
    """Whatever listens at a socket: a thread that takes connections in, and one for each of them."""

    def __init__(self, path: Path, serve: Callable[[socket.socket], None]) -> None:
        self.path = path
        self._serve = serve
        self._listener = socket.socket(socket.AF_UNIX)
        self._open: list[socket.socket] = []
        self._threads = [threading.Thread(target=self._run, daemon=True)]

    def __enter__(self) -> Self:
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._listener.bind(str(self.path))
        self._listener.listen()
        self._threads[0].start()
        return self

    def __exit__(self, *exc: object) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._threads[0].join(timeout=10)  # from here on there are no new connections
        for connection in self._open:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        for thread in self._threads[1:]:
            thread.join(timeout=10)
        self._listener.close()
        self.path.unlink()

    def _run(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self._open.append(connection)
            self._threads.append(threading.Thread(target=self._attend, args=[connection], daemon=True))
            self._threads[-1].start()

    def _attend(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):
            self._serve(connection)


def after_greeting(then: Callable[[socket.socket], object]) -> Callable[[socket.socket], None]:
    """What an impostor does that welcomes, and does what it likes with the first request."""

    def serve(connection: socket.socket) -> None:
        connection.recv(65536)
        connection.sendall(welcome())
        connection.recv(65536)
        then(connection)

    return serve


def welcome() -> bytes:
    """The reply to the first request of a connection."""
    return write_frame({"jsonrpc": "2.0", "id": 1, "result": write(golden("initialize"))})


def silently(connection: socket.socket) -> None:
    """Listen until the peer hangs up, also on what it has not read yet."""
    with suppress(ConnectionResetError):
        while connection.recv(65536):
            pass


class ScriptedDaemon(Impostor):
    """A daemon with a script: what it answers by method, and what its subscribers hear."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, self._converse)
        self.asked: list[Request[Any]] = []
        self.greeted = 0
        self.told: deque[Iterable[Notice | object]] = deque()  # to one subscription after the other
        self._answers: dict[str, deque[Answer]] = {}

    def answers(self, method: str, *answers: Answer) -> Self:
        """Script what a method is answered, one after the other; the last one over and over."""
        self._answers[method] = deque(answers)
        return self

    def _converse(self, connection: socket.socket) -> None:
        conversation, reader = Conversation(Role.DAEMON), FrameReader()
        while data := connection.recv(65536):
            for line in reader.lines(data):
                asked = conversation.receive(line)
                assert isinstance(asked, Asked)
                if not self._answer(connection, conversation, asked):
                    return

    def _answer(self, connection: socket.socket, conversation: Conversation, asked: Asked) -> bool:
        answer, request = self._ask(asked)
        if answer is HANG_UP:
            return False
        if isinstance(answer, Refusal):
            connection.sendall(conversation.error(asked.id, answer.error()))
            return True
        assert isinstance(answer, msgspec.Struct)
        connection.sendall(conversation.reply(asked.id, write(answer)))
        return not isinstance(request, SubscribeEvents) or self._tell(connection, conversation)

    def _ask(self, asked: Asked) -> tuple[Answer, Request[Any] | None]:
        try:
            request = read_request(asked.method, asked.params)
        except Refusal as refusal:  # as the real one would: a client must not send this
            return refusal, None
        if isinstance(request, Initialize):
            self.greeted += 1
        else:
            self.asked.append(request)
        return self._answer_to(request), request

    def _answer_to(self, request: Request[Any]) -> Answer:
        scripted = self._answers.get(request.method) or deque([golden(request.method)])
        return scripted.popleft() if len(scripted) > 1 else scripted[0]

    def _tell(self, connection: socket.socket, conversation: Conversation) -> bool:
        for notice in self.told.popleft() if self.told else ():
            if not isinstance(notice, Notice):
                return False
            connection.sendall(conversation.notice(notice.method, write(notice)))
        return True
