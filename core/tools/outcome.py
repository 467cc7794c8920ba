"""The tools that a plan can call, and what they give back."""

from dataclasses import dataclass
from enum import StrEnum

from core.domain.passages import Hit, Rejected


class Tool(StrEnum):
    RETRIEVE_DOCUMENTS = "retrieve_documents"
    GET_FORM_DOWNLOAD_LINKS = "get_form_download_links"
    EXPORT_FORM_FILE = "export_form_file"


FORM_TOOLS = (Tool.GET_FORM_DOWNLOAD_LINKS, Tool.EXPORT_FORM_FILE)


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    arguments: str
    """JSON."""
    text: str
    """For the trace."""
    hits: tuple[Hit, ...] = ()
    rejected: tuple[Rejected, ...] = ()
    route: str = ""
    forms: tuple[str, ...] = ()
    """Ids of documents that can be downloaded."""
