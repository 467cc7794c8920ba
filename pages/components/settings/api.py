"""Keys of programs: made and shown once, listed, revoked; how many requests a key may make."""

from typing import TYPE_CHECKING

import streamlit as st

from core.people.api_keys import MAX_KEY_NAME, ApiKey, KeyScope
from core.platform.errors import AppError
from pages.components.settings.fields import confirm, number_form, said
from pages.components.shell.boundary import show_error
from pages.components.shell.identity import may_administer
from pages.components.shell.language import PARAMETER, language, t
from pages.components.shell.text import markdown_of
from pages.components.shell.times import ago

if TYPE_CHECKING:
    from core.app.services import Services
    from core.people.ports import ApiKeys

LIMITS = {"API_REQUESTS_PER_MINUTE": ("settings.api.limit", 10)}


def api_section(services: "Services") -> None:
    st.markdown(t("settings.api.about"))
    st.markdown(f"[{t('settings.api.reference')}](/api?{PARAMETER}={language()})")
    said("api")
    keys = services.storage.access.api_keys
    _new_key(keys)
    for key in keys.all():
        _row(keys, key)
    if may_administer():
        number_form(services, "api", LIMITS, columns=1)


def _new_key(keys: "ApiKeys") -> None:
    """Make a key; its secret is shown in this run of the page only and not stored."""
    with st.form("settings-api-new", border=False, clear_on_submit=True):
        name = st.text_input(t("settings.api.name"), key="settings-api-name", max_chars=MAX_KEY_NAME)
        scope = st.radio(
            t("settings.api.scope"),
            list(KeyScope),
            format_func=lambda each: t(f"settings.api.scopes.{each}"),
            key="settings-api-scope",
        )
        wants_key = st.form_submit_button(t("settings.api.make"), icon=":material/key:", key="settings-api-make")
    if not wants_key:
        return
    try:
        made, secret = keys.make(name, scope or KeyScope.READ)
    except AppError as error:
        show_error(error)
        return
    st.success(t("settings.api.made", name=markdown_of(made.name)), icon=":material/key:")
    st.code(secret, language=None)


def _row(keys: "ApiKeys", key: ApiKey) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key=f"settings-api-key-{key.id}"):
        used = t("settings.api.used", when=ago(key.last_used_at)) if key.last_used_at else t("settings.api.unused")
        facts = (key.scope.value, f"{key.hint}…", t("settings.api.since", when=ago(key.created_at)), used)
        name = f"**{markdown_of(key.name)}**"
        if key.revoked_at:
            st.markdown(f"~~{name}~~ · {t('settings.api.revoked', when=ago(key.revoked_at))}")
            return
        st.markdown(f"{name} · {' · '.join(map(markdown_of, facts))}")
        if st.button(t("settings.api.revoke"), key=f"settings-api-revoke-{key.id}", icon=":material/key_off:"):
            keys.revoke(key.id)
            confirm("api")
