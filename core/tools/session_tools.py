"""The tools that a session has: its knowledge base, one for every other document set, the web only when it is on."""

from dataclasses import dataclass
from enum import StrEnum

from core.ports import Library

MOST_SETS = 8


class Reach(StrEnum):
    KNOWLEDGE = "knowledge"
    DOCUMENTS = "documents"
    WEB = "web"


@dataclass(frozen=True, slots=True)
class SessionTool:
    name: str
    reach: Reach
    description: str
    base_id: str = ""


def session_tools(library: Library, base_id: str, web: bool) -> tuple[SessionTool, ...]:
    """In the order in which they are tried."""
    name = library.base(base_id).name
    others = [base for base in library.bases() if base.id != base_id and library.documents(base.id)]
    tools = [SessionTool("knowledge_search", Reach.KNOWLEDGE, f"search the knowledge base {name}", base_id)]
    tools += [
        SessionTool(f"search_documents_{number}", Reach.DOCUMENTS, f"search the document set {base.name}", base.id)
        for number, base in enumerate(others[:MOST_SETS], 1)
    ]
    if web:
        tools.append(SessionTool("web_search", Reach.WEB, "search the web"))
    return tuple(tools)
