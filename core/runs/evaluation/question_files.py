"""Lists of questions as files: CSV with a header or one JSON object a line, both untrusted; written as the latter."""

import csv
import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from core.platform.errors import InputError
from core.runs.evaluation.model import Case, new_case
from core.runs.model import MAX_QUESTION

MAX_BYTES = 5_000_000
MAX_CASES = 2_000
_TRUE = {"true", "yes", "1"}
_FALSE = {"", "false", "no", "0", "none"}
Row = tuple[int, Mapping[str, Any]]
"""Line number and fields."""


def cases_of(data: bytes) -> list[Case]:
    """Cases in the order of the file, without duplicates. Raises InputError that names the line and the remedy."""
    if len(data) > MAX_BYTES:
        raise InputError("evaluation.file_too_large", limit=MAX_BYTES // 1_000_000)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError("evaluation.file_encoding") from error
    rows = _json_lines(text) if text.lstrip().startswith("{") else _csv_lines(text)
    cases: dict[str, Case] = {}
    for number, row in rows:
        case = _case(number, row)
        cases.setdefault(case.id, case)
        if len(cases) > MAX_CASES:
            raise InputError("evaluation.too_many", limit=MAX_CASES)
    if not cases:
        raise InputError("evaluation.file_empty")
    return list(cases.values())


def _json_lines(text: str) -> Iterator[Row]:
    for number, line in enumerate(io.StringIO(text, newline=None), start=1):  # not at U+2028, which a text may hold
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError("evaluation.line_unreadable", line=number) from error
        if not isinstance(row, dict):
            raise InputError("evaluation.line_unreadable", line=number)
        yield number, row


def _csv_lines(text: str) -> Iterator[Row]:
    reader = csv.DictReader(io.StringIO(text), skipinitialspace=True)
    try:
        names = [(name or "").strip().lower() for name in reader.fieldnames or ()]
        if "question" not in names:
            raise InputError("evaluation.no_header")
        reader.fieldnames = names
        for row in reader:
            yield reader.line_num, row
    except csv.Error as error:
        raise InputError("evaluation.line_unreadable", line=reader.line_num) from error


def _case(number: int, row: Mapping[str, Any]) -> Case:
    question = _words(row, "question")
    if not question or len(question) > MAX_QUESTION:
        raise InputError("evaluation.line_question", line=number, limit=MAX_QUESTION)
    document, answer = _words(row, "document"), _words(row, "answer")
    page, declined = _page(number, row.get("page")), _flag(number, row.get("declined"))
    if declined and (document or page or answer):
        raise InputError("evaluation.line_contradicts", line=number)
    return new_case(question, document, page, answer, declined)


def _words(row: Mapping[str, Any], name: str) -> str:
    value = row.get(name)
    return " ".join(str(value).split()) if isinstance(value, str | int | float) else ""


def _page(number: int, value: Any) -> int | None:
    if value is None or not str(value).strip():
        return None
    words = str(value).strip()
    if not (words.isascii() and words.isdigit() and 0 < int(words[:7]) <= 100_000):
        raise InputError("evaluation.line_page", line=number)
    return int(words)


def _flag(number: int, value: Any) -> bool:
    words = str(value if value is not None else "").strip().lower()
    if words not in _TRUE | _FALSE:
        raise InputError("evaluation.line_declined", line=number)
    return words in _TRUE


def line_of(case: Case) -> str:
    """The case as a JSON object with its non-empty expectations."""
    fields = {name: value for name, value in asdict(case).items() if value and name != "id"}
    return json.dumps(fields, ensure_ascii=False)
