"""`python -m benchmarks.fit_screening FOLDER...`: fits what the English and the Chinese screening drop.

Each FOLDER is a data folder into which documents of entity_labels.jsonl or candidate_labels.jsonl were ingested.
Printed first: for each document, by weights of the others, how many of its junk and of its names would be dropped.
"""

import json
import sys
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.entity_quality import labels
from core.app.services import Services
from core.documents.model import Document
from core.graph.naming import folded
from core.models.embedding.sentence_encoder import UniversalSentenceEncoder
from core.models.ports import Embedder
from core.platform.language.stretches import merged, split_by_script
from core.platform.settings.settings import Settings
from core.rulebook.entities.boilerplate import masks
from core.rulebook.entities.chinese import screening as zh
from core.rulebook.entities.chinese.extractor import read_chinese
from core.rulebook.entities.chinese.segmentation import dictionary
from core.rulebook.entities.english.extractor import read_english
from core.rulebook.entities.english.screening import (
    ENCODER,
    LEAST_DOUBT,
    MEANING,
    VECTOR,
    WEIGHTS,
    WORDS,
    NameCandidate,
    candidates,
)
from core.rulebook.entities.meanings import Meanings

TRIAL = frozenset({"second trial"})
"""Halves of the labels that no weights are fitted by, and those that the English ones are not."""
HELD_BACK = TRIAL | {"held back", "last"}
OWN = Path(__file__).with_name("candidate_labels.jsonl")
RIDGE_FEATURES, RIDGE_CHINESE, RIDGE_VECTORS, STEPS = 60.0, 8.0, 8.0, 40
THRESHOLDS = (0.3, 0.4, 0.45, 0.5, 0.6)
Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Samples:
    documents: NDArray[np.str_]
    junk: Matrix
    features: Matrix
    names: Sequence[str]
    """Of the features, the constant first."""
    vectors: Matrix
    """Of name and context beside each other, then 1."""


def junk_labels(without: Collection[str]) -> dict[str, dict[str, bool]]:
    """By document and folded name whether it is junk."""
    found: dict[str, dict[str, bool]] = defaultdict(dict)
    for row in (row for known in labels().values() for row in known.values() if row["half"] not in without):
        found[row["document"]][folded(row["name"])] = not row["types"]
    for row in map(json.loads, OWN.read_text(encoding="utf-8").splitlines()):
        found[row["document"]] |= dict.fromkeys(row["names"], False) | dict.fromkeys(row["junk"], True)
    return found


def documents(folders: Sequence[Path], known: Collection[str]) -> Iterator[tuple[Document, list[str]]]:
    """Those that are known, and their passages."""
    for folder in folders:
        changes = {"data": folder, "database_url": "", "chroma_url": "", "llm_base_url": ""}
        with Services(Settings().model_copy(update=changes)) as services:
            for base in services.library.bases.all():
                for document in services.library.documents.of_base(base.id):
                    if document.name in known:
                        yield document, [chunk.text for chunk in services.library.passages.chunks(document.id)]


def english(folders: Sequence[Path], encoder: Embedder) -> Iterator[tuple[str, NameCandidate, bool]]:
    known, meanings = junk_labels(HELD_BACK), Meanings(encoder)
    for document, texts in documents(folders, known):
        if document.language.startswith("zh"):
            continue
        read = read_english(texts, masks(texts), meanings)
        for each in candidates(texts, read.documents, read.registry, read.statistics):
            if folded(each.name) in known[document.name]:
                yield document.name, each, known[document.name][folded(each.name)]


def chinese(folders: Sequence[Path], encoder: Embedder) -> Iterator[tuple[str, dict[str, float], bool]]:
    known, meanings = junk_labels(TRIAL), Meanings(encoder)
    for document, texts in documents(folders, known):
        if not document.language.startswith("zh-hans"):
            continue
        other = [foreign for _, foreign in map(split_by_script, texts)]
        masked = [merged([*one, *two]) for one, two in zip(masks(texts), other, strict=True)]
        read = read_chinese(texts, masked, dictionary(), meanings)
        for name, features in zh.candidates(read.documents, read.found(), read.names.known, dictionary()):
            if folded(name) in known[document.name]:
                yield document.name, features, known[document.name][folded(name)]


def samples(folders: Sequence[Path], encoder: Embedder) -> Samples:
    rows = list(english(folders, encoder))
    names = sorted({name for _, each, _ in rows for name in each.features}, key=lambda name: (name != "constant", name))
    embedded = encoder.embed([text for _, each, _ in rows for text in (each.name, each.context)])
    vectors = np.asarray(embedded, dtype=np.float64).reshape(len(rows), -1)
    return Samples(
        np.array([document for document, _, _ in rows]),
        np.array([float(junk) for _, _, junk in rows]),
        np.array([[each.features.get(name, 0.0) for name in names] for _, each, _ in rows]),
        names,
        np.hstack([vectors, np.ones((len(rows), 1))]),
    )


def logistic(rows: Matrix, junk: Matrix, strength: float = RIDGE_FEATURES) -> Matrix:
    """Weights by Newton's method; features are scaled to one spread for the penalty, the first one has none."""
    scale = np.where(rows.std(axis=0) > 0, rows.std(axis=0), 1.0)
    scaled, weights = rows / scale, np.zeros(rows.shape[1])
    penalty = strength * np.eye(rows.shape[1])
    penalty[0, 0] = 1e-6
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-scaled @ weights))
        slope = scaled.T @ (chance - junk) + penalty @ weights
        weights -= np.linalg.solve((scaled * (chance * (1 - chance))[:, None]).T @ scaled + penalty, slope)
    return np.asarray(weights / scale, dtype=np.float64)


def ridge(rows: Matrix, junk: Matrix) -> Matrix:
    penalty = RIDGE_VECTORS * np.eye(rows.shape[1])
    return np.asarray(np.linalg.solve(rows.T @ rows + penalty, rows.T @ junk), dtype=np.float64)


def meanings_of(all_of: Samples, taught: NDArray[np.bool_]) -> Matrix:
    """For every sample the encoder's view, by weights of other documents among those that are taught."""
    found = all_of.vectors @ ridge(all_of.vectors[taught], all_of.junk[taught])
    for document in np.unique(all_of.documents[taught]):
        held = all_of.documents == document
        others = taught & ~held
        found[held] = all_of.vectors[held] @ ridge(all_of.vectors[others], all_of.junk[others])
    return np.asarray(found, dtype=np.float64)


def chances(all_of: Samples, taught: NDArray[np.bool_]) -> tuple[Matrix, dict[str, Matrix]]:
    """Probabilities of all samples as the product tells them, and the weights of both models."""
    words = logistic(all_of.features[taught], all_of.junk[taught])
    by_words = 1 / (1 + np.exp(-all_of.features @ words))
    with_meaning = np.hstack([all_of.features, meanings_of(all_of, taught)[:, None]])
    both = logistic(with_meaning[taught], all_of.junk[taught])
    by_both = 1 / (1 + np.exp(-with_meaning @ both))
    return np.vstack([by_words, np.where(by_words >= LEAST_DOUBT, by_both, by_words)]), {WORDS: words, ENCODER: both}


def fit_english(folders: Sequence[Path], encoder: Embedder) -> None:
    all_of = samples(folders, encoder)
    told = np.zeros((2, len(all_of.junk)))
    for document in np.unique(all_of.documents):
        held = all_of.documents == document
        told[:, held] = chances(all_of, ~held)[0][:, held]
        _say(f"{document}: {_dropped(told[:, held], all_of.junk[held], (0.5,))}")
    _say(f"all: {_dropped(told, all_of.junk, THRESHOLDS)}")
    _, weights = chances(all_of, np.ones(len(all_of.junk), dtype=np.bool_))
    names = {WORDS: all_of.names, ENCODER: [*all_of.names, MEANING]}
    _store(WEIGHTS, {engine: _named(names[engine], weights[engine]) for engine in (WORDS, ENCODER)})
    np.save(VECTOR, ridge(all_of.vectors, all_of.junk).astype(np.float16))


def fit_chinese(folders: Sequence[Path], encoder: Embedder) -> None:
    rows = list(chinese(folders, encoder))
    names = list(rows[0][1])
    of, junk = np.array([row[0] for row in rows]), np.array([float(row[2]) for row in rows])
    features = np.array([[row[1][name] for name in names] for row in rows])
    told = np.zeros(len(rows))
    for document in np.unique(of):
        held = of == document
        told[held] = 1 / (1 + np.exp(-features[held] @ logistic(features[~held], junk[~held], RIDGE_CHINESE)))
        _say(f"{document}: {_dropped(told[None, held], junk[held], (zh.JUNK,))}")
    _say(f"all: {_dropped(told[None], junk, THRESHOLDS)}")
    _store(zh.WEIGHTS, _named(names, logistic(features, junk, RIDGE_CHINESE)))


def main(folders: Sequence[Path]) -> None:
    encoder = UniversalSentenceEncoder()
    fit_english(folders, encoder)
    fit_chinese(folders, encoder)


def _named(names: Sequence[str], weights: Matrix) -> dict[str, float]:
    return {name: round(float(weight), 3) for name, weight in zip(names, weights, strict=True)}


def _store(path: Path, weights: object) -> None:
    path.write_text(json.dumps(weights, indent=1) + "\n", encoding="utf-8")


def _dropped(told: Matrix, junk: Matrix, thresholds: Sequence[float]) -> str:
    parts = []
    for engine, chance in zip((WORDS, ENCODER), told, strict=False):
        for threshold in thresholds:
            gone = chance >= threshold
            parts.append(
                f"{engine} from {threshold}: {gone[junk == 1].sum()} of {int(junk.sum())} junk,"
                f" {gone[junk == 0].sum()} of {int((junk == 0).sum())} names"
            )
    return "; ".join(parts)


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")


if __name__ == "__main__":
    main([Path(folder) for folder in sys.argv[1:]])
