"""The system's entropy."""

import secrets


class SystemEntropy:
    """The port `Entropy`, from the kernel."""

    def token(self) -> str:
        """Draw 128 bits, as 32 lower-case hex digits."""
        return secrets.token_hex(16)
