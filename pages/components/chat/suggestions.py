"""Suggested questions for an empty chat and after an answer, made without a model."""

from core.domain.knowledge import Entity
from core.domain.runs import AnswerOutcome
from core.runs.view import RunView
from pages.components.shell.language import t
from pages.components.shell.services import services
from pages.components.shell.text import label

MAX_QUESTIONS = 3
_MAX_NAME = 60


def examples(base_id: str) -> list[str]:
    """First questions about a knowledge base, from its most mentioned entities."""
    names = [label(entity.name, _MAX_NAME) for entity in services().graph.search(base_id, "", 2)]
    asked = [t("chat.example.about")]
    asked += [t("chat.example.entity", name=names[0])] if names else []
    asked += [t("chat.example.relation", first=names[0], second=names[1])] if len(names) > 1 else []
    return asked


def follow_ups(view: RunView) -> tuple[str, ...]:
    """Questions about entities of the cited passages that occur neither in the question nor in the answer."""
    if view.outcome not in (AnswerOutcome.ANSWERED, AnswerOutcome.UNCONFIRMED) or not view.citations:
        return ()
    of_chunks = services().graph.of_chunks([citation.chunk_id for citation in view.citations])
    known = view.question.casefold()
    found = {entity.id: entity for entities in of_chunks.values() for entity in entities}
    fresh = [entity for entity in _weighty(list(found.values())) if entity.name.casefold() not in known]
    return tuple(t("chat.turn.about", name=label(entity.name, _MAX_NAME)) for entity in fresh[:MAX_QUESTIONS])


def _weighty(entities: "list[Entity] | tuple[Entity, ...]") -> list[Entity]:
    return sorted(entities, key=lambda entity: (-entity.mentions, entity.name))
