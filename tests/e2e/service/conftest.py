"""harnd under a real user manager: installed by harnctl, and gone with the test."""

from collections.abc import Iterator

import pytest

from tests.kit.daemons import Home
from tests.kit.service import Service
from tests.kit.user_manager import UserManager, obstacle


@pytest.fixture
def service(home: Home) -> Iterator[Service]:
    if why := obstacle():
        pytest.skip(why)
    manager = UserManager(home.root)
    try:
        yield Service(home, manager)
    finally:
        manager.close()
