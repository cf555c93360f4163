"""Entropy: the only source of names that nobody can guess."""

from typing import Protocol


class Entropy(Protocol):
    """Draws lots."""

    def token(self) -> str:
        """Draw 128 bits, as 32 lower-case hex digits; no two draws are the same."""
        ...
