"""The files of a goal: begun by `init`, sent whole by `goal create`, and said what is wrong with them."""

import os
import subprocess
import tomllib
from pathlib import Path

import pytest

from harnctl.commands.init import goal_id, starter_files
from protocol.bounds import PERSON_FILE_BYTES, TITLE_CHARS
from protocol.errors import Refusal
from protocol.ids import GOAL_ID, matches
from tests.kit.scripted_daemon import golden

PROBLEMS = [
    {"code": "toml.syntax", "place": "", "message": "a quote is missing", "file": "goal.toml", "line": 3},
    {"code": "team.unknown", "place": "replanning.planner", "message": "no such specialist", "file": "", "line": 0},
]


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A git repository, with the command line standing in it."""
    top = tmp_path / "Billing Export"
    subprocess.run(["git", "init", "--quiet", top], check=True)
    monkeypatch.chdir(top)
    return top


# --- init


def test_init_writes_a_goal_that_names_this_repository(harnctl, repository):
    ran = harnctl("init")
    assert ran.code == 0
    assert ran.out.splitlines()[0] == "wrote .harnd/goal.toml"
    assert ran.out.splitlines()[-1] == "  harnctl goal create .harnd/goal.toml"
    goal = tomllib.loads((repository / ".harnd/goal.toml").read_text())
    assert goal["goal"] == "billing-export"
    assert (repository / ".harnd" / goal["repository"]).resolve() == repository
    assert [name for name in (goal["team"], *goal["templates"]) if not (repository / ".harnd" / name).is_file()] == []


def test_init_from_below_and_into_a_named_place(harnctl, repository, monkeypatch):
    (repository / "src").mkdir()
    monkeypatch.chdir(repository / "src")
    assert harnctl("init").code == 0
    assert (repository / ".harnd/goal.toml").is_file()
    assert harnctl("init", "../goals/first").code == 0
    goal = tomllib.loads((repository / "goals/first/goal.toml").read_text())
    assert goal["repository"] == "../.."


def test_init_as_json_names_what_it_wrote(harnctl, repository):
    document = harnctl("init", "--json").document
    assert document["schema"] == "harnctl.init/1"
    assert (document["goal"], document["repository"]) == ("billing-export", str(repository))
    assert [Path(name).is_file() for name in document["files"]] == [True] * len(list(starter_files()))


def test_init_never_overwrites_unless_told(harnctl, repository):
    harnctl("init")
    mine = repository / ".harnd/team.toml"
    mine.write_text("mine")
    ran = harnctl("init")
    assert (ran.code, ran.out, mine.read_text()) == (5, "", "mine")
    assert "[file.exists]" in ran.err
    assert harnctl("init", "--force").code == 0
    assert mine.read_text() != "mine"


def test_init_outside_a_repository_says_so(harnctl, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ran = harnctl("init")
    assert (ran.code, list(tmp_path.iterdir())) == (78, [])
    assert ran.err.endswith("  git init\n")


def test_init_where_nothing_can_be_written_says_so(harnctl, repository):
    (repository / ".harnd").write_text("a file")
    ran = harnctl("init")
    assert ran.code == 1
    assert "[file.unwritable]" in ran.err


@pytest.mark.parametrize(
    ("name", "id_"),
    [
        ("billing", "billing"),
        ("My Project (2)", "my-project-2"),
        (".dotfiles", "dotfiles"),
        ("日本", "goal"),
        ("---", "goal"),
        ("a" * 62 + "-b", "a" * 62),
        ("x" * 99, "x" * 63),
    ],
)
def test_a_goals_id_is_the_directorys_name_made_legal(name, id_):
    assert goal_id(name) == id_
    assert matches(GOAL_ID, goal_id(name))


def test_a_directory_of_any_name_gives_a_file_that_parses(harnctl, tmp_path, monkeypatch):
    top = tmp_path / ('"quoted" \\ \x1b[31m ' + "long " * 40)
    subprocess.run(["git", "init", "--quiet", top], check=True)
    monkeypatch.chdir(top)
    assert harnctl("init").code == 0
    title = tomllib.loads((top / ".harnd/goal.toml").read_text())["title"]
    assert r'"quoted" \ \x1b[31m' in title
    assert len(title) <= TITLE_CHARS


# --- goal create


def test_a_goal_is_sent_with_the_files_it_names_as_they_are(harnctl, daemon, repository):
    harnctl("init")
    ran = harnctl("goal", "create", ".harnd/goal.toml")
    assert ran.code == 0
    assert ran.out.startswith("created billing-export")
    (request,) = daemon.asked
    assert (request.main, request.directory) == ("goal.toml", str(repository / ".harnd"))
    assert request.files == {name: (repository / ".harnd" / name).read_bytes() for name, _ in starter_files()}


def test_a_goal_as_json_is_one_document(harnctl, daemon, repository):
    harnctl("init")
    assert harnctl("goal", "create", ".harnd/goal.toml", "--json").document["schema"] == "harnctl.goal.create/1"


@pytest.mark.parametrize(
    "text", ["not toml", "team = 7\ntemplates = 'x'\n", "team = 'absent.toml'\n", "templates = [['a'], 1]\n", "\xff"]
)
def test_a_file_that_is_not_what_it_should_be_is_the_daemons_to_judge(harnctl, daemon, tmp_path, text):
    (tmp_path / "goal.toml").write_bytes(text.encode("latin-1"))
    assert harnctl("goal", "create", str(tmp_path / "goal.toml")).code == 0
    assert [request.files for request in daemon.asked] == [{"goal.toml": text.encode("latin-1")}]


def test_a_file_that_is_too_long_is_sent_far_enough_to_be_refused(harnctl, daemon, tmp_path):
    (tmp_path / "goal.toml").write_bytes(b"#" * (PERSON_FILE_BYTES + 9))
    assert harnctl("goal", "create", str(tmp_path / "goal.toml")).code == 0
    assert [len(request.files["goal.toml"]) for request in daemon.asked] == [PERSON_FILE_BYTES + 1]


def test_all_problems_are_printed_the_way_a_compiler_would(harnctl, daemon, tmp_path):
    (tmp_path / "goal.toml").write_text("")
    daemon.answers("goal.create", Refusal("goal.invalid", "2 problems", details={"problems": PROBLEMS}))
    ran = harnctl("goal", "create", str(tmp_path / "goal.toml"))
    assert (ran.code, ran.out) == (78, "")
    assert ran.err.splitlines() == [
        "goal.toml:3: a quote is missing [toml.syntax]",
        "replanning.planner: no such specialist [team.unknown]",
    ]


def test_all_problems_are_in_the_json_document(harnctl, daemon, tmp_path):
    (tmp_path / "goal.toml").write_text("")
    daemon.answers("goal.create", Refusal("goal.invalid", "2 problems", details={"problems": PROBLEMS}))
    document = harnctl("goal", "create", str(tmp_path / "goal.toml"), "--json").document
    assert (document["code"], document["exit"]) == ("goal.invalid", 78)
    assert document["details"]["problems"] == PROBLEMS


def test_details_that_list_no_problems_are_no_reason_to_fail(harnctl, daemon, tmp_path):
    (tmp_path / "goal.toml").write_text("")
    daemon.answers("goal.create", Refusal("goal.invalid", "it is wrong", details={"problems": "all of it"}))
    assert harnctl("goal", "create", str(tmp_path / "goal.toml")).err == "error: it is wrong [goal.invalid]\n"


def test_a_file_that_is_not_there_is_said_by_its_name(harnctl, tmp_path):
    ran = harnctl("goal", "create", "absent.toml", columns=200)
    assert (ran.code, ran.out) == (78, "")
    assert ran.err == "error: absent.toml cannot be read: No such file or directory [file.unreadable]\n"


def test_a_named_file_that_cannot_be_read_is_said_by_its_name(harnctl, daemon, tmp_path):
    (tmp_path / "goal.toml").write_text('team = "team.toml"\n')
    (tmp_path / "team.toml").symlink_to("/proc/self/mem")  # a file that not even root can read from its beginning
    ran = harnctl("goal", "create", str(tmp_path / "goal.toml"), columns=200)
    assert (ran.code, daemon.asked) == (78, [])
    assert "team.toml cannot be read" in ran.err


def test_a_goal_that_was_there_is_said_to_be_unchanged(harnctl, daemon, repository):
    harnctl("init")
    daemon.answers("goal.create", golden("goal.create", created=False))
    assert harnctl("goal", "create", ".harnd/goal.toml").out.splitlines()[0] == (
        "billing-export is there already, unchanged"
    )


@pytest.mark.parametrize(
    "text",
    ["x = " + "9" * 5_000, "x = " + "[" * 5_000 + "]" * 5_000, "x = " + "{a = " * 3_000 + "1" + "}" * 3_000],
    ids=["number", "lists", "tables"],
)
def test_what_cannot_be_looked_through_is_the_daemons_to_judge(harnctl, daemon, tmp_path, text):
    (tmp_path / "goal.toml").write_text(text)
    assert harnctl("goal", "create", str(tmp_path / "goal.toml")).code == 0
    assert [list(request.files) for request in daemon.asked] == [["goal.toml"]]


def test_a_byte_order_mark_hides_no_file(harnctl, daemon, tmp_path):
    (tmp_path / "goal.toml").write_bytes(b"\xef\xbb\xbfteam = 'team.toml'\n")
    (tmp_path / "team.toml").write_text("")
    assert harnctl("goal", "create", str(tmp_path / "goal.toml")).code == 0
    assert [list(request.files) for request in daemon.asked] == [["goal.toml", "team.toml"]]


@pytest.mark.parametrize("name", ["a" * 300, "\\u0000", "loop"], ids=["long", "nul", "loop"])
def test_a_name_that_no_file_has_is_the_daemons_to_miss(harnctl, daemon, tmp_path, name):
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "goal.toml").write_text(f'templates = ["{name}"]\n')
    assert harnctl("goal", "create", str(tmp_path / "goal.toml")).code == 0
    assert [list(request.files) for request in daemon.asked] == [["goal.toml"]]


@pytest.mark.parametrize("name", ["pipe", "directory", "/dev/zero"])
def test_only_regular_files_are_read(harnctl, daemon, tmp_path, name):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "directory").mkdir()
    (tmp_path / "goal.toml").write_text(f'team = "{name}"\n')
    for file in (tmp_path / name, tmp_path / "goal.toml"):
        ran = harnctl("goal", "create", str(file), columns=400)
        assert (ran.code, ran.out, daemon.asked) == (78, "", [])
        assert f"{tmp_path / name} cannot be read: " in ran.err


@pytest.mark.parametrize("words", [("goal", "create", "goal.toml"), ("init",), ("init", "somewhere")])
def test_a_current_directory_that_is_gone_is_said(harnctl, tmp_path, monkeypatch, words):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    ran = harnctl(*words, columns=200)
    monkeypatch.chdir(tmp_path)
    assert (ran.code, ran.out) == (78, "")
    assert "the current directory is not there any more [directory.gone]" in ran.err


def test_a_place_whose_name_is_too_long_is_said(harnctl, repository):
    ran = harnctl("init", "a" * 300)
    assert ran.code == 1
    assert "[file.unwritable]" in ran.err
