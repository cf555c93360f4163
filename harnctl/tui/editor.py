"""The editor of a person, opened on a draft while the terminal is theirs, without holding anything else up."""

import os
from collections.abc import Mapping
from typing import Final

import anyio
from anyio.abc import Process

from harnctl.commands.editor import editor_of
from harnctl.commands.writing import draft, written_in
from harnctl.failures import Failure

GRACE_S: Final = 2.0


async def edited(environ: Mapping[str, str], *, about: str, text: str) -> str:
    """Open the editor and return what was written; raises `Failure`.  Being cancelled ends the editor."""
    with draft(about=about, text=text) as file:
        code = await _run([*editor_of(environ), os.fspath(file)])
        if code:
            raise Failure("decision.declined", f"the editor ended with {code}, so nothing was changed")
        return written_in(file)


async def _run(command: list[str]) -> int:
    try:
        editor = await anyio.open_process(command, stdin=None, stdout=None, stderr=None)
    except OSError as error:
        said = f"the editor {command[0]} does not start: {error.strerror or error}"
        raise Failure("usage", said, fix="set EDITOR") from error
    async with editor:
        try:
            return await editor.wait()
        except BaseException:
            await _end(editor)
            raise


async def _end(editor: Process) -> None:
    """Let the editor give the terminal back; one that does not is killed by whoever holds it."""
    editor.terminate()
    with anyio.move_on_after(GRACE_S, shield=True):
        await editor.wait()
