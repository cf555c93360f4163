"""Sockets that a service manager passes on: taken as they are, or refused in one sentence."""

import os
import socket
import stat

import pytest

from harnd.daemon.activation import ActivationRefused, address, passed_listeners


def passed(end, *, pid=None, names=""):
    """Put a descriptor where a manager would; whoever takes it closes it."""
    first = os.dup(end.fileno())
    os.set_inheritable(first, True)
    return {"LISTEN_FDS": "1", "LISTEN_PID": str(pid or os.getpid()), "LISTEN_FDNAMES": names}, first


def take(environ, first=3):
    return passed_listeners(environ, pid=os.getpid(), first=first)


@pytest.fixture
def listener(tmp_path):
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(tmp_path / "s"))
        made.listen()
        yield made


def test_a_listener_is_taken_with_its_address_closed_to_children_and_left_as_it_is(tmp_path, listener):
    before = stat.S_IMODE((tmp_path / "s").stat().st_mode)
    environ, first = passed(listener, names="ctl")

    (taken,) = take(environ, first)

    with taken, socket.socket(socket.AF_UNIX) as client:
        assert address(taken) == tmp_path / "s"
        assert not os.get_inheritable(taken.fileno())
        client.connect(str(tmp_path / "s"))
    assert environ == {}
    assert stat.S_IMODE((tmp_path / "s").stat().st_mode) == before


def test_nothing_is_taken_when_nothing_was_passed_or_it_was_for_another_process(listener):
    assert take({}) == []
    environ, first = passed(listener, pid=1)
    assert take(environ, first) == []
    assert environ == {}
    os.close(first)


def refusal(environ, first):
    with pytest.raises(ActivationRefused) as refused:
        take(environ, first)
    return str(refused.value)


@pytest.mark.parametrize("said", ["many", "-1", "17", "1" * 5_000])
def test_a_number_that_is_none_is_refused(said):
    environ = {"LISTEN_FDS": said, "LISTEN_PID": str(os.getpid())}
    assert refusal(environ, 3) == f"LISTEN_FDS is {said!r}, and not a number up to 16: see the socket unit"


def test_a_descriptor_that_is_no_socket_is_refused(tmp_path):
    with (tmp_path / "file").open("w") as file:
        environ, first = passed(file, names="ctl")
    said = refusal(environ, first).removeprefix(f"the socket passed as descriptor {first} (ctl) ")
    assert said == "cannot be used: Socket operation on non-socket; see the socket unit"
    os.close(first)


def test_a_descriptor_that_is_closed_is_refused():
    environ = {"LISTEN_FDS": "1", "LISTEN_PID": str(os.getpid())}
    assert "(without a name) cannot be used: Bad file descriptor" in refusal(environ, 900)


STREAM = socket.SOCK_STREAM


@pytest.mark.parametrize(
    ("made", "place", "reason"),
    [
        ((socket.AF_INET, STREAM), ("127.0.0.1", 0), "is no UNIX socket, and harnd listens on no other"),
        ((socket.AF_UNIX, socket.SOCK_DGRAM), "path", "is no stream socket"),
        ((socket.AF_UNIX, socket.SOCK_SEQPACKET), "path", "is no stream socket"),
        ((socket.AF_UNIX, STREAM), "abstract", "has no path, so that anybody could have its name"),
        ((socket.AF_UNIX, STREAM), "deaf", "does not listen"),
    ],
)
def test_a_socket_of_another_kind_is_refused(tmp_path, made, place, reason):
    names = {"path": str(tmp_path / "s"), "deaf": str(tmp_path / "s"), "abstract": f"\0harnd-test-{os.getpid()}"}
    family, kind = made
    with socket.socket(family, kind) as other:
        other.bind(names[place] if isinstance(place, str) else place)
        if kind != socket.SOCK_DGRAM and place != "deaf":
            other.listen()
        environ, first = passed(other)
        said = refusal(environ, first)
    assert said.startswith(f"the socket passed as descriptor {first} (without a name) {reason}")
    assert said.endswith("; see the socket unit")
