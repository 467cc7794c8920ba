"""What arguments of commands name: a knowledge base, files."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from core.app.services import Services
from core.documents.model import KnowledgeBase
from core.platform.errors import NotFoundError

DEFAULT_BASE = "My documents"
_LISTED = 20


def existing_base(services: Services, name: str) -> KnowledgeBase:
    """The named base, or the only one, or the default one. Raises NotFoundError."""
    if name:
        found = services.library.bases.named(name)
    else:
        bases = services.library.bases.all()
        found = bases[0] if len(bases) == 1 else services.library.bases.named(DEFAULT_BASE)
    if found is None:
        raise missing(name, [base.name for base in services.library.bases.all()])
    return found


def missing(name: str, known: Sequence[str]) -> NotFoundError:
    """The error for a missing base, with the remedy: add documents, or name an existing base."""
    if name:
        return NotFoundError("error.base_missing", name=name)
    listed = ", ".join(f"“{each}”" for each in known[:_LISTED])
    return NotFoundError("cli.bases", known=listed) if known else NotFoundError("cli.no_documents")


def base_to_fill(services: Services, name: str) -> KnowledgeBase:
    """The named base, created if it does not exist."""
    wanted = name or DEFAULT_BASE
    return services.library.bases.named(wanted) or services.library.bases.create(wanted)


def files_below(paths: Iterable[str]) -> Iterator[Path]:
    """The given files, and those in the given folders in the order of their paths."""
    for name in paths:
        path = Path(name)
        yield from sorted(child for child in path.rglob("*") if child.is_file()) if path.is_dir() else [path]
