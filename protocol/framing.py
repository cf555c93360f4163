"""Frames: one JSON object a line, UTF-8, at most 4 MiB with its newline, the same in both directions.

Bytes go in as they come off a socket, in pieces of any size; whole lines come out, and a line becomes one object or a
`FrameError` that says what is wrong with it.  Nothing longer than the cap is ever held: a peer that announces or sends
more is refused before the rest of it is read.  Only the standard library is used, so that a client that must start fast
can speak without msgspec.  What the objects mean is the business of `protocol.conversation`.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Final, cast

from protocol.bounds import FRAME_BYTES

NEWLINE: Final = b"\n"
SURROGATE: Final = re.compile(r"\\u[dD][89a-fA-F]")


class FrameError(Exception):
    """A line is not a frame.  `code` is one of `protocol.errors`; the next line may be fine."""

    def __init__(self, code: str, message: str) -> None:
        """Say what is wrong with the line in one sentence."""
        super().__init__(message)
        self.code = code
        self.message = message


class FrameTooLong(FrameError):
    """A line passes the cap.  Its end was not read, so nothing after it can be: close the connection."""

    def __init__(self, cap: int) -> None:
        """Name the cap that was passed."""
        super().__init__("frame.too_long", f"a frame may be {cap} bytes long, its newline included")


class FrameReader:
    """Cuts what a peer sends into lines.  It holds less than one frame between calls."""

    def __init__(self, cap: int = FRAME_BYTES) -> None:
        """Begin at the start of a line."""
        self._cap = cap
        self._held = bytearray()

    def lines(self, data: bytes) -> Iterator[bytes]:
        """Give every line that `data` completes, without its newline; raises `FrameTooLong`.

        Empty lines are skipped: a person at a terminal presses return.
        """
        start = 0
        while (end := data.find(NEWLINE, start)) >= 0:
            self._hold(data[start : end + 1])
            line, self._held = bytes(self._held[:-1]), bytearray()
            start = end + 1
            if line.strip():
                yield line
        self._hold(data[start:])

    def close(self) -> None:
        """Take note that the peer sends no more; raises `FrameError` when it stopped inside a line."""
        if self._held.strip():
            raise FrameError("frame.truncated", f"the peer stopped after {len(self._held)} bytes of a line")

    def _hold(self, piece: bytes) -> None:
        # An unfinished line needs room for its newline, so that the same line is refused however it is cut.
        need = len(self._held) + len(piece) + (not piece.endswith(NEWLINE))
        if need > self._cap and piece:
            raise FrameTooLong(self._cap)
        self._held += piece


def read_frame(line: bytes) -> dict[str, object]:
    """Read the one JSON object on a line; raises `FrameError`.

    Stricter than `json.loads`: duplicate keys, NaN, infinities, lone surrogates and a second value are refused.
    """
    value = _parse(_text(line))
    if isinstance(value, list):
        raise FrameError("message.batch", "batches are not spoken here: send one object a line")
    if not isinstance(value, dict):
        raise FrameError("message.not_object", "a frame is one JSON object")
    return cast("dict[str, object]", value)


def write_frame(message: Mapping[str, object], cap: int = FRAME_BYTES) -> bytes:
    """Write an object as one frame; raises `FrameTooLong` when it does not fit.

    A lone surrogate (an undecodable byte of a path, kept by surrogateescape) is no text and travels as U+FFFD.
    """
    text = json.dumps(message, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    try:
        frame = text.encode() + NEWLINE
    except UnicodeEncodeError:
        frame = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode() + NEWLINE
    if len(frame) > cap:
        raise FrameTooLong(cap)
    return frame


def _text(line: bytes) -> str:
    if b"\0" in line:
        raise FrameError("frame.nul", f"a NUL byte stands at offset {line.index(0)}")
    try:
        return line.decode()
    except UnicodeDecodeError as error:
        raise FrameError("frame.not_utf8", f"byte {error.start} of the line is not UTF-8") from error


def _parse(text: str) -> object:
    try:
        value: object = json.loads(text, object_pairs_hook=_object, parse_constant=_constant, parse_float=_float)
        if SURROGATE.search(text):
            _check_surrogates(value)
    except RecursionError as error:  # the scanner counts its own depth and stops long before the stack ends
        raise FrameError("frame.too_deep", "the object is nested too deeply") from error
    except ValueError as error:
        raise FrameError("frame.not_json", f"the line is not JSON: {error}") from error
    return value


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    seen = dict(pairs)
    if len(seen) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise FrameError("message.duplicate_key", f"the key {twice[:80]!r} stands twice in one object")
    return seen


def _constant(name: str) -> object:
    raise FrameError("frame.not_json", f"{name} is not JSON")


def _float(digits: str) -> float:
    value = float(digits)
    if math.isinf(value):  # JSON has no infinity, and it could not be written again
        raise FrameError("frame.not_json", f"{digits[:80]} is too large a number")
    return value


def _check_surrogates(value: object) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise FrameError("frame.not_text", "an escape stands for half a character (a lone surrogate)") from error
