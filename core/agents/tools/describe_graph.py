"""Describes the whole graph: size, entity types, most central entities; for an answer in sentences, with its groups."""

from collections.abc import Iterator, Sequence

from core.agents.state import Deps, State
from core.agents.tools.results.graph_answers import from_tools, listed
from core.agents.tools.results.graph_cues import asks_overview
from core.agents.tools.results.graph_evidence import ranked, with_citations
from core.agents.tools.tool import NoArguments, Tool, ToolOutcome, Toolset, ToolSituation
from core.graph.model import Entity, GraphStats
from core.graph.network.communities import communities
from core.graph.network.community_summary import salient_sentences
from core.graph.network.cooccurrence import CO_OCCURS
from core.models.agent_ports import ToolUse
from core.platform.texts import text
from core.search.model import Citation

NAME = "describe_graph"
CANDIDATES = 60
"""Entities of the most connected part whose degrees are compared."""
CENTRE = 5
COUNTED = 100_000
TYPE_WIDTH = 15
_MEANING = {CO_OCCURS: f"{CO_OCCURS} (same-page co-occurrence)"}


def describe_graph(_: NoArguments, state: State, deps: Deps) -> ToolOutcome:
    graph, base_id = deps.graph, state.base_id
    stats = graph.stats(base_id)
    view = graph.view(base_id, (), 1, CANDIDATES)
    relations = sorted({relation.relation for relation in view.relations} or {CO_OCCURS})
    degrees = {entity.id: len(graph.neighbours(entity.id, 1, COUNTED)) for entity in view.entities}
    best = ranked(graph, view.entities, lambda entity: degrees[entity.id], CENTRE)
    others = max(1, stats.entities - 1)
    lines = [
        "=== Knowledge Graph Overview ===",
        f"Nodes (entities): {stats.entities}",
        f"Edges (relations): {stats.relations}",
        f"Relation type: {', '.join(_MEANING.get(relation, relation) for relation in relations)}",
        f"Graph density: {density(stats):.4f}",
        "",
        "Entity type distribution:",
        *(f"  {type:<{TYPE_WIDTH}}: {count}" for type, count in stats.types),
        "",
        f"Top-{CENTRE} most connected entities (by degree centrality):",
        *(f"  [{entity.type}] {entity.name} (centrality={degrees[entity.id] / others:.3f})" for entity in best),
    ]
    return ToolOutcome("\n".join(lines), entity_ids=tuple(entity.id for entity in best))


def density(stats: GraphStats) -> float:
    """0..1: connected pairs divided by all possible pairs."""
    pairs = stats.entities * (stats.entities - 1) / 2
    return stats.relations / pairs if pairs else 0.0


def _next(situation: ToolSituation) -> NoArguments | None:
    return NoArguments() if not situation.used and asks_overview(situation.question) else None


TOOL = Tool(
    name=NAME,
    description="Tells size, types, density and centre of the whole graph.",
    toolset=Toolset.GRAPH,
    order=40,
    arguments=NoArguments,
    call=describe_graph,
    next=_next,
)


CONSIDERED = 150
"""Entities of the most connected part, in which groups are found."""
GROUPS = 4
NAMED = 3
"""Entities in the name of a group."""


def graph_overview(deps: Deps, state: State) -> tuple[str, tuple[Citation, ...], tuple[str, ...]]:
    """The answer, its citations, and the ids of the entities that it names."""
    described = describe_graph(NoArguments(), state, deps)
    groups = graph_groups(deps, state.base_id, state.language)
    used = ToolUse("", NAME, "{}", described.text)
    said = "".join(from_tools(state.standalone_question, state.language, (), (used,), groups))
    return *with_citations(deps, state.base_id, said), described.entity_ids


def graph_groups(deps: Deps, base_id: str, language: str) -> tuple[str, ...]:
    """A sentence for each group for which the documents have one."""
    view = deps.graph.view(base_id, (), 1, CONSIDERED)
    known = {entity.id: entity for entity in view.entities}
    edges = tuple((each.source_id, each.target_id, max(each.weight, 0.0)) for each in view.relations)
    groups = [[known[id] for id in members] for members in communities(tuple(known), edges)[:GROUPS]]
    return tuple(_sentences(deps, groups, language))


def _sentences(deps: Deps, groups: Sequence[Sequence[Entity]], language: str) -> Iterator[str]:
    for members in groups:
        if found := salient_sentences(deps.graph, deps.passages, members)[:1]:
            names = listed([entity.name for entity in members[:NAMED]], language)
            key = "answer.graph.group" if len(members) > NAMED else "answer.graph.small_group"
            yield text(key, language, names=names, count=len(members) - NAMED, sentence=found[0].sentence)
