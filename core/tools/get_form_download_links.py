"""The forms that a question asks for, as links."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from core.nodes.rules.forms import matching_forms
from core.state import Deps, State
from core.tools.outcome import ToolOutcome

if TYPE_CHECKING:
    from langgraph.runtime import Runtime


def get_form_download_links(state: State, runtime: Runtime[Deps]) -> ToolOutcome:
    question = state.resolved_question or state.question
    found = matching_forms(question, runtime.context.library.documents(state.base_id))
    lines = [f"{form.name} ({form.id})" for form in found]
    arguments = json.dumps({"question": question}, ensure_ascii=False)
    return ToolOutcome(arguments, "\n".join(lines) or "no form", forms=tuple(form.id for form in found))
