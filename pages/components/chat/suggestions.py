"""Suggested questions for an empty chat, made without a model."""

from core.graph.linking.linking import CONCEPT, LOCATION, PERSON
from core.graph.model import Entity
from pages.components.shell.language import t
from pages.components.shell.services import services
from pages.components.shell.text import label

_MAX_NAME = 60
_LOOKED_AT = 8
_LAST = (CONCEPT, LOCATION)
"""Types that are asked about where there are no others: a concept is often in the plural, and seldom defined."""


def examples(base_id: str) -> list[str]:
    """First questions about a knowledge base, from its most mentioned entities."""
    found = services().graph.search(base_id, "", _LOOKED_AT)
    asked = [t("chat.example.about")]
    if found:
        subject = min(found, key=lambda entity: _LAST.index(entity.type) + 1 if entity.type in _LAST else 0)
        kind = "person" if subject.type == PERSON else "entity"
        asked.append(t(f"chat.example.{kind}", name=_name(subject)))
        if other := _met_with(subject, found):
            asked.append(t("chat.example.relation", first=_name(subject), second=_name(other)))
    return asked


def _met_with(subject: Entity, found: list[Entity]) -> Entity | None:
    """The first that some passage mentions together with the subject."""
    graph = services().graph
    others = (entity for entity in found if entity.id != subject.id)
    return next((other for other in others if graph.shared_chunks(subject.id, other.id, 1)), None)


def _name(entity: Entity) -> str:
    return label(entity.name, _MAX_NAME)
