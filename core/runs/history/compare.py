"""Compares two runs: aligned steps, shared evidence, differences of the answers. Pure functions."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum

from core.platform.language.sentences import sentences
from core.runs.history.view import RunView, StepView
from core.runs.model import Run
from core.search.model import Citation

MAX_PIECES = 1_500
"""Longer answers are compared by sentences: comparing words takes the product of both numbers."""
_WORD = re.compile(r"\s+|[\u3400-\u9fff]|[^\W\u3400-\u9fff]+|[^\w\s]")
"""A Chinese character, a word of another language, a punctuation mark, or white space."""


class RunSide(StrEnum):
    BOTH = "both"
    LEFT = "left"
    RIGHT = "right"


class Use(StrEnum):
    """How a run used a passage."""

    CITED = "cited"
    KEPT = "kept"
    REJECTED = "rejected"
    UNSEEN = "unseen"


@dataclass(frozen=True, slots=True)
class StepPair:
    """A step that both runs made, or that only one did."""

    left: StepView | None
    right: StepView | None


@dataclass(frozen=True, slots=True)
class SharedEvidence:
    document_name: str
    page: int
    """0-based."""
    text: str
    left: Use
    right: Use


@dataclass(frozen=True, slots=True)
class Comparison:
    steps: tuple[StepPair, ...]
    evidence: tuple[SharedEvidence, ...]
    """Passages that either run cited or kept, those cited by both first."""
    overlap: float | None
    """Share of the passages cited by either that both cite; None where nothing is cited."""
    answer: tuple[tuple[RunSide, str], ...]
    """Pieces of both answers in order."""


def compare(left: RunView, right: RunView) -> Comparison:
    evidence = _evidence(left, right)
    return Comparison(_steps(left.steps, right.steps), evidence, overlap(left, right), differences(left, right))


def overlap(*views: RunView) -> float | None:
    """Share of the passages cited by any of the runs that all of them cite."""
    cited = [{_place(citation) for citation in view.citations} for view in views]
    every = set().union(*cited)
    return len(cited[0].intersection(*cited[1:])) / len(every) if every else None


def shared_sources(run: Run, others: Iterable[Run]) -> int:
    """Number of its cited places that another of the answers cites too."""
    cited = {_place(citation) for citation in run.citations}
    return len(cited & {_place(citation) for other in others for citation in other.citations})


def differences(left: RunView, right: RunView) -> tuple[tuple[RunSide, str], ...]:
    old, new = _pieces(_plain(left.written), _plain(right.written))
    found: list[tuple[RunSide, str]] = []
    for kind, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            found.append((RunSide.BOTH, "".join(old[i1:i2])))
            continue
        changed = ((RunSide.LEFT, "".join(old[i1:i2])), (RunSide.RIGHT, "".join(new[j1:j2])))
        found += [(side, piece) for side, piece in changed if piece]
    return tuple(found)


def _plain(answer: str) -> str:
    """The answer without emphasis, whose marks would be compared as words."""
    return answer.replace("**", "")


def _pieces(left: str, right: str) -> tuple[list[str], list[str]]:
    words = _WORD.findall(left), _WORD.findall(right)
    if max(map(len, words)) <= MAX_PIECES:
        return words
    return [f"{one} " for one in sentences(left)], [f"{one} " for one in sentences(right)]


def _steps(left: Sequence[StepView], right: Sequence[StepView]) -> tuple[StepPair, ...]:
    names = [step.node for step in left], [step.node for step in right]
    pairs: list[StepPair] = []
    for kind, i1, i2, j1, j2 in SequenceMatcher(None, *names, autojunk=False).get_opcodes():
        if kind == "equal":
            pairs += map(StepPair, left[i1:i2], right[j1:j2])
        else:
            pairs += [StepPair(step, None) for step in left[i1:i2]]
            pairs += [StepPair(None, step) for step in right[j1:j2]]
    return tuple(pairs)


def _evidence(left: RunView, right: RunView) -> tuple[SharedEvidence, ...]:
    uses = _uses(left), _uses(right)
    places = {**_texts(right), **_texts(left)}
    rows = [
        SharedEvidence(*places[place], uses[0].get(place, Use.UNSEEN), uses[1].get(place, Use.UNSEEN))
        for place in places
        if {uses[0].get(place), uses[1].get(place)} & {Use.CITED, Use.KEPT}
    ]
    return tuple(sorted(rows, key=_rank))


def _rank(row: SharedEvidence) -> int:
    """Sort key: cited by both, cited by one, kept by both, kept by one."""
    order = {Use.CITED: 0, Use.KEPT: 3, Use.REJECTED: 5, Use.UNSEEN: 6}
    return order[row.left] + order[row.right]


def _uses(view: RunView) -> dict[str, Use]:
    """The highest use of each place: cited, then kept, then rejected."""
    found: dict[str, Use] = {}
    for step in view.steps:
        found |= {passage.chunk_id: Use.REJECTED for passage in step.rejected if passage.chunk_id not in found}
        found |= {passage.chunk_id: Use.KEPT for passage in step.kept}
    return found | {_place(citation): Use.CITED for citation in view.citations}


def _texts(view: RunView) -> dict[str, tuple[str, int, str]]:
    """Document, page and words of every passage that the run saw."""
    seen = {
        passage.chunk_id: (passage.document_name, passage.page, passage.text)
        for step in view.steps
        for passage in (*step.kept, *step.rejected)
    }
    quotes = {_place(it): (it.document_name, it.page, it.text) for it in view.citations}
    return quotes | seen


def _place(citation: Citation) -> str:
    return citation.chunk_id or citation.url
