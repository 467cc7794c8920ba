"""Check the untouched questions against the text of their documents: `python -m benchmarks.check_trial [FOLDER]`.

FOLDER holds the documents that are not among the evaluation sets; questions on documents that are nowhere are left out.
"""

import html
import json
import re
import sys
import unicodedata
from collections import Counter
from pathlib import Path
from typing import Any

import pypdfium2

from benchmarks.__main__ import DATA

HERE = Path(__file__).parent
CJK = r"[\u3000-\u303f\u3400-\u9fff\uff00-\uffef]"


def normalised(text: str) -> str:
    """One form for answers and quotes: plain dashes, no hyphens of line breaks, no spaces beside Chinese."""
    text = re.sub("[\u00ad\ufffe]\\s*", "", text)
    text = unicodedata.normalize("NFKC", text).casefold()
    text = re.sub("[\u2010-\u2015\u2212]", "-", text)
    text = re.sub(r"\s+", " ", text)
    text = re.sub(rf"(?<={CJK}) | (?={CJK})", "", text)
    return re.sub(r"(?<=\d-) (?=\d)|(?<=[$¥£€]) ", "", text)


def shows(text: str, answer: str) -> bool:
    """Whether the text has the answer, and not just as a part of a longer number."""
    wanted = normalised(answer)
    before = r"(?<!\d)(?<!\d[.,])" if wanted[0].isdigit() else ""
    after = r"(?!\d|[.,]\d)" if wanted[-1].isdigit() else ""
    return bool(re.search(before + re.escape(wanted) + after, normalised(text)))


def shows_all(text: str, row: dict[str, list[str]]) -> bool:
    """Whether the text has one of the answers and one of each further group under `also`."""
    groups = [row["answers"], *row.get("also", [])]
    return all(any(shows(text, answer) for answer in group) for group in groups)


def pages_of(path: Path) -> list[str]:
    """Text page by page; a scan's is the transcript beside it, a text or HTML file has one."""
    if path.suffix in {".txt", ".html"}:
        text = path.read_text(encoding="utf-8")
        return [text if path.suffix == ".txt" else html.unescape(re.sub("<[^>]+>", " ", text))]
    pdfium: Any = pypdfium2
    beside = path.with_suffix(".txt")
    if beside.is_file():
        return [beside.read_text(encoding="utf-8")]
    with pdfium.PdfDocument(path) as document:
        return [page.get_textpage().get_text_range() for page in document]


def main(*folders: Path) -> None:
    paths = {path.name: path for folder in folders for path in sorted(folder.rglob("*.*"))}
    for file in sorted(HERE.glob("trial_questions*.jsonl")):
        rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        here = [row for row in rows if row["document"] in paths]
        sys.stdout.write(f"{file.name}, {len(here)} of {len(rows)} questions\n")
        _check(here, paths)


def _check(rows: list[dict[str, Any]], paths: dict[str, Path]) -> None:
    read = {name: pages_of(paths[name]) for name in {row["document"] for row in rows if row["answerable"]}}
    found: Counter[str] = Counter()
    for row in rows:
        if not row["answerable"]:
            found["not answerable"] += 1
            continue
        if shows_all(read[row["document"]][row["page"] - 1], row):
            found["on its page"] += 1
        elif row.get("needs_ocr"):
            found["in a picture only"] += 1
        else:
            found["missing"] += 1
            sys.stdout.write(f"{row['id']}: not on page {row['page']} of {row['document']}\n")
    for outcome, number in sorted(found.items()):
        sys.stdout.write(f"{outcome:<20}{number:>5}\n")


if __name__ == "__main__":
    main(DATA, *map(Path, sys.argv[1:]))
