"""Checks: how one thing that was looked at is written down.  What could not be looked at is unknown, and never well."""

from protocol.views import CheckResult, CheckView


def well(name: str, said: str) -> CheckView:
    """Write that there is nothing to do."""
    return CheckView(name=name, result=CheckResult.OK, said=said, fix="")


def doubtful(name: str, said: str, *, fix: str) -> CheckView:
    """Write that it works, and may soon not."""
    return CheckView(name=name, result=CheckResult.WARN, said=said, fix=fix)


def failed(name: str, said: str, *, fix: str) -> CheckView:
    """Write that it does not work."""
    return CheckView(name=name, result=CheckResult.FAIL, said=said, fix=fix)


def unknown(name: str, said: str, *, fix: str = "") -> CheckView:
    """Write that it could not be found out."""
    return CheckView(name=name, result=CheckResult.UNKNOWN, said=said, fix=fix)
