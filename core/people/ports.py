"""People who share an app, shares of bases, API keys with their sessions, and the audit log."""

from datetime import datetime
from typing import Protocol

from core.people.api_keys import ApiKey, KeyScope
from core.platform.identity import AuditEntry, Person, PersonUsage, Role, Share


class People(Protocol):
    def enter(self, person: Person, signed_in_at: datetime) -> None:
        """Stores what the provider says about a person who signs in, unless newer data is stored."""

    def get(self, person_id: str) -> Person | None: ...

    def asked(self, run_id: str) -> Person | None:
        """The person who asked the question; None if unknown by now."""

    def all(self) -> list[Person]:
        """By name."""

    def called(self, email: str) -> Person | None:
        """Somebody who has signed in, by address; case does not count."""

    def end_session(self, digest: str) -> None:
        """Ends a sign-in, whose cookie is no longer accepted."""

    def is_ended(self, digest: str) -> bool: ...

    def forget_sessions(self, before: datetime) -> int:
        """Removes what was ended earlier, when no cookie of it can be left; how many."""

    def adopt(self, person_id: str) -> int:
        """Assigns rows without an owner, as of a single-user installation, to the person; returns their number.

        A base gets a number where the person has one of its name.
        """

    def dissolve(self) -> None:
        """Returns everything to single use, and forgets people, shares and sign-ins."""

    def usage(self, since: datetime) -> list[PersonUsage]:
        """Usage of everybody, with what has been removed since."""

    def spent(self, person_id: str, since: datetime) -> list[tuple[datetime, int]]:
        """When the person asked, and the tokens it took; oldest first, with what they have removed since."""


class Shares(Protocol):
    """Each method raises NotFoundError for a base that the person who acts does not see."""

    def of_base(self, base_id: str) -> list[Share]: ...

    def role(self, base_id: str) -> Role:
        """Role of the acting person."""

    def share(self, base_id: str, subject: str, role: Role) -> None:
        """Gives a role in the base, replacing an earlier one. Raises ForbiddenError unless the person owns it."""

    def withdraw(self, base_id: str, subject: str) -> None:
        """Raises ForbiddenError unless the person who acts owns it."""


class Audit(Protocol):
    def note(self, action: str, target: str = "") -> None:
        """Notes an action of the acting person, if any; the target is an id or a name of a setting, never a text."""

    def opened(self, base_id: str) -> None:
        """Notes that the person looks into a base of somebody else; once a day in each process."""

    def forget(self, before: datetime) -> int:
        """Removes older entries; how many."""

    def newest(self, limit: int, person_id: str = "") -> list[AuditEntry]: ...


class ApiKeys(Protocol):
    def make(self, name: str, scope: KeyScope) -> tuple[ApiKey, str]:
        """The key as stored, and the secret, which is shown once. Raises InputError when the name is unusable."""

    def all(self) -> list[ApiKey]:
        """Newest first, with the revoked ones."""

    def revoke(self, key_id: str) -> None:
        """Revokes a key at once and for good. Raises NotFoundError."""

    def known(self, secret: str) -> ApiKey | None:
        """The key in force with this secret; notes its use."""


class ApiSessions(Protocol):
    """Which conversation a key means by a name of its own."""

    def thread(self, key_id: str, name: str) -> str:
        """Its id; empty for an unknown name."""

    def keep(self, key_id: str, name: str, thread_id: str) -> None: ...
