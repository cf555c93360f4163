"""Two commits come together by what they are, not by what happens to be checked out."""

from pathlib import Path

import pytest

from harnd.ports.workspace import Clash, Merge
from protocol.ids import CommitId
from tests.kit.repositories import BILLING, FIRST, GitHouse, place


def branched(house: GitHouse, name: str, files: dict[str, bytes | None]) -> CommitId:
    """Commit a change on the base, on a branch of its own."""
    house.git("checkout", "--quiet", "-B", name, house.base)
    for file, content in files.items():
        house.remove(house.path, file) if content is None else house.write(house.path, file, content)
    commit = house.commit(name)
    house.git("checkout", "--quiet", "main")
    return commit


async def test_changes_in_one_file_far_apart_come_together(house: GitHouse):
    lines = [b"%d\n" % n for n in range(20)]
    house.write(house.path, "long.txt", b"".join(lines))
    house.base = house.commit("long")
    a = branched(house, "a", {"long.txt": b"".join([b"first\n", *lines[1:]])})
    b = branched(house, "b", {"long.txt": b"".join([*lines[:-1], b"last\n"])})
    merge = await house.workspace.merge(place(house), a, b)
    assert isinstance(merge, Merge)
    assert house.content(merge.commit)["long.txt"] == b"".join([b"first\n", *lines[1:-1], b"last\n"])


async def test_a_clash_names_every_path_once_whatever_its_name(house: GitHouse):
    odd = {"README.md": b"# %s\n", "new\nline": b"%s\n", 'quo"te': b"%s\n", os_name(b"\xff.txt"): b"%s\n"}
    a = branched(house, "a", {name: content % b"a" for name, content in odd.items()})
    b = branched(house, "b", {name: content % b"b" for name, content in odd.items()})
    assert await house.workspace.merge(place(house), a, b) == Clash(tuple(sorted(odd)))


def os_name(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


async def test_one_side_deletes_what_the_other_changed(house: GitHouse):
    a = branched(house, "a", {"README.md": None})
    b = branched(house, "b", {"README.md": b"changed"})
    assert await house.workspace.merge(place(house), a, b) == Clash(("README.md",))


async def test_the_merge_is_signed_by_harnd_and_survives_a_prune(house: GitHouse):
    a, b = branched(house, "a", {"a.txt": b"a"}), branched(house, "b", {"b.txt": b"b"})
    merge = await house.workspace.merge(place(house), a, b)
    assert isinstance(merge, Merge)
    house.git("gc", "--quiet", "--prune=now")
    said = house.git("show", "--no-patch", "--format=%an <%ae> %P", merge.commit).strip()
    assert said == f"harnd <harnd@localhost> {a} {b}"


async def test_the_operators_checkout_has_no_say_and_is_left_alone(house: GitHouse):
    await house.workspace.open_branch(house.path, BILLING, house.base)
    a, b = branched(house, "a", {"README.md": b"# A\n"}), branched(house, "b", {"README.md": b"# B\n"})
    house.write(house.path, ".gitattributes", b"README.md merge=union\n")
    before = await house.workspace.surroundings(house.path)
    assert await house.workspace.merge(place(house), a, b) == Clash(("README.md",))
    assert await house.workspace.surroundings(house.path) == before
    assert house.read(house.path) == {**FIRST, ".gitattributes": b"README.md merge=union\n"}


@pytest.mark.parametrize("name", ["plain", 'a:b"c\\d', "with space", "\u00e4"])
async def test_what_is_foretold_leaves_no_object_behind_wherever_the_repository_lies(tmp_path: Path, name: str):
    house = GitHouse(tmp_path / name)
    a, b = branched(house, "a", {"x.txt": b"a", "y.txt": b"a"}), branched(house, "b", {"x.txt": b"b", "z.txt": b"b"})
    before = house.git("count-objects", "-v")
    assert await house.workspace.foretell(house.path, a, b) == ("x.txt",)
    assert house.git("count-objects", "-v") == before
