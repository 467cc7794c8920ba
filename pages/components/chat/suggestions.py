"""Suggested questions for an empty chat, made without a model."""

from functools import lru_cache

from core.documents.model import KnowledgeBase
from core.platform.errors import ServiceError
from pages.components.shell.language import language, t
from pages.components.shell.services import services
from pages.components.shell.text import label

_MAX_NAME = 60
_MENTIONED_MOST = 8


def examples(base: KnowledgeBase) -> list[str]:
    """Question about the contents, then questions that the documents answer; fewer while they cannot be searched."""
    try:
        return [t("chat.example.about"), *_answered(base.id, base.index_version, language(), _names(base.id))]
    except ServiceError:
        return [t("chat.example.about")]


def _names(base_id: str) -> tuple[str, ...]:
    return tuple(entity.name for entity in services().graph.search(base_id, "", _MENTIONED_MOST))


@lru_cache(maxsize=64)
def _answered(base_id: str, _version: int, interface: str, _names: tuple[str, ...]) -> tuple[str, ...]:
    """Questions with an answer, cached until documents or entities change, because each is searched for."""
    return (*services().answering.first_questions(base_id, interface), *_relation(base_id))


def _relation(base_id: str) -> tuple[str, ...]:
    """Question about the most mentioned entity and the first that a passage mentions together with it."""
    graph = services().graph
    found = graph.search(base_id, "", _MENTIONED_MOST)
    if not found:
        return ()
    subject, *others = found
    other = next((each for each in others if graph.shared_chunks(subject.id, each.id, 1)), None)
    if other is None:
        return ()
    return (t("chat.example.relation", first=label(subject.name, _MAX_NAME), second=label(other.name, _MAX_NAME)),)
