import json
from pathlib import Path

from benchmarks.encoder_questions import Text, own_words, texts_of

DOCUMENT = """# House rules

Quiet hours start at ten. Doors are locked then.

## Animals

- Dogs are not permitted on the premises.
- Cats may stay in the yard.
"""


def test_a_passage_is_what_stands_below_a_heading() -> None:
    assert texts_of(DOCUMENT) == [
        Text("House rules", ("Quiet hours start at ten.", "Doors are locked then.")),
        Text("House rules Animals", ("- Dogs are not permitted on the premises.", "- Cats may stay in the yard.")),
    ]


def test_a_long_section_is_several_passages() -> None:
    found = texts_of(
        "# Long\n" + "\n".join(f"Paragraph {number} goes on and on. {'It does. ' * 20}" for number in range(9))
    )
    assert len(found) > 2
    assert {text.heading for text in found} == {"Long"}


def test_a_question_in_own_words_has_its_passage_and_the_sentence_that_answers(tmp_path: Path) -> None:
    (tmp_path / "rules.md").write_text(DOCUMENT, encoding="utf-8")
    start = DOCUMENT.index("Dogs")
    row = {"document": "rules.md", "question": "May I bring my puppy?", "start": start, "end": start + 39}
    rows = tmp_path / "own_words.jsonl"
    rows.write_text(json.dumps(row) + "\n" + json.dumps({**row, "start": 2, "end": 13}) + "\n", encoding="utf-8")
    (question,) = own_words(tmp_path, rows)
    assert (question.text, question.heading, question.right) == (row["question"], "House rules Animals", frozenset({0}))


def test_a_question_that_nothing_answers_has_the_passage_that_is_likest_to_it(tmp_path: Path) -> None:
    (tmp_path / "rules.md").write_text(DOCUMENT, encoding="utf-8")
    rows = tmp_path / "own_words.jsonl"
    rows.write_text(json.dumps({"document": "rules.md", "question": "Are birds permitted, too?"}), encoding="utf-8")
    (question,) = own_words(tmp_path, rows)
    assert (question.heading, question.right) == ("House rules Animals", frozenset())
