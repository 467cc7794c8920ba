"""Offers the forms that match a question as download links."""

from core.agents.state import Deps, State
from core.agents.tools.form_question import READY_FORMS, FormQuestion, matching_forms, next_form
from core.agents.tools.tool import Tool, ToolOutcome, Toolset


def get_form_download_links(arguments: FormQuestion, state: State, deps: Deps) -> ToolOutcome:
    found = matching_forms(arguments.question, deps.documents.find(state.base_id, READY_FORMS))
    lines = [f"{form.name} ({form.id})" for form in found]
    return ToolOutcome("\n".join(lines) or "no form", forms=tuple(form.id for form in found))


TOOL = Tool(
    name="get_form_download_links",
    description="lists the forms that fit",
    toolset=Toolset.FORMS,
    order=20,
    arguments=FormQuestion,
    call=get_form_download_links,
    next=next_form,
)
