"""`documents list|delete`: the documents of a knowledge base."""

from argparse import Namespace

from core.app.services import Services
from core.documents.lifecycle.trash import DAYS
from core.interfaces.cli.arguments import existing_base
from core.interfaces.cli.console import note, say
from core.interfaces.cli.records import print_rows
from core.platform.texts import text

LISTED = ("id", "name", "status", "pages", "chunks", "entities")


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
