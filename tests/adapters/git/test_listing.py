"""A listing sees whatever a process did to a checkout, also where git would not look."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from harnd.domain.digest import digest_of_bytes
from harnd.domain.review import governance
from harnd.domain.review.contract import Declared
from harnd.domain.review.touched import Area, differences
from tests.kit.repositories import GitHouse, place


class Checkout:
    """A checkout whose repository ignores `build/`, and what differs in it since it was made."""

    def __init__(self, house: GitHouse, where: str) -> None:
        self.house = house
        self.where = where
        self.path = Path(where)

    async def look(self) -> dict[str, str]:
        return (await self.house.workspace.listing(place(self.house), "review")).named()

    def git(self, *words: str) -> str:
        return self.house.git(*words, at=self.where)


@pytest.fixture
async def checkout(house: GitHouse) -> Checkout:
    house.write(house.path, ".gitignore", b"build/\n*.pyc\n")
    (house.top / "run.sh").write_text("echo\n")
    (house.top / "link").symlink_to("README.md")
    commit = house.commit("more")
    return Checkout(house, await house.workspace.checkout(place(house), commit, "review"))


def ignored(checkout: Checkout) -> None:
    checkout.house.write(checkout.where, "build/deep/result.bin", b"x")


def excluded(checkout: Checkout) -> None:
    (checkout.house.top / ".git/info/exclude").write_text("secret\n")
    checkout.house.write(checkout.where, "secret", b"x")


def hidden_from_git(checkout: Checkout) -> None:
    checkout.git("update-index", "--assume-unchanged", "README.md")
    checkout.house.write(checkout.where, "README.md", b"other")


def made_executable(checkout: Checkout) -> None:
    (checkout.path / "run.sh").chmod(0o755)


def made_private(checkout: Checkout) -> None:
    (checkout.path / "run.sh").chmod(0o600)  # which git does not tell from what it was


def link_turned(checkout: Checkout) -> None:
    (checkout.path / "link").unlink()
    (checkout.path / "link").symlink_to("/etc/passwd")


def empty_folder(checkout: Checkout) -> None:
    (checkout.path / "empty").mkdir()


def pipe(checkout: Checkout) -> None:
    os.mkfifo(checkout.path / "pipe")


def repository_inside(checkout: Checkout) -> None:
    checkout.git("init", "--quiet", "inner")
    checkout.house.write(checkout.where, "inner/a.txt", b"a")


def committed(checkout: Checkout) -> None:
    checkout.git("commit", "--quiet", "--allow-empty", "--no-verify", "--message", "mine")


def switched(checkout: Checkout) -> None:
    checkout.git("switch", "--quiet", "--create", "mine")


def own_git(checkout: Checkout) -> None:
    (checkout.path / ".git").unlink()
    (checkout.path / ".git").mkdir()


def unregistered(checkout: Checkout) -> None:
    checkout.house.administration(checkout.where).rename(checkout.house.top / ".git/elsewhere")


def undecodable(checkout: Checkout) -> None:
    Path(os.fsdecode(os.fsencode(checkout.where) + b"/caf\xe9")).touch()


@pytest.mark.parametrize(
    ("deed", "told"),
    [
        (ignored, ["added build", "added build/deep", "added build/deep/result.bin"]),
        (excluded, ["added secret"]),
        (hidden_from_git, ["changed README.md"]),
        (made_executable, ["changed run.sh"]),
        (made_private, ["changed run.sh"]),
        (link_turned, ["changed link"]),
        (empty_folder, ["added empty"]),
        (pipe, ["added pipe"]),
        (committed, ["changed .git/HEAD"]),
        (switched, ["changed .git/HEAD"]),
        (own_git, ["changed .git"]),
        (unregistered, ["changed .git/HEAD"]),
        (undecodable, ["added caf\\xe9"]),
    ],
)
async def test_it_sees(checkout: Checkout, deed: Callable[[Checkout], None], told: list[str]):
    before = await checkout.look()
    deed(checkout)
    after = await checkout.look()
    assert [f"{one.how} {one.path}" for one in differences(Area.WORKTREE, before, after)] == told


async def test_it_sees_every_file_of_a_repository_inside(checkout: Checkout):
    before = await checkout.look()
    repository_inside(checkout)
    added = {one.path for one in differences(Area.WORKTREE, before, await checkout.look())}
    assert {"inner", "inner/a.txt", "inner/.git", "inner/.git/HEAD"} <= added


async def test_it_sees_what_is_put_where_a_submodule_belongs(house: GitHouse, tmp_path: Path):
    library = GitHouse(tmp_path / "library")
    house.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library.path, "lib")
    commit = house.commit("with a submodule")
    checkout = Checkout(house, await house.workspace.checkout(place(house), commit, "review"))
    before = await checkout.look()
    house.write(checkout.where, "lib/README.md", b"not what it is")
    assert [one.path for one in differences(Area.WORKTREE, before, await checkout.look())] == ["lib/README.md"]


async def test_looking_at_it_with_git_is_no_change(checkout: Checkout):
    before = await checkout.look()
    checkout.git("status")
    checkout.git("log", "--oneline")
    checkout.git("diff", "HEAD")
    os.utime(checkout.path / "README.md")
    checkout.git("update-index", "--refresh")
    assert await checkout.look() == before


async def test_what_is_no_plain_file_of_a_commit_has_no_digest(house: GitHouse):
    house.write(house.path, "AGENTS.md", b"Be brief.\n")
    (house.top / "CLAUDE.md").symlink_to("AGENTS.md")
    commit = house.commit("governance")
    found = await house.workspace.digests(house.path, commit, ("src", *governance.FILES))
    digest = digest_of_bytes(b"Be brief.\n")
    assert found == {"AGENTS.md": digest, "CLAUDE.md": None, "src": None}
    assert governance.declared(found) == (Declared("AGENTS.md", digest), Declared("CLAUDE.md"))
