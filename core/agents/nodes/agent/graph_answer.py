"""Writes the graph agent's answer from its tools' results and the connections of the entities, and cites the pages."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from core.agents.nodes.answer.not_found import not_found_outcome, unready
from core.agents.nodes.check.compliance_rules import MAX_UNSUPPORTED
from core.agents.nodes.runtime import MAX_NAMES, WrittenText, shown_as_written, stream_text
from core.agents.state import Deps, Draft
from core.agents.tools.results.graph_answers import as_sentence, from_tools, knows, listed, statement
from core.agents.tools.results.graph_evidence import with_citations
from core.documents.model import Chunk
from core.graph.model import Entity
from core.graph.network.cooccurrence import CO_OCCURS
from core.models.agent_ports import ToolUse
from core.models.tasks import TextTask
from core.platform.language.sentences import sentence_spans
from core.platform.texts import text
from core.rulebook.verification import claims, unsupported_sentences
from core.runs.model import AnswerOutcome, Turn
from core.search.model import Citation, Passage


@dataclass(frozen=True, slots=True)
class GraphAnswerRequest:
    question: str
    language: str
    names: tuple[str, ...] = ()
    """Entities of the graph in the question, longest first."""
    history: tuple[Turn, ...] = ()
    used: tuple[ToolUse, ...] = ()
    """Tools called, with results."""
    connections: tuple[str, ...] = ()
    """Sentences about the connections of the question's entities, or about the groups of an overview."""


def _by_sentences(request: GraphAnswerRequest) -> Iterator[str]:
    return from_tools(request.question, request.language, request.names, request.used, request.connections)


GRAPH_ANSWER = TextTask("graph_answer", _by_sentences, max_tokens=3_000)


def graph_answer(deps: Deps, base_id: str, request: GraphAnswerRequest, written: WrittenText) -> Draft:
    """The final answer with citations, unsupported sentences and warnings."""
    known = any(map(knows, request.used))
    answer, citations = _cited(deps, base_id, request, written.text) if known else (written.text, ())
    lacking = _unsupported(deps, answer, citations, request) if known else ()
    doubtful = len(lacking) > MAX_UNSUPPORTED * len(claims(answer))
    outcome = AnswerOutcome.ANSWERED if known else not_found_outcome(deps, base_id)
    if outcome is AnswerOutcome.UNREADY:
        answer = unready(deps, base_id, request.language)
    elif outcome is AnswerOutcome.UNJUDGED:
        answer = f"{answer}\n\n{text('answer.graph.unjudged', request.language)}"
    if written.fault or doubtful:
        warning = text("answer.interrupted" if written.fault else "answer.unconfirmed", request.language)
        answer, outcome = f"{answer}\n\n{warning}", AnswerOutcome.UNCONFIRMED
    return Draft(answer, citations, lacking, interrupted=bool(written.fault), outcome=outcome)


def written_by_model(deps: Deps, request: GraphAnswerRequest) -> WrittenText:
    """The model's answer, or the rule's if the model fails."""
    return shown_as_written(deps, GRAPH_ANSWER.name, stream_text(deps, GRAPH_ANSWER, request))


def written_by_rule(deps: Deps, request: GraphAnswerRequest) -> WrittenText:
    return shown_as_written(deps, GRAPH_ANSWER.name, _by_sentences(request))


def _cited(deps: Deps, base_id: str, request: GraphAnswerRequest, answer: str) -> tuple[str, tuple[Citation, ...]]:
    topic = deps.graph.named_in(base_id, request.question, len(request.names)) if request.names else []
    return with_citations(deps, base_id, answer, topic)


def _unsupported(
    deps: Deps, answer: str, citations: Sequence[Citation], request: GraphAnswerRequest
) -> tuple[str, ...]:
    """Sentences that neither results of tools, connections nor cited pages support."""
    results = [(use.call_id, as_sentence(use.result), use.tool) for use in request.used if knows(use)]
    results += [(f"connection {at}", words, "") for at, words in enumerate(request.connections)]
    results.append(("in words", "".join(_by_sentences(request)), ""))
    said = [Passage(Chunk(id, "", at, words, (), ()), tool, 1.0) for at, (id, words, tool) in enumerate(results)]
    pages = deps.passages.get([citation.chunk_id for citation in citations])
    return tuple(unsupported_sentences(answer, [*said, *pages]))


MOST_ENDS = 3
"""Entities of a question between which paths are searched."""
MOST_STEPS = 4
"""Steps of a path that are described by sentences."""
MOST_NEAR = 3
"""Neighbours of a single entity for which a common sentence is searched."""
PASSAGES = 3
LONGEST = 320
"""Characters of a sentence that is quoted."""


def graph_ways(deps: Deps, base_id: str, question: str, language: str) -> tuple[str, ...]:
    """A line for each connection; empty if the question names no entity."""
    ends = _ends(deps, base_id, question)
    if len(ends) > 1:
        return tuple(line for pair in pairwise(ends) for line in _way(deps, base_id, pair, language))
    return tuple(line for end in ends for line in _around(deps, end, language))


def _ends(deps: Deps, base_id: str, question: str) -> list[Entity]:
    """In the order of the question; a name inside a longer one does not count."""
    folded = question.casefold()
    found = deps.graph.named_in(base_id, question, MAX_NAMES)
    places = {entity.id: folded.find(entity.name.casefold()) for entity in found}
    whole = [
        entity
        for number, entity in enumerate(found)
        if not any(entity.name.casefold() in longer.name.casefold() for longer in found[:number])
    ]
    return sorted(whole, key=lambda entity: (places[entity.id] < 0, places[entity.id]))[:MOST_ENDS]


def _way(deps: Deps, base_id: str, ends: tuple[Entity, Entity], language: str) -> Iterator[str]:
    one, other = ends
    if deps.graph.shared_chunks(one.id, other.id, 1):
        yield _step(deps, ends, language)
        return
    way = deps.graph.path(base_id, [one.id, other.id], False)[0]
    if not way:
        yield text("answer.graph.no_way", language, one=one.name, other=other.name)
        return
    if len(way) > 2:
        through = listed([entity.name for entity in way[1:-1]], language)
        yield text("answer.graph.through", language, one=one.name, other=other.name, through=through)
    for step in list(pairwise(way))[:MOST_STEPS]:
        yield _step(deps, step, language)


def _step(deps: Deps, step: tuple[Entity, Entity], language: str) -> str:
    """A stated relation of the two, else a sentence that names both, else that they share a passage."""
    stated = [each for each in deps.graph.relations_between([one.id for one in step]) if each.relation != CO_OCCURS]
    if stated:
        return statement(stated[0], {entity.id: entity.name for entity in step}, language)
    one, other = (entity.name for entity in step)
    if sentences := _sentences(deps, step):
        quoted = text("answer.graph.between", language).join(sentences)
        key = "answer.graph.together_in" if len(sentences) == 1 else "answer.graph.together_near"
        return text(key, language, one=one, other=other, sentence=quoted)
    return text("answer.graph.together", language, one=one, other=other)


def _around(deps: Deps, entity: Entity, language: str) -> Iterator[str]:
    """Sentences that name the entity together with those nearest to it, each once."""
    found: dict[str, None] = {}
    for neighbour in deps.graph.neighbours(entity.id, 1, MOST_NEAR):
        sentences = _sentences(deps, (entity, neighbour.entity))
        if len(sentences) == 1:
            found[text("answer.graph.quoted", language, sentence=sentences[0])] = None
    yield from found


def _sentences(deps: Deps, pair: Sequence[Entity]) -> list[str]:
    """The first sentence of a shared passage that names both; else of one passage a sentence for each; else none."""
    apart: list[str] = []
    for passage in deps.passages.get(deps.graph.shared_chunks(pair[0].id, pair[1].id, PASSAGES)):
        words = passage.chunk.text
        said = [" ".join(words[start:end].split()) for start, end in sentence_spans(words)]
        short = [sentence for sentence in said if len(sentence) <= LONGEST]
        naming = [[sentence for sentence in short if entity.is_named_in(sentence)] for entity in pair]
        if both := [sentence for sentence in naming[0] if sentence in naming[1]]:
            return both[:1]
        apart = apart or [found[0] for found in naming if found]
    return apart if len(apart) == len(pair) else []
