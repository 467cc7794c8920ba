"""Remarks with parameters as one string, and back."""

from core.documents.model import noted, read_note


def test_there_and_back() -> None:
    assert read_note(noted("extraction.note.rules", done=3, total="1&2=润")) == (
        "extraction.note.rules",
        {"done": "3", "total": "1&2=润"},
    )
    assert read_note(noted("ingest.note.plain")) == ("ingest.note.plain", {})
