"""`documents list|delete`: the documents of a knowledge base."""

from argparse import Namespace

from core.app.services import Services
from core.documents.lifecycle.trash import DAYS
from core.interfaces.cli.arguments import existing_base
from core.interfaces.cli.console import note, say, say_json, table
from core.platform.texts import text


def list_documents(services: Services, options: Namespace) -> int:
    documents = services.library.documents.of_base(existing_base(services, options.kb).id)
    if options.json:
        say_json(
            [
                {"id": d.id, "name": d.name, "status": str(d.status), "pages": d.pages, "chunks": d.chunks}
                for d in documents
            ]
        )
    else:
        rows = [(d.id, d.name, str(d.status), d.pages, d.chunks, d.entities) for d in documents]
        table(("id", "name", "status", "pages", "chunks", "entities"), rows)
    return 0


def delete_document(services: Services, options: Namespace) -> int:
    preview = services.library.documents.preview_deletion(options.id)
    name = services.library.documents.get(options.id).name
    services.lifecycle.remove_document(options.id)
    counts = {"chunks": preview.chunks, "removed": preview.entities_removed, "kept": preview.entities_kept}
    say(text("cli.deleted", "en", name=name, **counts))
    note(f"It can be brought back on the Documents page for {DAYS} days.")
    services.tidy()  # who never starts the app has a trash, too
    return 0
