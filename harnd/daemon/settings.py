"""Settings: what a person may choose about the daemon itself, by argument or environment.

Goals carry their own bounds; here is only where the daemon keeps its state, where it listens, and how it stops.
"""

import argparse
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from harnd.daemon.socket_path import find_socket_path
from protocol import bounds
from protocol.socket_path import NoSocketPath, state_directory


class ConfigError(Exception):
    """The daemon cannot start as it was asked to: exit 78, one sentence."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What the daemon runs with."""

    state: Path  # absolute
    socket: Path  # absolute
    drain_s: int  # how long TERM waits for what runs
    grace_s: int  # how long a process may take to end before it is killed


def read_settings(arguments: Sequence[str], environment: Mapping[str, str]) -> Settings:
    """Read arguments, then environment, then defaults; raises `ConfigError`, and `SystemExit` on a bad argument."""
    chosen = _parser().parse_args(arguments)
    default = state_directory({"HOME": str(Path.home()), **environment})
    state = Path(chosen.state or environment.get("HARND_STATE") or default)
    if not state.is_absolute():
        state = Path.cwd() / state
    return Settings(
        state=state,
        socket=_socket(chosen.socket or environment.get("HARND_SOCKET"), state, environment),
        drain_s=chosen.drain,
        grace_s=chosen.grace,
    )


def _socket(chosen: str | None, state: Path, environment: Mapping[str, str]) -> Path:
    try:
        return find_socket_path(environment, state_dir=str(state)) if chosen is None else _fitting(Path.cwd() / chosen)
    except NoSocketPath as error:
        raise ConfigError(f"{error}; choose a shorter --state or --socket") from error


def _fitting(path: Path) -> Path:
    if len(os.fsencode(path)) > bounds.SOCKET_PATH_BYTES:
        raise NoSocketPath(str(path))
    return path


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="harnd",
        description="Carry goals through coding agents, in the foreground, until TERM.",
        epilog="harnctl is the client; `harnctl init` in a git repository is a good beginning.",
    )
    parser.add_argument("--state", metavar="DIR", help="state directory (HARND_STATE; ~/.local/state/harnd)")
    parser.add_argument("--socket", metavar="PATH", help="socket (HARND_SOCKET; in the runtime directory)")
    drain, grace = bounds.DRAIN_S, bounds.GRACE_S
    parser.add_argument(
        "--drain",
        metavar="SECONDS",
        type=_between(drain.least, drain.ceiling),
        default=drain.default,
        help=f"how long TERM waits for what runs ({drain.default}); a second TERM, or INT, stops now",
    )
    parser.add_argument(
        "--grace",
        metavar="SECONDS",
        type=_between(grace.least, grace.ceiling),
        default=grace.default,
        help=f"how long an agent may take to end before it is killed ({grace.default})",
    )
    return parser


def _between(least: int, most: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not text.isdecimal() or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"expected a whole number from {least} to {most}, not {text!r}")
        return int(text)

    return read
