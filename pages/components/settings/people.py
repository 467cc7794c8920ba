"""For administrators of a shared app: each person's limits, what everybody used, who did what. No contents."""

from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

import streamlit as st

from core.domain.clock import utc_now
from core.settings.settings import bounds
from pages.components.settings.fields import keep, origin, said
from pages.components.shell.language import t
from pages.components.shell.text import markdown_of
from pages.components.shell.times import ago, duration

if TYPE_CHECKING:
    from core.bootstrap.services import Services

NAMES = ("PERSON_QUESTIONS_PER_DAY", "PERSON_TOKENS_PER_DAY")
DAYS = 30
NEWEST = 100
"""Entries of the audit log on the page."""


def people_section(services: "Services") -> None:
    st.markdown(t("people.admin.about"))
    said("people")
    _limits(services)
    st.markdown(f"**{t('people.admin.usage', days=DAYS)}**")
    used = services.storage.people.usage(utc_now() - timedelta(days=DAYS))
    columns = ("name", "email", "role", "questions", "tokens", "seconds", "bases", "documents")
    rows = (
        (
            each.person.name,
            each.person.email,
            t("people.admin.is_admin") if each.person.admin else "",
            f"{each.questions:,}",
            f"{each.tokens:,}",
            duration(each.seconds),
            f"{each.bases:,}",
            f"{each.documents:,}",
        )
        for each in used
    )
    _table(columns, rows)
    st.markdown(f"**{t('people.admin.audit', count=NEWEST)}**")
    names = {each.person.id: each.person.name for each in used}
    entries = services.storage.audit.newest(NEWEST)
    _table(
        ("when", "name", "action", "target"),
        ((ago(e.at), names.get(e.person_id, e.person_id), e.action, e.target) for e in entries),
    )


def _limits(services: "Services") -> None:
    settings = services.settings
    with st.form("settings-people", border=False):
        left, right = st.columns(2)
        questions = left.number_input(
            t("people.admin.questions_limit"), *bounds("person_questions_per_day"), settings.person_questions_per_day
        )
        tokens = right.number_input(
            t("people.admin.tokens_limit"), *bounds("person_tokens_per_day"), settings.person_tokens_per_day, 1_000
        )
        wants_save = st.form_submit_button(t("settings.save"), type="primary", key="settings-people-save")
    if wants_save:
        keep(services, dict(zip(NAMES, (str(questions), str(tokens)), strict=True)), "people")
    origin(services, NAMES, "people")


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    head = [t(f"people.admin.columns.{name}") for name in columns]
    lines = [head, ["---"] * len(head), *([markdown_of(cell, 60) for cell in row] for row in rows)]
    st.markdown("\n".join(f"| {' | '.join(line)} |" for line in lines))
