"""Frames survive any cutting of the stream, and every bad line is refused by name."""

import json
import tracemalloc
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.bounds import FRAME_BYTES
from protocol.framing import FrameError, FrameReader, FrameTooLong, read_frame, write_frame

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=5,
)
OBJECTS = st.dictionaries(TEXTS, VALUES, max_size=3)


def lines_of(stream: bytes, *, cuts: list[int], cap: int = FRAME_BYTES) -> list[bytes]:
    reader, start = FrameReader(cap), 0
    lines: list[bytes] = []
    for cut in [*sorted(cut for cut in cuts if cut <= len(stream)), len(stream)]:
        lines += reader.lines(stream[start:cut])
        start = cut
    reader.close()
    return lines


@given(st.lists(OBJECTS, max_size=4), st.lists(st.integers(0, 300), max_size=12))
def test_what_was_written_is_read_however_the_stream_is_cut(messages, cuts):
    stream = b"".join(write_frame(message) for message in messages)
    assert [read_frame(line) for line in lines_of(stream, cuts=cuts)] == messages


@given(st.binary(max_size=60), st.lists(st.integers(0, 60), max_size=10), st.integers(1, 20))
def test_cutting_changes_neither_the_lines_nor_the_refusal(stream, cuts, cap):
    def outcome(cuts):
        try:
            return lines_of(stream, cuts=cuts, cap=cap)
        except FrameError as error:
            return error.code

    assert outcome(cuts) == outcome([]) == outcome(list(range(len(stream))))


@given(st.binary(max_size=80))
def test_no_line_is_anything_but_an_object_or_a_frame_error(line):
    try:
        message = read_frame(line)
    except FrameError:
        return
    assert json.loads(line) == message


@given(OBJECTS)
def test_a_frame_is_one_line(message):
    frame = write_frame(message)
    assert frame.count(b"\n") == 1
    assert frame.endswith(b"\n")


def test_a_frame_of_exactly_the_cap_passes_byte_by_byte():
    frame = write_frame({"a": "x" * 20})
    reader = FrameReader(cap=len(frame))
    assert [line for byte in frame for line in reader.lines(bytes([byte]))] == [frame[:-1]]


def test_one_byte_more_than_the_cap_is_refused_as_soon_as_it_is_there():
    reader = FrameReader(cap=10)
    assert list(reader.lines(b"123456789")) == []
    with pytest.raises(FrameTooLong):
        list(reader.lines(b"0"))


def test_lines_before_one_that_is_too_long_are_given_first():
    given_lines = FrameReader(cap=4).lines(b"abc\nabcd\n")
    assert next(given_lines) == b"abc"
    with pytest.raises(FrameTooLong):
        next(given_lines)


def test_e13_a_peer_that_sends_without_end_costs_no_more_than_the_cap():
    reader, piece = FrameReader(), b"4294967296" * 6_400
    tracemalloc.start()
    try:
        with pytest.raises(FrameTooLong):
            list(chain.from_iterable(reader.lines(piece) for _ in range(10_000)))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 2 * FRAME_BYTES  # a growing buffer is moved once in a while


def test_e13_both_ends_have_the_same_cap():
    fits = "x" * (FRAME_BYTES - len('{"a":""}\n'))
    frame = write_frame({"a": fits})
    assert [read_frame(line) for line in FrameReader().lines(frame)] == [{"a": fits}]
    with pytest.raises(FrameTooLong):
        write_frame({"a": fits + "x"})
    with pytest.raises(FrameTooLong):
        list(FrameReader().lines(frame[:-3] + b'x"}\n'))


def test_empty_lines_are_no_frames():
    assert lines_of(b"\n \r\n{}\n\t\n", cuts=[]) == [b"{}"]


def test_a_carriage_return_is_white_space():
    assert read_frame(b"{}\r") == {}


def test_a_peer_that_stops_in_a_line_is_told_so():
    reader = FrameReader()
    list(reader.lines(b'{"a":1}\n{"b"'))
    with pytest.raises(FrameError, match="stopped after 4 bytes") as caught:
        reader.close()
    assert caught.value.code == "frame.truncated"


@pytest.mark.parametrize(
    ("line", "code"),
    [
        pytest.param(b"{", "frame.not_json", id="half an object"),
        pytest.param(b"{} {}", "frame.not_json", id="trailing garbage"),
        pytest.param(b"{}x", "frame.not_json", id="trailing letter"),
        pytest.param(b'{"a":NaN}', "frame.not_json", id="not a number"),
        pytest.param(b'{"a":-Infinity}', "frame.not_json", id="infinity"),
        pytest.param(b'{"a":1e999}', "frame.not_json", id="a number that overflows to infinity"),
        pytest.param(b'{"a":' + b"9" * 5_000 + b"}", "frame.not_json", id="a number of 5,000 digits"),
        pytest.param(b'{"a":"\t"}', "frame.not_json", id="a raw tab in a string"),
        pytest.param(b"\xef\xbb\xbf{}", "frame.not_json", id="byte order mark"),
        pytest.param(b'{"a":"\xff"}', "frame.not_utf8", id="invalid UTF-8"),
        pytest.param(b'{"a":"\xed\xa0\x80"}', "frame.not_utf8", id="a surrogate encoded as UTF-8"),
        pytest.param(b'{"a":"\xc0\x80"}', "frame.not_utf8", id="an overlong NUL"),
        pytest.param(b'{"a":"\0"}', "frame.nul", id="NUL in a string"),
        pytest.param(b"{}\0", "frame.nul", id="NUL after the object"),
        pytest.param(b'{"a":"\\ud800"}', "frame.not_text", id="a lone surrogate as an escape"),
        pytest.param(b'{"\\uDFFF":1}', "frame.not_text", id="a lone surrogate in a key"),
        pytest.param(b'{"a":' * 200_000, "frame.too_deep", id="objects without end"),
        pytest.param(b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}", "frame.too_deep", id="lists in lists"),
        pytest.param(b"[{}]", "message.batch", id="batch"),
        pytest.param(b"[]", "message.batch", id="empty batch"),
        pytest.param(b"1", "message.not_object", id="number"),
        pytest.param(b"null", "message.not_object", id="null"),
        pytest.param(b'{"a":1,"a":1}', "message.duplicate_key", id="duplicate key"),
        pytest.param(b'{"p":[{"a":1,"b":2,"\\u0061":1}]}', "message.duplicate_key", id="duplicate key deep inside"),
    ],
)
def test_a_bad_line_is_refused(line, code):
    with pytest.raises(FrameError) as caught:
        read_frame(line)
    assert caught.value.code == code


def test_a_pair_of_surrogate_escapes_is_one_character():
    assert read_frame(b'{"a":"\\ud83d\\ude00"}') == {"a": "\N{GRINNING FACE}"}


def test_bytes_that_are_no_text_travel_as_replacement_characters():
    assert read_frame(write_frame({"path": "a\udcffb\N{GRINNING FACE}"})) == {"path": "a\ufffdb\N{GRINNING FACE}"}
