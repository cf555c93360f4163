"""Installation: units written and removed, the manager told, and every deed kept, in order, for the person.

What is there already is not done again: a second installation changes nothing and runs nothing.  A running daemon is
never restarted from here, since that would cut its agents short; it is said how.
"""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct

from harnctl.failures import Failure
from harnctl.service import files
from harnctl.service.blueprint import Blueprint
from harnctl.service.manager import UserManager
from harnctl.service.report import Condition, Deed, Did, UnitFile
from harnctl.service.units import UNITS

_BRIEFLY_S: Final = 60.0
START_S: Final = 1_000.0  # a recovery may ask for 15 minutes
STOP_S: Final = 3_700.0  # a drain may be set to an hour
RUNNING: Final = frozenset({"active", "activating", "reloading", "deactivating"})

Loaded = dict[str, dict[str, str]]


class Begin(Struct, frozen=True):
    """What an installation goes on to, once the units are written."""

    enable: bool = True
    start: bool = True


def load(manager: UserManager, directory: Path) -> Loaded:
    """Return how the manager has the units loaded; raises `Failure` when it would not read them from a directory."""
    looked_in = manager.unit_path()
    if str(directory) not in looked_in:
        raise Failure(
            "service.unseen",
            f"your user manager reads no units from {directory}: its XDG_CONFIG_HOME is another than this shell's",
            fix="unset XDG_CONFIG_HOME here, or set it in environment.d(5) and log in again",
            details={"looked_in": list(looked_in)},
        )
    return manager.show(UNITS, ("LoadState", "ActiveState", "UnitFileState", "NeedDaemonReload", "FragmentPath"))


def refuse_what_is_not_ours(found: Sequence[UnitFile]) -> None:
    """Raise `Failure` when a unit in the way is a person's own."""
    theirs = [unit for unit in found if unit.condition.is_a_persons]
    if theirs:
        raise Failure(
            "service.foreign",
            "; ".join(map(_in_the_way, theirs)),
            fix="overwrite: harnctl service install --force",
            details={"units": {unit.path: list(unit.diff) for unit in theirs}},
        )


def _in_the_way(unit: UnitFile) -> str:
    said = _whose(Path(unit.path), unit.condition)
    if unit.condition is Condition.EDITED:
        return f"{said}: put your changes into a drop-in (systemctl --user edit {unit.unit})"
    return said


def _whose(path: Path, found: Condition) -> str:
    return f"{path} was {'changed since it was written' if found is Condition.EDITED else 'not written by harnctl'}"


def touched(found: Sequence[UnitFile]) -> list[UnitFile]:
    """Return the units that are not as they should be."""
    return [unit for unit in found if unit.condition is not Condition.UNCHANGED]


Commands = list[tuple[tuple[str, ...], float]]  # each with how long it may take


def commands(found: Sequence[UnitFile], loaded: Loaded, begin: Begin) -> Commands:
    """Return what there is to run once the units are written."""
    told: Commands = []
    if touched(found) or any(unit.get("NeedDaemonReload") == "yes" for unit in loaded.values()):
        told.append((("systemctl", "--user", "daemon-reload"), _BRIEFLY_S))
    if begin.enable and (idle := [u for u in UNITS if loaded.get(u, {}).get("UnitFileState") != "enabled"]):
        told.append((("systemctl", "--user", "enable", *idle), _BRIEFLY_S))
    if begin.start and (failed := [u for u in UNITS if loaded.get(u, {}).get("ActiveState") == "failed"]):
        # What has used up its starts would be refused another one.
        told.append((("systemctl", "--user", "reset-failed", *failed), _BRIEFLY_S))
    if begin.start and (down := [u for u in UNITS if not is_up(loaded, u)]):
        told.append((("systemctl", "--user", "start", *down), START_S))
    return told


def is_up(loaded: Loaded, unit: str) -> bool:
    """Tell whether a unit runs, or is on its way up or down."""
    return loaded.get(unit, {}).get("ActiveState") in RUNNING


class Proceedings:
    """The deeds of one installation or removal, as they are done."""

    def __init__(self, manager: UserManager) -> None:
        """Begin with nothing done."""
        self._manager = manager
        self.deeds: list[Deed] = []

    def rehearse(self, found: Sequence[UnitFile], told: Commands) -> None:
        """Take note of what would be done."""
        self.deeds += [Deed(Did.WROTE, unit.path) for unit in touched(found)]
        self.deeds += [Deed(Did.RAN, shlex.join(command)) for command, _ in told]

    def write(self, blueprint: Blueprint, found: Sequence[UnitFile]) -> None:
        """Write the units that are not there as they should be."""
        for unit in touched(found):
            files.write(Path(unit.path), blueprint.units[unit.unit])
            self.deeds.append(Deed(Did.WROTE, unit.path))

    def remove(self, paths: Sequence[Path]) -> None:
        """Remove units."""
        for path in paths:
            files.remove(path)
            self.deeds.append(Deed(Did.REMOVED, str(path)))

    def run(self, command: Sequence[str], limit_s: float) -> None:
        """Have the manager do something."""
        said = shlex.join(command)
        try:
            self._manager.checked(command, limit_s=limit_s)
        except KeyboardInterrupt:  # the manager goes on with it
            self.deeds.append(Deed(Did.BEGAN, said))
            raise
        self.deeds.append(Deed(Did.RAN, said))


def to_go(directory: Path, *, force: bool) -> list[Path]:
    """Return the units of a directory that are to be removed.

    They go together or not at all: a service that stays enabled without its socket cannot start, and a socket without
    its service starts nothing.  So raises `Failure` when one of them is a person's own, unless `force` says otherwise.
    """
    there = {path: found for unit in UNITS if (found := files.condition(path := directory / unit)) is not None}
    theirs = [_whose(path, found) for path, found in there.items() if found.is_a_persons]
    if theirs and not force:
        said = f"{'; '.join(theirs)}; the units go together, so nothing was removed"
        raise Failure("service.foreign", said, fix="remove them all: harnctl service uninstall --force")
    return list(there)


def take_down(paths: Sequence[Path], loaded: Loaded, proceedings: Proceedings) -> None:
    """Stop and disable the units that are to go, remove them, and have the manager forget them."""
    going = {path.name: str(path) for path in paths}
    # A unit of that name that the manager has from elsewhere (a package) is not the one that goes.
    stop = [u for u in UNITS if u in going and loaded.get(u, {}).get("FragmentPath") == going[u]]
    if up := [unit for unit in stop if is_up(loaded, unit) or loaded[unit].get("ActiveState") == "failed"]:
        proceedings.run(("systemctl", "--user", "stop", *up), STOP_S)
    if enabled := [unit for unit in stop if loaded[unit].get("UnitFileState") == "enabled"]:
        proceedings.run(("systemctl", "--user", "disable", *enabled), _BRIEFLY_S)
    proceedings.remove(paths)
    proceedings.run(("systemctl", "--user", "daemon-reload"), _BRIEFLY_S)
    if failed := [unit for unit in stop if loaded[unit].get("ActiveState") == "failed"]:
        proceedings.run(("systemctl", "--user", "reset-failed", *failed), _BRIEFLY_S)
