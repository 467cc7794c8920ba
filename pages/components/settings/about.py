"""State of this installation: self-check, data folder, search index, retention of runs' texts."""

from typing import TYPE_CHECKING

import streamlit as st

from core.app.models import faults_of
from core.app.selfcheck import check
from core.platform.release import release
from core.platform.settings.settings import bounds
from pages.components.settings.fields import keep, origin, said
from pages.components.shell.boundary import refusals_shown, sentence_of
from pages.components.shell.language import language, t
from pages.components.shell.text import markdown_of

if TYPE_CHECKING:
    from core.app.services import Services
    from core.models.ports import Embedder

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
