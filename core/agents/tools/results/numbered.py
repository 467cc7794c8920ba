"""The passages that an answer cites, numbered by first appearance."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from core.rulebook.quotes import citations_of, readable
from core.search.model import Citation, Passage


@dataclass
class Numbered:
    passages: list[Passage] = field(default_factory=list)

    def mark(self, passage: Passage) -> str:
        ids = [known.chunk.id for known in self.passages]
        if passage.chunk.id not in ids:
            self.passages.append(passage)
            return f"[{len(self.passages)}]"
        return f"[{ids.index(passage.chunk.id) + 1}]"

    def quoted(self, words: str, passage: Passage) -> str:
        return f"“{readable(words)}” {self.mark(passage)}"

    def citations(self, answer: str) -> tuple[Citation, ...]:
        return citations_of(answer, self.passages)


def bulleted(lines: Sequence[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)
