"""Conversations: which JSON-RPC 2.0 message is legal when, for the client and for the daemon, without any I/O.

`SENDER` and `NEXT` are the whole of the rules: who may send a kind of message, in which state, and what state follows.
A `Conversation` keeps the state and the ids in flight for one end of one connection; both ends see the same states, as
every move is made by a message.  What a method or its parameters mean is the business of `protocol.decoding`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias, cast

from protocol.bounds import REQUEST_ID_CHARS, SEQUENCE
from protocol.framing import FrameError, read_frame, write_frame

Id: TypeAlias = int | str


class Role(StrEnum):
    """An end of the connection."""

    CLIENT = "client"
    DAEMON = "daemon"


class State(StrEnum):
    """How far a connection has come."""

    NEW = "new"
    INITIALIZING = "initializing"  # asked, not answered
    INITIALIZED = "initialized"
    CLOSED = "closed"


class Kind(StrEnum):
    """What a message is to the rules."""

    INITIALIZE = "initialize"  # the request of that name
    REQUEST = "request"  # any other
    NOTIFICATION = "notification"  # a request without an id: no answer could tell what came of it, so nothing does
    WELCOME = "welcome"  # the reply to initialize
    TURN_DOWN = "turn_down"  # the error reply to initialize
    REPLY = "reply"
    ERROR = "error"  # any other error reply, also to a message that has no id or no right to be
    NOTICE = "notice"


SENDER: Final[Mapping[Kind, Role]] = {
    Kind.INITIALIZE: Role.CLIENT,
    Kind.REQUEST: Role.CLIENT,
    Kind.NOTIFICATION: Role.CLIENT,
    Kind.WELCOME: Role.DAEMON,
    Kind.TURN_DOWN: Role.DAEMON,
    Kind.REPLY: Role.DAEMON,
    Kind.ERROR: Role.DAEMON,
    Kind.NOTICE: Role.DAEMON,
}

NEXT: Final[Mapping[State, Mapping[Kind, State]]] = {
    State.NEW: {
        Kind.INITIALIZE: State.INITIALIZING,
        Kind.NOTIFICATION: State.NEW,
        Kind.ERROR: State.NEW,
    },
    State.INITIALIZING: {
        Kind.NOTIFICATION: State.INITIALIZING,
        Kind.WELCOME: State.INITIALIZED,
        Kind.TURN_DOWN: State.NEW,
        Kind.ERROR: State.INITIALIZING,
    },
    State.INITIALIZED: {
        Kind.REQUEST: State.INITIALIZED,
        Kind.NOTIFICATION: State.INITIALIZED,
        Kind.REPLY: State.INITIALIZED,
        Kind.ERROR: State.INITIALIZED,
        Kind.NOTICE: State.INITIALIZED,
    },
    State.CLOSED: {},
}

MEMBERS: Final = frozenset({"jsonrpc", "id", "method", "params", "result", "error"})


class RemoteProtocolError(Exception):
    """The peer broke the rules.  The daemon answers it, under `id` where it is known; a client hangs up."""

    def __init__(self, code: str, message: str, *, to: Id | None = None) -> None:
        """Say in one sentence what was wrong, and with the request of which id."""
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.id = to


class LocalProtocolError(Exception):
    """We are about to break the rules: a bug on this side.  Nothing was sent."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A request came in; it is in flight until its reply is written."""

    id: Id
    method: str
    params: object


@dataclass(frozen=True, slots=True)
class Ignored:
    """A notification came in, and nothing follows."""

    method: str


@dataclass(frozen=True, slots=True)
class Answered:
    """The reply to a request of ours came in."""

    id: Id
    method: str
    result: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Failed:
    """An error reply came in.  Without an id it is about a line that the daemon could not read."""

    id: Id | None
    rpc: int
    message: str
    data: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Noticed:
    """A notice came in."""

    method: str
    params: object


Incoming: TypeAlias = Asked | Ignored | Answered | Failed | Noticed


class Conversation:
    """One end of one connection."""

    def __init__(self, role: Role) -> None:
        """Begin before anything was said."""
        self.role = role
        self.state = State.NEW
        self._in_flight: dict[Id, str] = {}

    def __repr__(self) -> str:
        return f"<Conversation {self.role} {self.state} in_flight={len(self._in_flight)}>"

    @property
    def in_flight(self) -> Mapping[Id, str]:
        """The methods of the requests that have no reply yet, by id."""
        return self._in_flight

    def receive(self, line: bytes) -> Incoming:
        """Take one line off the wire; raises `RemoteProtocolError`, after which the state is what it was."""
        try:
            message = read_frame(line)
        except FrameError as error:
            raise RemoteProtocolError(error.code, error.message) from error
        _check_envelope(message)
        if "method" in message:
            return self._asked(message) if "id" in message else self._told(message)
        return self._answered(message)

    def request(self, id: Id, method: str, params: Mapping[str, object]) -> bytes:  # noqa: A002 - the member's name
        """Write a request; raises `FrameTooLong` when it does not fit."""
        if id in self._in_flight:
            raise LocalProtocolError(f"the id {id!r} is in flight")
        message = {"jsonrpc": "2.0", "id": id, "method": method, "params": params}
        frame = self._send(_kind_of_request(method), message)
        self._in_flight[id] = method
        return frame

    def reply(self, id: Id, result: Mapping[str, object]) -> bytes:  # noqa: A002 - as above
        """Write the reply to a request; raises `FrameTooLong`, and the request stays in flight for an error reply."""
        kind = Kind.WELCOME if self._in_flight.get(id) == "initialize" else Kind.REPLY
        if id not in self._in_flight:
            raise LocalProtocolError(f"no request {id!r} is in flight")
        frame = self._send(kind, {"jsonrpc": "2.0", "id": id, "result": result})
        del self._in_flight[id]
        return frame

    def error(self, id: Id | None, error: Mapping[str, object]) -> bytes:  # noqa: A002 - as above
        """Write an error reply, to a request in flight or to a message that never was."""
        opening = id is not None and self._in_flight.get(id) == "initialize"
        frame = self._send(Kind.TURN_DOWN if opening else Kind.ERROR, {"jsonrpc": "2.0", "id": id, "error": error})
        if id is not None:
            self._in_flight.pop(id, None)
        return frame

    def notice(self, method: str, params: Mapping[str, object]) -> bytes:
        """Write a notice; raises `FrameTooLong`."""
        return self._send(Kind.NOTICE, {"jsonrpc": "2.0", "method": method, "params": params})

    def close(self) -> None:
        """Take note that the connection has ended."""
        self.state = State.CLOSED

    def _send(self, kind: Kind, message: Mapping[str, object]) -> bytes:
        if SENDER[kind] is not self.role or kind not in NEXT[self.state]:
            raise LocalProtocolError(f"a {self.role} cannot send a {kind} when {self.state}")
        frame = write_frame(message)
        self.state = NEXT[self.state][kind]
        return frame

    def _move(self, kind: Kind, *, to: Id | None) -> None:
        if kind not in NEXT[self.state]:
            raise RemoteProtocolError("message.out_of_turn", f"no {kind} when the connection is {self.state}", to=to)
        self.state = NEXT[self.state][kind]

    def _asked(self, message: Mapping[str, object]) -> Incoming:
        id_, method = _id(message["id"]), _method(message)
        if self.role is Role.CLIENT:
            raise RemoteProtocolError("message.malformed", "a daemon asks nothing", to=id_)
        if id_ in self._in_flight:
            # Answered under no id: an error under this one would be taken for the answer to the first request.
            raise RemoteProtocolError("message.id_in_flight", f"the id {id_!r} is in flight")
        self._move(_kind_of_request(method), to=id_)
        self._in_flight[id_] = method
        return Asked(id_, method, message.get("params", {}))

    def _told(self, message: Mapping[str, object]) -> Incoming:
        method = _method(message)
        if self.role is Role.DAEMON:
            self._move(Kind.NOTIFICATION, to=None)
            return Ignored(method)
        self._move(Kind.NOTICE, to=None)
        return Noticed(method, message.get("params", {}))

    def _answered(self, message: Mapping[str, object]) -> Incoming:
        if self.role is Role.DAEMON:
            raise RemoteProtocolError("message.malformed", "a request has a method")
        error, result = _object(message.get("error")), _object(message.get("result"))
        if (error is None) == (result is None):
            raise RemoteProtocolError(
                "message.malformed", "a reply has either a result or an error, which is an object"
            )
        if error is not None and message.get("id") is None:
            self._move(Kind.ERROR, to=None)
            return _failed(None, error)
        id_, method = self._ours(message.get("id"))
        opening = method == "initialize"
        if error is not None:
            failed = _failed(id_, error)
            self._settle(id_, Kind.TURN_DOWN if opening else Kind.ERROR)
            return failed
        self._settle(id_, Kind.WELCOME if opening else Kind.REPLY)
        return Answered(id_, method, result or {})

    def _settle(self, id_: Id, kind: Kind) -> None:
        self._move(kind, to=None)
        del self._in_flight[id_]

    def _ours(self, value: object) -> tuple[Id, str]:
        id_ = _id(value)
        if id_ not in self._in_flight:
            raise RemoteProtocolError("message.malformed", f"a reply to {id_!r}, which was not asked")
        return id_, self._in_flight[id_]


def _kind_of_request(method: str) -> Kind:
    return Kind.INITIALIZE if method == "initialize" else Kind.REQUEST


def _check_envelope(message: Mapping[str, object]) -> None:
    if message.get("jsonrpc") != "2.0":
        raise RemoteProtocolError("message.malformed", 'a message has "jsonrpc": "2.0"', to=_known_id(message))
    if unknown := sorted(message.keys() - MEMBERS):
        raise RemoteProtocolError(
            "message.malformed", f"a message has no member {unknown[0][:80]!r}", to=_known_id(message)
        )


def _known_id(message: Mapping[str, object]) -> Id | None:
    try:
        return _id(message.get("id"))
    except RemoteProtocolError:
        return None


def _id(value: object) -> Id:
    match value:
        case bool():
            pass  # to Python, a kind of int
        case int() if -SEQUENCE <= value <= SEQUENCE:
            return value
        case str() if len(value) <= REQUEST_ID_CHARS:
            return value
        case _:
            pass
    raise RemoteProtocolError(
        "message.bad_id", f"an id is a whole number within 2^53 or a string of up to {REQUEST_ID_CHARS} characters"
    )


def _method(message: Mapping[str, object]) -> str:
    match message:
        case {"method": str(method)} if not message.keys() & {"result", "error"}:
            return method
        case _:
            raise RemoteProtocolError(
                "message.malformed", "a request has a method, which is a string, and no result", to=_known_id(message)
            )


def _failed(to: Id | None, error: Mapping[str, object]) -> Failed:
    rpc, message, data = error.get("code"), error.get("message"), _object(error.get("data"))
    if not isinstance(rpc, int) or not isinstance(message, str) or data is None:
        raise RemoteProtocolError("message.malformed", "an error has a code, a message and data")
    return Failed(to, rpc, message, data)


def _object(value: object) -> Mapping[str, object] | None:
    return cast("Mapping[str, object]", value) if isinstance(value, dict) else None
