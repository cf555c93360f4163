"""Arguments: the command line of harnd, and all else that stays as it was when the daemon was started."""

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from protocol import bounds
from protocol.socket_path import CONFIG, SOCKET, STATE


@dataclass(frozen=True, slots=True)
class Asked:
    """What a daemon was started with."""

    arguments: Mapping[str, str | int | None]  # by the name of the option; None or absent when it was not given
    environment: Mapping[str, str]  # with a HOME in any case
    directory: Path  # where relative paths begin
    passed: Path | None = None  # where the socket lies that a service manager passed on
    check: bool = False  # only look at the configuration


def read_arguments(arguments: Sequence[str], environment: Mapping[str, str], *, passed: Path | None = None) -> Asked:
    """Read the command line; raises `SystemExit` when there is something wrong with it."""
    given = vars(_parser().parse_args(arguments))
    check = bool(given.pop("check_config"))
    # Without HOME, what the user database says.
    with_home = {**environment, "HOME": environment.get("HOME") or str(Path.home())}
    return Asked(given, with_home, Path.cwd(), passed, check)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="harnd",
        description="Carry goals through coding agents, in the foreground, until TERM.",
        epilog="harnctl is the client; `harnctl init` in a git repository is a good beginning.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "--config",
        metavar="FILE",
        type=_path,
        help=f"configuration ({CONFIG}; ~/.config/harnd/config.toml); HUP reads it again",
    )
    parser.add_argument("--state", metavar="DIR", type=_path, help=f"state directory ({STATE}; ~/.local/state/harnd)")
    parser.add_argument("--socket", metavar="PATH", type=_path, help=f"socket ({SOCKET}; in the runtime directory)")
    drain, grace = bounds.DRAIN_S, bounds.GRACE_S
    parser.add_argument(
        "--drain",
        metavar="SECONDS",
        type=_between(drain.least, drain.ceiling),
        help=f"how long TERM waits for what runs ({drain.default}); a second TERM, or INT, stops now",
    )
    parser.add_argument(
        "--grace",
        metavar="SECONDS",
        type=_between(grace.least, grace.ceiling),
        help=f"how long an agent may take to end before it is killed ({grace.default})",
    )
    parser.add_argument(
        "--check-config", action="store_true", help="only say as JSON what the daemon would run with, and end"
    )
    return parser


def _path(text: str) -> str:
    if not text or not text.isprintable():  # an empty one would be the directory that harnd was started in
        raise argparse.ArgumentTypeError(f"expected a path in plain characters, not {text!r}")
    return text


def _between(least: int, most: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not text.isdecimal() or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"expected a whole number from {least} to {most}, not {text!r}")
        return int(text)

    return read
