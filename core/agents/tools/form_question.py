"""Arguments of the tools for forms."""

from pydantic import Field

from core.agents.tools.tool import ToolArguments, ToolSituation


class FormQuestion(ToolArguments):
    question: str = Field(description="what the user says of the form")


def next_form(situation: ToolSituation) -> FormQuestion:
    return FormQuestion(question=situation.question)
