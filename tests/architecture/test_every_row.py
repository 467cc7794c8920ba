"""No page and no question reads every document of a base, which at 20,000 takes half a second."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
WORK_THROUGH_ALL = {"core/graph/files/exports.py"}
"""An export of the whole graph, made when somebody asks for the file."""


def test_pages_nodes_and_tools_ask_for_what_they_show() -> None:
    folders = (
        "pages",
        "core/agents/nodes",
        "core/agents/tools",
        "core/runs",
        "core/search/retrieval",
        "core/graph",
        "core/interfaces/http",
    )
    files = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    found = {str(path.relative_to(ROOT)) for path in files if "documents.of_base(" in path.read_text("utf-8")}
    assert files
    assert found == WORK_THROUGH_ALL
