"""What a question's search covered, and which other knowledge base has its words."""

from core.agents.nodes.runtime import asked_once
from core.agents.state import Deps, State
from core.documents.model import DocumentFilter, DocumentStatus
from core.platform.errors import ServiceError
from core.platform.language.terms import content_terms
from core.platform.texts import text
from core.rulebook.messages import Question

OTHER_BASES = 5
"""Bases that are looked into besides the searched ones: a search takes some milliseconds."""
EVERY_WORD = 0.99


def ready_documents(deps: Deps, base_id: str) -> int:
    counts = asked_once(deps, deps.documents.counts, base_id, DocumentFilter((DocumentStatus.READY,)))
    return counts.get(DocumentStatus.READY, 0)


def search_scope(state: State, deps: Deps) -> str:
    """Return the bases that were searched, with the number of documents in each or of those chosen."""
    if chosen := state.options.documents or state.search.documents:
        return _named("answer.scope.chosen", state, deps, state.base_id, len(chosen))
    if state.options.entities:
        return _named("answer.scope.entities", state, deps, state.base_id, len(state.options.entities))
    bases = dict.fromkeys((state.base_id, *state.options.bases))
    searched = (_named("answer.scope.base", state, deps, base, ready_documents(deps, base)) for base in bases)
    return text("answer.scope.and", state.language).join(searched)


def _named(key: str, state: State, deps: Deps, base_id: str, count: int) -> str:
    return text(key, state.language, base=asked_once(deps, deps.bases.get, base_id).name, count=count)


def other_base_with_words(state: State, deps: Deps) -> str:
    """Return a sentence that names a base which was not searched and has a passage with all words of the question."""
    words = Question(state.standalone_question).words_to_mention
    asked = Question(words or state.standalone_question)
    if asked.terms.nothing:
        return ""
    searched = {state.base_id, *state.options.bases}
    others = [base for base in deps.bases.all() if base.id not in searched and ready_documents(deps, base.id)]
    for base in others[:OTHER_BASES]:
        if document := _document_with(asked, deps, base.id):
            return text("answer.other_base", state.language, base=base.name, document=document)
    return ""


def _document_with(asked: Question, deps: Deps, base_id: str) -> str:
    try:
        hits = deps.retriever.chunks(base_id, asked.text, 1)
    except ServiceError:
        return ""  # the question is about another base, whose search did not fail
    for passage in deps.passages.get([hit.chunk_id for hit in hits]):
        told = frozenset(content_terms("\n".join((*passage.chunk.section, passage.chunk.text))))
        if asked.terms.spoken(told).own >= EVERY_WORD:
            return passage.document_name
    return ""
