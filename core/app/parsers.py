"""Makes the parser that a person chose, by its name in core/platform/settings/parsers.py."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Protocol, runtime_checkable

from core.documents.parsing.docvortex.parser import TEXT_MODULE, DocvortexParser
from core.documents.ports.parsing import DocumentParser
from core.documents.reading.formats import RESULTS
from core.documents.reading.ocr_mode import EVERY_PAGE_READ, OcrMode
from core.platform.errors import ConfigurationError
from core.platform.processes.isolated_process import WarmChildren
from core.platform.settings.parsers import ParserPlugin, parsers
from core.platform.settings.settings import Settings


@runtime_checkable
class ServiceParser(Protocol):
    """A parser that can be tried out."""

    def probe(self) -> str:
        """What answered. Raises AppError with the remedy."""


@cache
def _text_children() -> WarmChildren:
    """Children of this process; they end with it."""
    return WarmChildren(TEXT_MODULE)


def _built_in(settings: Settings, work: Path) -> DocumentParser:
    return DocvortexParser(work, OcrMode(settings.ocr), _text_children())


def _every_page_read(settings: Settings, work: Path) -> DocumentParser:
    del settings
    return DocvortexParser(work, OcrMode.EVERY_PAGE, _text_children())


def _mineru_cloud(settings: Settings, work: Path) -> DocumentParser:
    from core.documents.parsing.mineru.cloud import MineruCloudParser

    return MineruCloudParser(settings.mineru_api_token.get_secret_value(), settings.mineru_base_url, work)


def _mineru_server(settings: Settings, work: Path) -> DocumentParser:
    from core.documents.parsing.mineru.server import MineruServerParser

    return MineruServerParser(settings.mineru_self_hosted_url, work)


MAKERS: dict[str, Callable[[Settings, Path], DocumentParser]] = {
    "built-in": _built_in,
    "mineru-cloud": _mineru_cloud,
    "mineru-server": _mineru_server,
    EVERY_PAGE_READ: _every_page_read,
}
"""(settings, folder for results on their way) -> parser. Each raises ConfigurationError when it is not set up."""


def parser_named(name: str, settings: Settings, work: Path) -> DocumentParser:
    """Raises ConfigurationError for a name that is none, or not set up."""
    if name in MAKERS:
        return MAKERS[name](settings, work)
    if isinstance(plugin := parsers().get(name), ParserPlugin):
        return plugin.make(settings, work)
    raise ConfigurationError("ingest.error.parser_unknown", parser=name)


def parser_for(media_type: str, name: str, settings: Settings, work: Path) -> DocumentParser:
    """Results of MinerU that a person brings need no parser but the reading of them."""
    if _is_result(media_type):
        from core.documents.reading.result_import import ResultImport

        return ResultImport()
    return parser_named(name, settings, work)


def reads_elsewhere(media_type: str, name: str) -> bool:
    """Whether parser_for gives one that waits for a service."""
    return name in parsers() and parsers()[name].remote and not _is_result(media_type)


def probe_parser(name: str, settings: Settings, work: Path) -> str:
    """What answered. Raises AppError with the remedy; the built-in parser has nothing to ask."""
    parser = parser_named(name, settings, work)
    return parser.probe() if isinstance(parser, ServiceParser) else parser.identity


def _is_result(media_type: str) -> bool:
    return any(form.media_type == media_type for form in RESULTS)
