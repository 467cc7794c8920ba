"""The parsers that there are: the one table that settings, command line, pages and forecasts read."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ParserEntry:
    name: str
    page_seconds: float
    """For one page on average, for forecasts."""
    needs: str = ""
    """The setting without which it cannot be asked."""
    remote: bool = False
    """Waits for a service instead of working on this machine."""
    leaves_machine: bool = False
    """Files are sent to somebody else."""
    every_page_read: bool = False
    """Text recognition on every page; chosen for one document, never the default."""


BUILT_IN_PARSER = "built-in"
PARSERS = {
    entry.name: entry
    for entry in (
        ParserEntry(BUILT_IN_PARSER, 0.35),  # measured on two busy cores
        # MinerU's times are of its service, whose queue nobody knows
        ParserEntry("mineru-cloud", 1.5, needs="mineru_api_token", remote=True, leaves_machine=True),
        ParserEntry("mineru-server", 1.5, needs="mineru_self_hosted_url", remote=True),
        ParserEntry("built-in-ocr", 0.1, every_page_read=True),  # the reading of pictures is counted apart
    )
}
"""By name, in the order in which they are offered; core/app/parsers.py makes them."""


DEFAULTS = tuple(entry.name for entry in PARSERS.values() if not entry.every_page_read)
"""Those that can be the setting."""


def known_parser(name: str) -> str:
    """Raises ValueError for a name that cannot be the setting."""
    if name not in DEFAULTS:
        raise ValueError(f"must be one of {', '.join(DEFAULTS)}")
    return name
