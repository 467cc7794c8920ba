"""Which parser reads a document, by the name that a person chose."""

from pathlib import Path

from core.adapters.docvortex_parser import DocvortexParser
from core.errors import ConfigurationError
from core.ports import DocumentParser
from core.settings import Settings


def parser_named(name: str, settings: Settings, work: Path) -> DocumentParser:
    """work: folder for results on their way. Raises ConfigurationError for a name that is none."""
    del settings
    if name == "built-in":
        return DocvortexParser(work)
    raise ConfigurationError("ingest.error.parser_unknown", parser=name)
