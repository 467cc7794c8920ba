"""Learns which kinds of names stand at the ends of a relation: `python -m benchmarks.fit_relation_types FILE.jsonl...`

Counts the types of sure names over texts, and writes to core/rulebook/relations/end_types.json what tells much.
"""

import json
import math
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from core.documents.extraction.builtin_extractor import BuiltinExtractor
from core.models.tagging.entity_tagger import OnnxEntityTagger
from core.rulebook.relations.chinese_segmentation import dictionary
from core.rulebook.relations.end_types import END_TYPES, KINDS, key_of
from core.rulebook.relations.stated import stated_in

SURE = 0.85
"""Confidence of names that are counted."""
LEAST, SHARE = 6, 0.7
"""Names at an end, and the share of the commonest kind, from which on they tell something."""
AT_ONCE = 40
"""Texts that are read like one document."""


def _texts(path: Path) -> Iterator[str]:
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        yield row.get("text") or row.get("context") or ""


def main(paths: list[Path]) -> None:
    counts: defaultdict[tuple[str, int], Counter[str]] = defaultdict(Counter)
    extractor = BuiltinExtractor(OnnxEntityTagger())
    for path in paths:
        texts = list(dict.fromkeys(filter(None, _texts(path))))
        for first in range(0, len(texts), AT_ONCE):
            part = texts[first : first + AT_ONCE]
            names = extractor.extract(part)
            by_place = {(number, each.start, each.end): each for number, row in enumerate(names) for each in row}
            for said in stated_in(part, names, dictionary):
                for side, place in enumerate((said.source, said.target)):
                    end = by_place[place]
                    if end.confidence >= SURE and end.type in KINDS:
                        counts[key_of(said.relation), side][end.type] += 1
    told = {}
    for (key, side), found in sorted(counts.items()):
        kind, number = found.most_common(1)[0]
        if found.total() >= LEAST and number >= SHARE * found.total():
            told[f"{key}|{side}"] = [kind, round(math.log((number + 0.5) / (found.total() - number + 0.5)), 2)]
    END_TYPES.write_text(json.dumps(told, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")
    sys.stdout.write(f"{len(told)} ends of {len(counts)}\n")


if __name__ == "__main__":
    main([Path(each) for each in sys.argv[1:]])
