"""What the tests of a real daemon stand on: a home of its own for each, which leaves no process and no file behind."""

from collections.abc import Iterator

import pytest

from tests.kit.daemons import Home


@pytest.fixture
def home() -> Iterator[Home]:
    made = Home()
    yield made
    made.close()
