"""English sentences as words with their tags and heads."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from core.rulebook.syntax.moves import parse
from core.rulebook.syntax.network import network
from core.rulebook.syntax.verbs import verb_of

LONGEST = 120
"""Words of a sentence; longer ones are tables and lists in disguise."""
_AT_ONCE = 40
"""Sentences parsed together."""
_WORD = re.compile(
    r"(?:[A-Za-z]\.){2,}"
    r"|\b(?:Inc|Corp|Ltd|Co|Cos|Bros|Dr|Mr|Mrs|Ms|Prof|St|Jr|Sr|Mt|Gen|Col|Lt|Sgt|Capt|Rev|Gov|Sen|Rep|No|vs|[A-Z])\."
    r"|[^\W\d_]+?(?=n['’]t\b)|n['’]t\b|['’](?:s|S|m|re|ll|ve|d)\b"
    r"|\d(?:[\d.,:/]*\d)?(?:st|nd|rd|th)?"
    r"|[^\W_]+(?:(?:['’](?!s\b|S\b|m\b|re\b|ll\b|ve\b|d\b)|[.&])(?<!\b\w\.)[^\W_]+)*"
    r"|\.{2,}|--+|[^\s]"
)


@dataclass(slots=True)
class Word:
    place: int
    """Position in the sentence."""
    start: int
    end: int
    """Offsets in the text."""
    text: str
    tag: str = ""
    """Part of speech of the Penn treebank."""
    head: int = -1
    """Place of the word on which this one depends; -1 for the sentence's root."""
    label: str = ""
    """Kind of dependency, in the labels of ClearNLP."""
    children: list["Word"] = field(default_factory=list)

    def of(self, *labels: str) -> list["Word"]:
        return [child for child in self.children if child.label in labels]

    @property
    def lower(self) -> str:
        return self.text.lower()

    @property
    def is_verb(self) -> bool:
        return self.tag.startswith("VB")

    @property
    def verb(self) -> str:
        """Base form of the verb."""
        return verb_of(self.text, self.tag)

    @property
    def is_noun(self) -> bool:
        return self.tag.startswith("NN")


def parsed(sentences: Sequence[tuple[str, tuple[int, int]]]) -> list[list[Word]]:
    """The words of each sentence, given by its text and its start and end there; none of one that is too long."""
    every = [_words(text, *span) for text, span in sentences]
    kept = [words if len(words) <= LONGEST else [] for words in every]
    going = sorted(((words, text) for words, (text, _) in zip(kept, sentences, strict=True) if words), key=_length)
    for first in range(0, len(going), _AT_ONCE):
        _parse(going[first : first + _AT_ONCE])
    return kept


def _length(sentence: tuple[list[Word], str]) -> int:
    """Sort key by which sentences of equal length are parsed together."""
    return len(sentence[0])


def _words(text: str, start: int, end: int) -> list[Word]:
    matches = _WORD.finditer(text, start, end)
    return [Word(place, *match.span(), match.group()) for place, match in enumerate(matches)]


def _parse(sentences: Sequence[tuple[list[Word], str]]) -> None:
    weights = network()
    spelt = [[(word.text, text[word.end : word.end + 1].isspace()) for word in words] for words, text in sentences]
    vectors, starts = weights.encode(spelt)
    tags = weights.tags_of(vectors)
    readings = parse(weights, vectors, starts, [len(words) for words, _ in sentences])
    for (words, _), reading, start in zip(sentences, readings, starts, strict=True):
        for word, head, label in zip(words, reading.heads, reading.labels, strict=True):
            word.tag, word.head, word.label = tags[start + word.place], head, label
            if head >= 0:
                words[head].children.append(word)
