"""The one form that a question clearly means, ready to be saved."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from core.nodes.rules.forms import matching_forms
from core.state import Deps, State
from core.tools.outcome import ToolOutcome

if TYPE_CHECKING:
    from langgraph.runtime import Runtime


def export_form_file(state: State, runtime: Runtime[Deps]) -> ToolOutcome:
    question = state.resolved_question or state.question
    found = matching_forms(question, runtime.context.library.documents(state.base_id))
    arguments = json.dumps({"question": question}, ensure_ascii=False)
    if len(found) != 1:
        return ToolOutcome(arguments, "no single form is meant")
    form = found[0]
    return ToolOutcome(arguments, f"{form.name}, {form.media_type}, {form.size} bytes", forms=(form.id,))
