"""Parser choice for the next uploads, with a link to configure others."""

import streamlit as st

from core.platform.settings.parsers import ParserPlugin, parsers
from core.platform.settings.settings import configured_parsers
from pages.components.shell.language import t
from pages.components.shell.services import services

_KEY = "documents-parser"


def configured() -> list[str]:
    """Available parsers in a fixed order."""
    return configured_parsers(services().settings, services().ingestion.engines.reads_pictures)


def parser_name(parser: str) -> str:
    plugin = parsers().get(parser)
    return plugin.title if isinstance(plugin, ParserPlugin) else t(f"documents.parsers.{parser.replace('-', '_')}")


def parser_summary(parser: str) -> str:
    plugin = parsers().get(parser)
    if isinstance(plugin, ParserPlugin):
        return plugin.summary
    return t(f"documents.parsers.{parser.replace('-', '_')}_explain")


def chosen_parser() -> str:
    """ "" for the default parser of the settings."""
    chosen = str(st.session_state.get(_KEY) or "")
    return chosen if chosen in configured() else ""


def current_parser() -> str:
    """The parser used for the next uploads."""
    ready = configured()
    default = services().settings.parser
    return chosen_parser() or (default if default in ready else ready[0])


def parser_picker() -> None:
    """A collapsed picker; says if files leave this machine."""
    ready, current = configured(), current_parser()
    with st.container(horizontal=True, vertical_alignment="center", key="documents-parser-row"):
        with st.popover(t("documents.parsers.current", name=parser_name(current)), type="tertiary"):
            st.radio(
                t("documents.parsers.label"),
                ready,
                index=ready.index(current),
                format_func=parser_name,
                captions=[parser_summary(name) for name in ready],
                key=_KEY,
            )
            st.page_link("pages/settings.py", label=t("documents.parsers.set_up"), icon=":material/tune:")
        if parsers()[current].leaves_machine:
            st.caption(t("documents.parsers.leaves", name=parser_name(current)), width="content")
