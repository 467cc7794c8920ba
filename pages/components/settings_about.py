"""How this installation is: findings of the self-check, where the data lies, the search index."""

from importlib.metadata import version
from typing import TYPE_CHECKING

import streamlit as st

from core.errors import AppError
from core.selfcheck import check
from pages.components.boundary import sentence_of
from pages.components.language import language, t
from pages.components.text import markdown_of

if TYPE_CHECKING:
    from core.bootstrap import Services


def about_section(services: "Services") -> None:
    facts = {
        "version": version("graphtalk"),
        "data": str(services.settings.data.resolve()),
        "embedder": services.embedder.name,
        "langfuse": t("settings.about.on" if services.langfuse_configured else "settings.about.off"),
    }
    for name, value in facts.items():
        st.markdown(f"**{t(f'settings.about.{name}')}** · {markdown_of(value)}")
    if st.button(t("settings.about.check"), icon=":material/health_and_safety:", key="settings-check"):
        for finding in check(services.settings):
            icon = ":material/check_circle:" if finding.ok else ":material/error:"
            st.markdown(f"{icon} {markdown_of(finding.sentence_in(language()))}")
    st.markdown(t("settings.about.index"))
    if st.button(t("settings.about.rebuild"), icon=":material/refresh:", key="settings-rebuild"):
        _rebuild(services)
    st.caption(t("settings.about.mineru"))


def _rebuild(services: "Services") -> None:
    bases = services.library.bases()
    bar = st.progress(0.0)
    try:
        for number, base in enumerate(bases):
            bar.progress(number / len(bases), markdown_of(base.name))
            services.rebuild_index(base.id)
    except AppError as error:
        st.error(markdown_of(sentence_of(error)), icon=":material/error:")
        return
    bar.empty()
    st.success(t("settings.about.rebuilt", count=len(bases)), icon=":material/check:")
