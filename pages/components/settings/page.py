"""Layout of the Settings page, a tab for each section: web, limits, prices, terms and state of the app are here."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import streamlit as st

from core.agents.nodes.check.compliance_rules import DEFAULT_TERMS
from core.app.models import faults_of
from core.app.selfcheck import check
from core.models.ports import BUILT_IN
from core.platform.errors import AppError
from core.platform.release import release
from core.platform.settings.preferences import PRICES_FILE, TERMS_FILE, terms_text
from core.platform.settings.settings import bounds
from core.runs.history.prices import Price, checked_prices, load_prices, prices_text
from pages.components.settings.documents import documents_section
from pages.components.settings.fields import (
    confirm,
    keep,
    note_change,
    number_form,
    origin,
    remove_button,
    said,
    secret_field,
    tested,
)
from pages.components.settings.model import model_section
from pages.components.settings.people import api_section, people_section
from pages.components.shell.boundary import refusals_shown, sentence_of, show_error, succeeds
from pages.components.shell.identity import may_administer
from pages.components.shell.language import language, t
from pages.components.shell.services import services
from pages.components.shell.sign_in import sign_in_configured
from pages.components.shell.text import markdown_of

if TYPE_CHECKING:
    from core.app.services import Services
    from core.models.ports import Embedder

BUDGET = {
    "MAX_MODEL_CALLS": ("settings.limits.calls", 1),
    "MAX_TOKENS": ("settings.limits.tokens", 1_000),
    "MAX_SECONDS": ("settings.limits.seconds", 1),
    "MAX_TOOL_CALLS": ("settings.limits.tools", 1),
    "MAX_CORRECTIONS": ("settings.limits.corrections", 1),
    "MAX_TOOL_ROUNDS": ("settings.limits.rounds", 1),
}
"""Limits of a question."""
_SAVES = "settings-prices-saves"
"""Session key of the number of saves, which recreates the table without its edits."""
WEB = ("TAVILY_API_KEY", "TAVILY_BASE_URL", "WEB_ASK_FIRST")
_WEB_QUERY = "GraphTalk"
_KEY = "settings-tavily-key"
RETENTION_DAYS = "KEEP_RUN_TEXTS_DAYS"


def about_section(services: "Services") -> None:
    facts = {
        "version": release(),
        "data": str(services.settings.data.resolve()),
        "embedder": embeddings_of(services.models.embedder),
        "langfuse": t("settings.about.on" if services.answering.langfuse_configured else "settings.about.off"),
    }
    for name, value in facts.items():
        st.markdown(f"**{t(f'settings.about.{name}')}** · {markdown_of(value)}")
    for fault in faults_of(services.models.embedder, services.models.encoder):
        st.warning(markdown_of(sentence_of(fault)), icon=":material/warning:")
    if st.button(t("settings.about.check"), icon=":material/health_and_safety:", key="settings-check"):
        for finding in check(services.settings):
            icon = ":material/check_circle:" if finding.ok else ":material/error:"
            st.markdown(f"{icon} {markdown_of(finding.sentence_in(language()))}")
    st.markdown(t("settings.about.index"))
    if st.button(t("settings.about.rebuild"), icon=":material/refresh:", key="settings-rebuild"):
        _rebuild(services)
    st.caption(t("settings.about.mineru"))
    _keeping_section(services)


def embeddings_of(embedder: "Embedder") -> str:
    """The embedder's name, with a note if it is only the fallback."""
    return embedder.name if embedder.semantic else f"{embedder.name} ({t('settings.about.embedder_words')})"


def _rebuild(services: "Services") -> None:
    bases = services.library.bases.all()
    bar = st.progress(0.0)
    with refusals_shown():
        for number, base in enumerate(bases):
            bar.progress(number / len(bases), markdown_of(base.name))
            services.search.rebuild(base.id)
        st.success(t("settings.about.rebuilt", count=len(bases)), icon=":material/check:")
    bar.empty()


def _keeping_section(services: "Services") -> None:
    st.markdown(f"**{t('settings.keeping.title')}**")
    st.markdown(t("settings.keeping.about"))
    said("keeping")
    kept = services.settings.keep_run_texts_days
    with st.form("settings-keeping", border=False):
        days = st.number_input(t("settings.keeping.days"), *bounds("keep_run_texts_days"), kept, width=320)
        wants_save = st.form_submit_button(t("settings.save"))
    if wants_save:
        keep(services, {RETENTION_DAYS: str(days)}, "keeping")
    origin(services, (RETENTION_DAYS,), "keeping")


def web_section(services: "Services") -> None:
    st.markdown(t("settings.web.about"))
    said("web")
    settings = services.settings
    has_key = services.answering.web_configured
    with st.form("settings-web", border=False):
        key = secret_field(t("settings.web.key"), has_key, _KEY)
        base_url = st.text_input(
            t("settings.web.base_url"), settings.tavily_base_url, placeholder="https://api.tavily.com"
        )
        ask = st.toggle(t("settings.web.ask"), settings.web_ask_first, help=t("settings.web.ask_help"))
        with st.container(horizontal=True):
            wants_test = st.form_submit_button(
                t("settings.web.test", query=_WEB_QUERY), icon=":material/travel_explore:"
            )
            wants_save = st.form_submit_button(t("settings.save"), type="primary")
    changes: dict[str, str | None] = {"TAVILY_BASE_URL": base_url.strip(), "WEB_ASK_FIRST": str(ask).lower()}
    if key or base_url.strip() != settings.tavily_base_url:
        changes["TAVILY_API_KEY"] = key
    if wants_test:
        tested(lambda: t("settings.web.found", count=services.try_web(changes, _WEB_QUERY)))
    if wants_save:
        keep(services, changes, "web", _KEY)
    remove_button(services, "TAVILY_API_KEY", has_key, "web")
    origin(services, WEB, "web")


def prices_section(services: "Services") -> None:
    st.markdown(t("settings.prices.about"))
    said("prices")
    try:
        rows = _rows(load_prices(services.settings), services.llm.engine)
    except AppError as error:
        show_error(error)
        rows = _rows((), services.llm.engine)
    looks: dict[str, Any] = {"hide_index": True, "placeholder": "", "column_config": _columns()}
    saves = st.session_state.setdefault(_SAVES, 0)
    with st.form("settings-prices-form", border=False):
        edited = st.data_editor(rows, num_rows="dynamic", key=f"settings-prices-{saves}", **looks)
        wants_save = st.form_submit_button(t("settings.save"), type="primary", key="settings-prices-save")
    if wants_save and succeeds(lambda: _keep_prices(services, _filled(edited))):
        note_change(services, "prices")
        st.session_state[_SAVES] += 1
        confirm("prices")


def _keep_prices(services: "Services", rows: list[dict[str, Any]]) -> None:
    """Raises AppError."""
    services.configuration.keep({PRICES_FILE: prices_text(checked_prices(rows))})


def _rows(prices: tuple[Price, ...], engine: str) -> list[dict[str, Any]]:
    """Rows by column, with an empty row for the model in use if it has no price."""
    rows: list[dict[str, Any]] = [
        {"model": price.model, "input": price.input, "output": price.output, "currency": price.currency}
        for price in prices
    ]
    if engine != BUILT_IN and all(price.model != engine for price in prices):
        rows.append({"model": engine, "input": None, "output": None, "currency": "USD"})
    return rows or [{"model": "", "input": None, "output": None, "currency": "USD"}]


def _filled(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Drops empty rows."""
    return [row for row in rows if row.get("model") and not (row.get("input") is None and row.get("output") is None)]


def _columns() -> dict[str, Any]:
    number, text = st.column_config.NumberColumn, st.column_config.TextColumn
    return {
        "model": text(t("settings.prices.model")),
        "input": number(t("settings.prices.input"), min_value=0, format="%.4f"),
        "output": number(t("settings.prices.output"), min_value=0, format="%.4f"),
        "currency": text(t("settings.prices.currency"), max_chars=8),
    }


def terms_section(services: "Services") -> None:
    st.markdown(t("settings.terms.about"))
    said("terms")
    own = services.settings.sensitive_terms
    with st.form("settings-terms", border=False):
        lines = "\n".join(DEFAULT_TERMS if own is None else own)
        wanted = st.text_area(t("settings.terms.label"), lines, height=260, help=t("settings.terms.help"))
        with st.container(horizontal=True):
            wants_save = st.form_submit_button(t("settings.save"), type="primary")
            wants_default = st.form_submit_button(t("settings.terms.restore"), disabled=own is None)
    if wants_save:
        _keep_terms(services, wanted.splitlines())
    if wants_default:
        _keep_terms(services, None)


def _keep_terms(services: "Services", terms: list[str] | None) -> None:
    keep = services.configuration.keep
    if succeeds(lambda: keep({TERMS_FILE: None if terms is None else terms_text(terms)})):
        note_change(services, "sensitive_terms")
        confirm("terms")


def _limits_section(services: "Services") -> None:
    st.markdown(t("settings.limits.about"))
    said("limits")
    number_form(services, "limits", BUDGET)


SECTIONS: "Mapping[str, Callable[[Services], None]]" = {
    "model": model_section,
    "web": web_section,
    "documents": documents_section,
    "limits": _limits_section,
    "prices": prices_section,
    "terms": terms_section,
    "api": api_section,
    "about": about_section,
}
SEEN = "settings-seen"
"""Session key of the opened sections, which are drawn from then on so that typed values stay."""


def draw_settings() -> None:
    services().configuration.refresh()  # another process may have changed something
    st.title(t("frame.rooms.settings"), anchor=False)
    if may_administer():
        st.caption(t("settings.promise"))
    sections = _sections()
    with st.container(key="settings-page"):
        tabs = st.tabs([t(f"settings.{name}.title") for name in sections], key="settings-tabs", on_change="rerun")
    seen = st.session_state.setdefault(SEEN, set())
    seen.update(name for name, tab in zip(sections, tabs, strict=True) if tab.open)
    for tab, (name, section) in zip(tabs, sections.items(), strict=True):
        if name in seen:
            with tab:
                section(services())


def _sections() -> "Mapping[str, Callable[[Services], None]]":
    if not may_administer():
        return {"api": api_section}
    return {**SECTIONS, "people": people_section} if sign_in_configured() else SECTIONS
