"""Attributes each sentence of a finished answer to a passage, by its words or by the citation number given."""

from collections.abc import Callable, Sequence

from core.models.ports import Embedder
from core.platform.language.detect import same_script
from core.platform.language.sentences import before_closing_marks, introduces, sentence_spans
from core.platform.language.terms import content_terms
from core.rulebook.assessing.citing import SHOWN, citations_of, without_markers
from core.rulebook.assessing.quotable_spans import units_of
from core.rulebook.checking.support import SUPPORTED, claims, unsupported_sentences
from core.search.model import Citation, Passage


def attributed(answer: str, passages: Sequence[Passage], ranked: Sequence[str]) -> tuple[str, tuple[Citation, ...]]:
    """The answer with [n] behind what passages bear out, and the citations.

    ranked are the chunk ids of the result to which the writer's own numbers refer.
    """
    known = {passage.chunk.id for passage in passages}
    terms = _terms(passages)

    def source(sentence: str) -> str:
        own = [ranked[int(n) - 1] for n in SHOWN.findall(sentence) if 1 <= int(n) <= len(ranked)]
        return _source(without_markers(sentence), terms) or next((it for it in own if it in known), "")

    return _cited(answer, passages, source)


def with_missing_citations(
    answer: str, passages: Sequence[Passage], encoder: Embedder | None
) -> tuple[str, tuple[Citation, ...]]:
    """The answer of a writer that cited nothing, with [n] behind the sentences that the check of support accepts."""
    lacking = {passage.chunk.id: set(unsupported_sentences(answer, [passage], encoder=encoder)) for passage in passages}
    across = encoder is not None and encoder.semantic

    def source(sentence: str) -> str:
        said, wanted = set(claims(sentence)), set(content_terms(sentence))
        bearing = [
            passage
            for passage in passages
            if said.isdisjoint(lacking[passage.chunk.id]) and (across or same_script(sentence, passage.chunk.text))
        ]
        shared = {passage.chunk.id: len(wanted.intersection(content_terms(passage.chunk.text))) for passage in bearing}
        return max(shared, key=lambda chunk_id: shared[chunk_id], default="") if said else ""

    return _cited(without_markers(answer), passages, source)


def _cited(answer: str, passages: Sequence[Passage], source: Callable[[str], str]) -> tuple[str, tuple[Citation, ...]]:
    """`source` gives the id of the chunk that a sentence is from; empty if there is none."""
    by_id = {passage.chunk.id: passage for passage in passages}
    order: list[str] = []
    lines = []
    for line in answer.splitlines():
        written, at = [], 0
        for start, end in sentence_spans(line):
            sentence = line[start:end]
            written += [line[at:start], _marked(without_markers(sentence), source(sentence), order)]
            at = end
        lines.append("".join([*written, line[at:]]).rstrip())
    marked = "\n".join(lines).strip()
    return marked, citations_of(marked, [by_id[chunk_id] for chunk_id in order])


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
