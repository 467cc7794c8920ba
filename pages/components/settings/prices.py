"""The price table, from which the cost of runs is calculated."""

from typing import TYPE_CHECKING, Any

import streamlit as st

from core.models.ports import BUILT_IN
from core.platform.errors import AppError
from core.platform.settings.preferences import PRICES_FILE
from core.runs.history.prices import Price, checked_prices, load_prices, prices_text
from pages.components.settings.fields import confirm, note_change, said
from pages.components.shell.boundary import show_error, succeeds
from pages.components.shell.language import t

if TYPE_CHECKING:
    from core.app.services import Services

_SAVES = "settings-prices-saves"
"""Session key of the number of saves, which recreates the table without its edits."""


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
    if wants_save and succeeds(lambda: _keep(services, _filled(edited))):
        note_change(services, "prices")
        st.session_state[_SAVES] += 1
        confirm("prices")


def _keep(services: "Services", rows: list[dict[str, Any]]) -> None:
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
