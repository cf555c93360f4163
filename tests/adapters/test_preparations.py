"""Preparations on a real disk: what a crash, a person or an agent leaves there."""

import os
from pathlib import Path

import pytest

from harnd.adapters.preparations import DirectoryPreparations
from harnd.ports.errors import UnavailableError
from protocol.ids import Digest

NAME = Digest("ab" * 32)


def install(path: Path) -> None:
    (path / "bin").mkdir()
    (path / "bin" / "tool").write_bytes(b"#!/bin/sh\n")
    (path / "bin" / "tool").chmod(0o755)
    (path / "current").symlink_to("bin")


async def fill(path: str) -> bool:
    install(Path(path))
    return True


async def built(state: Path) -> Path:
    found = await DirectoryPreparations(state).get(NAME, fill)
    assert found is not None
    return Path(found.path)


async def test_what_was_built_lies_where_its_name_says_and_nobody_may_write_to_it(tmp_path):
    path = await built(tmp_path)
    assert path == tmp_path / "prepared" / NAME / "1"
    assert [found.stat().st_mode & 0o222 for found in (path, path / "bin", path / "bin/tool")] == [0, 0, 0]
    assert os.access(path / "current" / "tool", os.X_OK)


async def test_the_next_daemon_finds_it(tmp_path):
    assert await built(tmp_path) == await built(tmp_path)


async def test_a_directory_of_a_daemon_that_died_in_the_middle_is_none_and_goes(tmp_path):
    half = tmp_path / "prepared" / NAME / "1"
    half.mkdir(parents=True)
    (half / "lib.py").write_bytes(b"half")

    path = await built(tmp_path)

    assert not (path / "lib.py").exists()
    assert [found.name for found in path.parent.iterdir() if found.is_dir()] == [path.name]


@pytest.mark.parametrize("text", [b"", b"{", b'{"directory":"..","contents":"x"}', b'{"directory":"7","contents":"x"}'])
async def test_a_manifest_that_says_nothing_of_what_is_there_counts_for_nothing(tmp_path, text):
    path = await built(tmp_path)
    (path.parent / "manifest.json").write_bytes(text)
    assert (await built(tmp_path) / "bin" / "tool").exists()


async def test_a_directory_that_somebody_took_away_is_built_anew(tmp_path):
    path = await built(tmp_path)
    path.rename(tmp_path / "taken")
    assert (await built(tmp_path) / "bin" / "tool").exists()


@pytest.mark.parametrize("change", ["mode", "link", "removed"])
async def test_rights_links_and_what_is_gone_are_changes(tmp_path, change):
    path = await built(tmp_path)
    path.chmod(0o700)
    (path / "bin").chmod(0o700)
    match change:
        case "mode":
            (path / "bin" / "tool").chmod(0o644)
        case "link":
            (path / "current").unlink()
            (path / "current").symlink_to("/tmp")
        case _:
            (path / "bin" / "tool").unlink()
    path.chmod(0o500)
    (path / "bin").chmod(0o500)
    found = await DirectoryPreparations(tmp_path).get(NAME, fill)
    assert found is not None
    assert found.mended


async def test_a_file_that_others_have_too_keeps_its_rights(tmp_path):
    store = tmp_path / "store"
    store.write_bytes(b"shared")
    store.chmod(0o644)

    async def link(path: str) -> bool:
        os.link(store, f"{path}/lib")
        return True

    assert await DirectoryPreparations(tmp_path).get(NAME, link) is not None
    assert store.stat().st_mode & 0o777 == 0o644


async def test_nothing_outside_the_directory_is_read(tmp_path):
    secret, sources = tmp_path / "secret", tmp_path / "sources"
    sources.mkdir()
    secret.mkdir()
    (sources / "deps").symlink_to(secret)
    (sources / "go.mod").symlink_to(secret / "key")
    kept = DirectoryPreparations(tmp_path)
    before = await kept.contents(str(sources), ("deps", "deps/key", "go.mod"))
    (secret / "key").write_bytes(b"x")
    assert await kept.contents(str(sources), ("deps", "deps/key", "go.mod")) == before


async def test_a_pipe_holds_nobody_up(tmp_path):
    os.mkfifo(tmp_path / "go.mod")
    await DirectoryPreparations(tmp_path).contents(str(tmp_path), ("go.mod",))


async def test_folders_without_end_are_refused(tmp_path):
    deep = tmp_path / "deps"
    for _ in range(120):
        deep /= "d"
    deep.mkdir(parents=True)
    with pytest.raises(UnavailableError, match="too deep"):
        await DirectoryPreparations(tmp_path).contents(str(tmp_path), ("deps",))
