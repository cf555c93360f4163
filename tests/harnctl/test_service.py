"""`harnctl service`: what it writes and runs, what it refuses, and how it tells; systemd is a program on the path."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from harnctl.failures import INTERRUPTED
from harnctl.service.units import SERVICE, SOCKET, is_ours
from protocol.errors import Exit
from tests.kit.daemons import ROOT
from tests.kit.scripted_daemon import ScriptedDaemon, golden

FAKE = Path(__file__).parents[1] / "kit" / "fake_systemd.py"
RELOAD = "systemctl --user daemon-reload"
ENABLE = "systemctl --user enable harnd.socket harnd.service"
START = "systemctl --user start harnd.socket harnd.service"
PROGRAM = str(Path(sys.executable).with_name("harnd"))


class Systemd:
    """The pretended systemd of a test."""

    def __init__(self, home):
        self.home, self.state, self.bin = home, home / "systemd", home / "programs"
        self.state.mkdir()
        self.bin.mkdir()
        for name in ("systemctl", "loginctl", "journalctl"):
            (self.bin / name).write_text(f"#!{sys.executable}\n{FAKE.read_text()}")
            (self.bin / name).chmod(0o755)
        self.units = home / ".config" / "systemd" / "user"
        self.says("linger", "yes")

    def says(self, name, *lines):
        (self.state / name).write_text("".join(f"{line}\n" for line in lines))

    def fails(self, verb, why):
        (self.state / f"fail-{verb}").write_text(why)

    @property
    def ran(self):
        """What was run, less what only looks."""
        log = self.state / "log"
        lines = log.read_text().splitlines() if log.exists() else []
        return [line for line in lines if line.startswith("systemctl") and " show " not in line]

    def unit(self, name):
        return (self.units / name).read_text()

    def line(self, name, key):
        (value,) = [row.partition("=")[2] for row in self.unit(name).splitlines() if row.startswith(f"{key}=")]
        return value


@pytest.fixture
def systemd(place, harnctl):
    made = Systemd(place)
    runtime = place / "runtime"
    runtime.mkdir(mode=0o700)
    del harnctl.environ["HARND_SOCKET"]
    harnctl.environ |= {
        "FAKE_SYSTEMD": str(made.state),
        "PATH": f"{made.bin}:/usr/bin",
        "XDG_RUNTIME_DIR": str(runtime),
    }
    return made


def everything(directory):
    return {str(path): path.read_bytes() for path in sorted(directory.rglob("*")) if path.is_file()}


# --- install


def test_it_writes_the_units_reloads_enables_and_starts_in_that_order(harnctl, systemd):
    ran = harnctl("service", "install")
    assert (ran.code, ran.err) == (0, "")
    assert systemd.ran == [RELOAD, ENABLE, START]
    assert ran.out.splitlines()[:5] == [
        f"wrote {systemd.units}/{SOCKET}",
        f"wrote {systemd.units}/{SERVICE}",
        f"ran {RELOAD}",
        f"ran {ENABLE}",
        f"ran {START}",
    ]
    assert systemd.line(SERVICE, "ExecStart") == PROGRAM
    assert systemd.line(SOCKET, "ListenStream") == "%t/harnd/harnd.sock"
    assert all(is_ours(systemd.unit(unit)) for unit in (SERVICE, SOCKET))


def test_a_second_time_it_says_unchanged_and_touches_nothing(harnctl, systemd):
    harnctl("service", "install")
    before, ran_before = everything(systemd.units), systemd.ran
    ran = harnctl("service", "install")
    assert ran.code == 0
    assert ran.out.startswith("unchanged: ")
    assert (everything(systemd.units), systemd.ran) == (before, ran_before)


def test_only_what_is_missing_is_done(harnctl, systemd):
    harnctl("service", "install", "--no-start")
    assert systemd.ran == [RELOAD, ENABLE]
    harnctl("service", "install")
    assert systemd.ran == [RELOAD, ENABLE, START]


def test_it_can_be_written_only(harnctl, systemd):
    harnctl("service", "install", "--no-enable")
    assert systemd.ran == [RELOAD]


def test_a_changed_installation_is_told_line_by_line_and_restarts_nothing(harnctl, systemd):
    harnctl("service", "install")
    ran = harnctl("service", "install", "--state", "/elsewhere/state")
    assert systemd.ran == [RELOAD, ENABLE, START, RELOAD]
    assert f"-ExecStart={PROGRAM}\n+ExecStart={PROGRAM} --state /elsewhere/state\n" in ran.out
    assert "systemctl --user restart harnd.service" in ran.out
    assert harnctl("service", "install", "--state", "/elsewhere/state", "--json").document["restart"] is False


def test_a_rehearsal_shows_everything_and_touches_nothing(harnctl, systemd):
    before = everything(systemd.home)
    ran = harnctl("service", "install", "--dry-run")
    assert ran.code == 0
    assert f"\nExecStart={PROGRAM}\n" in ran.out
    assert f"would have run {START}\n" in ran.out
    (systemd.state / "log").unlink()
    assert everything(systemd.home) == before


def test_a_rehearsal_needs_no_systemd(harnctl, systemd):
    ran = harnctl("service", "install", "--dry-run", PATH="/usr/bin/nowhere")
    assert (ran.code, systemd.units.exists()) == (0, False)
    assert f"would have run {START}\n" in ran.out


def rehearsed(harnctl, *words, **environ):
    """What a rehearsal says would be refused; it touches nothing for that."""
    ran = harnctl("service", "install", "--dry-run", "--json", *words, **environ)
    assert ran.code == 0
    return [(objection["code"], objection["fix"]) for objection in ran.document["objections"]]


def test_what_would_be_refused_is_rehearsed_too(harnctl, systemd, place):
    assert rehearsed(harnctl) == []
    systemd.units.mkdir(parents=True)
    (systemd.units / SERVICE).write_text("[Service]\n")
    with ScriptedDaemon(place / "runtime" / "harnd" / "harnd.sock"):
        assert rehearsed(harnctl) == [
            ("service.foreign", "overwrite: harnctl service install --force"),
            ("service.daemon_runs", "stop it (Ctrl-C where it runs), or add --no-start"),
        ]
        assert rehearsed(harnctl, "--force", "--no-start") == []
        told = " ".join(harnctl("service", "install", "--dry-run", "--force").out.split())
        assert "As things stand it would be refused: a daemon that systemd did not start answers" in told
    systemd.says("unit-path", "/elsewhere")
    assert [code for code, _ in rehearsed(harnctl, "--force")] == ["service.unseen"]
    assert [code for code, _ in rehearsed(harnctl, "--force", PATH="/nowhere")] == ["service.no_systemd"]


@pytest.mark.parametrize("given", ["argument", "variable"])
def test_what_names_the_daemon_here_names_it_there(harnctl, systemd, place, given):
    state, socket = place / "st ate", place / "100%" / "s"
    if given == "argument":
        harnctl("service", "install", "--state", str(state), "--socket", str(socket))
    else:
        harnctl("service", "install", HARND_STATE=str(state), HARND_SOCKET=str(socket))
    written = f'{PROGRAM} --state "{state}" --socket "{socket}"'.replace("%", "%%")
    assert systemd.line(SERVICE, "ExecStart") == written
    assert systemd.line(SOCKET, "ListenStream") == str(socket).replace("%", "%%")


def test_a_configuration_that_is_named_here_is_named_there(harnctl, systemd):
    harnctl("service", "install", HARND_CONFIG="/etc/harnd.toml")
    assert systemd.line(SERVICE, "ExecStart") == f"{PROGRAM} --config /etc/harnd.toml"


def test_a_state_directory_of_its_own_has_a_socket_of_its_own(harnctl, systemd, place):
    plan = harnctl("service", "install", "--state", str(place / "mine"), "--json").document["blueprint"]
    name = Path(plan["socket"]).name
    assert name != "harnd.sock"
    assert systemd.line(SOCKET, "ListenStream") == f"%t/harnd/{name}"


def test_the_path_of_the_shell_is_recorded_without_what_will_not_last(harnctl, systemd):
    path = f"{systemd.bin}:/usr/bin:bin:/nowhere:/usr/sbin"
    ran = harnctl("service", "install", PATH=path)
    assert "Environment=PATH=/usr/bin:/usr/sbin\n" in systemd.unit(SERVICE)
    assert "PATH: bin is relative, and is left out\n" in ran.out
    assert "PATH: /nowhere is not there, and is left out\n" in ran.out
    assert f"PATH: {systemd.bin} lies in a temporary directory, and is left out" in ran.out.replace("\n", " ")


def test_keys_of_the_shell_do_not_get_into_a_unit(harnctl, systemd):
    ran = harnctl("service", "install", MY_API_KEY="hunter2", XDG_DATA_HOME="/data", SSL_CERT_FILE="/c.pem")
    assert "hunter2" not in systemd.unit(SERVICE) + ran.out
    assert "also set  SSL_CERT_FILE, XDG_DATA_HOME\n" in ran.out
    assert "Environment=XDG_DATA_HOME=/data\n" in systemd.unit(SERVICE)


@pytest.mark.parametrize("name", ["a\nb", "a\x07b", "a\udcffb"], ids=ascii)
def test_a_path_that_no_unit_can_hold_is_refused_before_anything_is_written(harnctl, systemd, name):
    ran = harnctl("service", "install", "--json", "--state", f"/tmp/{name}")
    assert (ran.code, ran.document["code"]) == (78, "service.unwritable")
    assert (systemd.ran, systemd.units.exists()) == ([], False)


@pytest.mark.parametrize("verb", ["install", "uninstall"])
@pytest.mark.parametrize("kind", ["own", "edited", "masked"])
def test_a_unit_that_a_person_made_or_changed_is_left_alone(harnctl, systemd, verb, kind):
    if kind == "edited":
        harnctl("service", "install")
    systemd.units.mkdir(parents=True, exist_ok=True)
    path = systemd.units / SERVICE
    match kind:
        case "own":
            path.write_text("[Service]\nExecStart=/usr/bin/true\n")
        case "edited":
            path.write_text(path.read_text().replace("WatchdogSec=60", "WatchdogSec=600"))
        case _:
            path.symlink_to("/dev/null")
    before = (path.lstat().st_ino, path.read_bytes())

    ran = harnctl("service", verb)

    assert (path.lstat().st_ino, path.read_bytes()) == before
    if verb == "install":
        assert (ran.code, "[service.foreign]" in ran.err) == (5, True)
        assert ("systemctl --user edit harnd.service" in ran.err.replace("\n", " ")) == (kind == "edited")
        assert harnctl("service", "install", "--force").code == 0
        assert is_ours(path.read_text())
    else:
        assert (ran.code, "[service.foreign]" in ran.err) == (5, True)
        assert [line for line in systemd.ran if " stop " in line or " disable " in line] == []
        assert harnctl("service", "uninstall", "--force").code == 0
        assert list(systemd.units.iterdir()) == []


def test_a_daemon_that_systemd_did_not_start_keeps_its_socket(harnctl, systemd, place):
    socket = place / "runtime" / "harnd" / "harnd.sock"
    with ScriptedDaemon(socket):
        ran = harnctl("service", "install")
        assert (ran.code, "[service.daemon_runs]" in ran.err) == (5, True)
        assert (systemd.ran, systemd.units.exists()) == ([], False)
        assert harnctl("service", "install", "--no-start").code == 0


@pytest.mark.parametrize("edited", [SERVICE, SOCKET])
def test_the_two_units_go_together_or_not_at_all(harnctl, systemd, edited):
    """A service that stays enabled could not start without its socket, and a socket alone starts nobody."""
    harnctl("service", "install")
    with (systemd.units / edited).open("a") as unit:
        unit.write("# mine\n")
    before, ran_before = everything(systemd.units), systemd.ran

    ran = harnctl("service", "uninstall", "--json")

    assert (ran.code, ran.document["code"]) == (5, "service.foreign")
    assert ran.document["fix"] == "remove them all: harnctl service uninstall --force"
    assert (everything(systemd.units), systemd.ran) == (before, ran_before)


@pytest.mark.parametrize("unit", ['ExecStart=x "', "ExecStart=x --state /theirs", '{mark}\nExecStart=x --state "/mine'])
def test_a_unit_that_is_not_ours_or_cannot_be_understood_names_no_state_when_it_is_removed(
    harnctl, systemd, place, unit
):
    harnctl("service", "install")
    (systemd.units / SERVICE).write_text(unit.format(mark=systemd.unit(SERVICE).splitlines()[0]) + "\n")
    (place / ".local/state/harnd").mkdir(parents=True)
    ran = harnctl("service", "uninstall", "--force")
    assert ran.code == 0
    assert f"everything that harnd stored stays: {place}/.local/state/harnd\n" in ran.out


def test_a_link_that_leads_nowhere_is_removed_like_any_unit(harnctl, systemd):
    systemd.units.mkdir(parents=True)
    (systemd.units / SERVICE).symlink_to("/no/such/unit")
    assert harnctl("service", "uninstall", "--force").code == 0
    assert list(systemd.units.iterdir()) == []


def test_a_unit_that_is_not_going_is_not_stopped_because_nobody_has_it(harnctl, systemd):
    """Neither is there a file of it nor has the manager heard of one, and that is no agreement."""
    harnctl("service", "install", "--no-start")
    (systemd.units / SERVICE).unlink()
    systemd.says("active", SOCKET, SERVICE)
    systemd.says("unset", f"{SERVICE}:FragmentPath")
    assert harnctl("service", "uninstall").code == 0
    assert [line for line in systemd.ran if SERVICE in line] == [ENABLE]


def test_a_manager_that_looks_elsewhere_is_not_written_for(harnctl, systemd):
    systemd.says("unit-path", "/elsewhere")
    ran = harnctl("service", "install")
    assert (ran.code, "[service.unseen]" in ran.err, systemd.units.exists()) == (78, True, False)


def test_what_was_done_is_told_also_when_the_rest_fails(harnctl, systemd):
    systemd.fails("start", "Job for harnd.service failed.\nSee `journalctl`.")
    ran = harnctl("service", "install", "--json")
    assert (ran.code, ran.document["code"]) == (1, "service.failed")
    assert "Job for harnd.service failed. See `journalctl`." in ran.document["message"]
    assert ran.err.startswith(f"wrote {systemd.units}/{SOCKET}\nwrote {systemd.units}/{SERVICE}\nran {RELOAD}\n")


def test_what_was_done_is_told_also_after_ctrl_c_and_what_goes_on_without_us(harnctl, systemd):
    (systemd.state / "interrupt-start").touch()
    command = [sys.executable, "-m", "harnctl", "service", "install"]
    environ = {**harnctl.environ, "PYTHONPATH": str(ROOT)}
    ran = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=60, check=False)
    assert ran.returncode == INTERRUPTED
    assert ran.stderr.splitlines()[2:5] == [f"ran {RELOAD}", f"ran {ENABLE}", f"began {START}"]


@pytest.mark.parametrize(
    ("said", "told"),
    [("yes", None), ("no", "Without lingering harnd ends"), ("", "It is not known whether you linger.")],
)
def test_lingering_is_looked_at_and_told(harnctl, systemd, said, told):
    systemd.says("linger", said)
    if not said:
        systemd.fails("show-user", "no")
    ran = harnctl("service", "install", "--no-start")
    if told is None:
        assert "linger" not in ran.out
    elif said or not Path("/var/lib/systemd").is_dir():
        assert told in ran.out
        assert "  loginctl enable-linger\n" in ran.out


# --- no systemd


@pytest.mark.parametrize("verb", ["install", "uninstall", "status"])
def test_without_systemd_it_says_so_in_one_sentence(harnctl, systemd, verb):
    ran = harnctl("service", verb, PATH="/nowhere")
    assert (ran.code, ran.out) == (78, "")
    assert ran.err.startswith("error: this machine has no systemctl [service.no_systemd]\n")
    assert (systemd.ran, systemd.units.exists()) == ([], False)


@pytest.mark.parametrize("verb", ["install", "uninstall", "status"])
@pytest.mark.parametrize(("booted", "code"), [(True, "service.no_manager"), (False, "service.no_systemd")])
def test_without_a_manager_it_says_why(harnctl, systemd, monkeypatch, *, verb, booted, code):
    monkeypatch.setattr("harnctl.service.manager.BOOTED", systemd.home / ("" if booted else "absent"))
    systemd.fails("show", "Failed to connect to bus: No medium found")
    ran = harnctl("service", verb, "--json")
    assert ran.document["code"] == code
    assert ran.code == (Exit.TRY_LATER if booted else Exit.CONFIGURATION)
    assert "No medium found" in ran.document["message"]
    assert not systemd.units.exists()


# --- uninstall


def test_it_stops_disables_and_removes_what_was_installed(harnctl, systemd, place):
    harnctl("service", "install")
    (place / ".local/state/harnd").mkdir(parents=True)
    (systemd.units / "harnd.service.d").mkdir()
    ran = harnctl("service", "uninstall")
    assert ran.code == 0
    assert systemd.ran[3:] == [
        "systemctl --user stop harnd.socket harnd.service",
        "systemctl --user disable harnd.socket harnd.service",
        RELOAD,
    ]
    assert list(systemd.units.iterdir()) == [systemd.units / "harnd.service.d"]
    assert f"everything that harnd stored stays: {place}/.local/state/harnd\n" in ran.out
    assert f"your drop-ins stay: {systemd.units}/harnd.service.d\n" in ran.out
    again = harnctl("service", "uninstall")
    assert (again.code, again.out.splitlines()[0]) == (0, "nothing to remove: harnctl has written no unit here")


def test_the_state_that_stays_is_the_one_that_the_unit_names(harnctl, systemd, place):
    state = place / 'st "$%\\ ate'
    state.mkdir()
    harnctl("service", "install", "--state", str(state), "--no-start")
    assert f"everything that harnd stored stays: {state}" in harnctl("service", "uninstall").out


def test_a_unit_that_the_manager_has_from_elsewhere_is_not_stopped(harnctl, systemd):
    harnctl("service", "install")
    systemd.says("shown", "harnd.service:FragmentPath=/usr/lib/systemd/user/harnd.service")
    harnctl("service", "uninstall")
    assert systemd.ran[3:5] == ["systemctl --user stop harnd.socket", "systemctl --user disable harnd.socket"]


# --- status


def test_a_service_that_is_not_installed_is_not_found(harnctl, systemd):
    ran = harnctl("service", "status", "--json")
    assert (ran.code, ran.document["code"], ran.document["fix"]) == (
        4,
        "service.not_installed",
        "harnctl service install",
    )


def test_it_shows_the_units_the_daemon_and_that_it_is_the_right_one(harnctl, systemd, place):
    harnctl("service", "install", "--no-start")
    pid = golden("status.show").pid
    systemd.says("active", SOCKET, SERVICE)
    systemd.says(
        "shown",
        f"{SERVICE}:MainPID={pid}",
        f"{SERVICE}:StatusText=2 goals, 1 runs",
        f"{SERVICE}:NRestarts=3",
        f"{SERVICE}:WatchdogUSec=1min",
        f"{SERVICE}:ActiveEnterTimestampMonotonic=1",
    )
    with ScriptedDaemon(place / "runtime" / "harnd" / "harnd.sock"):
        ran = harnctl("service", "status", columns=200)
        found = harnctl("service", "status", "--json").document
    assert ran.code == 0
    assert "● harnd.service  active (running), enabled\n" in ran.out
    assert f"pid        {pid}\nsays       2 goals, 1 runs\n" in ran.out
    assert (found["restarts"], found["watchdog"], found["daemon"]["pid"]) == (3, "1min", pid)
    assert (found["program"], found["this_program"]) == (PROGRAM, PROGRAM)
    assert [note for note in found["notes"] if "restart" not in note["fix"]] == []  # the scripted version is another


def test_two_installations_are_told_apart(harnctl, systemd, place):
    """Case E15: what was started first is another than what is asked."""
    harnctl("service", "install")
    systemd.says(
        "shown",
        f"{SERVICE}:ExecStart={{ path=/opt/old/bin/harnd ; argv[]=/opt/old/bin/harnd ; }}",
        f"{SERVICE}:MainPID=7",
    )
    with ScriptedDaemon(place / "runtime" / "harnd" / "harnd.sock"):
        notes = harnctl("service", "status", "--json").document["notes"]
    assert (
        f"the service starts another installation, /opt/old/bin/harnd; the one of this harnctl is {PROGRAM}"
        in notes[1]["said"]
    )
    assert notes[1]["fix"] == "harnctl service install"
    assert "is not the one of the service" in notes[0]["said"]


def test_looking_at_a_waiting_socket_starts_nothing(harnctl, systemd, place):
    harnctl("service", "install", "--no-start")
    systemd.says("active", SOCKET)
    with ScriptedDaemon(place / "runtime" / "harnd" / "harnd.sock") as daemon:
        ran = harnctl("service", "status")
    assert (ran.code, daemon.greeted) == (0, 0)
    assert "nobody yet: the first client starts it" in ran.out


def test_a_failed_service_fails_the_look_and_says_why(harnctl, systemd):
    harnctl("service", "install", "--no-start")
    systemd.says("failed", SERVICE)
    systemd.says("shown", f"{SERVICE}:Result=exit-code")
    ran = harnctl("service", "status")
    assert ran.code == 1
    assert "✗ harnd.service  failed (failed), enabled\n" in ran.out
    assert "harnd ended with exit-code (" in ran.out
    assert "when it is mended:\n  harnctl service install\n" in ran.out
    assert harnctl("service", "install").code == 0
    assert systemd.ran[-2:] == ["systemctl --user reset-failed harnd.service", START]


def test_where_nobody_answers_an_installed_service_is_the_place_to_look(harnctl, systemd, place):
    (place / "runtime" / "harnd").mkdir(mode=0o700)
    assert harnctl("status", "--json").document["fix"].startswith("start it: ")
    harnctl("service", "install", "--no-start")
    assert harnctl("status", "--json").document["fix"] == "look at its service: harnctl service status"
    assert harnctl("status", "--state", str(place / "other"), "--json").document["fix"].startswith("start it: ")


# --- the doctor


def checked(harnctl):
    (check,) = [c for c in harnctl("doctor", "--json").document["checks"] if c["name"] == "client.service"]
    return check["result"], check["fix"]


def test_the_doctor_looks_at_the_service(harnctl, systemd):
    assert checked(harnctl) == ("ok", "")  # it need not be installed
    assert not (systemd.state / "log").exists()
    harnctl("service", "install")
    assert checked(harnctl) == ("ok", "")
    systemd.says("linger", "no")
    assert checked(harnctl) == ("warn", "loginctl enable-linger")
    systemd.says("enabled")
    assert checked(harnctl) == ("warn", "harnctl service install")
    systemd.says("active")
    systemd.says("failed", SERVICE)
    assert checked(harnctl) == ("warn", "harnctl service logs")
    systemd.says("shown", f"{SERVICE}:ExecStart={{ path=/opt/old/bin/harnd ; argv[]=/opt/old/bin/harnd ; }}")
    assert checked(harnctl) == ("warn", "harnctl service install")
    systemd.fails("show", "Failed to connect to bus")
    assert checked(harnctl) == ("unknown", "")


def test_the_status_and_the_doctor_say_the_same_of_the_units(harnctl, systemd):
    """What is decided twice is decided differently: the status kept silent of a service that was not enabled."""
    harnctl("service", "install", "--no-start")

    def said():
        notes = harnctl("service", "status", "--json").document["notes"]
        (check,) = [c for c in harnctl("doctor", "--json").document["checks"] if c["name"] == "client.service"]
        assert [(check["said"], check["fix"])] == [(note["said"], note["fix"]) for note in notes[:1]]
        return notes[0]["said"]

    systemd.says("enabled", SOCKET)
    assert said() == "the service is not enabled, so it does not start at log-in"
    systemd.says("failed", SERVICE)
    assert said() == "the service has failed, and why is in the journal"
    systemd.says("shown", f"{SERVICE}:ExecStart={{ path=/opt/old/bin/harnd ; argv[]=/opt/old/bin/harnd ; }}")
    assert said().startswith("the service starts another installation, /opt/old/bin/harnd; ")
    systemd.says("shown", f"{SERVICE}:NeedDaemonReload=yes")
    assert said() == "a unit was changed since systemd read it"
    (systemd.units / SOCKET).unlink()
    assert said() == f"{SOCKET} is missing"


def test_a_daemon_of_the_service_that_does_not_answer_is_looked_for_in_the_journal(harnctl, systemd, place):
    harnctl("service", "install", "--no-start")
    (place / "runtime" / "harnd").mkdir(mode=0o700)
    systemd.says("active", SOCKET, SERVICE)
    (note,) = harnctl("service", "status", "--json").document["notes"]
    assert note["fix"] == "harnctl service logs"


# --- logs


def test_the_journal_is_shown_line_by_line(harnctl, systemd):
    entry = '{"__REALTIME_TIMESTAMP":"1790003600000000","_PID":"7","MESSAGE":%s}'
    systemd.says("journal", entry % '"event=daemon.ready"', entry % "[104,105,27]", "no entry", entry % "null")
    ran = harnctl("service", "logs", "-n", "3")
    assert ran.code == 0
    assert [line.split("  ", 1)[1] for line in ran.out.splitlines()] == ["event=daemon.ready", "hi\\x1b", ""]
    asked = (systemd.state / "log").read_text()
    assert asked.startswith("journalctl --user --no-pager --unit harnd.service --lines 3 ")
    assert [line["text"] for line in harnctl("service", "logs", "--json").document["lines"]] == [
        "event=daemon.ready",
        "hi\x1b",
        "",
    ]


def test_following_goes_on_and_gives_a_document_a_line(harnctl, systemd):
    systemd.says("journal", '{"__REALTIME_TIMESTAMP":"1","_PID":"7","MESSAGE":"x"}')
    assert harnctl("service", "logs", "-f", "--json").document["schema"] == "harnctl.service.line/1"
    assert "--follow" in (systemd.state / "log").read_text()


def test_an_empty_journal_is_said_to_be_empty(harnctl, systemd):
    ran = harnctl("service", "logs")
    assert (ran.code, ran.out) == (0, "the journal has nothing of harnd\n")


def test_without_a_journal_it_says_so_in_one_sentence(harnctl, systemd):
    systemd.fails("journal", "No journal files were opened due to insufficient permissions.")
    ran = harnctl("service", "logs")
    assert (ran.code, "insufficient permissions. [service.no_journal]" in ran.err.replace("\n", " ")) == (78, True)
    assert harnctl("service", "logs", PATH="/nowhere").code == 78


# --- the units that it writes


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="install systemd to have it read the units")
@pytest.mark.parametrize("state", ["", "/tmp/a b%c$d\"e\\f'g;h"], ids=["plain", "hostile"])
def test_systemd_has_nothing_to_say_about_the_units(harnctl, systemd, place, state):
    assert harnctl("service", "install", *(["--state", state] if state else [])).code == 0
    paths = [str(systemd.units / unit) for unit in (SERVICE, SOCKET)]
    environ = {"PATH": os.environ["PATH"], "HOME": str(place), "XDG_RUNTIME_DIR": str(place / "runtime")}
    command = ["systemd-analyze", "--user", "verify", *paths]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
