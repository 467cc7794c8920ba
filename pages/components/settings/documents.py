"""Settings for documents: default parser and its access, extraction, cost limit per document."""

from typing import TYPE_CHECKING

import streamlit as st

from core.platform.settings.parsers import default_parsers
from core.platform.settings.settings import bounds, choices
from pages.components.documents.upload import parser_name
from pages.components.settings.fields import Changes, keep, origin, remove_button, said, secret_field, tested
from pages.components.shell.language import t
from pages.components.shell.text import markdown_of

if TYPE_CHECKING:
    from core.app.services import Services
    from core.platform.settings.settings import Settings

NAMES = (
    "PARSER",
    "OCR",
    "MINERU_API_TOKEN",
    "MINERU_BASE_URL",
    "MINERU_SELF_HOSTED_URL",
    "EXTRACTION",
    "INGEST_MAX_TOKENS",
)
_TYPED = "settings-mineru-token"


def documents_section(services: "Services") -> None:
    st.markdown(t("settings.documents.about"))
    said("documents")
    settings, extractions = services.settings, choices("extraction")
    has_token = bool(settings.mineru_api_token.get_secret_value())
    with st.form("settings-documents", border=False):
        parser = st.selectbox(
            t("settings.documents.parser"),
            default_parsers(),
            index=default_parsers().index(settings.parser),
            format_func=parser_name,
            help=t("settings.documents.parser_help"),
        )
        changes = _access(services, has_token)
        modes = choices("ocr")
        ocr = st.radio(
            t("settings.documents.ocr"),
            modes,
            index=modes.index(settings.ocr),
            format_func=lambda name: t(f"settings.documents.ocr_{name}"),
        )
        extraction = st.radio(
            t("settings.documents.extraction"),
            extractions,
            index=extractions.index(settings.extraction),
            format_func=lambda name: _extraction_name(settings, name),
        )
        tokens = st.number_input(
            t("settings.documents.tokens"),
            *bounds("ingest_max_tokens"),
            settings.ingest_max_tokens,
            10_000,
            help=t("settings.documents.tokens_help"),
        )
        with st.container(horizontal=True):
            tests_cloud = st.form_submit_button(t("settings.documents.test_cloud"), icon=":material/network_check:")
            tests_server = st.form_submit_button(t("settings.documents.test_server"), icon=":material/network_check:")
            wants_save = st.form_submit_button(t("settings.save"), type="primary")
    if tests_cloud:
        tested(lambda: _answer(services, "mineru-cloud", changes))
    if tests_server:
        tested(lambda: _answer(services, "mineru-server", changes))
    if wants_save:
        more = {"PARSER": parser, "OCR": ocr, "EXTRACTION": extraction, "INGEST_MAX_TOKENS": str(tokens)}
        keep(services, changes | more, "documents", _TYPED)
    remove_button(services, "MINERU_API_TOKEN", has_token, "documents")
    origin(services, NAMES, "documents")


def _access(services: "Services", has_token: bool) -> dict[str, str | None]:
    """Address and token of MinerU; a new address drops the token unless it is typed again."""
    settings = services.settings
    st.caption(t("settings.documents.cloud_note"))
    left, right = st.columns(2)
    with left:
        token = secret_field(t("settings.documents.token"), has_token, _TYPED)
    cloud = right.text_input(
        t("settings.documents.cloud"), settings.mineru_base_url, placeholder="https://mineru.net/api/v4"
    )
    server = st.text_input(
        t("settings.documents.server"), settings.mineru_self_hosted_url, placeholder="http://localhost:8000"
    )
    changes: dict[str, str | None] = {"MINERU_BASE_URL": cloud.strip(), "MINERU_SELF_HOSTED_URL": server.strip()}
    if token or cloud.strip() != settings.mineru_base_url:
        changes["MINERU_API_TOKEN"] = token
    return changes


def _extraction_name(settings: "Settings", name: str) -> str:
    """A model on this machine is asked for less, and what it reads stays here."""
    if name == "model" and settings.local_model:
        return t("settings.documents.extraction_model_here")
    return t(f"settings.documents.extraction_{name.replace('-', '_')}")


def _answer(services: "Services", parser: str, changes: Changes) -> str:
    return t("settings.documents.works", answer=markdown_of(services.try_parser(parser, changes)))
