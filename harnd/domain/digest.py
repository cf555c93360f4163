"""Digests: one canonical form (RFC 8785) of a structure, and its SHA-256.

An absent field is absent, never null, so that a digest does not move when a feature arrives.
"""

import hashlib

import msgspec
import rfc8785

from protocol.ids import Digest


def canonical(value: object) -> bytes:
    """Write a structure as canonical JSON; raises `ValueError` for what JSON cannot carry exactly."""
    builtins = msgspec.to_builtins(value, str_keys=True)
    try:
        return rfc8785.dumps(builtins)
    except rfc8785.CanonicalizationError as error:
        raise ValueError(str(error)) from error


def digest_of(value: object) -> Digest:
    """Digest a structure by its canonical form."""
    return digest_of_bytes(canonical(value))


def digest_of_bytes(content: bytes) -> Digest:
    """Digest bytes as they are."""
    return Digest(hashlib.sha256(content).hexdigest())
