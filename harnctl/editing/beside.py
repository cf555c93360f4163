"""Beside: the editor run by a program that goes on meanwhile, and has lent it the terminal."""

from collections.abc import Mapping
from typing import Final

import anyio
from anyio.abc import Process

from harnctl.editing.draft import command_of, draft, failed, not_started, written_in

GRACE_S: Final = 2.0


async def edited(environ: Mapping[str, str], text: str, *, about: str | None) -> str:
    """Open the editor and return what was written; raises `Failure`.  Being cancelled ends the editor.

    `about` stands in comments below the words, which are returned without any; a text about nothing is taken as it is.
    """
    with draft(about=about, text=text) as file:
        code = await _run(command_of(environ, file))
        if code:
            raise failed(code)
        return written_in(file, whole=about is None)


async def _run(command: list[str]) -> int:
    try:
        editor = await anyio.open_process(command, stdin=None, stdout=None, stderr=None)
    except OSError as error:
        raise not_started(command, error) from error
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
