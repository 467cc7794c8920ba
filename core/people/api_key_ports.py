"""Keys of the HTTP interface, and the sessions that programs name themselves."""

from typing import Protocol

from core.people.api_keys import ApiKey, KeyScope


class ApiKeys(Protocol):
    def make(self, name: str, scope: KeyScope) -> tuple[ApiKey, str]:
        """The key as stored, and the secret, which is shown once. Raises InputError when the name is unusable."""

    def all(self) -> list[ApiKey]:
        """Newest first, with the revoked ones."""

    def revoke(self, key_id: str) -> None:
        """At once and for good. Raises NotFoundError."""

    def known(self, secret: str) -> ApiKey | None:
        """The key in force with this secret; notes its use."""


class ApiSessions(Protocol):
    """Which conversation a key means by a name of its own."""

    def thread(self, key_id: str, name: str) -> str:
        """Its id; empty for an unknown name."""

    def keep(self, key_id: str, name: str, thread_id: str) -> None: ...
