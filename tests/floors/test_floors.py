"""The floors: imports only go down, with no waivers, and what the contracts cannot say is said here."""

import ast
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("harnctl", "harnd", "protocol")
LONGEST = 400

CONTRACTS = {
    "askers",
    "client-and-daemon",
    "client-floors",
    "compose",
    "database",
    "floors",
    "policy",
    "pure",
    "small",
    "wire",
}


MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for package in PACKAGES
    for path in sorted((ROOT / package).rglob("*.py"))
}


@cache
def tree(module: str) -> ast.Module:
    return ast.parse(MODULES[module].read_text(encoding="utf-8"))


@cache
def nodes(module: str) -> tuple[ast.Import | ast.ImportFrom, ...]:
    """Every import of a module, anywhere in it."""
    return tuple(node for node in ast.walk(tree(module)) if isinstance(node, ast.Import | ast.ImportFrom))


@cache
def imports(module: str) -> frozenset[str]:
    """What a module imports, anywhere in it, each as the longest name of ours or the name as written."""
    found: set[str] = set()
    for node in nodes(module):
        match node:
            case ast.Import(names=names):
                found.update(alias.name for alias in names)
            case ast.ImportFrom(module=str(origin), level=0, names=names):
                deeper = {f"{origin}.{alias.name}" for alias in names}
                found.update(deeper & MODULES.keys() or {origin})
    return frozenset(found)


def reached(module: str) -> Iterator[str]:
    """Every import of a module and of all modules of ours that importing it runs."""
    waiting = [module]
    seen: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        if name not in MODULES:
            yield name
            continue
        parents = name.split(".")
        waiting += [".".join(parents[:n]) for n in range(1, len(parents))]
        waiting += imports(name)


def top(module: str) -> str:
    return module.partition(".")[0]


def within(module: str, *packages: str) -> bool:
    return any(module == package or module.startswith(f"{package}.") for package in packages)


def importers(*imported: str) -> set[str]:
    return {module for module in MODULES if any(within(name, *imported) for name in imports(module))}


def contracts() -> list[dict[str, object]]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return list(project["tool"]["importlinter"]["contracts"])


def test_every_contract_is_listed():
    assert {contract["id"] for contract in contracts()} == CONTRACTS


def test_no_contract_has_a_waiver():
    assert [contract["id"] for contract in contracts() if contract.get("ignore_imports")] == []


def test_every_contract_is_kept():
    linted = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert linted.returncode == 0, linted.stdout + linted.stderr


def test_only_compose_names_concrete_adapters():
    named_by = {module for module in importers("harnd.adapters") if not within(module, "harnd.adapters")}
    assert named_by <= {"harnd.daemon.compose"}


def test_only_the_store_sees_a_database():
    assert {m for m in importers("sqlite3", "aiosqlite") if not within(m, "harnd.adapters.store")} == set()


def test_only_the_shell_sees_the_wire():
    wire = ("requests", "replies", "notices", "views", "framing", "conversation")
    seen_by = importers(*(f"protocol.{name}" for name in wire))
    assert {m for m in seen_by if not within(m, "protocol", "harnctl", "harnd.daemon", "harnd.__main__")} == set()


def test_small_clients_need_the_standard_library_only():
    small = {"protocol.framing", "protocol.conversation", "harnctl.hot"} & MODULES.keys()
    foreign = {
        (module, name) for module in small for name in reached(module) if top(name) not in sys.stdlib_module_names
    }
    assert foreign == set()


def test_imports_are_absolute():
    relative = [
        module for module in MODULES for node in nodes(module) if isinstance(node, ast.ImportFrom) and node.level
    ]
    assert relative == []


def test_no_file_is_longer_than_a_sitting():
    """80 to 350 lines are the guide.  A file that grows past 400 holds two nouns."""
    lengths = {module: len(path.read_text(encoding="utf-8").splitlines()) for module, path in MODULES.items()}
    assert {module: length for module, length in lengths.items() if length > LONGEST} == {}


def test_every_module_says_what_it_is():
    assert [module for module in MODULES if not ast.get_docstring(tree(module))] == []
