"""A hundred thousand passages of real text: the public sets, and what installed packages say of themselves."""

import json
import re
import sysconfig
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from core.platform.language.sentences import sentences

WORDS = 32
"""Of a passage at least; it ends with the paragraph or sentence that reaches them."""
MOST_CHARACTERS = 900
EACH = 200
"""Passages of a document at most."""
_DOCSTRING = re.compile(r'^[ \t]*r?"""(.+?)"""', re.MULTILINE | re.DOTALL)
_PARAGRAPH = re.compile(r"\n\s*\n")
_LEAST_WORDS = 8
_MOST_BYTES = 400_000
"""Of a source file; larger ones are generated."""


@dataclass(frozen=True, slots=True)
class Text:
    section: str
    text: str


@dataclass(frozen=True, slots=True)
class Document:
    title: str
    passages: tuple[Text, ...]


def real_documents(data: Path, passages: int) -> Iterator[Document]:
    """Each text once, in the same order for the same sets and packages, until there are that many passages."""
    seen: set[str] = set()
    left = passages
    for title, texts in chain(_of_sets(data), _of_packages()):
        new = list({each.text: each for each in texts if each.text not in seen}.values())[:left]
        seen.update(each.text for each in new)
        left -= len(new)
        for start in range(0, len(new), EACH):
            yield Document(f"{title} {start // EACH + 1}", tuple(new[start : start + EACH]))
        if not left:
            return


def _of_sets(data: Path) -> Iterator[tuple[str, Iterator[Text]]]:
    for path in sorted([*data.glob("retrieval/*/corpus.jsonl"), *data.glob("answers/*/corpus.jsonl")]):
        rows = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
        yield (
            path.parent.name,
            (Text(row.get("title") or "", part) for row in rows for part in _passages(sentences(row["text"]))),
        )


def _of_packages() -> Iterator[tuple[str, Iterator[Text]]]:
    for root in (Path(sysconfig.get_path("stdlib")), Path(sysconfig.get_path("purelib"))):
        for package in sorted(root.iterdir()):
            if package.name not in ("site-packages", "dist-packages"):
                files = sorted(package.rglob("*.py")) if package.is_dir() else [package]
                yield package.stem, _of_files(root, [file for file in files if file.suffix == ".py"])


def _of_files(root: Path, files: Iterable[Path]) -> Iterator[Text]:
    for file in files:
        if file.stat().st_size < _MOST_BYTES:
            found = _DOCSTRING.findall(file.read_text(encoding="utf-8", errors="replace"))
            paragraphs = [" ".join(part.split()) for each in found for part in _PARAGRAPH.split(each)]
            told = [part for part in paragraphs if part.count(" ") >= _LEAST_WORDS and ">>>" not in part]
            for part in _passages(told):
                yield Text(str(file.relative_to(root)), part)


def _passages(parts: Sequence[str]) -> Iterator[str]:
    held: list[str] = []
    for part in parts:
        held.append(part)
        if sum(map(_length, held)) >= WORDS:
            yield " ".join(held)[:MOST_CHARACTERS]
            held = []
    if held:
        yield " ".join(held)[:MOST_CHARACTERS]


def _length(text: str) -> int:
    """In words, of which Chinese has one for about two characters."""
    return max(text.count(" ") + 1, len(text.encode()) // 6 if not text.isascii() else 0)
