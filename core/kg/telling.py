"""What a community is about: the sentences of the documents that name most of its entities together."""

from collections.abc import Iterator, Sequence

from core.builtin.graph.citing import names
from core.domain.knowledge import Entity, Told
from core.domain.passages import Passage
from core.language.sentences import sentences
from core.ports.graph import KnowledgeGraph
from core.ports.passages import Passages

MEMBERS = 40
"""The most central of a community that count."""
PASSAGES = 12
SENTENCES = 3
LONGEST = 320
"""Characters of a sentence."""
_TOLD_BEFORE = 0.2
"""What an entity counts that an earlier sentence names."""
_LETTER_SHARE = 0.65
"""Less of it is a row of figures or code."""


def telling_sentences(graph: KnowledgeGraph, passages: Passages, members: Sequence[Entity]) -> tuple[Told, ...]:
    """members: the most central first. Empty where no sentence names two of them."""
    central = members[:MEMBERS]
    found = graph.chunks_of([entity.id for entity in central], PASSAGES)
    return _chosen(central, list(_candidates(central, passages.get([chunk_id for chunk_id, _ in found]))))


def _candidates(members: Sequence[Entity], passages: Sequence[Passage]) -> Iterator[tuple[Told, tuple[int, ...]]]:
    """Sentences that name two of them at least, with the places of these."""
    seen: set[str] = set()
    for passage in passages:
        for sentence in sentences(passage.chunk.text):
            line = " ".join(sentence.split())
            if len(line) > LONGEST or line in seen or not _is_prose(line):
                continue
            seen.add(line)
            named = tuple(place for place, entity in enumerate(members) if names(line, entity))
            if len(named) > 1:
                words = tuple(name for place in named for name in (members[place].name, *members[place].aliases))
                yield Told(line, passage.chunk.id, passage.document_name, passage.chunk.page, words), named


def _chosen(members: Sequence[Entity], candidates: list[tuple[Told, tuple[int, ...]]]) -> tuple[Told, ...]:
    """One after another, each for the entities that those before it do not name."""
    weights = [1 / (1 + place) ** 0.5 for place in range(len(members))]
    chosen: list[Told] = []
    while candidates and len(chosen) < SENTENCES:
        gains = [sum(weights[place] for place in named) for _, named in candidates]
        told, named = candidates.pop(gains.index(max(gains)))
        chosen.append(told)
        for place in named:
            weights[place] *= _TOLD_BEFORE
    return tuple(chosen)


def _is_prose(line: str) -> bool:
    return sum(sign.isalpha() for sign in line) >= _LETTER_SHARE * len(line.replace(" ", ""))
