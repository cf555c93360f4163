"""The edge of the adapter: what leaves it is in the port's words, and every text of it can be stored.

Names in a repository are bytes.  Inside, text keeps them by surrogateescape, and so do the paths of the port's answers.
A text for a message or an event cannot: no store and no protocol takes it.
"""

import functools
from collections.abc import Awaitable, Callable
from types import CoroutineType
from typing import Any, ParamSpec, TypeVar, cast

from harnd.ports.errors import PortError, UnavailableError
from harnd.ports.workspace import storable

P = ParamSpec("P")
T = TypeVar("T")


def at_edge(method: Callable[P, Awaitable[T]]) -> "Callable[P, CoroutineType[Any, Any, T]]":
    """Have a method raise port errors alone: a file that cannot be read or removed is a world that did not answer."""

    @functools.wraps(method)
    async def translated(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return await method(*args, **kwargs)
        except PortError as error:
            error.args = (storable(str(error)),)
            raise
        except OSError as error:
            raise UnavailableError(storable(said(error))) from error

    # One checker calls what an async function gives a Coroutine, the other a CoroutineType, and each insists.
    return cast("Callable[P, CoroutineType[Any, Any, T]]", translated)


def said(error: OSError) -> str:
    """Word an error of a file: what about which."""
    about = "" if error.filename is None else f"{error.filename}: "
    return f"{about}{error.strerror or error}"
