"""The configuration file: what it may say, and everything that is wrong with it at once."""

import pytest

from harnd.domain.files.config_file import VERSION, ConfigFile, Written, keys, read_config
from protocol.bounds import PERSON_FILE_BYTES

READER = "harnd 0.1.0 (/opt/harnd/bin/python)"


def read(text):
    return read_config("config.toml", text.encode() if isinstance(text, str) else text, reader=READER)


def refused(text):
    problems = read(text)
    assert isinstance(problems, list)
    return [str(problem) for problem in problems]


FULL = """\
version = 1

[daemon]
state = "~/harnd"
socket = "/run/user/1000/mine"
drain = "1m"
grace = 10

[log]
level = "warning"
"""


def test_what_is_written_is_read_with_its_line_and_what_is_not_is_not_there():
    assert read(FULL) == ConfigFile(
        {
            "daemon.state": Written("~/harnd", 4),
            "daemon.socket": Written("/run/user/1000/mine", 5),
            "daemon.drain": Written(60, 6),
            "daemon.grace": Written(10, 7),
            "log.level": Written("warning", 10),
        }
    )
    assert read("") == ConfigFile({})
    assert read("[daemon]\n") == ConfigFile({})


def test_every_key_can_be_written():
    said = read(FULL)
    assert isinstance(said, ConfigFile)
    assert list(said.written) == list(keys())


WRONG = """\
verion = 1
[daemon]
drian = 30
grace = "11m"
state = "harnd"
socket = 7
[log]
level = "warn"
[notifications]
desktop = true
"""


def test_everything_that_is_wrong_is_said_at_once_with_its_line_its_key_and_what_was_expected():
    assert refused(WRONG) == [
        "config.toml:1: verion: is not a key here; did you mean `version`? [unknown_key]",
        "config.toml:3: daemon.drian: is not a key here; did you mean `drain`? [unknown_key]",
        "config.toml:4: daemon.grace: expected 0s to 10m, found the text '11m' [range]",
        (
            "config.toml:5: daemon.state: expected the state directory, an absolute path or one from `~/`, "
            "found the text 'harnd' [pattern]"
        ),
        "config.toml:6: daemon.socket: expected a text, found 7 [type]",
        (
            "config.toml:8: log.level: expected one of 'info', 'warning', 'error', found the text 'warn'; "
            "did you mean `warning`? [enum]"
        ),
        (
            "config.toml:9: notifications: is not built yet: notifications; leave `[notifications]` out "
            "[feature.not_built]"
        ),
    ]


@pytest.mark.parametrize(
    ("drain", "well"), [("0", True), ("3600", True), ('"1h"', True), ("3601", False), ("-1", False), ("1.5", False)]
)
def test_a_duration_stands_within_its_ends(drain, well):
    assert isinstance(read(f"[daemon]\ndrain = {drain}\n"), ConfigFile) == well


@pytest.mark.parametrize("text", ["daemon = 7\n", "[[daemon]]\n", "log = []\n"])
def test_a_table_that_is_none_is_said(text):
    assert [line.rpartition("[")[2] for line in refused(text)] == ["type]"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("[log]\n[log]\n", "config.toml:2: is no TOML: Cannot declare ('log',) twice at column 5 [toml.syntax]"),
        (
            '[log]\nlevel="info"\nlevel="info"\n',
            "config.toml:3: is no TOML: Cannot overwrite a value at column 13 [toml.syntax]",
        ),
        (b"# \xff\n", "config.toml:1: holds a byte that is no UTF-8 [file.not_utf8]"),
        (b"#" * (PERSON_FILE_BYTES + 1), "config.toml: has 262,145 bytes, expected at most 262,144 [file.too_large]"),
    ],
)
def test_a_file_that_is_no_toml_is_said_alone(content, said):
    assert refused(content) == [said]


def test_e15_a_file_of_a_newer_harnd_is_named_as_that_and_nothing_else():
    assert refused(f"version = {VERSION + 1}\n[telepathy]\nrange = true\n") == [
        (
            f"config.toml:1: version: is 2, and {READER} reads configurations up to version 1: start the newer harnd "
            "[config.newer]"
        )
    ]


@pytest.mark.parametrize("version", ["0", '"1"', "true", "1.0"])
def test_a_version_that_is_none_is_said(version):
    (said,) = refused(f"version = {version}\n")
    assert said.startswith("config.toml:1: version: expected ")
