"""A repository on disk for every test of this folder."""

from pathlib import Path

import pytest

from tests.kit.repositories import GitHouse


@pytest.fixture
def house(tmp_path: Path) -> GitHouse:
    return GitHouse(tmp_path)
