"""A quoted answer without words of our own, or followed by the text around its quotes; no quote is left out."""

from core.platform.language.answer_marks import SHOWN
from core.platform.language.sentences import sentences
from core.platform.texts import text
from core.rulebook.quotes import readable
from core.runs.model import Length
from core.search.model import Passage

MOST_PASSAGES = 3
MOST_CHARACTERS = 700
"""Of a passage that is shown around its quote."""
LEAD_INS = ("fact", "overview", "definition", "comparison", "list")
"""Sentences before quotes that say nothing about them; others are unsure, count documents or name what is shared."""


def formed(answer: str, length: Length, request: object) -> str:
    """The request is that of the task which wrote the answer; only one with passages can give more."""
    language = getattr(request, "language", "en")
    if length is Length.SHORTER:
        return shortened(answer, language)
    return with_surroundings(answer, getattr(request, "passages", ()), language)


def shortened(answer: str, language: str) -> str:
    """Return the answer without its lead-ins.

    A rule cannot tell which item, step or condition the reader could do without, so every quote remains.
    """
    lead_ins = tuple(text(f"answer.frame.{name}", language) for name in LEAD_INS)
    paragraphs = (_without(lead_ins, paragraph) for paragraph in answer.split("\n\n"))
    return "\n\n".join(filter(None, paragraphs))


def _without(lead_ins: tuple[str, ...], paragraph: str) -> str:
    found = next((lead_in for lead_in in lead_ins if paragraph.startswith(lead_in)), "")
    return paragraph.removeprefix(found).strip()


def with_surroundings(answer: str, passages: tuple[Passage, ...], language: str) -> str:
    """With the passages that it cites, as far as they say more."""
    cited = dict.fromkeys(int(found) for found in SHOWN.findall(answer))
    around = [
        f"- “{beginning}” [{number}]"
        for number in cited
        if 1 <= number <= len(passages) and (beginning := _beginning(passages[number - 1])) and beginning not in answer
    ]
    if not around:
        return answer
    return f"{answer}\n\n{text('answer.length.around', language)}\n\n" + "\n".join(around[:MOST_PASSAGES])


def _beginning(passage: Passage) -> str:
    """Whole sentences from its beginning; nothing of a table, which is no text to read on in."""
    if "|" in passage.chunk.text:
        return ""
    beginning, headings = "", {" ".join(heading.split()) for heading in passage.chunk.section}
    for sentence in sentences(passage.chunk.text):
        if " ".join(sentence.split()) in headings:
            continue
        longer = f"{beginning} {readable(sentence)}".strip()
        if len(longer) > MOST_CHARACTERS:
            break
        beginning = longer
    return beginning
