"""A patch is the same whoever reads it: nothing that a person or a repository configured runs or matters."""

from pathlib import Path

import pytest

from harnd.ports.errors import MissingError
from protocol.ids import CommitId
from tests.adapters.git.test_merging import branched
from tests.kit.repositories import GitHouse

PLENTY = 100_000
EXPECTED = "--- a/README.md\n+++ b/README.md\n@@ -1 +1 @@\n-# Shop\n+# Store\n"


async def patch(house: GitHouse, commit: str) -> str:
    return (await house.workspace.diff(house.path, house.base, CommitId(commit), PLENTY)).text


async def test_no_program_that_configuration_names_is_run(house: GitHouse, tmp_path: Path):
    a = branched(house, "a", {"README.md": b"# Store\n"})
    ran = tmp_path / "ran"
    spy = house.program(tmp_path / "spy", f"touch '{ran}'; echo spied")
    for name in (
        "diff.external",
        "diff.spy.command",
        "diff.spy.textconv",
        "core.pager",
        "pager.diff-tree",
        "diff.tool",
    ):
        house.git("config", name, str(spy))
    house.write(house.path, ".git/info/attributes", b"*.md diff=spy\n")
    house.write(house.path, ".gitattributes", b"*.md diff=spy\n")
    assert house.git("diff", house.base, a) == "spied\n"
    assert ran.exists()
    ran.unlink()

    assert (await patch(house, a)).endswith(EXPECTED)

    assert not ran.exists()


async def test_no_setting_changes_a_patch(house: GitHouse):
    a = branched(house, "a", {"README.md": b"# Store\n", "src/main.py": b"print('hello')\n\nprint('bye')\n"})
    plain = await patch(house, a)
    settings = {
        "color.ui": "always",
        "core.bigFileThreshold": "1",
        "color.diff": "always",
        "core.quotePath": "true",
        "diff.algorithm": "histogram",
        "diff.colorMoved": "zebra",
        "diff.context": "0",
        "diff.dstPrefix": "mine/",
        "diff.indentHeuristic": "false",
        "diff.interHunkContext": "9",
        "diff.mnemonicPrefix": "true",
        "diff.noprefix": "true",
        "diff.renames": "copies",
        "diff.suppressBlankEmpty": "true",
        "diff.wordRegex": ".",
    }
    for name, value in settings.items():
        house.git("config", name, value)
    house.restart()
    assert await patch(house, a) == plain


async def test_variables_of_the_environment_have_no_say(tmp_path: Path):
    spy = tmp_path / "spy"
    house = GitHouse(tmp_path / "house", {"GIT_EXTERNAL_DIFF": str(spy), "GIT_DIFF_OPTS": "-u0", "GIT_PAGER": str(spy)})
    house.program(spy, f"touch '{tmp_path}/ran'")
    a = branched(house, "a", {"README.md": b"# Store\n"})
    assert (await patch(house, a)).endswith(EXPECTED)
    assert not (tmp_path / "ran").exists()


async def test_a_file_that_was_moved_is_told_as_moved(house: GitHouse):
    a = branched(house, "a", {"README.md": None, "docs/README.md": b"# Shop\n"})
    assert "rename from README.md\nrename to docs/README.md\n" in await patch(house, a)


@pytest.mark.parametrize("attribute", ["-diff", "binary", "diff=none"])
@pytest.mark.parametrize("where", [".git/info/attributes", ".gitattributes", "in-the-commit", "from-a-setting"])
async def test_no_attribute_hides_a_text(house: GitHouse, where: str, attribute: str):
    house.git("config", "diff.none.binary", "true")
    said = f"*.md {attribute}\n".encode()
    hidden = {".gitattributes": said} if where == "in-the-commit" else {}
    if where == "from-a-setting":
        house.write(house.path, ".git/attributes", said)
        house.git("config", "core.attributesFile", f"{house.path}/.git/attributes")
        house.git("config", "attr.tree", house.base)
    elif not hidden:
        house.write(house.path, where, said)
    if where == ".gitattributes":
        house.base = house.commit("attributes")
    a = branched(house, "a", {"README.md": b"# Store\n", **hidden})
    assert (await patch(house, a)).endswith(EXPECTED)


async def test_a_repository_of_another_object_format_is_read(tmp_path: Path):
    house = GitHouse(tmp_path, hands={"GIT_DEFAULT_HASH": "sha256"})
    assert len(house.base) == 64
    a = branched(house, "a", {"README.md": b"# Store\n"})
    assert (await patch(house, a)).endswith(EXPECTED)


async def test_nothing_is_left_behind(house: GitHouse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "scratch").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "scratch"))
    await patch(house, branched(house, "a", {"README.md": b"# Store\n"}))
    assert list((tmp_path / "scratch").iterdir()) == []


@pytest.mark.parametrize("name", ["HEAD", "--output=/tmp/x", "main"])
async def test_what_is_no_commit_there_is_missing_or_found_and_never_an_option(house: GitHouse, name: str):
    if name.startswith("--"):
        with pytest.raises(MissingError):
            await patch(house, name)
    else:
        assert await patch(house, name) == ""
