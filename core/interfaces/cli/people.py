"""`people` lists people, gives them what nobody owns or makes the installation single-user; `keys` are of programs."""

from argparse import Namespace

from core.app.services import Services
from core.interfaces.cli.console import note, say
from core.interfaces.cli.records import print_rows
from core.people.api_keys import KeyScope


def list_people(services: Services, options: Namespace) -> int:
    del options
    people = services.storage.access.people.all()
    if not people:
        note("Nobody has signed in to this data folder.")
    for person in people:
        say(f"{person.id}  {person.name}  {person.email}{'  administrator' if person.admin else ''}")
    return 0


def adopt(services: Services, options: Namespace) -> int:
    people = services.storage.access.people
    person = people.called(options.email)
    if person is None:
        note(f"Nobody with the address {options.email} has signed in, or several have. Ask them to sign in first.")
        return 1
    say(f"Bases, chats, memories, keys and question lists that now belong to {person.name}: {people.adopt(person.id)}")
    return 0


def dissolve(services: Services, options: Namespace) -> int:
    if not options.yes:
        note("Everybody's knowledge bases and chats would be a single user's, without sign-in. Repeat it with --yes.")
        return 1
    services.storage.access.people.dissolve()
    say("The data folder is a single user's again. Everything that people kept is in it.")
    return 0


def create_key(services: Services, options: Namespace) -> int:
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


def revoke_key(services: Services, options: Namespace) -> int:
    services.storage.access.api_keys.revoke(options.id)
    say(f"Revoked {options.id}.")
    return 0
