"""Messages: the table of methods, the schemas, and golden messages that decode for ever."""

import ast
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from jsonschema import Draft202012Validator

from protocol import notices, requests
from protocol.decoding import read_notice, read_reply, read_request, write
from protocol.methods import METHODS, NOTICES
from protocol.replies import ErrorData
from protocol.schemas import schema_files

ROOT = Path(__file__).parents[2]
GOLDEN = Path(__file__).parent / "golden"
SCHEMA = ROOT / "protocol" / "schema"


def golden(name: str) -> Any:
    return json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))


def as_json(message: msgspec.Struct) -> object:
    return json.loads(json.dumps(write(message)))


def assert_kept(old: object, new: object) -> None:
    """Everything that was said is still said; a later version may say more."""
    match old, new:
        case dict(), dict():
            for key, value in old.items():
                assert_kept(value, new[key])
        case list(), list():
            assert len(old) == len(new)
            for before, after in zip(old, new, strict=True):
                assert_kept(before, after)
        case _:
            assert old == new


def classes(module: object, base: type) -> set[type]:
    return {value for value in vars(module).values() if isinstance(value, type) and issubclass(value, base)}


@pytest.mark.parametrize("method", sorted(METHODS))
def test_a_golden_request_decodes_and_says_the_same(method):
    params = golden(method)["request"]["params"]
    assert_kept(params, as_json(read_request(method, params)))


@pytest.mark.parametrize("method", sorted(METHODS))
def test_a_golden_reply_decodes_and_says_the_same(method):
    result = golden(method)["reply"]["result"]
    assert_kept(result, as_json(read_reply(method, result, METHODS[method].reply)))


@pytest.mark.parametrize("method", sorted(NOTICES))
def test_a_golden_notice_decodes_and_says_the_same(method):
    params = golden(f"{method}.notice")["notice"]["params"]
    notice = read_notice(method, params)
    assert notice is not None
    assert_kept(params, as_json(notice))


def test_a_golden_error_decodes():
    error = golden("error")["error"]["error"]
    assert as_json(msgspec.convert(error["data"], ErrorData)) == error["data"]


def test_a_notice_of_a_later_daemon_is_ignored():
    assert read_notice("weather", {"temperature": 21}) is None


def test_every_request_and_notice_is_in_the_table_under_its_name():
    abstract = {requests.Request, requests.Change}
    assert {method.request for method in METHODS.values()} == classes(requests, requests.Request) - abstract
    assert set(NOTICES.values()) == classes(notices, notices.Notice) - {notices.Notice}
    assert all(name == method.request.method for name, method in METHODS.items())


def test_what_changes_something_is_what_has_a_key():
    changes = {name for name, method in METHODS.items() if method.changes}
    with_key = {name for name, method in METHODS.items() if "key" in method.request.__struct_fields__}
    verbs = {"run", "create", "extend", "cancel", "approve", "reject", "retry", "accept", "reopen"}
    verbs |= {"pause", "resume", "archive", "edit", "resolve", "deny"}
    by_verb = {name for name in METHODS if name.partition(".")[2] in verbs}
    assert changes == with_key == by_verb


def test_the_schemas_are_those_of_the_types():
    """After a change of the types: `python tools/write_schemas.py`."""
    assert {path.name: path.read_text(encoding="utf-8") for path in SCHEMA.iterdir()} == schema_files()


@pytest.mark.parametrize("name", sorted(schema_files()))
def test_a_schema_is_one_and_takes_its_golden_message(name):
    schema = json.loads((SCHEMA / name).read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    method, _, part = name.removesuffix(".json").rpartition(".")
    match part:
        case "request":
            message = golden(method)["request"]["params"]
        case "reply":
            message = golden(method)["reply"]["result"]
        case "notice":
            message = golden(f"{method}.notice")["notice"]["params"]
        case _:
            message = golden("error")["error"]["error"]["data"]
    Draft202012Validator(schema).validate(message)


@pytest.mark.parametrize("name", ["framing", "conversation", "errors", "bounds", "ids", "values", "socket_path"])
def test_the_small_clients_parts_import_the_standard_library_only(name):
    allowed = {"protocol.bounds", "protocol.framing"}
    tree = ast.parse((ROOT / "protocol" / f"{name}.py").read_text(encoding="utf-8"))
    imported = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    imported |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    ours = {module for module in imported if module.split(".")[0] in {"protocol", "msgspec"}}
    assert ours <= allowed
