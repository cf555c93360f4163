"""Write protocol/schema/ anew from the message types, after one of them was changed.  Needs no argument."""

from pathlib import Path

from protocol.schemas import schema_files

SCHEMA = Path(__file__).parent.parent / "protocol" / "schema"


def main() -> None:
    """Write every file and remove those of messages that are gone."""
    wanted = schema_files()
    SCHEMA.mkdir(exist_ok=True)
    for gone in {path.name for path in SCHEMA.iterdir()} - wanted.keys():
        (SCHEMA / gone).unlink()
    for name, text in wanted.items():
        (SCHEMA / name).write_text(text, encoding="utf-8")
    print(f"{len(wanted)} schemas in {SCHEMA}")


if __name__ == "__main__":
    main()
