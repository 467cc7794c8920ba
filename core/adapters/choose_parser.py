"""Which parser reads a document, by the name that a person chose."""

from pathlib import Path

from core.adapters.docvortex_parser import DocvortexParser
from core.errors import ConfigurationError
from core.ingest.formats import RESULTS
from core.ports import DocumentParser
from core.settings import Settings

REMOTE = frozenset(("mineru-cloud", "mineru-server"))


def parser_named(name: str, settings: Settings, work: Path) -> DocumentParser:
    """work: folder for results on their way. Raises ConfigurationError for a name that is none, or not set up."""
    if name == "built-in":
        return DocvortexParser(work)
    if name == "mineru-cloud":
        from core.adapters.mineru_cloud import MineruCloudParser

        return MineruCloudParser(settings.mineru_api_token.get_secret_value(), settings.mineru_base_url, work)
    if name == "mineru-server":
        from core.adapters.mineru_server import MineruServerParser

        return MineruServerParser(settings.mineru_self_hosted_url, work)
    raise ConfigurationError("ingest.error.parser_unknown", parser=name)


def parser_for(media_type: str, name: str, settings: Settings, work: Path) -> DocumentParser:
    """Results of MinerU that a person brings need no parser but the reading of them."""
    if _is_result(media_type):
        from core.ingest.result_import import ResultImport

        return ResultImport()
    return parser_named(name, settings, work)


def reads_elsewhere(media_type: str, name: str) -> bool:
    """Whether parser_for gives one that waits for a service."""
    return name in REMOTE and not _is_result(media_type)


def _is_result(media_type: str) -> bool:
    return any(form.media_type == media_type for form in RESULTS)


def probe_parser(name: str, settings: Settings, work: Path) -> str:
    """What answered. Raises AppError with the remedy; the built-in parser has nothing to ask."""
    from core.adapters.mineru_cloud import MineruCloudParser
    from core.adapters.mineru_server import MineruServerParser

    parser = parser_named(name, settings, work)
    return parser.probe() if isinstance(parser, MineruCloudParser | MineruServerParser) else parser.identity
