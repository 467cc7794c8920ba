"""What the graph agent quotes from where its tools' lists are not what is asked for."""

from dataclasses import replace

from core.agents.nodes.agent.graph_model import mentioning, near_passages
from core.agents.state import State
from tests.fakes import World, state_of


def asked(question: str) -> State:
    return replace(state_of(question), resolved_question=question)


def test_of_the_passages_that_mention_what_is_named_those_come_first_that_a_search_finds() -> None:
    world = World()
    world.library.add("log.md", ("One", "KelpNet is a name."), ("Two", "KelpNet was trained for forty minutes."))
    world.graph.add("KelpNet", "TECHNOLOGY")
    hits = mentioning(asked("How many minutes was KelpNet trained?"), world.deps())
    texts = [passage.chunk.text for passage in world.library.passages.get([hit.chunk_id for hit in hits])]
    assert len(hits) == 2
    assert hits[0].score > hits[1].score
    assert "forty minutes" in texts[0]


def test_a_question_that_names_nothing_of_the_graph_is_searched(world: World) -> None:
    state = asked("How often is each buoy calibrated?")
    assert mentioning(state, world.deps()) == ()
    assert near_passages(state, world.deps())
