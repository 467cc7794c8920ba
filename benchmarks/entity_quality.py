"""`python -m benchmarks.entity_quality FOLDER...`: the best-connected entities of whole documents, against labels.

Each FOLDER is a data folder into which documents that entity_labels.jsonl names were ingested; their stored chunks are
extracted and linked anew. A label says of a name which types are right, none if a reader would not name it at all, and
what it is a second name of. Names without a label are listed: until they have one, the figures leave them out.
"""

import json
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from core.app.services import Services
from core.documents.extraction.builtin_extractor import BuiltinExtractor
from core.documents.model import Document
from core.graph.linking.linking import link
from core.graph.model import CONCEPT, CREATIVE_WORK, EVENT, Entity
from core.graph.network.cooccurrence import Cooccurrence
from core.graph.network.incidences import pack
from core.platform.settings.settings import Settings

LABELS = Path(__file__).with_name("entity_labels.jsonl")
FIRST = 100
SINCE = frozenset({EVENT, CREATIVE_WORK})
"""Types that were concepts when the labels were written."""
Labels = dict[str, dict[str, Any]]


def labels() -> dict[str, Labels]:
    """By the name of the document, then by the name of the entity in lower case."""
    found: dict[str, Labels] = defaultdict(dict)
    for row in map(json.loads, LABELS.read_text(encoding="utf-8").splitlines()):
        found[row["document"]][row["name"].lower()] = row
    return found


def best_connected(services: Services, document: Document, extractor: BuiltinExtractor) -> tuple[list[Entity], float]:
    """The first hundred, and the milliseconds of processor a passage."""
    chunks = services.library.passages.chunks(document.id)
    start = time.process_time()
    found = extractor.extract([chunk.text if chunk.enabled else "" for chunk in chunks])
    entities, mentions = link(document.base_id, document.id, chunks, found)
    milliseconds = (time.process_time() - start) * 1000 / max(1, len(chunks))
    degrees = Cooccurrence({document.id: pack(mentions)}).degrees()
    ordered = sorted(entities, key=lambda each: (-degrees.get(each.id, 0), -each.mentions, each.name))
    return ordered[:FIRST], milliseconds


def judge(entities: Sequence[Entity], known: Labels) -> tuple[Counter[str], list[str]]:
    """How many are junk, of a wrong type, a second name of another one, unlabelled; and what is not right."""
    counts: Counter[str] = Counter()
    remarks: list[str] = []
    seen: set[str] = set()
    for entity in entities:
        label = known.get(entity.name.lower())
        kind = _kind(entity, label, seen)
        counts[kind] += 1
        if kind != "right":
            remarks.append(f"{kind}: {entity.name} ({entity.type})")
    return counts, remarks


def _kind(entity: Entity, label: dict[str, Any] | None, seen: set[str]) -> str:
    if label is None:
        return "unlabelled"
    if not label["types"]:
        return "junk"
    thing = label.get("same_as", entity.name).lower()
    if thing in seen:
        return "duplicate"
    seen.add(thing)
    is_right = entity.type in label["types"] or (CONCEPT in label["types"] and entity.type in SINCE)
    return "right" if is_right else "wrong type"


def main(folders: Iterable[Path]) -> None:
    known = labels()
    for folder in folders:
        changes = {"data": folder, "database_url": "", "chroma_url": "", "llm_base_url": ""}
        with Services(Settings().model_copy(update=changes)) as services:
            services.models.entity_tagger.tag(["."])
            for base in services.library.bases.all():
                for document in services.library.documents.of_base(base.id):
                    if document.name in known:
                        _report(services, document, known[document.name])


def _report(services: Services, document: Document, known: Labels) -> None:
    half = next(iter(known.values()))["half"]
    entities, milliseconds = best_connected(services, document, BuiltinExtractor(services.models.entity_tagger))
    counts, remarks = judge(entities, known)
    figures = ", ".join(f"{kind} {count}" for kind, count in counts.most_common())
    _say(f"{document.name} ({half}): {figures} of {len(entities)}; {milliseconds:.1f} ms a passage")
    _say("".join(f"    {remark}\n" for remark in remarks))


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")


if __name__ == "__main__":
    main(map(Path, sys.argv[1:]))
