"""The scope of a search: its knowledge bases, the documents with the words asked for, and another base with them."""

import re
from collections.abc import Sequence
from dataclasses import replace

from core.agents.nodes.evidence import passages_of
from core.agents.nodes.runtime import asked_once
from core.agents.state import Deps, Draft, State
from core.documents.model import ACTIVE, DocumentFilter, DocumentStatus
from core.platform.errors import ServiceError
from core.platform.language.sentences import sentences
from core.platform.language.terms import content_terms, normal_form
from core.platform.texts import text
from core.rulebook.messages import Question
from core.rulebook.quotes import citations_of
from core.runs.model import AnswerOutcome
from core.search.model import Citation, Passage

OTHER_BASES = 5
"""Most further knowledge bases that are searched; a search takes some milliseconds."""
EVERY_WORD = 0.99
"""Share of the question's terms, allowing for rounding."""
FEWEST_WORDS = 2
"""Fewest words of a question without a name that tell where it is answered."""
MOST_PASSAGES = 100
"""Passages in which the words are looked for, best first."""


def ready_documents(deps: Deps, base_id: str) -> int:
    counts = asked_once(deps, deps.documents.counts, base_id, DocumentFilter((DocumentStatus.READY,)))
    return counts.get(DocumentStatus.READY, 0)


def search_scope(state: State, deps: Deps, cited: Sequence[Citation] = ()) -> str:
    """Return the bases that were searched, with the number of documents in each, of those chosen or those named.

    cited: passages that are shown, which may be of other documents than those that the question names.
    """
    if chosen := state.options.documents:
        return _named("answer.scope.chosen", state, deps, state.base_id, len(chosen))
    if (named := state.search.documents) and all(one.document_id in named for one in cited):
        return _named("answer.scope.named", state, deps, state.base_id, len(named))
    if state.options.entities:
        return _named("answer.scope.entities", state, deps, state.base_id, len(state.options.entities))
    bases = dict.fromkeys((state.base_id, *state.options.bases))
    return text("answer.scope.and", state.language).join(_whole(base, state, deps) for base in bases)


def _whole(base_id: str, state: State, deps: Deps) -> str:
    reading = sum(asked_once(deps, deps.documents.counts, base_id, DocumentFilter(ACTIVE)).values())
    key = "answer.scope.base_reading" if reading else "answer.scope.base"
    return _named(key, state, deps, base_id, ready_documents(deps, base_id), reading)


def _named(key: str, state: State, deps: Deps, base_id: str, count: int, reading: int = 0) -> str:
    base = asked_once(deps, deps.bases.get, base_id).name
    return text(key, state.language, base=base, count=count, reading=reading)


def other_base_with_words(state: State, deps: Deps) -> str:
    """Return a sentence that names a base which was not searched and has a passage with all words of the question."""
    words = Question(state.standalone_question).words_to_mention
    asked = Question(words or state.standalone_question)
    if not (words or _is_telling(asked)):
        return ""
    searched = {state.base_id, *state.options.bases}
    others = [base for base in deps.bases.all() if base.id not in searched and ready_documents(deps, base.id)]
    for base in others[:OTHER_BASES]:
        if document := _document_with(asked, deps, base.id, state.options.insisted):
            return text("answer.other_base", state.language, base=base.name, document=document)
    return ""


def _is_telling(asked: Question) -> bool:
    """Whether it has a name or several words; one word as common as "agreed" stands in any minutes."""
    weights = asked.terms.weights
    return sum(word.share for word, _ in weights) >= FEWEST_WORDS or any(word.is_name for word, _ in weights)


def _document_with(asked: Question, deps: Deps, base_id: str, insisted: Sequence[str]) -> str:
    """insisted: passages that every search finds, whichever base it is of."""
    try:
        hits = deps.retriever.chunks(base_id, asked.text, 1 + len(insisted))
    except ServiceError:
        return ""  # the question is about another base, whose search did not fail
    own = [hit.chunk_id for hit in hits if hit.chunk_id not in insisted]
    for passage in deps.passages.get(own[:1]):
        told = frozenset(content_terms("\n".join((*passage.chunk.section, passage.chunk.text))))
        if asked.terms.spoken(told).own >= EVERY_WORD:
            return passage.document_name
    return ""


def documents_that_mention(state: State, deps: Deps) -> Draft | None:
    """The answer to a question for documents that mention some words; None for other questions, or if none does."""
    words = Question(state.standalone_question).words_to_mention
    if not words:
        return None
    hits = deps.retriever.chunks(state.base_id, words, MOST_PASSAGES, state.search.documents)
    having = _pattern(words)
    first: dict[str, tuple[Passage, str]] = {}
    for passage in passages_of(hits, deps):
        if passage.chunk.document_id not in first and (sentence := _sentence(passage, having)):
            first[passage.chunk.document_id] = passage, sentence
    if not first:
        return None
    lines = [f"- {passage.document_name}: “{told}” [{at}]" for at, (passage, told) in enumerate(first.values(), 1)]
    said = text("answer.mentions", state.language, words=words, count=len(first), scope=search_scope(state, deps))
    parts = [said, "\n".join(lines)]
    if len(hits) >= MOST_PASSAGES:
        parts.append(text("answer.mentions_of_best", state.language, most=MOST_PASSAGES))
    answer = "\n\n".join(parts)
    citations = citations_of(answer, tuple(passage for passage, _ in first.values()))
    return replace(state.draft, answer=answer, citations=citations, parts=(), outcome=AnswerOutcome.ANSWERED)


def _pattern(words: str) -> re.Pattern[str]:
    """The words not directly after or before other letters or digits."""
    before = r"(?<![A-Za-z0-9])" if words[0].isascii() and words[0].isalnum() else ""
    after = r"(?![A-Za-z0-9])" if words[-1].isascii() and words[-1].isalnum() else ""
    return re.compile(before + re.escape(words) + after, re.IGNORECASE)


def _sentence(passage: Passage, having: re.Pattern[str]) -> str:
    """The first sentence, or row of a table, that has the words."""
    lines = (line.strip() for sentence in sentences(passage.chunk.text) for line in sentence.splitlines())
    return next((line for line in lines if having.search(normal_form(line))), "")
