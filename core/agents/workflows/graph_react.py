"""An agent that explores the knowledge graph with four tools and answers from their results."""

from core.agents.nodes.agent.graph_model import graph_model, graph_tools
from core.agents.nodes.agent.think import Continue, after_think
from core.agents.workflows.drawing import END
from core.agents.workflows.workflow import Graph, Workflow


def wire(graph: Graph) -> None:
    graph.add_node("model", graph_model)
    graph.add_node("tools", graph_tools)
    graph.set_entry_point("model")
    graph.add_conditional_edges("model", after_think, {Continue.TOOLS: "tools", Continue.END: END})
    graph.add_edge("tools", "model")


WORKFLOW = Workflow(
    name="graph_react",
    order=5,
    wire=wire,
    last=(),
)
