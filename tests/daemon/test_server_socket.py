"""The socket in the file system: private, ours, and never somebody else's."""

import os
import socket
import stat
from pathlib import Path

import pytest

from harnd.daemon.socket_path import SocketRefused, find_socket_path, is_ours, listen
from protocol.socket_path import NoSocketPath


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def test_the_directory_is_0700_and_the_socket_0600(tmp_path):
    path = tmp_path / "harnd" / "harnd.sock"
    with listen(path):
        assert (mode(path.parent), mode(path)) == (0o700, 0o600)


def test_a_directory_that_stands_open_is_somebody_elses_business_and_refused(tmp_path):
    (tmp_path / "harnd").mkdir(mode=0o755)
    with pytest.raises(SocketRefused, match="is open to other users"):
        listen(tmp_path / "harnd" / "harnd.sock")
    assert mode(tmp_path / "harnd") == 0o755


def test_a_socket_left_over_by_a_dead_daemon_is_replaced(tmp_path):
    path = tmp_path / "harnd" / "harnd.sock"
    listen(path).close()
    assert path.is_socket()
    with listen(path), socket.socket(socket.AF_UNIX) as client:
        client.connect(str(path))


def test_a_socket_at_which_another_daemon_listens_is_left_to_it(tmp_path):
    path = tmp_path / "harnd" / "harnd.sock"
    with listen(path), pytest.raises(SocketRefused, match="another daemon"):
        listen(path)
    assert path.is_socket()


@pytest.mark.parametrize("what", ["file", "directory", "link to a socket"])
def test_e03_anything_else_in_its_place_is_refused_and_left_alone(tmp_path, what):
    path = tmp_path / "harnd" / "harnd.sock"
    path.parent.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as other:
        match what:
            case "file":
                path.write_text("mine")
            case "directory":
                path.mkdir()
            case _:
                other.bind(str(tmp_path / "other.sock"))
                path.symlink_to(tmp_path / "other.sock")
        before = path.lstat()
        with pytest.raises(SocketRefused, match=r"harnd.sock is not a socket of user \d+"):
            listen(path)
        assert path.lstat() == before


def test_e03_a_directory_that_is_a_link_is_refused(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "harnd").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(SocketRefused, match="is not a directory of user"):
        listen(tmp_path / "harnd" / "harnd.sock")


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a directory away: run this test as root")
def test_e03_a_directory_of_another_user_is_refused(tmp_path):
    (tmp_path / "harnd").mkdir()
    os.chown(tmp_path / "harnd", 1234, 1234)
    with pytest.raises(SocketRefused, match="is not a directory of user 0"):
        listen(tmp_path / "harnd" / "harnd.sock")


def test_a_file_where_the_directory_belongs_is_refused(tmp_path):
    (tmp_path / "harnd").write_text("mine")
    with pytest.raises(SocketRefused, match="cannot make"):
        listen(tmp_path / "harnd" / "harnd.sock")


def test_e01_a_path_that_is_too_long_is_refused_and_not_cut_short(tmp_path):
    with pytest.raises(SocketRefused, match="AF_UNIX path too long"):
        listen(tmp_path / ("x" * 120) / "harnd.sock")


def test_the_path_is_found_by_what_is_ours(tmp_path):
    environment = {"HOME": str(tmp_path), "XDG_RUNTIME_DIR": str(tmp_path)}
    assert find_socket_path(environment) == tmp_path / "harnd" / "harnd.sock"


def test_e01_a_deep_state_directory_finds_the_same_short_path_every_time(tmp_path):
    environment = {"HOME": str(tmp_path), "XDG_RUNTIME_DIR": str(tmp_path)}
    deep = "/" + "/".join(["a-long-directory-name"] * 6)
    found = {find_socket_path(environment, state_dir=deep) for _ in range(2)}
    assert len(found) == 1
    with listen(found.pop()):
        pass


def test_e01_and_without_a_runtime_directory_it_says_so(tmp_path):
    if is_ours(f"/run/user/{os.getuid()}"):
        pytest.skip("this user has a runtime directory, which is always short enough")
    with pytest.raises(NoSocketPath):
        find_socket_path({"HOME": str(tmp_path)}, state_dir="/" + "x" * 120)


def test_without_a_home_the_user_database_is_asked():
    assert find_socket_path({}).is_absolute()
