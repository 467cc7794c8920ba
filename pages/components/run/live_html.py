"""Component for our own HTML: keyed parts that update in place, clicks, a stream to follow."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import streamlit as st

from pages.components.shell.text import Html

Parts = Sequence[tuple[str, Html]]
"""(id, HTML) in display order."""


@dataclass(frozen=True, slots=True)
class Action:
    """A click of the reader; values come from the browser and are untrusted."""

    event: str
    value: str = ""


def live_html(
    key: str, kind: str, parts: Parts, stream: str = "", on_click: Callable[[Action], None] | None = None
) -> Action | None:
    """Draw the parts; returns the click that caused this run of the script, if it was in here.

    With a stream (an address of the live route) the browser keeps the parts up to date by itself. on_click is called
    before the script runs: a further click can end a script, and what it would have returned is lost.
    """
    # A list among the data would make Streamlit load pandas and Arrow to see whether it is a table: a tuple does not.
    data = {"kind": kind, "parts": tuple(parts), "stream": stream}
    clicked = partial(_clicked, key, on_click) if on_click else lambda: None
    result = _component()(key=key, data=data, on_action_change=clicked)
    return action_of(result.get("action"))


def _clicked(key: str, on_click: Callable[[Action], None]) -> None:
    if action := action_of(st.session_state[key].get("action")):
        on_click(action)


def action_of(value: object) -> Action | None:
    if not isinstance(value, Mapping) or not isinstance(value.get("event"), str):
        return None
    return Action(value["event"], str(value.get("value", "")))


@cache
def _component() -> Any:
    """Component without isolated styles, so that the app's style sheet applies to its HTML."""
    script = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")
    return st.components.v2.component("graphtalk.live_html", js=script, isolate_styles=False)
