"""Prompts, one for each workflow, and completions of their arguments."""

from mcp import types
from mcp.shared.exceptions import MCPError

from core.agents.workflows.registry import workflows
from core.app.services import Services
from core.interfaces.http.mcp.pages import listed_documents
from core.platform.texts import known, text

_MOST = 100
"""Limit of values of a completion in the protocol."""
_ARGUMENTS = [
    types.PromptArgument(name="question", description="what the documents are to answer", required=True),
    types.PromptArgument(name="base", description="knowledge base, by name or id; needed where there are several"),
]


def listed() -> list[types.Prompt]:
    return [
        types.Prompt(
            name=workflow.name,
            title=_words(workflow.title),
            description=_words(workflow.summary),
            arguments=_ARGUMENTS,
        )
        for workflow in workflows().values()
    ]


def made(name: str, given: dict[str, str]) -> types.GetPromptResult:
    """Raises MCPError."""
    workflow = workflows().get(name)
    if workflow is None:
        raise MCPError(code=types.INVALID_PARAMS, message=f"There is no prompt called {name}.")
    question, base = given.get("question", "").strip(), given.get("base", "").strip()
    if not question:
        raise MCPError(code=types.INVALID_PARAMS, message="The argument question is missing.")
    where = f", base {base}" if base else ""
    words = f'Answer with the tool "ask" (workflow {name}{where}), and name the sources it gives:\n\n{question}'
    said = types.PromptMessage(role="user", content=types.TextContent(type="text", text=words))
    return types.GetPromptResult(description=_words(workflow.summary), messages=[said])


def _words(key: str) -> str:
    """Text of the catalogue, or the text itself from a plug-in."""
    return text(key, "en") if known(key) else key


def completed(services: Services, argument: types.CompletionArgument) -> types.Completion:
    """Names of knowledge bases, or ids of the first listed documents, that begin with the typed value."""
    names: list[str] = []
    if argument.name == "base":
        names = [base.name for base in services.library.bases.all()]
    elif argument.name == "document_id":
        names = [document.id for document in listed_documents(services, None)[0]]
    begun = argument.value.casefold()
    fitting = [name for name in names if name.casefold().startswith(begun)]
    return types.Completion(values=fitting[:_MOST], total=len(fitting), has_more=len(fitting) > _MOST)
