"""What the person at the page may do with a knowledge base: asked before a control is drawn that would be refused."""

import streamlit as st

from core.platform.identity import Role
from pages.components.shell.language import t
from pages.components.shell.services import services
from pages.components.shell.sign_in import sign_in_configured


def role_in(base_id: str) -> Role:
    """Everything is the only person's on a single desk."""
    return services().storage.access.shares.role(base_id) if sign_in_configured() else Role.OWNER


def may_edit(base_id: str) -> bool:
    return role_in(base_id).includes(Role.EDITOR)


def say_read_only() -> None:
    """In place of the controls that a reader does not have."""
    st.caption(f":material/visibility: {t('people.read_only')}")
