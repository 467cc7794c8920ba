"""Self-correcting retrieval with long-term memory: routes, rewrites, searches, grades its answer, retries."""

from core.agents.nodes.answer.direct_answer import direct_answer
from core.agents.nodes.answer.generate import generate
from core.agents.nodes.answer.not_found import web_resort
from core.agents.nodes.check.grade_relevance import RelevanceOutcome, grade_relevance
from core.agents.nodes.memory.consolidate_memory import consolidate_memory
from core.agents.nodes.memory.recall_memory import retrieve_memory
from core.agents.nodes.plan.route_query import SearchRoute, after_route, route_query
from core.agents.nodes.search.retrieve import SearchOutcome, search_local
from core.agents.nodes.search.rewrite_query import rewrite_for_route
from core.agents.nodes.search.web_search import WebOutcome
from core.agents.workflows.drawing import END
from core.agents.workflows.workflow import Edges, Graph, Workflow, connect

EDGES: Edges = {
    "retrieve_memory": "route_query",
    "route_query": {
        SearchRoute.DIRECT: "direct_response",
        SearchRoute.HIERARCHICAL_SEARCH: "rewrite_query",
        SearchRoute.DIRECT_CHUNK_SEARCH: "rewrite_query",
        SearchRoute.WEB_SEARCH: "rewrite_query",
    },
    "retrieve": {SearchOutcome.FOUND: "generate_response", SearchOutcome.EMPTY: "web_search"},
    "web_search": {WebOutcome.FOUND: "generate_response", WebOutcome.DOCUMENTS: "retrieve", WebOutcome.NOTHING: END},
    "generate_response": "grade_relevance",
    "direct_response": "grade_relevance",
    "grade_relevance": {
        RelevanceOutcome.RELEVANT: "consolidate_memory",
        RelevanceOutcome.RETRY: "rewrite_query",
        RelevanceOutcome.WEB: "web_search",
        RelevanceOutcome.LIMIT: END,
    },
}


def wire(graph: Graph) -> None:
    graph.add_node("retrieve_memory", retrieve_memory)
    graph.add_node("route_query", route_query)
    graph.add_node("rewrite_query", rewrite_for_route)
    graph.add_node("retrieve", search_local)
    graph.add_node("web_search", web_resort)
    graph.add_node("generate_response", generate)
    graph.add_node("direct_response", direct_answer)
    graph.add_node("grade_relevance", grade_relevance)
    graph.add_node("consolidate_memory", consolidate_memory)
    graph.set_entry_point("retrieve_memory")
    connect(graph, EDGES)
    graph.add_conditional_edges(
        "rewrite_query",
        after_route,
        {
            SearchRoute.HIERARCHICAL_SEARCH: "retrieve",
            SearchRoute.DIRECT_CHUNK_SEARCH: "retrieve",
            SearchRoute.WEB_SEARCH: "web_search",
        },
    )


WORKFLOW = Workflow(
    name="memory_loop",
    order=2,
    wire=wire,
    last=("consolidate_memory",),
    searches_web=True,
)
