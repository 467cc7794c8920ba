"""Which knowledge base a command means."""

from core.bootstrap.services import Services
from core.domain.documents import KnowledgeBase
from core.errors import NotFoundError

DEFAULT_BASE = "My documents"


def existing_base(services: Services, name: str) -> KnowledgeBase:
    """The named base, or the only one, or the default one. Raises NotFoundError."""
    if name:
        found = services.library.bases.named(name)
    else:
        bases = services.library.bases.all()
        found = bases[0] if len(bases) == 1 else services.library.bases.named(DEFAULT_BASE)
    if found is None:
        raise NotFoundError("error.base_missing", name=name or DEFAULT_BASE)
    return found


def base_to_fill(services: Services, name: str) -> KnowledgeBase:
    """The named base, made when it is not there."""
    wanted = name or DEFAULT_BASE
    return services.library.bases.named(wanted) or services.library.bases.create(wanted)
