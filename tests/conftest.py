"""What every test may rely on: one event loop unless it asks for another, and examples that replay."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

WORLDS = Path(__file__).parent / "worlds"

settings.register_profile("here", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--worlds",
        type=int,
        default=0,
        metavar="N",
        help="collect tests/worlds and carry N generated worlds out (left out without it)",
    )
    parser.addoption(
        "--outputs",
        type=int,
        default=20_000,
        metavar="N",
        help="give the readers of reviews N generated outputs (20,000 without it)",
    )


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave the worlds to `make test-worlds`: they take minutes."""
    return True if collection_path == WORLDS and not config.option.worlds else None


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Production's loop.  A test that must hold on both overrides this with `params=["asyncio", "trio"]`."""
    return "asyncio"
