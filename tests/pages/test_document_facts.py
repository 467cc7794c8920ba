"""What is said about a document: short, with units, and safe with hostile words."""

import pytest

from core.documents.lifecycle.graph_import import MEDIA_TYPE as GRAPH
from core.documents.model import TEXT_READER, DeletionPreview, DocumentStatus, Stage, StageProgress, share_done
from core.platform.language.detect import LANGUAGES, UNKNOWN
from pages.components.documents.bases import document_query
from pages.components.documents.delete import consequences
from pages.components.documents.facts import facts, failure, has_pages, kind, language_name, reader_name, remarks, size
from pages.components.documents.list import row_html
from pages.components.documents.progress import work_html
from pages.components.documents.quote import around, around_each, quote_html
from pages.components.shell.language import joined, use_language
from tests.pages.marlow import document

EVIL = "<img src=x onerror=alert(1)>.pdf"


@pytest.mark.parametrize(
    ("count", "said"), [(0, "0 B"), (999, "999 B"), (1_234, "1.2 KB"), (482_133, "482 KB"), (12_345_678, "12 MB")]
)
def test_sizes_have_units(count: int, said: str) -> None:
    assert size(count) == said


def test_a_kind_is_a_short_word_and_an_unknown_one_is_what_the_name_says() -> None:
    assert kind(document()) == "PDF"
    assert kind(document("data.xyz", media_type="application/octet-stream")) == "XYZ"
    assert kind(document("noname", media_type="application/octet-stream")) == "?"
    assert has_pages(document())
    assert not has_pages(document(media_type="text/markdown"))


def test_languages_are_named_and_unknown_ones_keep_their_code() -> None:
    assert [language_name(code) for code in ("en", "zh-hans", "sw")] == ["English", "Chinese (simplified)", "sw"]
    assert language_name(UNKNOWN) == "language unknown"


def test_the_reader_of_texts_is_named_in_words_and_others_by_their_name() -> None:
    assert [reader_name(name) for name in (TEXT_READER, "MinerU 2.1", "")] == [
        "the built-in reader of texts",
        "MinerU 2.1",
        "",
    ]


@pytest.mark.parametrize("interface", ["en", "zh-hans", "zh-hant"])
def test_every_language_that_is_told_apart_has_a_name(interface: str) -> None:
    with use_language(interface):
        named = {language_name(code) for code in LANGUAGES - {"zh"}}
    assert len(named) == len(LANGUAGES) - 1
    assert not named & LANGUAGES


@pytest.mark.parametrize(("interface", "expected"), [("en", "KelpNet, Lumen"), ("zh-hans", "KelpNet、Lumen")])
def test_names_are_listed_with_the_comma_of_the_language(interface: str, expected: str) -> None:
    with use_language(interface):
        assert joined(["KelpNet", "Lumen"]) == expected


def test_an_imported_graph_has_a_name_and_a_kind() -> None:
    graph = document("paper.pdf", media_type=GRAPH)
    assert kind(graph) == "Knowledge graph"
    assert "Knowledge graph" in facts(graph)[0]


def test_a_failure_says_why_and_an_unknown_reason_is_still_a_sentence() -> None:
    failed = document(status=DocumentStatus.FAILED, error_key="error.file_unreadable")
    broken = document(status=DocumentStatus.FAILED, error_key="no.such_key")
    params = (("name", "a.pdf"), ("reason", "it is empty"))
    assert "a.pdf" in failure(document(error_key="error.file_unreadable", error_params=params))
    assert failure(document()) == ""
    assert "no.such_key" in failure(broken)
    assert failure(failed).count("{") == 0 or failure(failed)


def test_only_known_remarks_are_told() -> None:
    assert remarks(document(notes=("error.cancelled", "no.such_key"))) == ["Stopped."]


def test_the_share_done_grows_with_the_stages_and_ends_at_one() -> None:
    begun = [StageProgress(Stage.PARSE, "running", 3, 12, "pages", 1.0)]
    half = [StageProgress(Stage.PARSE, "done", 12, 12, "pages", 4.0), StageProgress(Stage.EXTRACT, "running", 5, 10)]
    whole = [StageProgress(stage, "done", 1, 1) for stage in Stage]
    shares = [share_done(stages) for stages in ([], begun, half, whole)]
    assert shares == sorted(shares)
    assert shares[0] == 0.0
    assert shares[-1] == pytest.approx(1.0)


def test_progress_counts_what_is_running_and_what_is_done() -> None:
    html = work_html(
        document(EVIL, DocumentStatus.RUNNING),
        [
            StageProgress(Stage.PARSE, "done", 12, 12, "pages", 4.2),
            StageProgress(Stage.CHUNK, "running", 10, 40, "chunks", 0.4),
        ],
    )
    assert "12 pages · 4.2 s" in html
    assert "10 of 40 passages · 0.40 s" in html
    assert "<img" not in html


def test_a_row_shows_the_reason_of_a_failure_as_text() -> None:
    params = (("name", EVIL), ("reason", "it is encrypted"))
    html = row_html(document(status=DocumentStatus.FAILED, error_key="error.file_unreadable", error_params=params))
    assert "it is encrypted" in html
    assert "<img" not in html


def test_what_stays_is_told_only_when_something_stays() -> None:
    assert consequences(DeletionPreview(31, 12, 7)) == (
        "31 passages and 12 entities will be deleted with it. Kept, because other documents mention them: 7 entities."
    )
    assert consequences(DeletionPreview(1, 0, 0)) == "1 passage and 0 entities will be deleted with it."


def test_quotes_mark_words_and_escape_everything() -> None:
    assert quote_html("KelpNet & <b>kelpnet</b>", ["KelpNet"]) == (
        "<mark>KelpNet</mark> &amp; &lt;b&gt;<mark>kelpnet</mark>&lt;/b&gt;"
    )
    assert quote_html("a.b", ["."]) == "a<mark>.</mark>b"
    assert quote_html("plain", ["", " "]) == "plain"


def test_a_long_text_is_cut_around_the_word() -> None:
    text = "start " + "word " * 200 + "needle " + "tail " * 200
    cut = around(text, ["NEEDLE"], 100)
    assert "needle" in cut
    assert len(cut) <= 102
    assert cut.startswith("…")
    assert cut.endswith("…")
    assert around("short", ["absent"]) == "short"


def test_what_stands_around_two_names_is_in_the_order_of_the_text_and_said_once() -> None:
    near = "start " + "word " * 50 + "needle " + "between " * 8 + "thread " + "tail " * 50
    cut = around_each(near, [["thread"], ["needle"]], 100)
    assert cut.count("between") == 8
    assert cut.index("needle") < cut.index("thread")
    far = "needle " + "between " * 80 + "thread"
    cut = around_each(far, [["thread"], ["needle"]], 60)
    assert cut.startswith("needle")
    assert cut.endswith("thread")
    assert cut.count("…") == 1


def test_links_count_pages_from_one() -> None:
    assert document_query("d1", 0, "c1") == {"document": "d1", "page": "1", "chunk": "c1"}
    assert document_query("d1") == {"document": "d1"}
