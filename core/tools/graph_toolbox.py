"""The four tools of the graph agent by name; each call reads the graph as it is then."""

import json
from enum import StrEnum

from core.agents import Tool
from core.ports import KnowledgeGraph
from core.tools.describe_graph import describe_graph
from core.tools.get_entities_by_type import get_entities_by_type
from core.tools.get_neighbors import get_neighbors
from core.tools.graph_text import GraphText
from core.tools.search_entities import search_entities


class GraphTool(StrEnum):
    SEARCH_ENTITIES = "search_entities"
    GET_NEIGHBORS = "get_neighbors"
    GET_ENTITIES_BY_TYPE = "get_entities_by_type"
    DESCRIBE_GRAPH = "describe_graph"


def _declared(name: GraphTool, description: str, required: tuple[str, ...], **properties: dict[str, object]) -> Tool:
    return Tool(name, description, {"type": "object", "properties": properties, "required": list(required)})


TOOLS = (
    _declared(
        GraphTool.SEARCH_ENTITIES,
        "Find entities by a part of their name.",
        ("query",),
        query={"type": "string", "description": "a part of the name, in upper or lower case"},
    ),
    _declared(
        GraphTool.GET_NEIGHBORS,
        "What lies around an entity, hop by hop.",
        ("entity_name",),
        entity_name={"type": "string", "description": "the entity to start from"},
        hops={"type": "integer", "description": "how far, 1 to 3; 1 if left out"},
    ),
    _declared(
        GraphTool.GET_ENTITIES_BY_TYPE,
        "All entities of one type.",
        ("entity_type",),
        entity_type={"type": "string", "description": "such as TECHNOLOGY or PERSON"},
    ),
    _declared(GraphTool.DESCRIBE_GRAPH, "Size, types, density and centre of the whole graph.", ()),
)
"""As a model that calls tools is shown them."""


def use(graph: KnowledgeGraph, base_id: str, tool: str, arguments: str) -> GraphText:
    """What the tool says; of an unknown tool or of arguments that do not fit, a text that says so."""
    try:
        given = json.loads(arguments or "{}")
        match tool:
            case GraphTool.SEARCH_ENTITIES:
                return search_entities(graph, base_id, str(given["query"]))
            case GraphTool.GET_NEIGHBORS:
                return get_neighbors(graph, base_id, str(given["entity_name"]), int(given.get("hops") or 1))
            case GraphTool.GET_ENTITIES_BY_TYPE:
                return get_entities_by_type(graph, base_id, str(given["entity_type"]))
            case GraphTool.DESCRIBE_GRAPH:
                return describe_graph(graph, base_id)
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError) as error:
        return GraphText(f"Error: the arguments of {tool} do not fit: {type(error).__name__} {error}")
    return GraphText(f"Error: there is no tool '{tool}'. Tools: {', '.join(GraphTool)}")
