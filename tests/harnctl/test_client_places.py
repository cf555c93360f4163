"""Where a client looks for its daemon, and that it is the place where harnctl looks."""

import os
from pathlib import Path

import pytest

from harnctl.client import AsyncClient, Barred, Client
from harnctl.client.place import find_socket, find_state
from harnd.daemon.arguments import read_arguments
from harnd.daemon.settings import settle
from protocol.bounds import PERSON_FILE_BYTES

BOTH = '[daemon]\nstate = "/srv/s"\nsocket = "/t"\n'


def test_what_was_said_goes_before_the_environment_and_that_before_the_rule(tmp_path):
    rule, said = (
        {"HOME": str(tmp_path)},
        {"HOME": str(tmp_path), "HARND_STATE": "/srv/s", "HARND_SOCKET": "/srv/a.sock"},
    )
    assert find_state(rule) == tmp_path / ".local/state/harnd"
    assert find_state(said) == Path("/srv/s")
    assert find_state(said, Path("/srv/t")) == Path("/srv/t")
    assert find_socket(said) == Path("/srv/a.sock")
    assert find_socket(said, socket=Path("/srv/b.sock")) == Path("/srv/b.sock")


def test_two_state_directories_have_two_sockets(tmp_path):
    environ = {"HOME": str(tmp_path), "XDG_RUNTIME_DIR": str(tmp_path)}
    default, other = find_socket(environ), find_socket({**environ, "HARND_STATE": "/srv/other"})
    assert default == tmp_path / "harnd/harnd.sock"
    assert other.parent == default.parent
    assert other != default


# --- what the configuration file of the daemon says


@pytest.fixture
def house(tmp_path, monkeypatch):
    """A home with a configuration, and no runtime directory."""
    monkeypatch.setattr("harnctl.client.place._is_ours", lambda _directory: False)
    monkeypatch.setattr("harnd.daemon.socket_path.is_ours", lambda _directory: False)
    file = tmp_path / ".config" / "harnd" / "config.toml"
    file.parent.mkdir(parents=True)
    return file


@pytest.mark.parametrize("text", ["", '[daemon]\nstate = "~/s"\n', '[daemon]\nsocket = "/t"\n', BOTH])
@pytest.mark.parametrize(
    "said",
    [
        {},
        {"HARND_STATE": "/srv/s"},
        {"HARND_STATE": "/srv/u"},
        {"HARND_SOCKET": "/v"},
        {"HARND_STATE": "~/s"},
        {"HARND_STATE": "~"},
        {"HARND_STATE": "~root/st"},
        {"HARND_SOCKET": "~root/s"},
        {"HARND_STATE": "st/../~/s"},
        {"HARND_CONFIG": "~/.config/harnd/config.toml"},
    ],
    ids=str,
)
def test_client_and_daemon_find_the_same_places_whatever_file_and_environment_say(house, tmp_path, text, said):
    house.write_text(text)
    environ = {"HOME": str(tmp_path), **said}
    settings = settle(read_arguments([], environ))
    assert (find_state(environ), find_socket(environ)) == (settings.state, settings.socket)


def test_a_home_is_that_of_the_environment_and_nobody_elses_is_looked_up(tmp_path):
    environ = {"HOME": str(tmp_path)}
    assert find_state(environ, Path("~/s")) == tmp_path / "s"
    assert find_state(environ, Path("~root/s")) == Path.cwd() / "~root/s"


def test_a_file_with_a_mistake_elsewhere_still_says_where_the_daemon_is(house, tmp_path):
    """It was right when the daemon was started, which is still there."""
    house.write_text(f'{BOTH}drian = "7s"\n')
    assert find_socket({"HOME": str(tmp_path)}) == Path("/t")


@pytest.mark.parametrize(
    "spoil",
    [
        lambda file: file.write_text("[daemon\n"),
        lambda file: file.write_text("daemon = 7\n"),
        lambda file: file.write_text('[daemon]\nstate = 7\nsocket = "s"\n'),
        lambda file: file.write_bytes(b'[daemon]\nstate = "/\xff"\n'),
        lambda file: file.write_text('[daemon]\nstate = "/x"\n#' + "x" * PERSON_FILE_BYTES),
        lambda file: file.mkdir(),
        os.mkfifo,
    ],
    ids=["no TOML", "no table", "no paths", "no text", "too large", "a directory", "a pipe"],
)
def test_a_file_with_which_no_daemon_starts_leads_nowhere_else(house, tmp_path, spoil):
    environ = {"HOME": str(tmp_path)}
    usual = (find_state(environ), find_socket(environ))
    spoil(house)
    assert (find_state(environ), find_socket(environ)) == usual


@pytest.mark.parametrize("made", [Client, AsyncClient])
def test_a_client_looks_where_harnctl_looks_unless_it_is_told_otherwise(made, monkeypatch):
    monkeypatch.setenv("HARND_SOCKET", "/srv/a.sock")
    assert made().path == Path("/srv/a.sock")
    assert made(Path("/srv/b.sock")).path == Path("/srv/b.sock")
    assert repr(made()) == f"<{made.__name__} /srv/a.sock not connected>"


def test_a_client_that_can_have_no_path_says_so(monkeypatch):
    monkeypatch.delenv("HARND_SOCKET", raising=False)
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/nowhere")
    monkeypatch.setenv("HARND_STATE", f"/srv/{'x' * 120}")
    monkeypatch.setattr("harnctl.client.place._is_ours", lambda _directory: False)
    with pytest.raises(Barred, match="a socket path has 107"):
        Client()
