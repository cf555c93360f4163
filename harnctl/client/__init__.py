"""The client: the public way to ask harnd from Python.  `Client` blocks; `harnctl.client.aio` has the same for anyio.

Requests and replies are the types of `protocol`; `ask(ShowGoal(...))` returns a `GoalView`.  Errors are three families:
`Unreachable` (nobody answers), `Refused` (the daemon says no) and `ProtocolError` (it does not speak this protocol).
"""

from harnctl.client.errors import ClientError, Lost, ProtocolError, Refused, Unreachable, VersionMismatch
from harnctl.client.keys import new_key
from harnctl.client.sync import Client

__all__ = ["Client", "ClientError", "Lost", "ProtocolError", "Refused", "Unreachable", "VersionMismatch", "new_key"]
