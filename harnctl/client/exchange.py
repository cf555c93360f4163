"""Exchanges: asking typed questions over one connection, without doing any I/O.

`ask` gives bytes to send; `receive` takes what came off the socket; `reply` and `notice` hand out what was in it.  The
synchronous and the asynchronous client both consist of this and of the sending and receiving.
"""

from collections import deque
from typing import Final, cast

from harnctl.client.errors import Lost, ProtocolError, Refused
from protocol.bounds import SUBSCRIBER_QUEUE
from protocol.conversation import Answered, Conversation, Failed, Incoming, Noticed, RemoteProtocolError, Role
from protocol.decoding import read_notice, read_reply, write
from protocol.errors import Family, family_of
from protocol.framing import FrameError, FrameReader
from protocol.methods import MAX_VERSION, METHODS, MIN_VERSION
from protocol.notices import Notice
from protocol.replies import Welcome
from protocol.requests import Initialize, ReplyT, Request

CLIENT: Final = "harnctl"
BREACHES: Final = (Family.PARSE, Family.MESSAGE)  # what a daemon that cannot read us says of it
UNREAD: Final = 2 * SUBSCRIBER_QUEUE  # notices that may lie here; a page and the queue of a subscriber are fewer


class Exchange:
    """What was asked and answered on one connection."""

    def __init__(self) -> None:
        """Begin before anything was said."""
        self._conversation = Conversation(Role.CLIENT)
        self._reader = FrameReader()
        self._asked = 0
        self._answers: dict[int, Answered | Failed] = {}
        self._notices: deque[Notice] = deque()

    def __repr__(self) -> str:
        return f"<Exchange {self._conversation.state} asked={self._asked} unread={len(self._notices)}>"

    def ask(self, request: Request[ReplyT]) -> tuple[int, bytes]:
        """Return a number to fetch the reply by, and the bytes to send."""
        self._asked += 1
        try:
            return self._asked, self._conversation.request(self._asked, request.method, write(request))
        except FrameError as error:
            raise ProtocolError(error.code, f"the request does not fit: {error.message}") from error

    def receive(self, data: bytes) -> None:
        """Take what came off the socket, nothing at all for its end; raises `ProtocolError`, `Refused` and `Lost`."""
        try:
            if not data:
                self._end()
            for line in self._reader.lines(data):
                self._file(self._conversation.receive(line))
        except (FrameError, RemoteProtocolError) as error:
            raise ProtocolError(error.code, f"the daemon broke the protocol: {error.message}") from error

    def reply(self, number: int, request: Request[ReplyT]) -> ReplyT | None:
        """Return the reply when it is here; raises `Refused`, or `ProtocolError` when it is not of its type."""
        answer = self._answers.pop(number, None)
        if isinstance(answer, Failed):
            raise _refused(answer)
        if answer is None:
            return None
        try:
            reply: ReplyT = read_reply(request.method, answer.result, METHODS[request.method].reply)
        except RemoteProtocolError as error:
            raise ProtocolError(error.code, error.message, fix="harnctl doctor") from error
        return reply

    def notice(self) -> Notice | None:
        """Return the next notice that is here, in the order of their sending."""
        return self._notices.popleft() if self._notices else None

    def _end(self) -> None:
        try:
            self._reader.close()
        except FrameError as error:
            raise Lost("the daemon closed the connection in the middle of a line") from error
        raise Lost("the daemon closed the connection before it answered")

    def _file(self, incoming: Incoming) -> None:
        match incoming:
            case Answered(id=int(number)) | Failed(id=int(number)):
                self._answers[number] = incoming
            case Failed() if family_of(_code(incoming)) in BREACHES:
                raise RemoteProtocolError(_code(incoming), incoming.message)
            case Failed():  # turned away at the door, before anything was read: the daemon hangs up
                raise _refused(incoming)
            case Noticed(method=method, params=params):
                if notice := read_notice(method, params):
                    self._notices.append(notice)
                if len(self._notices) > UNREAD:
                    raise RemoteProtocolError("message.out_of_turn", f"more than {UNREAD} notices instead of a reply")
            case _:
                raise RemoteProtocolError("message.malformed", "this is no message for a client")


def opening() -> Request[Welcome]:
    """Return the first request of every connection."""
    return Initialize(min_version=MIN_VERSION, max_version=MAX_VERSION, client=CLIENT)


def _code(failed: Failed) -> str:
    code = failed.data.get("code")
    return code if isinstance(code, str) else "message.malformed"


def _refused(failed: Failed) -> Refused:
    fix, details = failed.data.get("fix"), failed.data.get("details")
    return Refused(
        _code(failed),
        failed.message,
        fix=fix if isinstance(fix, str) else "",
        details=cast("dict[str, object]", details) if isinstance(details, dict) else {},
    )
