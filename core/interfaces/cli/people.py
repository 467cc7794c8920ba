"""`people`: lists people, gives data without an owner to a person, or makes the installation single-user again."""

from argparse import Namespace

from core.app.services import Services
from core.interfaces.cli.console import note, say


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
