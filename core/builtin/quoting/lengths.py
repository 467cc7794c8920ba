"""A quoted answer made shorter, or followed by what stands around its quotes: form alone, the evidence stays."""

import re

from core.builtin.quoting.citing import SHOWN
from core.builtin.quoting.quotable_spans import readable
from core.domain.passages import Passage
from core.domain.runs import Length
from core.language.sentences import sentences
from core.texts import text

MOST_PASSAGES = 3
MOST_CHARACTERS = 700
"""Of a passage that is shown around its quote."""
_ITEM = re.compile(r"^- (.+)$", re.MULTILINE)
_FIRST_CITED = re.compile(r"^.*?\[\d{1,3}\](?:\[\d{1,3}\])*", re.DOTALL)


def formed(answer: str, length: Length, request: object) -> str:
    """The request is that of the task which wrote the answer; only one with passages can give more."""
    if length is Length.SHORTER:
        return shortened(answer)
    passages = getattr(request, "passages", ())
    return with_surroundings(answer, passages, getattr(request, "language", "en"))


def shortened(answer: str) -> str:
    """The first item of a list, or all up to the first citation; an answer by parts stays: each was asked for."""
    if "### " in answer:
        return answer
    whole = _FIRST_CITED.match(answer)
    item = _ITEM.search(answer)
    if item and (whole is None or "\n- " in whole[0]):
        return item[1]
    return whole[0] if whole else answer


def with_surroundings(answer: str, passages: tuple[Passage, ...], language: str) -> str:
    """With the passages that it cites, as far as they say more."""
    cited = dict.fromkeys(int(found) for found in SHOWN.findall(answer))
    around = [
        f"- “{told}” [{number}]"
        for number in cited
        if 1 <= number <= len(passages) and (told := _told(passages[number - 1])) and told not in answer
    ]
    if not around:
        return answer
    return f"{answer}\n\n{text('answer.length.around', language)}\n\n" + "\n".join(around[:MOST_PASSAGES])


def _told(passage: Passage) -> str:
    """Whole sentences from its beginning; nothing of a table, which is no text to read on in."""
    if "|" in passage.chunk.text:
        return ""
    told, headings = "", {" ".join(heading.split()) for heading in passage.chunk.section}
    for sentence in sentences(passage.chunk.text):
        if " ".join(sentence.split()) in headings:
            continue
        longer = f"{told} {readable(sentence)}".strip()
        if len(longer) > MOST_CHARACTERS:
            break
        told = longer
    return told
