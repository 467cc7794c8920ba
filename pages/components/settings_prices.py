"""The price table: what a model's tokens cost, so that runs can say what they cost."""

from typing import TYPE_CHECKING, Any

import streamlit as st

from core.errors import AppError
from core.runs.prices import Price, checked_prices, load_prices, save_prices
from pages.components.boundary import sentence_of
from pages.components.language import t
from pages.components.settings_fields import said
from pages.components.text import markdown_of

if TYPE_CHECKING:
    from core.bootstrap import Services


def prices_section(services: "Services") -> None:
    st.markdown(t("settings.prices.about"))
    said("prices")
    data = services.settings.data
    try:
        rows = _rows(load_prices(data), services.llm.engine)
    except AppError as error:
        st.error(markdown_of(sentence_of(error)))
        rows = _rows((), services.llm.engine)
    looks: dict[str, Any] = {"hide_index": True, "placeholder": "", "column_config": _columns()}
    edited = st.data_editor(rows, num_rows="dynamic", key="settings-prices", **looks)
    if not st.button(t("settings.save"), type="primary", key="settings-prices-save"):
        return
    try:
        save_prices(data, checked_prices(_filled(edited)))
    except AppError as error:
        st.error(markdown_of(sentence_of(error)), icon=":material/error:")
    else:
        st.success(t("settings.saved"), icon=":material/check:")


def _rows(prices: tuple[Price, ...], engine: str) -> list[dict[str, Any]]:
    """As columns want them; a model in use without a price is offered."""
    rows: list[dict[str, Any]] = [
        {"model": price.model, "input": price.input, "output": price.output, "currency": price.currency}
        for price in prices
    ]
    if engine != "built-in" and all(price.model != engine for price in prices):
        rows.append({"model": engine, "input": None, "output": None, "currency": "USD"})
    return rows or [{"model": "", "input": None, "output": None, "currency": "USD"}]


def _filled(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Without rows that nobody filled in."""
    return [row for row in rows if row.get("model") and not (row.get("input") is None and row.get("output") is None)]


def _columns() -> dict[str, Any]:
    number, text = st.column_config.NumberColumn, st.column_config.TextColumn
    return {
        "model": text(t("settings.prices.model")),
        "input": number(t("settings.prices.input"), min_value=0, format="%.4f"),
        "output": number(t("settings.prices.output"), min_value=0, format="%.4f"),
        "currency": text(t("settings.prices.currency"), max_chars=8),
    }
