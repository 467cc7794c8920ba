"""Role of the current person in a knowledge base, checked before controls are drawn."""

import streamlit as st

from core.platform.identity import Role
from pages.components.shell.language import t
from pages.components.shell.services import services
from pages.components.shell.sign_in import sign_in_configured


def role_in(base_id: str) -> Role:
    """Role of the current person; owner without sign-in."""
    return services().storage.access.shares.role(base_id) if sign_in_configured() else Role.OWNER


def may_edit(base_id: str) -> bool:
    return role_in(base_id).includes(Role.EDITOR)


def say_read_only() -> None:
    """Say that the base is read-only, instead of drawing controls."""
    st.caption(f":material/visibility: {t('people.read_only')}")
