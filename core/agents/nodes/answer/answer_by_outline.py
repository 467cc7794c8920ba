"""What documents show of their contents, word for word: the title, how they begin, and the headings in order."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from core.agents.state import Deps, State
from core.agents.tools.results.graph_answers import Numbered
from core.documents.model import Block, Chunk, Document, DocumentFilter, DocumentStatus
from core.platform.language.terms import content_terms
from core.platform.texts import text
from core.rulebook.evidence import EvidenceAssessment, Shape, assess, is_opening_section
from core.rulebook.messages import Question
from core.rulebook.quotes import readable
from core.search.model import Passage

MOST_DOCUMENTS = 8
MOST_HEADINGS = 8
"""Headings of one document; of the others the number is told."""
BEGINNING = 3
"""Chunks in which a document is introduced."""
SENTENCES = 2
"""Sentences that stand for a document without headings."""
MOST_WORDS = 0.7
"""Share of the question's words in the name of the document that it means."""


@dataclass(frozen=True, slots=True)
class OutlineLine:
    """Words of a document and their place in a chunk."""

    chunk: Chunk
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class DocumentOutline:
    document: Document
    beginning: tuple[OutlineLine, ...]
    headings: tuple[OutlineLine, ...]


@dataclass(frozen=True, slots=True)
class OutlineAnswer:
    """An answer by the outlines of documents."""

    text: str
    passages: tuple[Passage, ...]
    """In the order of the numbers."""
    places: dict[str, list[tuple[int, int]]]
    """Offsets of what is quoted, by chunk."""


def answer_by_outline(state: State, deps: Deps, view: EvidenceAssessment, total: int) -> OutlineAnswer | None:
    """The answer to the question what documents are about; None for another question.

    view: what the search found, which tells the document that is meant. total: the number of documents if all of them
    are, else 0.
    """
    question = Question(state.standalone_question)
    if state.search.web or not question.asks_of_contents or view.parts or view.section or not view.quotes:
        return None
    documents = _all(state, deps) if question.asks_of_several else _meant(state, deps, view)
    outlines = [_outline(document, deps) for document in documents]
    found = [each for each in outlines if each.beginning or each.headings]
    return _Writing(state.language).answer(found, total) if found else None


def _all(state: State, deps: Deps) -> list[Document]:
    if chosen := state.search.documents or state.options.documents:
        return deps.documents.several(chosen[:MOST_DOCUMENTS])
    return deps.documents.find(state.base_id, DocumentFilter((DocumentStatus.READY,)), limit=MOST_DOCUMENTS)


def _meant(state: State, deps: Deps, view: EvidenceAssessment) -> list[Document]:
    """The document that the question names or calls "this document", unless it asks for something that is in it."""
    found = deps.documents.get(view.passages[view.quotes[0].passage].chunk.document_id)
    called = frozenset(content_terms(f"{found.name} {found.title}"))
    by_words = not view.needs.nothing and view.needs.coverage(called) >= MOST_WORDS
    is_named = found.id in state.search.documents or by_words or bool(Question(view.question).works)
    told = frozenset(term for passage in view.passages for term in content_terms(passage.chunk.text))
    asks_of_part = any(word.credit(told) and not word.credit(called) for word, _ in view.needs.weights)
    return [found] if is_named and not asks_of_part else []


def _outline(document: Document, deps: Deps) -> DocumentOutline:
    chunks = [chunk for chunk in deps.passages.chunks(document.id) if chunk.enabled]
    lines = _lines(chunks, {block.index: block for block in deps.passages.blocks(document.id)})
    title, headings = _headed(lines)
    return DocumentOutline(document, (*title, *_beginning(document, chunks, deps, bool(headings))), tuple(headings))


def _lines(chunks: Sequence[Chunk], blocks: dict[int, Block]) -> list[tuple[Block, OutlineLine]]:
    """Blocks and where they stand, in reading order."""
    found: dict[int, tuple[Block, OutlineLine]] = {}
    for chunk in chunks:
        for span in chunk.spans:
            if block := blocks.get(span.block):
                found.setdefault(span.block, (block, OutlineLine(chunk, span.start, span.end)))
    return list(found.values())


def _headed(lines: Sequence[tuple[Block, OutlineLine]]) -> tuple[list[OutlineLine], list[OutlineLine]]:
    """The title, and the headings of the highest level that has several."""
    marked = [(block.level, line) for block, line in lines if block.level]
    counts = Counter(level for level, _ in marked)
    level = next((level for level in sorted(counts) if counts[level] > 1), 0)
    title = [line for at, line in marked[:1] if not level or at < level]
    return title, [line for at, line in marked if at == level]


def _beginning(document: Document, chunks: Sequence[Chunk], deps: Deps, has_headings: bool) -> Iterator[OutlineLine]:
    """The first sentence of the introduction; the first ones of a document without headings."""
    first = [chunk for chunk in chunks[:BEGINNING] if not has_headings or is_opening_section(chunk.section[:1])]
    passages = [Passage(chunk, document.name, 0.0) for chunk in first]
    units = (unit for unit in assess("", passages, readings=deps.readings).units if unit.shape is Shape.SENTENCE)
    for unit in islice(units, 1 if has_headings else SENTENCES):
        yield OutlineLine(first[unit.passage], unit.start, unit.end)


def _frame(outlines: Sequence[DocumentOutline], total: int, language: str) -> str:
    """The line above, which names what is told."""
    parts = {"beginning": any(it.beginning for it in outlines), "headings": any(it.headings for it in outlines)}
    told = "both" if all(parts.values()) else next(part for part, is_told in parts.items() if is_told)
    if total > 1:
        return text(f"answer.outline.several_{told}", language, count=len(outlines), total=total)
    return text(f"answer.outline.one_{told}", language, document=outlines[0].document.name)


@dataclass(slots=True)
class _Writing:
    language: str
    numbered: Numbered = field(default_factory=Numbered)
    places: dict[str, list[tuple[int, int]]] = field(default_factory=dict)

    def answer(self, outlines: Sequence[DocumentOutline], total: int) -> OutlineAnswer:
        parts = [_frame(outlines, total, self.language)]
        for outline in outlines:
            parts += [f"### {outline.document.name}"] if total > 1 else []
            parts += self._told(outline)
        return OutlineAnswer("\n\n".join(parts), tuple(self.numbered.passages), self.places)

    def _told(self, outline: DocumentOutline) -> Iterator[str]:
        name = outline.document.name
        yield from (self._quoted(line, name) for line in outline.beginning)
        headings = [f"- {self._quoted(line, name)}" for line in outline.headings[:MOST_HEADINGS]]
        if more := len(outline.headings) - len(headings):
            headings.append(f"- {text('answer.outline.more', self.language, count=more)}")
        if headings:
            yield "\n".join(headings)

    def _quoted(self, line: OutlineLine, name: str) -> str:
        self.places.setdefault(line.chunk.id, []).append((line.start, line.end))
        words = readable(line.chunk.text[line.start : line.end])
        return self.numbered.quoted(words, Passage(line.chunk, name, 0.0))
