"""What is written around a drawing of the graph, in the language of its reader."""

from core.graph.files.picture import PictureWords
from core.graph.model import ENTITY_TYPES
from core.platform.texts import text

_HEADS = ("table.name", "edit.type", "panel.mentions", "table.aliases")
_NOTES = ("size", "width", "words")


def picture_words(title: str, language: str) -> PictureWords:
    return PictureWords(
        title,
        {type: text(f"graph.type.{type}", language) for type in ENTITY_TYPES},
        tuple(text(f"graph.picture.{name}", language) for name in _NOTES),
        tuple(text(f"graph.{name}", language) for name in _HEADS),
    )
