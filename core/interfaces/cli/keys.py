"""`keys create|list|revoke`: API keys of programs."""

from argparse import Namespace

from core.app.services import Services
from core.interfaces.cli.console import note, say
from core.interfaces.cli.records import print_rows
from core.people.api_keys import KeyScope


def create(services: Services, options: Namespace) -> int:
    """Prints only the secret, so that a script can store it."""
    key, secret = services.storage.access.api_keys.make(options.name, KeyScope(options.scope))
    note(f"Key {key.id} of scope {key.scope.value}. It is shown once.")
    if services.storage.access.people.all():
        note("People sign in here: the key is refused until `graphtalk people adopt EMAIL` gives it to one of them.")
    say(secret)
    return 0


def list_keys(services: Services, options: Namespace) -> int:
    names = ("id", "name", "scope", "begins with", "made", "state")
    rows = [
        (
            key.id,
            key.name,
            key.scope.value,
            key.hint,
            f"{key.created_at:%Y-%m-%d %H:%M}",
            "revoked" if key.revoked_at else "in force",
        )
        for key in services.storage.access.api_keys.all()
    ]
    return print_rows(options, names, rows)


def revoke(services: Services, options: Namespace) -> int:
    services.storage.access.api_keys.revoke(options.id)
    say(f"Revoked {options.id}.")
    return 0
