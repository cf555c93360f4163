"""The errors of ports: what a caller can do about them is in their name."""


class PortError(Exception):
    """Something outside the rules went wrong at a port."""


class ConflictError(PortError):
    """The stream has moved on since it was read: reload and decide again.  Nothing was written."""


class FencedError(PortError):
    """Somebody else holds the lease now: stop acting for this goal.  Nothing was written."""


class LeaseHeldError(PortError):
    """Another instance holds the lease and it has not passed: leave the goal alone until it does."""


class KeyReusedError(PortError):
    """The idempotency key was used for another payload: refuse the request.  Nothing was written."""


class UnavailableError(PortError):
    """The world did not answer (busy, full, unreadable): nothing was written; back off and try again."""


class StoppingError(UnavailableError):
    """The daemon is stopping and starts nothing more: ask the next one."""


class CorruptError(PortError):
    """What was stored is not what was written: stop, touch nothing, tell a person."""


class MissingError(PortError):
    """The thing asked for is not there."""


class MovedError(PortError):
    """A ref is not where it was expected: read it again and decide again."""


class StartRefusedError(PortError):
    """The state directory cannot be used as it is: say why in one sentence and exit.  Nothing was written."""


class AlreadyRunningError(StartRefusedError):
    """Another daemon holds the lock on the state directory."""
