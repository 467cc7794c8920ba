"""Downloads whose files are made on click, in a thread of Streamlit without the page's context."""

from collections.abc import Callable
from typing import Literal, TypedDict, TypeVar, Unpack

import streamlit as st

from core.platform.errors import ForbiddenError
from core.platform.identity import acting_as
from pages.components.shell.identity import person_signed_in
from pages.components.shell.language import language, use_language
from pages.components.shell.services import services
from pages.components.shell.sign_in import sign_in_configured

Data = TypeVar("Data", bound=str | bytes)


class DownloadLooks(TypedDict, total=False):
    key: str
    type: Literal["secondary", "tertiary"]


def download_button(
    words: str,
    name: str,
    media_type: str,
    make: Callable[[], str | bytes],
    *noted: str,
    **looks: Unpack[DownloadLooks],
) -> None:
    """Draw a button that makes a file and saves it, without a rerun. noted: action and target in the audit log."""
    made, icon = made_on_click(make, *noted), ":material/download:"
    st.download_button(words, made, name, media_type, icon=icon, on_click="ignore", **looks)


def made_on_click(make: Callable[[], Data], action: str, target: str = "") -> Callable[[], Data]:
    """Function that makes a file in the page's language for the current person, with an audit log entry.

    It is refused after sign-out.
    """
    spoken = language()

    def worded() -> Data:
        with use_language(spoken):
            return make()

    if not sign_in_configured():
        return worded
    claims = st.user.to_dict()

    def made() -> Data:
        person = person_signed_in(claims)
        if person is None:
            raise ForbiddenError("people.nobody")
        with acting_as(person):
            services().storage.access.audit.note(action, target)
            return worded()

    return made
