"""People and programs of a shared app: limits, usage and audit log, without contents; keys of programs."""

import csv
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from functools import partial
from io import StringIO
from typing import TYPE_CHECKING

import streamlit as st

from core.people.api_keys import MAX_KEY_NAME, ApiKey, KeyScope
from core.platform.clock import utc_now
from core.platform.identity import AUDIT_DAYS, USAGE_DAYS, AuditEntry
from core.platform.plain_text import BYTE_ORDER_MARK, inert
from core.platform.texts import known
from pages.components.settings.fields import confirm, number_form, said
from pages.components.shell.boundary import refusals_shown
from pages.components.shell.downloads import download_button
from pages.components.shell.identity import may_administer
from pages.components.shell.language import PARAMETER, language, t
from pages.components.shell.text import label, markdown_of
from pages.components.shell.times import ago, duration

if TYPE_CHECKING:
    from core.app.services import Services
    from core.people.ports import ApiKeys, Audit

LIMITS = {
    "PERSON_QUESTIONS_PER_DAY": ("people.admin.questions_limit", 1),
    "PERSON_TOKENS_PER_DAY": ("people.admin.tokens_limit", 1_000),
}
NEWEST = 100
"""Number of audit log entries on the page."""
MOST_DOWNLOADED = 100_000
PROGRAM_LIMITS = {"API_REQUESTS_PER_MINUTE": ("settings.api.limit", 10)}


def people_section(services: "Services") -> None:
    st.markdown(t("people.admin.about"))
    said("people")
    number_form(services, "people", LIMITS)
    st.markdown(f"**{t('people.admin.usage', days=USAGE_DAYS)}**")
    used = services.storage.access.people.usage(utc_now() - timedelta(days=USAGE_DAYS))
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
    _audit(services.storage.access.audit, {each.person.id: each.person.name for each in used})


def _audit(log: "Audit", names: Mapping[str, str]) -> None:
    """Draw the audit log. names: of the people, by id."""
    st.markdown(f"**{t('people.admin.audit')}**")
    st.caption(t("people.admin.audit_about", count=NEWEST, days=AUDIT_DAYS, most=f"{MOST_DOWNLOADED:,}"))
    with st.container(horizontal=True, vertical_alignment="bottom", key="people-audit"):
        chosen = st.selectbox(
            t("people.admin.columns.name"),
            ["", *names],
            format_func=lambda id: label(names[id], 60) if id else t("people.admin.audit_everybody"),
            key=f"people-audit-of-{language()}",  # a widget that is kept would show the words of the other language
            width=280,
        )
        words, newest = t("people.admin.audit_download"), partial(log.newest, MOST_DOWNLOADED, chosen)
        download_button(words, "audit.csv", "text/csv", lambda: audit_csv(newest(), names), "audit.exported")
    _table(
        ("when", "name", "action", "target"),
        (
            (ago(e.at), names.get(e.person_id, e.person_id), _in_words(e.action), e.target)
            for e in log.newest(NEWEST, chosen)
        ),
    )


def _in_words(action: str) -> str:
    key = f"people.audit.{action}"
    return t(key) if known(key) else action


def audit_csv(entries: Iterable[AuditEntry], names: Mapping[str, str]) -> str:
    text = StringIO()
    writer = csv.writer(text)
    writer.writerow(("at", "person_id", "person", "action", "target"))
    for e in entries:
        row = (e.at.isoformat(), e.person_id, names.get(e.person_id, ""), e.action, e.target)
        writer.writerow([inert(cell) for cell in row])
    return BYTE_ORDER_MARK + text.getvalue()


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    head = [t(f"people.admin.columns.{name}") for name in columns]
    lines = [head, ["---"] * len(head), *([markdown_of(cell, 60) for cell in row] for row in rows)]
    st.markdown("\n".join(f"| {' | '.join(line)} |" for line in lines))


def api_section(services: "Services") -> None:
    st.markdown(t("settings.api.about"))
    st.markdown(f"[{t('settings.api.reference')}](/api?{PARAMETER}={language()})")
    said("api")
    keys = services.storage.access.api_keys
    _new_key(keys)
    for key in keys.all():
        _key_row(keys, key)
    if may_administer():
        number_form(services, "api", PROGRAM_LIMITS, columns=1)


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
    with refusals_shown():
        made, secret = keys.make(name, scope or KeyScope.READ)
        st.success(t("settings.api.made", name=markdown_of(made.name)), icon=":material/key:")
        st.code(secret, language=None)


def _key_row(keys: "ApiKeys", key: ApiKey) -> None:
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
