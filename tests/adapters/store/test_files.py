"""The state directory: private, or not used."""

import os
from pathlib import Path

import pytest

from harnd.adapters.store import UnsafeDirectoryError, private_directory
from tests.kit.files import mode


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077, 0o277])
def test_a_new_directory_is_private_whatever_the_umask(tmp_path: Path, umask: int):
    before = os.umask(umask)
    try:
        private_directory(tmp_path / "state")
    finally:
        os.umask(before)

    assert mode(tmp_path / "state") == 0o700


@pytest.mark.parametrize("permissions", [0o700, 0o750, 0o755])
def test_a_directory_that_only_its_owner_may_write_into_is_used_as_it_is(tmp_path, permissions):
    (tmp_path / "state").mkdir()
    (tmp_path / "state").chmod(permissions)

    private_directory(tmp_path / "state")

    assert mode(tmp_path / "state") == permissions


@pytest.mark.parametrize("permissions", [0o770, 0o720, 0o707, 0o1777])
def test_a_directory_that_others_may_write_into_is_refused(tmp_path, permissions):
    (tmp_path / "state").mkdir()
    (tmp_path / "state").chmod(permissions)

    with pytest.raises(UnsafeDirectoryError, match="chmod go-w"):
        private_directory(tmp_path / "state")


def test_a_directory_of_another_user_is_refused(tmp_path, monkeypatch):
    (tmp_path / "state").mkdir(mode=0o700)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)

    with pytest.raises(UnsafeDirectoryError, match="belongs to user"):
        private_directory(tmp_path / "state")


def test_a_file_in_the_place_of_the_directory_is_refused(tmp_path):
    (tmp_path / "state").write_text("")

    with pytest.raises(UnsafeDirectoryError, match="not a directory"):
        private_directory(tmp_path / "state")
