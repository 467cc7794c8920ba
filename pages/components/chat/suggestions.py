"""Suggested questions for an empty chat, made without a model."""

from pages.components.shell.language import t
from pages.components.shell.services import services
from pages.components.shell.text import label

_MAX_NAME = 60


def examples(base_id: str) -> list[str]:
    """First questions about a knowledge base, from its most mentioned entities."""
    names = [label(entity.name, _MAX_NAME) for entity in services().graph.search(base_id, "", 2)]
    asked = [t("chat.example.about")]
    asked += [t("chat.example.entity", name=names[0])] if names else []
    asked += [t("chat.example.relation", first=names[0], second=names[1])] if len(names) > 1 else []
    return asked
