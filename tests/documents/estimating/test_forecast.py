"""What reading will take: counted without parsing; calls only where a model is asked; a pause where it is much."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from core.documents.estimating import text_size
from core.documents.estimating.forecast import PICTURE_SECONDS, Forecaster
from core.documents.estimating.text_size import Extent
from core.documents.lifecycle.intake import Intake
from core.documents.model import Document, DocumentStatus, Effort, Stage
from core.documents.parsing.pdf.child_tasks import measure_file
from core.documents.pipeline.pipeline import Pipeline
from core.documents.pipeline.spool import SpoolQueue
from core.documents.reading import inspection
from core.platform.errors import InputError
from tests.documents import made_files
from tests.fakes.extraction import FakeExtractor
from tests.fakes.ingestion import run_all, tools_of
from tests.fakes.parsing import fake_measure

TEXT = "Graphs\n\nAnn Arbor is a city in Michigan."


def made(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    ("name", "make", "pages", "least"),
    [
        ("a.pdf", lambda: made_files.report(15), 15, 15_000),
        ("a.pptx", made_files.pptx, 2, 40),
        ("a.docx", made_files.docx, 0, 40),
        ("a.xlsx", made_files.xlsx, 0, 15),
        ("a.epub", made_files.epub, 0, 25),
        ("a.html", lambda: made_files.HTML, 0, 40),
        ("a.csv", lambda: made_files.CSV, 0, 20),
    ],
)
def test_files_are_measured_without_parsing(
    tmp_path: Path, name: str, make: Callable[[], bytes], pages: int, least: int
) -> None:
    extent = measure_file(made(tmp_path, name, make()), name)
    assert extent.pages == pages
    assert least <= extent.characters <= 12 * least


def test_chinese_is_known_and_a_long_text_is_sampled(tmp_path: Path) -> None:
    assert measure_file(made(tmp_path, "a.pdf", made_files.chinese()), "a.pdf").wide_share > 0.8
    long = measure_file(made(tmp_path, "a.txt", b"a line of words\n" * 400_000), "a.txt")
    assert long.characters == pytest.approx(6_400_000, rel=0.01)


@pytest.mark.parametrize("page", [b"<" * 80_000, b"<script>" + b"</script" * 40_000], ids=["tags", "scripts"])
def test_markup_that_is_never_closed_takes_no_time(tmp_path: Path, page: bytes) -> None:
    path = made(tmp_path, "a.html", page)
    started = time.process_time()
    measure_file(path, path.name)
    assert time.process_time() - started < 2


def test_a_sample_of_a_long_text_ends_with_a_whole_character(tmp_path: Path) -> None:
    extent = measure_file(made(tmp_path, "a.txt", ("知识图谱连接实体。" * 9 + "\n").encode() * 10_000), "a.txt")
    assert extent.wide_share > 0.8
    assert extent.characters == pytest.approx(820_000, rel=0.01)


@pytest.mark.parametrize(
    ("name", "rows", "is_read"),
    [
        ("rows.csv", "1,a\n" * 200_000, True),
        ("rows.csv", "1,a\n" * 200_001, False),
        ("cells.tsv", "1\ta\tb\n" * 166_667, False),
        ("long.txt", "Forty characters and two ends of lines..\n\n" * 2_400, True),
        ("long.md", "Forty characters and two ends of lines..\n\n" * 2_600, False),
    ],
)
def test_what_is_too_long_to_be_read_is_refused_and_not_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, rows: str, is_read: bool
) -> None:
    for module in (inspection, text_size):  # a hundredth, because looking through ten million characters takes seconds
        monkeypatch.setattr(module, "MAX_CHARACTERS", 100_000)
    file = made(tmp_path, name, rows.encode())
    if is_read:
        assert measure_file(file, name).characters > 0
        return
    with pytest.raises(InputError, match="too much for one document"):
        measure_file(file, name)


def test_scripts_and_styles_of_a_web_page_are_not_counted_also_unfinished_ones(tmp_path: Path) -> None:
    scripts = b"<STYLE>p { color: red }</STYLE>" + b"<script>let a = 1;</script>" * 5_000 + b"<!-- a > b -->"
    page = b"<html>" + scripts + b"<p>Forty words in all.</p><script>let b = 2;"
    assert measure_file(made(tmp_path, "a.html", page), "a.html").characters < 100


def test_slides_with_few_words_are_a_chunk_each(tmp_path: Path) -> None:
    forecaster = Forecaster(lambda path, name: Extent(60, 3_000), "built-in", by_model=False, most_tokens=0)
    assert forecaster.of_file(tmp_path / "a.pptx", "a.pptx").chunks == 60


@pytest.mark.parametrize(("make", "key"), [(made_files.encrypted, "encrypted"), (lambda: b"%PDF-1.4 x", "damaged")])
def test_a_file_that_cannot_be_read_is_refused_with_its_reason(
    tmp_path: Path, make: Callable[[], bytes], key: str
) -> None:
    with pytest.raises(InputError) as refused:
        measure_file(made(tmp_path, "a.pdf", make()), "a.pdf")
    assert refused.value.key == f"ingest.error.{key}"


def forecaster(extent: Extent, by_model: bool, most_tokens: int = 0) -> Forecaster:
    return Forecaster(lambda path, name: extent, "built-in", by_model, most_tokens)


def test_without_a_model_nothing_is_called(tmp_path: Path) -> None:
    effort = forecaster(Extent(100, 300_000), by_model=False).of_file(tmp_path, "a.pdf")
    assert (effort.pages, effort.model_calls, effort.tokens) == (100, 0, 0)
    assert effort.chunks > 200
    assert effort.seconds > 10


def test_a_model_is_counted_and_a_scan_is_taken_to_hold_text(tmp_path: Path) -> None:
    effort = forecaster(Extent(100, 300_000), by_model=True).of_file(tmp_path, "a.pdf")
    assert effort.model_calls > 10
    assert effort.prompt_tokens > 75_000
    pictured = forecaster(Extent(100, 300_000, pictures=8), by_model=True).of_file(tmp_path, "a.pdf")
    assert pictured.seconds == pytest.approx(effort.seconds + 8 * PICTURE_SECONDS)
    scan = forecaster(Extent(100, 3), by_model=True).of_file(tmp_path, "a.pdf", "mineru-cloud")
    assert scan.prompt_tokens > 10_000


class Paying:
    """A library with one document whose extraction costs more than is allowed."""

    def __init__(self, data: Path) -> None:
        self.extractor = FakeExtractor()
        made = tools_of(data, extractor=self.extractor)
        self.tools = made.with_engines(forecasts=Forecaster(fake_measure, "built-in", True, 100))
        self.library = self.tools.library
        self.queue = SpoolQueue(data / "spool", self.library.ingest_records)
        self.intake = Intake(self.library.documents, self.tools.files, self.queue)
        self.pipeline = Pipeline(self.tools, data / "work")
        self.id = self.intake.add(self.library.bases.create("Base").id, "a.txt", TEXT.encode())[0].id
        self.queue.taken(self.id)

    @property
    def document(self) -> Document:
        return self.library.documents.get(self.id)


def test_a_document_above_the_limit_waits_before_anything_is_spent(tmp_path: Path) -> None:
    paying = Paying(tmp_path)
    assert run_all(paying.pipeline, paying.id) == [Stage.PARSE, Stage.ASSEMBLE, Stage.CHUNK]
    assert paying.document.status is DocumentStatus.PAUSED
    assert paying.document.estimate is not None
    assert paying.document.estimate.tokens > 100
    assert paying.extractor.calls == 0
    paying.intake.add(paying.document.base_id, "a.txt", TEXT.encode())
    assert (paying.document.status, paying.queue.waiting()) == (DocumentStatus.PAUSED, [])


def test_a_person_lets_it_go_on_and_what_it_took_is_kept(tmp_path: Path) -> None:
    paying = Paying(tmp_path)
    run_all(paying.pipeline, paying.id)
    paying.intake.resume(paying.id)
    assert paying.queue.waiting() == [paying.id]
    assert run_all(paying.pipeline, paying.id) == list(Stage)
    assert paying.document.status is DocumentStatus.READY
    assert isinstance(paying.document.spent, Effort)
    assert (paying.document.spent.pages, paying.document.spent.chunks) == (2, paying.document.chunks)
    assert paying.document.spent.seconds > 0


def test_a_paused_document_can_be_cancelled(tmp_path: Path) -> None:
    paying = Paying(tmp_path)
    run_all(paying.pipeline, paying.id)
    paying.intake.cancel(paying.id)
    assert paying.document.status is DocumentStatus.CANCELLED
