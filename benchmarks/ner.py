"""`python -m benchmarks ner`: the built-in extractor against the obvious baselines, on labelled sentences."""

import json
import re
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from core.app.bench.entities import Row, score
from core.documents.extraction.builtin_extractor import BuiltinExtractor
from core.documents.ports.extraction import Extractor
from core.graph.model import ExtractedName
from core.models.tagging.entity_tagger import OnnxEntityTagger

ENGLISH = "ner/crossner_ai_science_en.jsonl"
CHINESE = "ner/uner_zh_gsdsimp_dev.jsonl"
TRIPLES = "kg/text2kg_tekgen_en300.jsonl"
_RUN = re.compile(r"[A-Z][\w.-]*(?: [A-Z][\w.-]*)*")
_TAGS = {"nr": "PERSON", "nrt": "PERSON", "nrfg": "PERSON", "ns": "LOCATION", "nt": "ORGANIZATION"}
_DATE = re.compile(r"(?:\d+ \w+ )?\d{4}|\d+")


class CapitalRuns:
    """Every run of capitalised words is an entity, of the type that is most frequent in the file."""

    def extract(self, texts: Sequence[str]) -> list[list[ExtractedName]]:
        return [
            [ExtractedName(m.start(), m.end(), m.group(), "CONCEPT", 1.0) for m in _RUN.finditer(text)]
            for text in texts
        ]


class JiebaTags:
    """Every word that jieba tags as a person, a place or an organisation."""

    def __init__(self, folder: Path) -> None:
        import jieba
        import jieba.posseg

        jieba.setLogLevel(60)  # type: ignore[no-untyped-call]
        jieba.dt.tmp_dir = str(folder)
        self._cut: Callable[[str], Sequence[object]] = jieba.posseg.lcut

    def extract(self, texts: Sequence[str]) -> list[list[ExtractedName]]:
        return [self._tagged(text) for text in texts]

    def _tagged(self, text: str) -> list[ExtractedName]:
        found, position = [], 0
        for pair in self._cut(text):
            word, tag = str(getattr(pair, "word", "")), str(getattr(pair, "flag", ""))
            if tag in _TAGS:
                found.append(ExtractedName(position, position + len(word), word, _TAGS[tag], 1.0))
            position += len(word)
        return found


def measure(path: Path, extractor: Extractor) -> list[Row]:
    """Precision, recall and F1 per type and for all, with exact spans; see core.app.bench.entities."""
    with path.open(encoding="utf-8") as file:
        return score([json.loads(line) for line in file], extractor)


def triple_recall(path: Path, extractor: Extractor) -> tuple[int, int]:
    """(found, all) subjects and objects of gold triples that stand in their sentence and are no dates or numbers."""
    found = total = 0
    with path.open(encoding="utf-8") as file:
        for row in map(json.loads, file):
            text = row["text"].lower()
            names = {entity.name.lower() for entity in extractor.extract([row["text"]])[0]}
            ends = {end.lower() for triple in row["triples"] for end in (triple["head"], triple["tail"])}
            wanted = {end for end in ends if end in text and not _DATE.fullmatch(end)}
            total += len(wanted)
            found += len(wanted & names)
    return found, total


def milliseconds(path: Path, extractor: Extractor, unit: int, size: Callable[[str], int]) -> float:
    """CPU per passage of `unit` words or characters, the file read as one document."""
    with path.open(encoding="utf-8") as file:
        texts = [json.loads(line)["text"] for line in file]
    extractor.extract(texts[:2])
    start = time.process_time()
    extractor.extract(texts)
    return (time.process_time() - start) * 1000 * unit / sum(map(size, texts))


def main(data: Path) -> None:
    extractor = BuiltinExtractor(OnnxEntityTagger())
    with tempfile.TemporaryDirectory() as folder:
        jieba = JiebaTags(Path(folder))
        _print("English: capitalised runs", measure(data / ENGLISH, CapitalRuns()))
        _print("English: built-in", measure(data / ENGLISH, extractor))
        _print("Chinese: jieba tags", measure(data / CHINESE, jieba))
        _print("Chinese: built-in", measure(data / CHINESE, extractor))
        found, total = triple_recall(data / TRIPLES, extractor)
        _say(f"\nSubjects and objects of gold triples found: {found} of {total} ({found / total:.1%})")
        _say(f"English, ms per 150 words: {milliseconds(data / ENGLISH, extractor, 150, lambda t: len(t.split())):.2f}")
        _say(f"Chinese, ms per 250 characters: {milliseconds(data / CHINESE, extractor, 250, len):.2f}")
        _say(f"jieba.posseg alone, ms per 250 characters: {milliseconds(data / CHINESE, jieba, 250, len):.2f}")


def _print(title: str, rows: Sequence[Row]) -> None:
    _say(f"\n{title}\n{'':14}  precision  recall     F1  entities")
    for name, precision, recall, both, labelled in rows:
        _say(f"{name:14}  {precision:9.3f}  {recall:6.3f}  {both:5.3f}  {labelled:8}")


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
