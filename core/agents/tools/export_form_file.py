"""Offers the one form that a question clearly refers to for download."""

from core.agents.state import Deps, State
from core.agents.tools.get_form_download_links import READY_FORMS, FormQuestion, matching_forms, next_form
from core.agents.tools.tool import Tool, ToolOutcome, Toolset


def export_form_file(arguments: FormQuestion, state: State, deps: Deps) -> ToolOutcome:
    found = matching_forms(arguments.question, deps.documents.find(state.base_id, READY_FORMS))
    if len(found) != 1:
        return ToolOutcome("no single form is meant")
    form = found[0]
    return ToolOutcome(f"{form.name}, {form.media_type}, {form.size} bytes", forms=(form.id,))


TOOL = Tool(
    name="export_form_file",
    description="makes the one form that is meant ready to be saved",
    toolset=Toolset.FORMS,
    order=30,
    arguments=FormQuestion,
    call=export_form_file,
    next=next_form,
)
