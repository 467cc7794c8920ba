"""Suggested questions, first and next, about entities; only those that the documents answer."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from core.graph.model import Entity
from core.graph.ports import KnowledgeGraph
from core.models.ports import CrossEncoder, Embedder
from core.platform.language.detect import detect_language
from core.platform.language.scripts import HAN_CHARACTER
from core.platform.texts import text
from core.rulebook.evidence import EvidenceAssessment
from core.runs.history.view import RunView
from core.search.model import Passage
from core.search.ports import Passages, Retriever

MOST = 3
TRIED = 6
"""Candidates, of which each costs a search."""
READ = 12
"""Passages: what a workflow reads with its second search holds the answer more often than the first six."""
MAX_NAME = 60
MAX_QUESTION = 120
MENTIONED_MOST = 60
SELDOM_DEFINED = ("CONCEPT", "LOCATION")
"""Types of entities that are asked about only if there are no others."""


@dataclass(frozen=True, slots=True)
class Suggestions:
    """Suggests questions from the graph and the passages and tests them with a search."""

    graph: KnowledgeGraph
    retriever: Retriever
    passages: Passages
    encoder: Embedder | None = None
    cross_encoder: CrossEncoder | None = None

    def next_after(self, view: RunView, base_id: str) -> tuple[str, ...]:
        """Questions in the language of the last one that the documents surely answer."""
        answered = (each for each, name in _candidates(view, base_id, self) if self._is_answered(each, name, base_id))
        return tuple(islice(answered, MOST))

    def first(self, base_id: str, interface: str) -> tuple[str, ...]:
        """One question about a frequent entity in each language of the documents, the interface's language first.

        In another language, if none is surely answered, what the documents are about.
        """
        by_language: dict[str, list[Entity]] = {}
        for entity in self.graph.search(base_id, "", MENTIONED_MOST):
            by_language.setdefault(self._language_of(entity, interface), []).append(entity)
        found: list[str] = []
        for language in sorted(by_language, key=lambda each: each[:2] != interface[:2]):
            named = sorted(by_language[language], key=lambda entity: entity.type in SELDOM_DEFINED)[:TRIED]
            asked = ((_question(entity, language), entity.name) for entity in named)
            about = text("chat.example.about", language) if language[:2] != interface[:2] else ""
            found += [next((each for each, name in asked if self._is_answered(each, name, base_id)), about)]
        return tuple(filter(None, found))[:MOST]

    def _language_of(self, entity: Entity, interface: str) -> str:
        """The language of texts that mention it, the interface's first: Latin letters stand in Chinese texts, too."""
        if HAN_CHARACTER.search(entity.name):
            return detect_language(entity.name)
        texts = self.passages.texts([chunk_id for chunk_id, _ in self.graph.chunks_of((entity.id,), TRIED)])
        languages = sorted(map(detect_language, texts.values()), key=lambda each: each[:2] != interface[:2])
        return next((each for each in languages if each[:2] in {"en", "zh"}), "en")

    def _is_answered(self, question: str, name: str, base_id: str) -> bool:
        """name: who or what the question is about, which a sentence of the answer has to say; empty for another one."""
        hits = self.retriever.chunks(base_id, question, READ)
        scores = {hit.chunk_id: hit.score for hit in hits}
        read: list[Passage] = self.passages.get(list(scores))
        read.sort(key=lambda passage: -scores[passage.chunk.id])
        view = EvidenceAssessment(question, read, self.encoder, cross_encoder=self.cross_encoder)
        return bool(read) and view.is_answered and (not name or view.says_what_is(name))


def _candidates(view: RunView, base_id: str, library: Suggestions) -> Iterator[tuple[str, str]]:
    """(question, whom or what it is about), most promising first: questions in the documents, which are about anything,
    entities that the answer names, then others of its passages."""
    chunks = list(dict.fromkeys(it.chunk_id for it in view.citations if it.document_id))
    if not chunks:
        return
    language, graph = detect_language(view.question), library.graph
    beside = _written_beside(view.question, library.passages.get(chunks), library.passages, language)
    yield from ((each, "") for each in islice(beside, TRIED))
    asked = {entity.id for entity in graph.named_in(base_id, view.question, TRIED)}
    found = {it.id: it for entities in graph.of_chunks(chunks).values() for it in entities}
    said, known = view.answer.casefold(), view.question.casefold()
    fresh = [it for it in found.values() if it.id not in asked and it.name.casefold() not in known]
    fresh.sort(key=lambda it: (it.name.casefold() not in said, -it.mentions, it.name))
    for entity in fresh[:TRIED]:
        yield _question(entity, language), entity.name


def _written_beside(question: str, cited: Sequence[Passage], passages: Passages, language: str) -> Iterator[str]:
    """Questions written near the first cited passage (as in an FAQ), in the language of the question."""
    known = question.casefold()
    for passage in cited[:1]:
        near = sorted((passage.chunk, *passages.beside(passage.chunk)), key=lambda chunk: chunk.index)
        lines = dict.fromkeys(line.strip() for chunk in near for line in chunk.text.split("\n"))
        asked = (line for line in lines if line.endswith(("?", "？")) and len(line) <= MAX_QUESTION)
        yield from (it for it in asked if it.casefold() not in known and detect_language(it)[:2] == language[:2])


def _question(entity: Entity, language: str) -> str:
    kind = "who" if entity.type == "PERSON" else "term" if entity.name[:1].islower() else "what"
    return text(f"chat.follow.{kind}", language, name=" ".join(entity.name.split())[:MAX_NAME])
