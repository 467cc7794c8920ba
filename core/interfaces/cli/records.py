"""Lists of what is stored: bases, documents, chats and runs; people, and keys of programs."""

from argparse import Namespace
from collections.abc import Sequence

from core.app.services import Services
from core.documents.lifecycle.trash import DAYS
from core.interfaces.cli.arguments import existing_base
from core.interfaces.cli.ask import run_as_json
from core.interfaces.cli.console import note, place, say, say_json, table
from core.people.api_keys import KeyScope
from core.platform.plain_text import label
from core.platform.texts import text
from core.runs.events import NodeFinished
from core.runs.model import Run
from core.runs.run_lists import RunFilter

LISTED = ("id", "name", "status", "pages", "chunks", "entities")
"""Columns of the list of documents."""
_WIDE = 80


def bases(services: Services, options: Namespace) -> int:
    found = services.library.bases.all()
    counts = [sum(services.library.documents.counts(base.id).values()) for base in found]
    rows = [(base.id, base.name, count) for base, count in zip(found, counts, strict=True)]
    return print_rows(options, ("id", "name", "documents"), rows)


def list_documents(services: Services, options: Namespace) -> int:
    documents = services.library.documents.of_base(existing_base(services, options.kb).id)
    rows = [(d.id, d.name, str(d.status), d.pages, d.chunks, d.entities) for d in documents]
    return print_rows(options, LISTED, rows)


def delete_document(services: Services, options: Namespace) -> int:
    preview = services.library.documents.preview_deletion(options.id)
    name = services.library.documents.get(options.id).name
    services.lifecycle.remove_document(options.id)
    counts = {"chunks": preview.chunks, "removed": preview.entities_removed, "kept": preview.entities_kept}
    say(text("cli.deleted", "en", name=name, **counts))
    note(f"It can be brought back on the Documents page for {DAYS} days.")
    services.tidy()  # who never starts the app has a trash, too
    return 0


def threads(services: Services, options: Namespace) -> int:
    found = services.threads.find(options.query)[: options.top]
    rows = [(each.id, each.title, each.workflow, f"{each.updated_at:%Y-%m-%d %H:%M}") for each in found]
    return print_rows(options, ("id", "title", "workflow", "updated"), rows)


def runs(services: Services, options: Namespace) -> int:
    """Prints the answer of one run if an id is given, otherwise a list."""
    if options.id:
        return _say_run(services, services.runs.get(options.id), options)
    found = services.storage.records.run_lists.find(RunFilter(), options.top, 0)
    rows = [(run.id, run.question, run.outcome or run.status.value, round(run.seconds, 2)) for run in found]
    return print_rows(options, ("id", "question", "outcome", "seconds"), rows)


def _say_run(services: Services, run: Run, options: Namespace) -> int:
    if options.json:
        trace = [event for _, event in services.runs.events(run.id, 0) if isinstance(event, NodeFinished)]
        say_json(run_as_json(run, trace, run.seconds) | {"status": run.status.value, "error": run.error})
        return 0
    say(f"{run.question}\n\n{run.answer or run.error}")
    for cited in run.citations:
        say(f"[{cited.number}] {place(cited.document_name, cited.page + 1)}: {cited.text}")
    return 0


def print_rows(options: Namespace, names: Sequence[str], rows: Sequence[Sequence[object]]) -> int:
    if options.json:
        keys = [name.replace(" ", "_") for name in names]
        say_json([dict(zip(keys, row, strict=True)) for row in rows])
    else:
        table(names, [[label(cell, _WIDE) if isinstance(cell, str) else cell for cell in row] for row in rows])
    return 0


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
