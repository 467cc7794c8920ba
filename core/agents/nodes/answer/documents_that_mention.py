"""Lists the documents in which the search finds the words that a question asks for."""

import re
from dataclasses import replace

from core.agents.nodes.answer.search_scope import search_scope
from core.agents.nodes.evidence import passages_of
from core.agents.state import Deps, Draft, State
from core.platform.language.sentences import sentences
from core.platform.language.terms import normal_form
from core.platform.texts import text
from core.rulebook.messages import Question
from core.rulebook.quotes import citations_of
from core.runs.model import AnswerOutcome
from core.search.model import Passage

MOST_PASSAGES = 100
"""Passages that are looked through, best first."""


def documents_that_mention(state: State, deps: Deps) -> Draft | None:
    """None where something else is asked, or no passage that was found has the words."""
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
    """The words as they are; letters before or after them would make another word."""
    before = r"(?<![A-Za-z0-9])" if words[0].isascii() and words[0].isalnum() else ""
    after = r"(?![A-Za-z0-9])" if words[-1].isascii() and words[-1].isalnum() else ""
    return re.compile(before + re.escape(words) + after, re.IGNORECASE)


def _sentence(passage: Passage, having: re.Pattern[str]) -> str:
    """The first sentence, or row of a table, that has the words."""
    lines = (line.strip() for sentence in sentences(passage.chunk.text) for line in sentence.splitlines())
    return next((line for line in lines if having.search(normal_form(line))), "")
