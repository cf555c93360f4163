"""Every world ends as the oracle says, whatever becomes of the daemon on the way."""

import shutil
import tempfile
import time
from pathlib import Path

import pytest

from tests.worlds.generate import generate
from tests.worlds.living import LIFE_S, Ending, live
from tests.worlds.oracle import foretell


def pytest_generate_tests(metafunc):
    metafunc.parametrize("seed", range(metafunc.config.option.worlds))


@pytest.mark.timeout(2 * LIFE_S)
def test_a_world_ends_as_the_oracle_says(seed, record_property):
    world = generate(seed)
    foretold = {mission.goal: foretell(world, mission) for mission in world.missions}
    root = Path(tempfile.mkdtemp(prefix=f"harnd-world-{seed}-")).resolve()  # short enough for a socket
    ending, began = Ending(), time.monotonic()
    try:
        live(world, root, ending)
        wrong = [*ending.differences(foretold), *ending.wrong]
        assert not wrong, "\n".join(wrong)
    except BaseException as error:
        error.add_note(f"world {seed} lies in {root}; to have it happen again:\n{again(seed)}")
        raise
    else:
        _clear(root)
    finally:
        told = {
            "seed": seed,
            "specials": sorted(world.specials),
            "milestones": sum(outcome.milestones for outcome in foretold.values()),
            "items": sum(len(list(mission.items())) for mission in world.missions),
            "attempts": sum(outcome.attempts for outcome in foretold.values()),
            "events": ending.events,
            "kills": ending.kills,
            "seconds": time.monotonic() - began,
        }
        record_property("world", told)


def _clear(root):
    for folder in root.rglob("*"):
        if folder.is_dir() and not folder.is_symlink():
            folder.chmod(0o700)  # what was prepared is read-only
    shutil.rmtree(root)


def again(seed):
    name = f"tests/worlds/test_worlds.py::test_a_world_ends_as_the_oracle_says[{seed}]"
    return f"  .venv/bin/python -m pytest --worlds={seed + 1} '{name}'"
