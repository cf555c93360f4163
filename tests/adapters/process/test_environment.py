"""What reaches a program of the daemon's environment, and what a key's directory is called."""

from hypothesis import example, given
from hypothesis import strategies as st

from harnd.adapters.process.environment import environment
from harnd.adapters.process.receipts import name_of
from protocol.ids import EffectKey


def made(source: dict[str, str], *added: tuple[str, str]) -> dict[str, str]:
    return environment(source, added, home="h", session="i/k")


def test_only_what_is_on_the_list_gets_through():
    source = {"PATH": "/bin", "HOME": "/root", "LC_TIME": "de", "LANG": "de", "SECRET": "x", "XDG_RUNTIME_DIR": "/run"}

    assert made(source) == {
        "PATH": "/bin",
        "HOME": "/root",
        "LC_TIME": "de",
        "LANG": "de",
        "TERM": "dumb",
        "HARND_HOME": "h",
        "HARND_SESSION": "i/k",
    }


def test_what_was_configured_is_added_and_the_last_wins():
    assert made({}, ("TOKEN", "a"), ("TOKEN", "b"), ("LANG", "en"))["TOKEN"] == "b"


def test_a_service_without_a_locale_gets_one():
    assert made({})["LANG"] == "C.UTF-8"
    assert "LANG" not in made({"LC_ALL": "de_DE.UTF-8"})


def test_nothing_leads_git_elsewhere_even_when_it_was_configured():
    elsewhere = ["GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE", "GIT_OBJECT_DIRECTORY", "GIT_CONFIG_KEY_0"]
    found = made(dict.fromkeys(elsewhere, "x"), *((name, "x") for name in elsewhere), ("GIT_AUTHOR_NAME", "a"))

    assert [name for name in found if name.startswith("GIT_")] == ["GIT_AUTHOR_NAME"]


def test_marks_cannot_be_configured_away():
    assert made({}, ("HARND_SESSION", "x"), ("HARND_HOME", "x"))["HARND_SESSION"] == "i/k"


KEYS = st.text(st.sampled_from("ab/+%.~ \0\u00e4") | st.characters(), min_size=1)


def test_a_directory_is_named_so_that_a_person_can_read_it():
    assert name_of(EffectKey("goal/billing/plan/2/call/1")) == "goal+billing+plan+2+call+1"


@given(KEYS)
@example(".")
@example("..")
@example("x" * 300)
@example("\ud800")
def test_a_key_is_always_the_name_of_a_file(key: str):
    name = name_of(EffectKey(key))

    assert name
    assert not name.startswith(".")
    assert "/" not in name
    assert len(name.encode("ascii")) <= 200


@given(st.lists(KEYS, min_size=2, max_size=2, unique=True))
@example(["a/b", "a+b"])
@example([".a", "%2Ea"])
def test_two_keys_never_meet(keys: list[str]):
    assert name_of(EffectKey(keys[0])) != name_of(EffectKey(keys[1]))
