"""Lists of questions from files."""

import pytest

from core.platform.errors import InputError
from core.runs.evaluation.model import Case
from core.runs.evaluation.question_files import MAX_CASES, cases_of


def fields(case: Case) -> tuple[object, ...]:
    return case.question, case.document, case.page, case.answer, case.declined


CSV = '\ufeffQuestion, Document,page,answer,declined\nHow deep?,a.pdf,3,42 m,\n"Who, then?",,,,yes\n'
JSONL = """{"question": "How deep?", "document": "a.pdf", "page": 3, "answer": "42 m"}

{"question": "Who, then?", "declined": true}"""


@pytest.mark.parametrize("text", [CSV, JSONL, CSV.replace("\n", "\r\n"), JSONL.replace("42 m", "42\u2028m")])
def test_csv_and_json_lines_say_the_same(text: str) -> None:
    cases = cases_of(text.encode())
    assert [fields(case) for case in cases] == [
        ("How deep?", "a.pdf", 3, "42 m", False),
        ("Who, then?", "", None, "", True),
    ]
    assert cases == cases_of(JSONL.encode())


def test_a_case_comes_once_and_changes_its_id_with_what_is_expected() -> None:
    same, other = '{"question": "A?"}', '{"question": "A?", "page": "2"}'
    cases = cases_of(f"{same}\n{same}\n{other}".encode())
    assert [case.page for case in cases] == [None, 2]
    assert cases[0].id != cases[1].id


def test_a_line_separator_of_unicode_ends_no_line() -> None:
    cases = cases_of('{"question": "How\u2028deep?"}\r\n{"question": "Who?"}\r\n'.encode())
    assert [case.question for case in cases] == ["How deep?", "Who?"]


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "name the columns"),
        (b"question\n", "no question"),
        (b"text,page\nWhy?,1\n", "name the columns"),
        (b"question\n\xff\xfe", "UTF-8"),
        (b"question,page\nWhy?,zero\n", "line 2"),
        (b"question,page\nWhy?,0\n", "line 2"),
        (b"question,page\nWhy?,99999999999999999999\n", "line 2"),
        (b"question,declined\nWhy?,maybe\n", "line 2"),
        (b"question,answer,declined\nWhy?,so,yes\n", "Line 2 expects"),
        (b"question,answer\n,so\n", "Line 2 has no question"),
        (b'{"question": "A?"}\n[1]', "Line 2"),
        (b'{"question": "A?"}\n{"question": ', "Line 2"),
        (b'{"question": ["A?"]}', "Line 1 has no question"),
        (b'{"question": ' + b"[" * 100_000, "Line 1"),
        (b"question\n" + b"x" * 9_000, "Line 2"),
        (b'question\n"' + b"x" * 200_000, "cannot be read|more than 8000"),
        (b"question\n" + b"".join(b"q%d\n" % number for number in range(MAX_CASES + 1)), "more than 2000"),
        (b"question\n" + b"x" * 5_000_000, "larger than"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(data: bytes, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        cases_of(data)
