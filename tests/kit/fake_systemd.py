"""`systemctl`, `loginctl` and `journalctl` for tests that are about harnctl: one program, told apart by its name.

It keeps a manager's state as files below `$FAKE_SYSTEMD`, so a test sets anything up by writing one: `active`,
`enabled` and `failed` list units, `shown` holds properties that count above all (`unset` those that are not said),
`linger` and `journal` are what the other two print, and `fail-VERB` makes a verb fail with what it says.  At
`interrupt-VERB` whoever runs it has Ctrl-C pressed, and the verb does not end by itself.  `log` has every command line.
"""

import os
import signal
import sys
from pathlib import Path

HOME = Path(os.environ["FAKE_SYSTEMD"])


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")


def lines(name: str) -> list[str]:
    path = HOME / name
    return path.read_text().split("\n")[:-1] if path.exists() else []


def keep(name: str, found: list[str]) -> None:
    (HOME / name).write_text("".join(f"{line}\n" for line in found))


def fail_if_asked(verb: str) -> None:
    if (HOME / f"fail-{verb}").exists():
        sys.exit((HOME / f"fail-{verb}").read_text())
    if (HOME / f"interrupt-{verb}").exists():
        os.kill(os.getppid(), signal.SIGINT)
        signal.pause()


def unit_path() -> Path:
    said = (HOME / "unit-path").read_text() if (HOME / "unit-path").exists() else ""
    return Path(said or f"{os.environ['HOME']}/.config/systemd/user")


def show(unit: str, wanted: list[str]) -> None:
    path = unit_path() / unit
    there = path.exists()
    state = "active" if unit in lines("active") else "failed" if unit in lines("failed") else "inactive"
    start = (
        next((row.partition("=")[2] for row in path.read_text().splitlines() if "ExecStart=" in row), "")
        if there
        else ""
    )
    found = {
        "Id": unit,
        "LoadState": "loaded" if there else "not-found",
        "FragmentPath": str(path) if there else "",
        "UnitFileState": ("enabled" if unit in lines("enabled") else "disabled") if there else "",
        "ActiveState": state,
        "SubState": {"active": "running", "failed": "failed"}.get(state, "dead"),
        "NeedDaemonReload": "no",
        "ExecStart": f"{{ path={start.split(' ')[0]} ; argv[]={start} ; ignore_errors=no }}",
        **dict(row.split(":", 1)[1].split("=", 1) for row in lines("shown") if row.startswith(f"{unit}:")),
    }
    unset = {row.split(":", 1)[1] for row in lines("unset") if row.startswith(f"{unit}:")}
    for name in ("Id", *wanted):
        if name in found and name not in unset:
            say(f"{name}={found[name]}")
    say("")


def systemctl(words: list[str]) -> None:
    verb, *rest = [word for word in words if word != "--user"]
    fail_if_asked(verb)
    if verb == "show" and "--property=UnitPath" in rest:
        say(f"/etc/systemd/user '{unit_path()}'")
        return
    units = [word for word in rest if not word.startswith("-")]
    active, enabled, failed = (lines(name) for name in ("active", "enabled", "failed"))
    match verb:
        case "show":
            wanted = next(word for word in rest if word.startswith("--property=")).partition("=")[2].split(",")
            for unit in units:
                show(unit, wanted)
        case "start":
            keep("active", sorted({*active, *units}))
        case "stop":
            keep("active", [unit for unit in active if unit not in units])
        case "enable":
            keep("enabled", sorted({*enabled, *units}))
        case "disable":
            keep("enabled", [unit for unit in enabled if unit not in units])
        case "reset-failed":
            keep("failed", [unit for unit in failed if unit not in units])
        case "daemon-reload":
            pass
        case _:
            sys.exit(f"Unknown command verb {verb}.")


def main() -> None:
    program, words = Path(sys.argv[0]).name, sys.argv[1:]
    with (HOME / "log").open("a") as log:
        log.write(" ".join((program, *words)) + "\n")
    match program:
        case "systemctl":
            systemctl(words)
        case "loginctl":
            fail_if_asked("show-user")
            say("\n".join(lines("linger")))
        case "journalctl":
            fail_if_asked("journal")
            say("\n".join(lines("journal")))
        case _:
            sys.exit(f"{program}?")


if __name__ == "__main__":
    main()
