"""A loop of model and tools: the model requests at most five searches and answers from their results."""

from core.agents.nodes.agent.call_model import call_model, search_tools
from core.agents.nodes.agent.think import LONG, Continue, after_think
from core.agents.workflows.drawing import END
from core.agents.workflows.workflow import Graph, Workflow


def wire(graph: Graph) -> None:
    graph.add_node("call_model", call_model)
    graph.add_node("tools", search_tools)
    graph.set_entry_point("call_model")
    graph.add_conditional_edges("call_model", after_think, {Continue.TOOLS: "tools", Continue.END: END})
    graph.add_edge("tools", "call_model")


WORKFLOW = Workflow(
    name="tool_loop",
    order=6,
    wire=wire,
    last=(),
    searches_web=True,
    history_turns=LONG + 1,
)
