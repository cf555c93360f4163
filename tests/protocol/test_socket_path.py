"""Where the socket lies: the same for both ends, short enough, and never where somebody else could be first."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.bounds import SOCKET_PATH_BYTES
from protocol.socket_path import NoSocketPath, socket_path, state_directory

DEFAULT = "/home/ada/.local/state/harnd"
DEEP = "/home/ada/" + "/".join(["a-long-directory-name"] * 6)  # 141 characters


def path_for(state_dir: str = DEFAULT, *, runtime_dir: str | None = None, ours: tuple[str, ...] = ()) -> str:
    return socket_path(
        state_dir, default_state_dir=DEFAULT, runtime_dir=runtime_dir, uid=1000, is_ours=lambda path: path in ours
    )


def test_the_runtime_directory_comes_first():
    ours = ("/run/user/1000", "/run/ada")
    assert path_for(runtime_dir="/run/ada", ours=ours) == "/run/ada/harnd/harnd.sock"


@pytest.mark.parametrize("runtime_dir", [None, "", "run/ada", "/run/user/0"], ids=repr)
def test_e03_without_a_runtime_directory_of_ours_the_usual_one_is_taken_when_it_is_ours(runtime_dir):
    assert path_for(runtime_dir=runtime_dir, ours=("/run/user/1000",)) == "/run/user/1000/harnd/harnd.sock"


@pytest.mark.parametrize("runtime_dir", [None, "/tmp", "/run/user/0"], ids=repr)
def test_e03_and_when_it_is_not_the_state_directory_never_a_shared_one(runtime_dir):
    assert path_for(runtime_dir=runtime_dir) == f"{DEFAULT}/run/harnd.sock"


def test_two_state_directories_have_two_sockets():
    here, there = (path_for(state, ours=("/run/user/1000",)) for state in ("/srv/a", "/srv/b"))
    assert here != there
    assert {here, there}.isdisjoint({path_for(ours=("/run/user/1000",))})


def test_a_slash_behind_a_directory_changes_nothing():
    ours = ("/run/user/1000",)
    assert path_for("/srv/a/", ours=ours) == path_for("/srv/a", ours=ours)
    assert path_for(DEFAULT + "/", ours=ours) == path_for(ours=ours)


def test_e01_a_deep_state_directory_has_a_short_socket_in_the_runtime_directory():
    path = path_for(DEEP, ours=("/run/user/1000",))
    assert path.startswith("/run/user/1000/harnd/harnd-")
    assert len(path) < 50


def test_e01_without_a_runtime_directory_the_path_and_the_limit_are_named():
    with pytest.raises(NoSocketPath, match=r"run/harnd.sock is \d+ bytes long, and a socket path has 107"):
        path_for(DEEP)


def test_e01_a_runtime_directory_that_is_too_deep_is_passed_over():
    assert path_for(runtime_dir=DEEP, ours=(DEEP, "/run/user/1000")) == "/run/user/1000/harnd/harnd.sock"


def test_e01_107_bytes_fit_and_108_do_not():
    def state_of(length: int) -> str:
        return "/" + "ä" * ((length - len("//run/harnd.sock")) // 2) + "x" * ((length - len("//run/harnd.sock")) % 2)

    assert len(path_for(state_of(SOCKET_PATH_BYTES)).encode()) == SOCKET_PATH_BYTES
    with pytest.raises(NoSocketPath):
        path_for(state_of(SOCKET_PATH_BYTES + 1))


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=150), st.booleans())
def test_a_path_fits_or_there_is_none(name, runtime):
    try:
        path = path_for("/" + name, ours=("/run/user/1000",) if runtime else ())
    except NoSocketPath:
        assert not runtime
    else:
        assert len(path.encode("utf-8", "surrogateescape")) <= SOCKET_PATH_BYTES


@pytest.mark.parametrize(
    ("environment", "directory"),
    [
        ({"HOME": "/home/ada"}, DEFAULT),
        ({"HOME": "/home/ada/", "XDG_STATE_HOME": ""}, DEFAULT),
        ({"HOME": "/home/ada", "XDG_STATE_HOME": "state"}, DEFAULT),
        ({"HOME": "/home/ada", "XDG_STATE_HOME": "/srv/state/"}, "/srv/state/harnd"),
        ({"HOME": "/"}, "/.local/state/harnd"),
    ],
)
def test_the_state_directory_is_that_of_the_base_directories(environment, directory):
    assert state_directory(environment) == directory
