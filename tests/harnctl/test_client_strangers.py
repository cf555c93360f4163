"""Whatever listens at the socket and is no daemon is named by its process, and never read further than a frame."""

import os
import socket
import tracemalloc
from contextlib import suppress
from pathlib import Path
from typing import cast

import pytest

from harnctl.client import Barred, Unreachable, VersionMismatch
from harnctl.client.door import CREDENTIALS, check_peer
from protocol.bounds import FRAME_BYTES
from protocol.errors import Exit
from protocol.requests import ListGoals
from tests.kit.clients import KINDS, client_of_kind
from tests.kit.scripted_daemon import Impostor

MIB = 1024 * 1024


@pytest.fixture(params=KINDS)
def client(request, place):
    with client_of_kind(request.param, place / "harnd.sock") as made:
        yield made


def answering(*pieces):
    """An impostor that reads one line and answers with pieces of bytes."""

    def serve(connection: socket.socket) -> None:
        connection.recv(65536)
        for piece in pieces:
            connection.sendall(piece)

    return serve


@pytest.mark.parametrize(
    ("pieces", "code"),
    [
        ([b"x" * FRAME_BYTES, b"x"], "frame.too_long"),
        ([b"4294967296\n"], "message.not_object"),
        ([b"Content-Length: 4294967296\r\n\r\n"], "frame.not_json"),
        ([b"\0\0\0\1\0\0\0\0\n"], "frame.nul"),  # 4 GiB as a length of eight bytes
        ([b"\xff\xfe\n"], "frame.not_utf8"),
        ([b"HTTP/1.1 400 Bad Request\r\n"], "frame.not_json"),
        ([b"[]\n"], "message.batch"),
        ([b'{"jsonrpc":"2.0","id":7,"result":{}}\n'], "message.malformed"),
        ([b'{"jsonrpc":"2.0","method":"event","params":{}}\n'], "message.out_of_turn"),
        ([b'{"jsonrpc":"2.0","id":1,"result":{"hello":1}}\n'], "message.malformed"),
        ([b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}\n'], "message.malformed"),
    ],
)
def test_what_does_not_speak_the_protocol_is_named_by_its_process(client, place, pieces, code):
    with Impostor(place / "harnd.sock", answering(*pieces)), pytest.raises(VersionMismatch) as raised:
        client.ask(ListGoals())
    assert raised.value.details["said"] == code
    assert (raised.value.details["pid"], raised.value.exit) == (os.getpid(), Exit.CONFIGURATION)


def test_e13_an_endless_line_is_read_up_to_the_cap_and_no_further(client, place):
    sent = [0]
    piece = b"x" * 65536

    def serve(connection):
        connection.recv(65536)
        with suppress(OSError):
            while True:
                sent[0] += connection.send(piece)

    with Impostor(place / "harnd.sock", serve):
        tracemalloc.start()
        with pytest.raises(VersionMismatch, match="4194304 bytes"):
            client.ask(ListGoals())
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert FRAME_BYTES < sent[0] < FRAME_BYTES + MIB  # and what the socket's buffer holds
    assert most < 3 * FRAME_BYTES


# --- the door


def test_a_socket_that_nobody_listens_at_is_unreachable(client, place):
    with socket.socket(socket.AF_UNIX) as left_over:
        left_over.bind(str(place / "harnd.sock"))
        with pytest.raises(Unreachable, match="nobody listens there any more"):
            client.ask(ListGoals())


def test_a_directory_of_another_user_is_not_entered(client, place, monkeypatch):
    mine = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: mine + 1)
    with pytest.raises(Barred, match="not to you"):
        client.ask(ListGoals())


def test_a_process_of_another_user_is_not_spoken_to():
    class Foreign:
        def getsockopt(self, *_):
            return CREDENTIALS.pack(4242, os.getuid() + 1, 0)

    with pytest.raises(Barred, match="not your daemon"):
        check_peer(cast("socket.socket", Foreign()), Path("/run/harnd.sock"))
