"""Encryption of what others could read in the database: Fernet, with keys from the environment."""

from functools import cached_property

from cryptography.fernet import Fernet, InvalidToken, MultiFernet

from core.platform.errors import ConfigurationError


class FernetCipher:
    def __init__(self, keys: str) -> None:
        """keys: separated by commas; the first encrypts, all decrypt, so that a key can be replaced."""
        self._keys = [key.strip() for key in keys.split(",") if key.strip()]

    def encrypt(self, text: str) -> str:
        """Raises ConfigurationError without a usable key."""
        return self._fernet.encrypt(text.encode()).decode("ascii")

    def decrypt(self, token: str) -> str:
        """Raises ConfigurationError without the key it was encrypted with."""
        try:
            return self._fernet.decrypt(token.encode()).decode()
        except InvalidToken as error:
            raise ConfigurationError("settings.key_other") from error

    @cached_property
    def _fernet(self) -> MultiFernet:
        try:
            return MultiFernet([Fernet(key) for key in self._keys])
        except ValueError as error:
            raise ConfigurationError("settings.key_unusable") from error
