"""Attributes each sentence of a finished answer to a passage, by its words or by the citation number given."""

from collections.abc import Sequence

from core.builtin.checking.support import SUPPORTED
from core.builtin.quoting.citing import SHOWN, without_markers
from core.builtin.quoting.quotable_spans import units_of
from core.domain.passages import Passage
from core.language.sentences import before_closing_marks, introduces, sentence_spans
from core.language.terms import content_terms


def attributed(answer: str, passages: Sequence[Passage], ranked: Sequence[str]) -> tuple[str, tuple[Passage, ...]]:
    """The answer with [n] behind what passages bear out, and those passages in the order of the numbers.

    ranked are the chunk ids of the result to which the writer's own numbers refer.
    """
    by_id = {passage.chunk.id: passage for passage in passages}
    terms = _terms(passages)
    order: list[str] = []
    lines = []
    for line in answer.splitlines():
        written, at = [], 0
        for start, end in sentence_spans(line):
            sentence = line[start:end]
            plain = without_markers(sentence)
            own = [ranked[int(n) - 1] for n in SHOWN.findall(sentence) if 1 <= int(n) <= len(ranked)]
            source = _source(plain, terms) or next((it for it in own if it in by_id), "")
            written += [line[at:start], _marked(plain, source, order)]
            at = end
        lines.append("".join([*written, line[at:]]).rstrip())
    return "\n".join(lines).strip(), tuple(by_id[chunk_id] for chunk_id in order)


def _terms(passages: Sequence[Passage]) -> list[tuple[str, frozenset[str]]]:
    """(chunk id, terms of one of its units with its neighbours)."""
    found = []
    for passage in passages:
        units = units_of([passage])
        for at in range(len(units)):
            near = units[max(0, at - 1) : at + 2]
            found.append((passage.chunk.id, frozenset().union(*(unit.terms for unit in near))))
    return found


def _source(sentence: str, terms: Sequence[tuple[str, frozenset[str]]]) -> str:
    """The chunk that shares most terms with the sentence; "" if none shares enough."""
    wanted = set(content_terms(sentence))
    if len(wanted) < 2 or not terms or introduces(sentence):
        return ""
    chunk_id, words = max(terms, key=lambda pair: len(wanted & pair[1]))
    return chunk_id if len(wanted & words) >= SUPPORTED * len(wanted) else ""


def _marked(sentence: str, source: str, order: list[str]) -> str:
    if not source:
        return sentence
    if source not in order:
        order.append(source)
    cut = before_closing_marks(sentence)
    return f"{sentence[:cut]} [{order.index(source) + 1}]{sentence[cut:]}"
