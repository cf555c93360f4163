"""The schema: which tables there are, under which number, and how an older store grows into them.

Migrations are numbered files that are applied in order, each in one transaction, and never back.  `user_version` is the
number of the last one, `application_id` says that the file is harnd's at all.
"""

import sqlite3
from importlib import resources
from typing import Final, NamedTuple

from harnd.adapters.store.errors import ForeignFileError, NewerSchemaError

APPLICATION_ID: Final = int.from_bytes(b"harn")


class Migration(NamedTuple):
    """One step of the schema; `number` is the schema it leads to."""

    number: int
    script: str


def known_migrations() -> list[Migration]:
    """Return the migrations this harnd was shipped with, in order."""
    folder = resources.files("harnd.adapters.store") / "migrations"
    scripts = sorted((file for file in folder.iterdir() if file.name.endswith(".sql")), key=lambda file: file.name)
    return [Migration(int(file.name.split("_")[0]), file.read_text("utf-8")) for file in scripts]


def schema_number(conn: sqlite3.Connection) -> int:
    """Return the schema the database is at; 0 before the first migration."""
    (number,) = conn.execute("PRAGMA user_version").fetchone()
    return int(number)


def check_origin(conn: sqlite3.Connection) -> None:
    """Refuse a database of another program, or of a newer harnd; write nothing."""
    (application,) = conn.execute("PRAGMA application_id").fetchone()
    if application != APPLICATION_ID:
        raise ForeignFileError(f"the database carries application id {application}: it is not a store of harnd's")
    found, newest = schema_number(conn), known_migrations()[-1].number
    if found > newest:
        raise NewerSchemaError(
            f"the store has schema {found}, this harnd knows schemas up to {newest}: start a newer one"
        )


def migrate(conn: sqlite3.Connection, migrations: list[Migration] | None = None) -> None:
    """Bring the database to the newest schema; an empty one gets all of it."""
    at = schema_number(conn)
    for migration in known_migrations() if migrations is None else migrations:
        if migration.number > at:
            _apply(conn, migration)


def _apply(conn: sqlite3.Connection, migration: Migration) -> None:
    try:
        conn.executescript(
            f"BEGIN IMMEDIATE; PRAGMA application_id = {APPLICATION_ID};\n{migration.script}\n"
            f"PRAGMA user_version = {migration.number}; COMMIT;"
        )
    except BaseException:
        if conn.in_transaction:
            conn.execute("ROLLBACK")
        raise
