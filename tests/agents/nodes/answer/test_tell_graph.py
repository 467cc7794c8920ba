"""What the graph tells by itself: connections with the sentences that bear them out, and the names of a type."""

from dataclasses import replace

import pytest
from langgraph.runtime import Runtime

from core.agents.nodes.answer.not_found import not_found
from core.agents.nodes.answer.tell_graph import tell_graph
from core.agents.state import State, Update
from core.graph.files.import_documents import PARSER
from core.graph.model import Relation, Saying
from core.graph.questions import GraphAsked, TellOutcome
from core.runs.events import GraphTouched
from core.runs.model import AnswerOutcome
from tests.agents.systems.conftest import SystemWorld
from tests.agents.systems.graphs import WalkedGraph
from tests.fakes import BASE, state_of

LOG = "KelpNet reads the buoys of Bergen. It cost a million to try KelpNet, newer than all, at the pier of Bergen."
PAPER = "HarborDB keeps what the harbour of Bergen sends. HarborDB is old.\n\nAda [1] Wren lives in Cadiz, far away."
NAMES = (("KelpNet", "TECHNOLOGY"), ("Bergen", "LOCATION"), ("HarborDB", "TECHNOLOGY"), ("Ada [1] Wren", "PERSON"))


@pytest.fixture
def world() -> SystemWorld:
    world = SystemWorld()
    world.library.add("log.md", LOG)
    world.library.add("paper.md", *PAPER.split("\n\n"))
    graph = WalkedGraph(world.library)
    for name, type in NAMES:
        graph.add(name, type)
    graph.connect("KelpNet", "Bergen")
    graph.connect("Bergen", "HarborDB")
    world.graph = graph
    return world


def asked(*names: str, type: str = "", **fields: object) -> State:
    state = state_of("?", **fields)
    return replace(
        state, search=replace(state.search, asked=GraphAsked(tuple(f"e-{name}" for name in names), type=type))
    )


def told(world: SystemWorld, state: State) -> Update:
    return tell_graph(state, Runtime(context=world.deps()))


def test_two_that_are_mentioned_together_are_told_by_the_sentences_that_name_both(world: SystemWorld) -> None:
    update = told(world, asked("KelpNet", "Bergen"))
    assert update["draft"].answer == (
        "KelpNet and Bergen are mentioned together in one passage:\n\n"
        "- “KelpNet reads the buoys of Bergen.” [1]\n"
        "- “It cost a million to try KelpNet, newer than all, at the pier of Bergen.” [1]"
    )
    assert (update["draft"].outcome, update["note"].outcome) == (AnswerOutcome.ANSWERED, TellOutcome.TOLD)
    assert [citation.document_name for citation in update["draft"].citations] == ["log.md"]
    assert world.of(GraphTouched) == [GraphTouched("tell_graph", ("e-KelpNet", "e-Bergen"))]


def test_a_way_through_another_is_no_answer_but_the_closest_there_is(world: SystemWorld) -> None:
    draft = told(world, asked("KelpNet", "HarborDB", language="zh-hans"))["draft"]
    first, *steps = draft.answer.split("\n\n")
    assert first == "图谱中没有同时提到 KelpNet 与 HarborDB 的段落，但两者经由 Bergen 相连。"
    assert steps[1::2] == [
        "- “KelpNet reads the buoys of Bergen.” [1]",
        "- “HarborDB keeps what the harbour of Bergen sends.” [2]",
    ]
    assert draft.outcome is AnswerOutcome.CLOSEST


def test_of_three_no_step_is_told_twice(world: SystemWorld) -> None:
    answer = told(world, asked("KelpNet", "HarborDB", "Bergen"))["draft"].answer
    assert answer.count("mentioned together in one passage") == 2


def test_what_is_stated_is_told_with_its_verb(world: SystemWorld) -> None:
    assert isinstance(world.graph, WalkedGraph)
    world.graph.stated.append(Relation("e-HarborDB", "e-KelpNet", "[2] feeds", 0.9))
    draft = told(world, asked("KelpNet", "HarborDB"))["draft"]
    assert draft.answer == "It is stated: HarborDB — (2) feeds → KelpNet."
    assert draft.outcome is AnswerOutcome.ANSWERED


def test_what_the_graph_does_not_connect_is_searched_and_said_where_nothing_answers(world: SystemWorld) -> None:
    state = asked("KelpNet", "Ada [1] Wren")
    update = told(world, state)
    assert update["note"].outcome == TellOutcome.SEARCH
    searched = replace(state, search=update["search"])
    answer = not_found(searched, Runtime(context=world.deps()))["draft"].answer
    assert answer.startswith("The graph knows no passage that mentions both KelpNet and Ada (1) Wren")
    assert told(world, asked("KelpNet", "gone"))["note"].outcome == TellOutcome.SEARCH
    assert told(world, asked("KelpNet", "Bergen", "Ada [1] Wren"))["note"].outcome == TellOutcome.SEARCH


def test_the_names_of_a_type_are_listed_with_their_passages(world: SystemWorld) -> None:
    update = told(world, asked(type="TECHNOLOGY"))
    assert update["draft"].answer == (
        "Your 2 documents name 2 products or technologies, the most mentioned first:\n\n"
        "- KelpNet, mentioned 0 times [1]\n- HarborDB, mentioned 0 times [2]\n\n"
        "The names were found automatically; some may be missing, of another kind or no name at all."
    )
    assert dict(update["note"].details)["type"] == "TECHNOLOGY"
    assert told(world, asked(type="ORGANIZATION"))["note"].outcome == TellOutcome.SEARCH


def test_the_names_of_a_type_beside_another_are_listed_with_a_passage_of_both(world: SystemWorld) -> None:
    update = told(world, asked("Bergen", type="TECHNOLOGY"))
    assert update["draft"].answer == (
        "2 products or technologies are mentioned in the same passages as Bergen:\n\n"
        "- KelpNet, in one passage [1]\n- HarborDB, in one passage [2]\n\n"
        "This is counted; the text need not say how they are related. The names were found automatically."
    )
    assert [citation.document_name for citation in update["draft"].citations] == ["log.md", "paper.md"]
    assert not dict(update["note"].details).get("type")
    assert world.of(GraphTouched) == [GraphTouched("tell_graph", ("e-Bergen", "e-KelpNet", "e-HarborDB"))]
    assert told(world, asked("Bergen", type="PERSON"))["note"].outcome == TellOutcome.SEARCH
    assert told(world, asked("gone", type="PERSON"))["note"].outcome == TellOutcome.SEARCH


def test_of_one_document_only_its_own_names_are_listed_and_connected(world: SystemWorld) -> None:
    paper = next(each.id for each in world.library.documents.kept.values() if each.name == "paper.md")
    answer = told(world, asked(type="TECHNOLOGY", documents=(paper,)))["draft"].answer
    assert answer.startswith("“paper.md” names one product or technology:\n\n- HarborDB, in one passage")
    assert told(world, asked("KelpNet", "Bergen", documents=(paper,)))["note"].outcome == TellOutcome.SEARCH


def test_the_graph_as_a_whole_is_described_with_citations(world: SystemWorld) -> None:
    state = state_of("?")
    update = told(world, replace(state, search=replace(state.search, asked=GraphAsked(whole=True))))
    assert update["draft"].answer.startswith("The knowledge graph of your documents has 4 entities and 2 relations")
    assert (update["draft"].outcome, update["note"].outcome) == (AnswerOutcome.ANSWERED, TellOutcome.TOLD)
    assert update["draft"].citations
    world.graph = WalkedGraph(world.library)
    state = replace(state, search=replace(state.search, asked=GraphAsked(whole=True)))
    assert told(world, state)["note"].outcome == TellOutcome.SEARCH


def test_of_a_document_that_the_question_tells_by_a_word_its_names_are_listed(world: SystemWorld) -> None:
    [document] = [each for each in world.library.documents.find(BASE) if each.name == "paper.md"]
    state = asked(type="TECHNOLOGY")
    asked_for = replace(state.search.asked, documents=(document.id,))
    update = told(world, replace(state, search=replace(state.search, asked=asked_for)))
    assert update["draft"].answer.startswith(
        "“paper.md” names one product or technology:\n\n- HarborDB, in one passage"
    )


def test_a_name_is_known_by_its_beginning_where_one_alone_begins_so(world: SystemWorld) -> None:
    assert isinstance(world.graph, WalkedGraph)
    for name in ("Bergen Harbour", "Harbor Trust", "Harbor Works"):
        world.graph.add(name)

    def reason(*names: str) -> str:
        state = state_of("?")
        search = replace(state.search, asked=GraphAsked(names=names))
        return told(world, replace(state, search=search))["note"].reason

    assert reason("KelpNet", "Bergen") == "run.reason.graph_together"
    assert reason("Ada [1] Wren", "Bergen") == "run.reason.graph_along"
    world.graph.connect("KelpNet", "Bergen Harbour")
    world.graph.connect("HarborDB", "Bergen Harbour")
    assert reason("KelpNet", "Harbor") == "run.reason.graph_along"


def test_a_name_cannot_pass_for_a_citation(world: SystemWorld) -> None:
    assert "Ada (1) Wren" in told(world, asked(type="PERSON"))["draft"].answer


def test_names_that_the_graph_does_not_know_are_connected_by_the_sentences_that_have_both(world: SystemWorld) -> None:
    state = state_of("?")
    known = replace(state, search=replace(state.search, asked=GraphAsked(names=("buoys", "bergen"))))
    update = told(world, known)
    assert update["draft"].answer == (
        "Your documents name buoys and bergen in one sentence:\n\n- “KelpNet reads the buoys of Bergen.” [1]"
    )
    assert update["draft"].outcome is AnswerOutcome.ANSWERED
    unknown = replace(state, search=replace(state.search, asked=GraphAsked(names=("buoys", "harbour"))))
    assert told(world, unknown)["note"].outcome == TellOutcome.SEARCH


def test_a_page_of_an_imported_graph_is_no_sentence(world: SystemWorld) -> None:
    id = world.library.add("deals.pdf", "Aran bought the mill of Vestri from Solvane.")
    state = state_of("?")
    state = replace(state, search=replace(state.search, asked=GraphAsked(names=("Aran", "Solvane"))))
    assert told(world, state)["note"].outcome == TellOutcome.TOLD
    world.library.documents.kept[id] = replace(world.library.documents.kept[id], parser=PARSER)
    assert told(world, state)["note"].outcome == TellOutcome.SEARCH


def test_entities_of_an_imported_graph_are_mentioned_together_without_a_sentence(world: SystemWorld) -> None:
    id = world.library.add("deals.pdf", "Aran\nVestri\nSolvane")
    assert isinstance(world.graph, WalkedGraph)
    world.graph.add("Aran")
    world.graph.add("Solvane")
    world.library.documents.kept[id] = replace(world.library.documents.kept[id], parser=PARSER)
    answer = told(world, asked("Aran", "Solvane"))["draft"].answer
    assert answer == "One passage mentions both Aran and Solvane [1]."


def test_what_is_stated_of_a_name_is_told_with_its_sentence(world: SystemWorld) -> None:
    chunk = world.library.passages.chunk_list[0]
    saying = Saying(chunk.document_id, chunk.id, 0, chunk.text.index(".") + 1)
    assert isinstance(world.graph, WalkedGraph)
    world.graph.stated.append(Relation("e-KelpNet", "e-Bergen", "own", 0.9, sayings=(saying,)))
    question = "Which places does KelpNet own?"
    state = asked("KelpNet", resolved_question=question)
    state = replace(state, search=replace(state.search, asked=replace(state.search.asked, statement=True)))
    update = told(world, state)
    assert update["draft"].answer == "The documents state:\n\n- Bergen: “KelpNet reads the buoys of Bergen.” [1]"
    assert (update["draft"].outcome, update["note"].outcome) == (AnswerOutcome.ANSWERED, TellOutcome.TOLD)


def test_what_a_person_stated_is_told_as_such_with_the_passage_that_it_rests_on(world: SystemWorld) -> None:
    chunk = world.library.passages.chunk_list[0]
    assert isinstance(world.graph, WalkedGraph)
    pages = ((chunk.document_id, chunk.page),)
    world.graph.stated.append(Relation("e-KelpNet", "e-Bergen", "own", 0.9, pages, by_hand=True))
    state = asked("KelpNet", resolved_question="Which places does KelpNet own?")
    state = replace(state, search=replace(state.search, asked=replace(state.search.asked, statement=True)))
    draft = told(world, state)["draft"]
    assert draft.answer == "Stated by hand in the graph: KelpNet — own → Bergen. [1]"
    assert [citation.document_name for citation in draft.citations] == ["log.md"]


def test_what_nothing_states_is_searched(world: SystemWorld) -> None:
    state = asked("KelpNet", resolved_question="Which places does KelpNet own?")
    state = replace(state, search=replace(state.search, asked=replace(state.search.asked, statement=True)))
    assert told(world, state)["note"].outcome == TellOutcome.SEARCH
