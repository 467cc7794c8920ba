"""Shared parts of the Settings sections: origin of values, saving, test results."""

import os
from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any

import streamlit as st

from core.app.models import endpoint_of
from core.platform.settings.settings import bounds
from pages.components.shell.boundary import refusals_shown
from pages.components.shell.language import joined, t
from pages.components.shell.sign_in import sign_in_configured

if TYPE_CHECKING:
    from core.app.services import Services
    from core.platform.settings.settings import Settings

Changes = Mapping[str, str | None]
_SAID = "settings-said"


def keep(services: "Services", changes: Changes, section: str, typed: str = "") -> None:
    """Saves and reruns the page; invalid values are reported in the section and not saved.

    typed: key of the field of a secret, which is empty once that is saved.
    """
    before = services.settings
    with refusals_shown():
        after = services.configuration.changed(changes)
        _check_engine(after)
        services.configuration.keep(changes)
        note_change(services, *(name for name in changes if _value(before, name) != _value(after, name)))
        if typed:
            st.session_state[_forgets(typed)] = True
        confirm(section)


def _value(settings: "Settings", name: str) -> Any:
    """Value of the setting with this environment variable."""
    return getattr(settings, name.lower())


def _check_engine(settings: "Settings") -> None:
    """Raises ConfigurationError where no engine could be made, without which no page opens, this one included."""
    if not settings.local_model.strip():
        endpoint_of(settings)


def note_change(services: "Services", *names: str) -> None:
    """Record in the audit log which settings an administrator changed, without values."""
    if sign_in_configured():
        for name in names:
            services.storage.access.audit.note("settings.changed", name)


def confirm(section: str) -> None:
    """Reruns the page and shows a confirmation in the section."""
    st.session_state[_SAID] = section
    st.rerun()


def said(section: str) -> None:
    """Shows the confirmation once."""
    if st.session_state.get(_SAID) == section:
        del st.session_state[_SAID]
        st.success(t("settings.saved"), icon=":material/check:")


def tested(test: Callable[[], str]) -> None:
    """Runs the test and shows its result or failure."""
    with refusals_shown():
        with st.spinner(t("settings.testing")):
            sentence = test()
        st.success(sentence, icon=":material/check_circle:")


def origin(services: "Services", names: Collection[str], section: str) -> None:
    """Shows which values were set here, which can be reset, and which come from the environment."""
    here = sorted(set(names) & set(services.configuration.kept()))
    outside = sorted(name for name in names if os.environ.get(name) and name not in here)
    if outside:
        st.caption(t("settings.from_environment", names=joined(f"`{name}`" for name in outside)))
    if here:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(t("settings.changed_here", names=joined(f"`{name}`" for name in here)), width="content")
            if st.button(t("settings.take_back"), key=f"settings-back-{section}", type="tertiary"):
                keep(services, dict.fromkeys(here), section)


def number_form(services: "Services", section: str, fields: Mapping[str, tuple[str, int]], columns: int = 2) -> None:
    """Draw a form of whole numbers, and save them. fields: key of the label and step, by environment variable."""
    changes: dict[str, str | None] = {}
    with st.form(f"settings-{section}", border=False):
        places = [place for _ in range(0, len(fields), columns) for place in st.columns(columns)]
        for (name, (words, step)), place in zip(fields.items(), places, strict=False):
            now = int(_value(services.settings, name))
            changes[name] = str(place.number_input(t(words), *bounds(name.lower()), now, step))
        wants_save = st.form_submit_button(t("settings.save"), type="primary", key=f"settings-{section}-save")
    if wants_save:
        keep(services, changes, section)
    origin(services, fields, section)


def secret_field(label: str, is_set: bool, key: str) -> str:
    """Draw a field for a secret; a stored key is never sent to the browser."""
    if st.session_state.pop(_forgets(key), False):
        st.session_state[key] = ""  # a browser keeps what was typed until it is told another value
    hint = t("settings.key.set" if is_set else "settings.key.none")
    return st.text_input(label, key=key, type="password", placeholder=hint, autocomplete="off").strip()


def _forgets(key: str) -> str:
    return f"{key}-forget"


def remove_button(services: "Services", name: str, is_set: bool, section: str) -> None:
    if is_set and st.button(t("settings.key.remove"), key=f"settings-remove-{name}", icon=":material/key_off:"):
        keep(services, {name: ""}, section)
