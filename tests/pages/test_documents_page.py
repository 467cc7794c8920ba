"""The Documents page: files come in one by one, their way is seen, they open to pages, chunks and entities."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from pydantic import SecretStr
from streamlit.testing.v1 import AppTest

from core.documents.lifecycle.base_removal import DeletedBase
from core.documents.lifecycle.graph_import import Imported, ImportPreview
from core.documents.lifecycle.sample import NAME as SAMPLE
from core.documents.lifecycle.trash import Deleted
from core.documents.model import (
    Block,
    Chunk,
    Document,
    DocumentStatus,
    Effort,
    KnowledgeBase,
    Stage,
    StageProgress,
)
from core.documents.ports.publishing import Publication
from core.documents.reading.formats import BY_EXTENSION
from core.platform.errors import InputError, NotFoundError, ServiceError
from core.platform.files.disk import out_of_space
from core.platform.settings.preferences import PRICES_FILE, FilePreferences
from core.runs.history.prices import Price, prices_text
from core.search.model import Hit
from core.search.ports import VectorProgress
from pages.components.documents.progress import work_html
from pages.components.documents.view import comparison_html
from pages.components.shell.services import services
from tests.fakes.library import FakeLibrary
from tests.fakes.services import FakeSearch, FakeServices
from tests.pages.conftest import OpenPage
from tests.pages.marlow import NOW, blocks_of, chunks_of, document, html_of_page, running_stages

HANDBOOK = "d-handbook.pdf"
PNG_TAG = '<div class="gt-sheet"><img src="/files/page/d-handbook.pdf/'


@dataclass
class FakeRemoval:
    """Keeps what is deleted."""

    library: FakeLibrary
    kept: dict[str, Deleted] = field(default_factory=dict)

    def deleted(self, base_id: str) -> list[Deleted]:
        return [deleted for deleted in self.kept.values() if deleted.document.base_id == base_id]

    def restore(self, document_id: str) -> Document:
        if document_id not in self.kept:
            raise NotFoundError("documents.trash.missing")
        self.library.publications.restore(self.kept.pop(document_id).document, None)
        return self.library.documents.get(document_id)

    def forget(self, document_ids: Sequence[str]) -> None:
        for document_id in document_ids:
            self.kept.pop(document_id)


@dataclass
class FakeBaseRemoval:
    """Keeps bases with their documents."""

    library: FakeLibrary
    kept: dict[str, tuple[DeletedBase, list[Document]]] = field(default_factory=dict)

    def remove(self, base_id: str) -> None:
        documents = self.library.documents.of_base(base_id)
        note = DeletedBase(self.library.bases.get(base_id), NOW, (), len(documents), f"{base_id}n{len(self.kept)}")
        self.kept[note.file] = (note, documents)
        self.library.bases.delete(base_id)

    def deleted(self) -> list[DeletedBase]:
        return [note for note, _ in self.kept.values()]

    def restore(self, base_id: str, file: str = "") -> KnowledgeBase:
        kept = next(each for each in reversed(self.kept) if file in ("", each) and each.startswith(base_id))
        note, documents = self.kept.pop(kept)
        self.library.bases.create(note.base.name)
        for each in documents:
            self.library.publications.restore(each, None)
        return note.base

    def forget(self, base_ids: Sequence[str]) -> None:
        self.kept = {file: kept for file, kept in self.kept.items() if kept[0].base.id not in base_ids}


@dataclass
class FakeEditor:
    """Notes what is asked for."""

    library: FakeLibrary
    written: list[tuple[str, str]] = field(default_factory=list)

    def switch(self, chunk_id: str, enabled: bool) -> None:
        before = self.library.passages.make_chunks
        self.library.passages.make_chunks = lambda document_id: [
            replace(chunk, enabled=enabled) if chunk.id == chunk_id else chunk for chunk in before(document_id)
        ]

    def rewrite(self, document_id: str, chunk_id: str, text: str) -> Chunk:
        if not text.strip():
            raise InputError("documents.edit.empty")
        before = self.library.passages.make_chunks
        self.written.append((chunk_id, text))
        self.library.passages.make_chunks = lambda id: [
            replace(chunk, text=text, original=chunk.text) if chunk.id == chunk_id else chunk for chunk in before(id)
        ]
        return next(chunk for chunk in self.library.passages.chunks(document_id) if chunk.id == chunk_id)


@dataclass
class FakeRetriever:
    """Every chunk that holds a word of the query, those with fewer first."""

    library: FakeLibrary

    def probe(self, base_id: str, query: str, limit: int, documents: Sequence[str]) -> list[Hit]:
        words = query.lower().split()
        chunks = [chunk for document_id in documents for chunk in self.library.passages.chunks(document_id)]
        scores = {chunk.id: sum(word in chunk.text.lower() for word in words) / len(words) for chunk in chunks}
        best = sorted((id for id in scores if scores[id]), key=lambda id: (scores[id], id))
        return [Hit(id, scores[id], ("lexical",)) for id in best[:limit]]


@dataclass
class SearchWithWords(FakeSearch):
    retriever: FakeRetriever = field(kw_only=True)


@dataclass
class FakeGraphImport:
    taken: list[tuple[str, bytes, bytes]] = field(default_factory=list)
    previews: int = 0

    def preview(self, base_id: str, nodes: bytes, edges: bytes) -> ImportPreview:
        self.previews += 1
        if not nodes:
            raise InputError("error.file_unreadable", name="kg_nodes.json", reason="it is empty")
        return ImportPreview(1100, 100, 7, 2, ("EskFlow", "<b>Bergen</b>"))

    def take(self, base_id: str, nodes: bytes, edges: bytes) -> Imported:
        self.taken.append((base_id, nodes, edges))
        return Imported(1200, 3400, 2)


@dataclass
class FakeReparse:
    """Holds the readings that a test gives it."""

    library: FakeLibrary
    kept: dict[str, Publication] = field(default_factory=dict)
    documents: dict[str, Document] = field(default_factory=dict)
    busy: bool = True
    begun: list[tuple[str, str]] = field(default_factory=list)

    def begin(self, document_id: str, parser: str) -> None:
        self.begun.append((document_id, parser))
        before = self.library.documents.get(document_id)
        parts = (tuple(blocks_of(document_id)), tuple(chunks_of(document_id)), (), (), ())
        publication = Publication(document_id, before.title, "en", before.parser, before.pages, (), *parts)
        self.kept[document_id], self.documents[document_id] = publication, before

    def earlier(self, document_id: str) -> Publication | None:
        return self.kept.get(document_id)

    def is_busy(self, document: Document) -> bool:
        return self.busy

    def is_ready(self, document: Document) -> bool:
        return not self.busy and not document.error_key

    def keep_new(self, document_id: str) -> None:
        del self.kept[document_id]

    def keep_old(self, document_id: str) -> None:
        del self.kept[document_id]
        self.library.documents.kept[document_id] = self.documents[document_id]


@dataclass
class DocumentServices(FakeServices):
    removed: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.search = SearchWithWords(retriever=FakeRetriever(self.library))
        self.lifecycle.removal = FakeRemoval(self.library)
        self.lifecycle.base_removal = FakeBaseRemoval(self.library)
        self.lifecycle.chunk_editor = FakeEditor(self.library)
        self.lifecycle.graph_import = FakeGraphImport()
        self.lifecycle.reparse = FakeReparse(self.library)
        self.lifecycle.remove_document = self.remove_document

    def remove_document(self, document_id: str) -> None:
        self.removed.append(document_id)
        self.lifecycle.removal.kept[document_id] = Deleted(self.library.documents.get(document_id), (), NOW)
        self.library.documents.delete(document_id)


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> DocumentServices:
    fake = DocumentServices()
    fake.library.documents.kept[HANDBOOK] = document()
    monkeypatch.setattr("core.app.services.Services", lambda settings, **_: fake)
    services.clear()
    return fake


def html(app: AppTest) -> str:
    return " ".join(html_of_page(app))


def words(app: AppTest) -> str:
    return " ".join(element.value for element in (*app.markdown, *app.caption, *app.info, *app.error, *app.warning))


def upload(app: AppTest, *files: tuple[str, bytes]) -> AppTest:
    for name, data in files:
        app.file_uploader[0].upload(name, data)
    return app.run()


def test_the_list_says_what_each_document_is(opened: DocumentServices, open_page: OpenPage) -> None:
    app = open_page("documents")
    assert not app.exception
    assert app.button(key=f"open-{HANDBOOK}").label == "handbook\\.pdf"
    for fact in ("Ready", "PDF", "2 pages", "5 passages", "10 entities", "English", "482 KB"):
        assert f">{fact}</li>" in html(app)


def test_an_empty_library_teaches_and_offers_the_sample(opened: DocumentServices, open_page: OpenPage) -> None:
    opened.library.bases.kept.clear()
    app = open_page("documents")
    assert not app.exception
    assert "Add files below" in words(app)
    app.button(key="sample").click().run()
    assert [base.name for base in opened.library.bases.all()] == ["Sample library"]


def test_good_files_go_on_while_a_bad_one_is_refused_with_its_reason(
    opened: DocumentServices, open_page: OpenPage
) -> None:
    app = upload(open_page("documents"), ("good.pdf", b"one"), ("empty.pdf", b""), ("also good.pdf", b"two"))
    assert not app.exception
    assert [error.value for error in app.error] == ["empty\\.pdf cannot be read\\: it is empty\\."]
    assert {"good.pdf", "also good.pdf"} <= {file.name for file in opened.library.documents.kept.values()}
    app.button(key="documents-dismiss").click().run()
    assert not app.error


def test_the_same_file_again_is_recognised(opened: DocumentServices, open_page: OpenPage) -> None:
    app = upload(open_page("documents"), ("one.pdf", b"same"))
    opened.library.documents.kept["d-one.pdf"] = replace(
        opened.library.documents.kept["d-one.pdf"], status=DocumentStatus.READY
    )
    app = upload(app, ("two.pdf", b"same"))
    assert "already here" in words(app)
    assert len(opened.library.documents.kept) == 2


def test_files_with_the_same_bytes_are_each_told(opened: DocumentServices, open_page: OpenPage) -> None:
    app = upload(open_page("documents"), ("broken.pdf", b"same"), ("broken.docx", b"same"))
    assert "broken\\.docx is already here\\: the same content was added as broken\\.pdf" in words(app)
    opened.library.ingest_records.fail("d-broken.pdf", "ingest.error.damaged", {"name": "broken.pdf"})
    app = upload(app, ("broken.docx", b"same"))
    assert [document.name for document in opened.library.documents.of_base("b1")][-1] == "broken.docx"
    assert "broken\\.docx is read in place of broken\\.pdf" in words(app)


@pytest.mark.parametrize(("button", "base"), [("upload-own", "My documents"), ("upload-sample", SAMPLE)])
def test_files_of_ones_own_go_into_the_sample_only_where_that_is_wanted(
    opened: DocumentServices, open_page: OpenPage, button: str, base: str
) -> None:
    opened.library.bases.kept["b1"] = replace(opened.library.bases.kept["b1"], name=SAMPLE)
    app = upload(open_page("documents"), ("own.pdf", b"one"))
    assert len(opened.library.documents.kept) == 1
    app.button(key=button).click().run()
    (taken,) = [file for file in opened.library.documents.kept.values() if file.name == "own.pdf"]
    assert opened.library.bases.get(taken.base_id).name == base
    assert "upload-own" not in {each.key for each in app.button}


def waiting_id(opened: DocumentServices) -> str:
    """Id of the only upload that awaits a decision."""
    (held,) = opened.lifecycle.uploads.pending.entries("b1")
    return str(held.id)


def test_a_changed_file_asks_and_replaces(opened: DocumentServices, open_page: OpenPage) -> None:
    app = upload(open_page("documents"), ("handbook.pdf", b"another content"))
    assert len(opened.library.documents.kept) == 1
    assert "<b>handbook.pdf</b> is already here with different content." in html(app)
    opened.library.documents.kept["d-old"] = replace(opened.library.documents.kept.pop(HANDBOOK), id="d-old")
    app.button(key=f"changed-replace-{waiting_id(opened)}").click().run()
    assert opened.library.documents.get(HANDBOOK).replaces == "d-old"
    assert "is already here with" not in html(app)


def test_a_changed_file_is_kept_beside_the_old_one_or_left_out(opened: DocumentServices, open_page: OpenPage) -> None:
    app = upload(open_page("documents"), ("handbook.pdf", b"one"))
    app.button(key=f"changed-leave-{waiting_id(opened)}").click().run()
    assert len(opened.library.documents.kept) == 1
    app = upload(app, ("handbook.pdf", b"two"))
    opened.library.documents.kept["d-old"] = replace(opened.library.documents.kept.pop(HANDBOOK), id="d-old")
    app.button(key=f"changed-both-{waiting_id(opened)}").click().run()
    assert len(opened.library.documents.kept) == 2
    assert opened.library.documents.get(HANDBOOK).replaces == ""


def test_uploads_that_wait_are_there_after_a_reload_and_can_be_left_out(
    opened: DocumentServices, open_page: OpenPage
) -> None:
    upload(open_page("documents"), ("handbook.pdf", b"one"), ("handbook.pdf", b"two"))
    app = open_page("documents")
    assert html(app).count("is already here with different content.") == 2
    assert "even when this page is closed" in words(app)
    app.button(key="waiting-discard").click().run()
    assert "is already here with" not in html(open_page("documents"))
    assert opened.lifecycle.uploads.pending.entries("b1") == []


@pytest.mark.usefixtures("by_model")
@pytest.mark.parametrize(("answer", "name"), [("changed-leave-", "handbook.pdf"), ("changed-leave-", "long.pdf")])
def test_a_second_click_does_not_answer_for_the_next_upload(open_page: OpenPage, answer: str, name: str) -> None:
    app = upload(open_page("documents"), (name, b"%PDF one"), (name, b"%PDF two"))
    first, second = (button for button in app.button if (button.key or "").startswith(answer))
    first.click().run()
    assert [button.key for button in app.button if (button.key or "").startswith(answer)] == [second.key]


def test_an_upload_that_was_answered_in_another_window_is_not_taken_twice(
    opened: DocumentServices, open_page: OpenPage
) -> None:
    one = upload(open_page("documents"), ("handbook.pdf", b"one"))
    other = open_page("documents")
    held = waiting_id(opened)
    one.button(key=f"changed-leave-{held}").click().run()
    other.button(key=f"changed-both-{held}").click().run()
    assert not other.exception
    assert list(opened.library.documents.kept) == [HANDBOOK]


def test_an_upload_that_cannot_be_taken_now_goes_on_waiting(
    opened: DocumentServices, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = upload(open_page("documents"), ("handbook.pdf", b"one"))

    def busy(*_: object) -> tuple[Document, bool]:
        raise ServiceError("storage.busy")

    with monkeypatch.context() as patch:
        patch.setattr(opened.lifecycle.intake, "add", busy)
        app.button(key=f"changed-both-{waiting_id(opened)}").click().run()
    assert len(app.error) == 1
    assert "is already here with" in html(app)


@pytest.fixture
def by_model(opened: DocumentServices) -> DocumentServices:
    """A model reads along, at a known price."""
    opened.settings = opened.settings.model_copy(update={"extraction": "model", "ingest_max_tokens": 10_000})
    opened.llm.engine = "deep-1"
    FilePreferences(opened.settings.data).write({PRICES_FILE: prices_text([Price("deep-1", 1.0, 2.0)])})
    return opened


def test_what_a_model_reads_along_is_estimated_and_waits_for_a_start(
    by_model: DocumentServices, open_page: OpenPage
) -> None:
    app = upload(open_page("documents"), ("long.pdf", b"%PDF"))
    assert not app.exception
    assert "d-long.pdf" not in by_model.library.documents.kept
    assert "<li>24 pages</li>" in html(app)
    assert "model calls</li>" in html(app)
    assert "USD</li>" in html(app)
    assert "above the limit of 10,000 tokens" in html(app)
    app.button(key=f"start-do-{waiting_id(by_model)}").click().run()
    started = by_model.library.documents.get("d-long.pdf")
    assert started.estimate
    assert started.estimate.agreed
    assert started.estimate.model_calls > 0


def test_no_limit_is_told_where_there_is_none(by_model: DocumentServices, open_page: OpenPage) -> None:
    by_model.settings = by_model.settings.model_copy(update={"ingest_max_tokens": 0})
    app = upload(open_page("documents"), ("long.pdf", b"%PDF"))
    assert "this is the estimated use" in html(app)
    assert "limit" not in html(app)


def test_a_start_that_is_not_wanted_leaves_nothing(by_model: DocumentServices, open_page: OpenPage) -> None:
    app = upload(open_page("documents"), ("long.pdf", b"%PDF"))
    app.button(key=f"changed-leave-{waiting_id(by_model)}").click().run()
    assert "d-long.pdf" not in by_model.library.documents.kept
    assert "long.pdf" not in html(app)


def test_a_paused_document_says_why_and_goes_on_or_stops(opened: DocumentServices, open_page: OpenPage) -> None:
    for name in ("one.pdf", "two.pdf"):
        waiting = document(name, DocumentStatus.PAUSED, estimate=Effort(24, 98, 12, 40_000, 8_000, 90.0))
        opened.library.documents.kept[waiting.id] = waiting
    app = open_page("documents")
    assert "Estimated: 24 pages, 98 passages, 12 model calls, 48,000 tokens" in html(app)
    app.button(key="paused-go_on-d-one.pdf").click().run()
    app.button(key="paused-cancel-d-two.pdf").click().run()
    assert opened.library.documents.get("d-one.pdf").status is DocumentStatus.QUEUED
    assert opened.library.documents.get("d-two.pdf").status is DocumentStatus.CANCELLED


def test_the_estimate_stands_beside_what_it_took(opened: DocumentServices, open_page: OpenPage) -> None:
    opened.library.documents.kept[HANDBOOK] = document(estimate=Effort(seconds=90.0), spent=Effort(seconds=61.0))
    assert "<li>estimated 1 min 30 s; actual 1 min 1 s</li>" in html(open_page("documents", document=HANDBOOK))


def test_only_parsers_that_are_set_up_can_be_chosen(opened: DocumentServices, open_page: OpenPage) -> None:
    app = open_page("documents")
    assert app.radio(key="documents-parser").options == [
        "Built-in reader",
        "Built-in reader, text recognition for every page",
    ]
    assert not [each for each in app.button if "MinerU" in each.label]


def test_a_cloud_parser_is_said_to_send_files_away(opened: DocumentServices, open_page: OpenPage) -> None:
    opened.settings = opened.settings.model_copy(update={"mineru_api_token": SecretStr("x")})
    app = open_page("documents")
    app.radio(key="documents-parser").set_value("mineru-cloud").run()
    assert "These files leave this machine: MinerU cloud reads them" in words(app)
    upload(app, ("scan.pdf", b"%PDF"))
    assert opened.library.documents.get("d-scan.pdf").parser_choice == "mineru-cloud"


def test_the_two_files_of_a_graph_are_imported_together_once_it_is_seen_what_they_change(
    opened: DocumentServices, open_page: OpenPage
) -> None:
    app = upload(open_page("documents"), ("KG_nodes.json", b"[1]"), ("notes.md", b"x"), ("kg_edges.json", b"[2]"))
    assert opened.lifecycle.graph_import.taken == []
    assert "1,100" in words(app.run())
    assert opened.lifecycle.graph_import.previews == 1, "reading large files at every click takes too long"
    app.button(key="graph-take").click().run()
    assert opened.lifecycle.graph_import.taken == [("b1", b"[1]", b"[2]")]
    assert [box.value for box in app.success] == [
        "Graph imported\\. Nodes\\: 1\\,200\\, edges\\: 3\\,400\\, documents\\: 2\\."
    ]
    assert "d-notes.md" in opened.library.documents.kept


def test_half_a_graph_is_refused_with_the_remedy(opened: DocumentServices, open_page: OpenPage) -> None:
    app = upload(open_page("documents"), ("kg_nodes.json", b"[1]"))
    assert not opened.lifecycle.graph_import.taken
    assert len(opened.library.documents.kept) == 1
    assert "together" in words(app)


def test_a_document_is_marked_as_a_form(opened: DocumentServices, open_page: OpenPage) -> None:
    app = open_page("documents", document=HANDBOOK)
    app.toggle(key=f"form-{HANDBOOK}-False").set_value(True).run()
    assert opened.library.documents.get(HANDBOOK).form
    assert "<li>form</li>" in html(app)


def test_the_file_is_offered_for_download_where_there_is_one(opened: DocumentServices, open_page: OpenPage) -> None:
    assert not open_page("documents", document=HANDBOOK).get("download_button")
    stored = opened.storage.files.save(b"%PDF", "handbook.pdf")
    opened.library.documents.kept[HANDBOOK] = document(sha256=stored.sha256)
    assert len(open_page("documents", document=HANDBOOK).get("download_button")) == 1


def read_again(opened: DocumentServices, open_page: OpenPage) -> AppTest:
    stored = opened.storage.files.save(b"%PDF", "handbook.pdf")
    opened.library.documents.kept[HANDBOOK] = document(sha256=stored.sha256)
    opened.library.ingest_records.progress[HANDBOOK] = running_stages()
    app = open_page("documents", document=HANDBOOK)
    return app.button(key="again-do").click().run()


def test_a_document_is_read_again_while_the_old_reading_is_in_use(
    opened: DocumentServices, open_page: OpenPage
) -> None:
    app = read_again(opened, open_page)
    assert opened.lifecycle.reparse.begun == [(HANDBOOK, "built-in")]
    assert "the old version stays in use" in words(app)
    assert "10 of 40 passages" in html(app)
    assert PNG_TAG in html(app)


def test_two_readings_are_compared_and_one_is_kept(opened: DocumentServices, open_page: OpenPage) -> None:
    for answer, parser in (("old", "docvortex 0.6.4"), ("new", "MinerU <2.7>")):
        app = read_again(opened, open_page)
        opened.lifecycle.reparse.busy = False
        opened.library.documents.kept[HANDBOOK] = replace(
            opened.library.documents.get(HANDBOOK), parser="MinerU <2.7>", chunks=9
        )
        app.run()
        assert "<td>docvortex 0.6.4</td><td>MinerU &lt;2.7&gt;</td>" in html(app)
        assert "<td>5</td><td>9</td>" in html(app)
        assert "Edited passages" not in html(app)
        app.button(key=f"again-keep-{answer}").click().run()
        assert opened.library.documents.get(HANDBOOK).parser == parser
        assert "gt-compare" not in html(app)


def test_what_the_reader_changed_in_the_old_reading_is_counted() -> None:
    old = chunks_of(HANDBOOK)
    old = [replace(old[0], original="Before"), replace(old[1], enabled=False), *old[2:]]
    before = Publication(HANDBOOK, "", "en", "built-in", 3, (), (), tuple(old), (), (), ())
    compared = comparison_html(document(), (), chunks_of(HANDBOOK), before)
    assert "<th>Edited passages</th><td>1</td><td>0</td>" in compared
    assert "<th>Passages switched off</th><td>1</td><td>0</td>" in compared


def test_a_reading_that_failed_says_why_and_is_let_go(opened: DocumentServices, open_page: OpenPage) -> None:
    app = read_again(opened, open_page)
    opened.lifecycle.reparse.busy = False
    failed = replace(opened.library.documents.get(HANDBOOK), error_key="error.cancelled")
    opened.library.documents.kept[HANDBOOK] = failed
    app.run()
    assert "Stopped" in words(app)
    app.button(key="again-keep-let_go").click().run()
    assert opened.library.documents.get(HANDBOOK).error_key == ""


def test_the_first_file_makes_a_knowledge_base(opened: DocumentServices, open_page: OpenPage) -> None:
    opened.library.bases.kept.clear()
    opened.library.documents.kept.clear()
    upload(open_page("documents"), ("first.pdf", b"first"))
    assert [base.name for base in opened.library.bases.all()] == ["My documents"]


def drawn_while_one_was_replaced() -> None:
    """Runs as a script: the work as it was drawn, when the old document was still there and the new one was read."""
    import streamlit as st

    from core.documents.model import DocumentStatus
    from pages.components.documents.progress import work_in_progress

    st.session_state.runs = st.session_state.get("runs", 0) + 1
    if st.session_state.runs == 1:
        work_in_progress("b1", {DocumentStatus.READY: 1, DocumentStatus.RUNNING: 1}, editable=True)


def test_a_document_that_has_taken_the_place_of_another_is_listed_at_once(opened: DocumentServices) -> None:
    assert opened.library.documents.counts("b1") == {DocumentStatus.READY: 1}
    assert AppTest.from_function(drawn_while_one_was_replaced).run().session_state["runs"] == 2


def test_work_in_progress_shows_stages_with_counts_and_can_be_cancelled(
    opened: DocumentServices, open_page: OpenPage
) -> None:
    working = document("big.pdf", DocumentStatus.RUNNING)
    opened.library.documents.kept[working.id] = working
    opened.library.ingest_records.progress[working.id] = running_stages()
    app = open_page("documents")
    assert "12 pages · 4.2 s" in html(app)
    assert "10 of 40 passages" in html(app)
    assert '<li class="is-running">Split' in html(app)
    app.button(key=f"cancel-{working.id}").click().run()
    assert opened.library.documents.get(working.id).status is DocumentStatus.CANCELLED
    assert "Cancelled" in html(app)


def test_what_keeps_documents_from_being_read_stands_beside_those_that_wait(
    opened: DocumentServices, open_page: OpenPage
) -> None:
    waiting = document("big.pdf", DocumentStatus.QUEUED)
    opened.library.documents.kept[waiting.id] = waiting
    assert not open_page("documents").warning
    opened.ingestion.fault = out_of_space(Path("/srv/data"))
    assert "Free some space" in open_page("documents").warning[0].value


def test_one_page_is_told_in_the_singular() -> None:
    reading = document("one.pdf", DocumentStatus.RUNNING)
    assert "1 page · " in work_html(reading, [StageProgress(Stage.PARSE, "done", 1, 1, "pages", 0.5)])
    assert "0 of 1 page · " in work_html(reading, [StageProgress(Stage.PARSE, "running", 0, 1, "pages", 0.5)])
    assert "1 of 2 pages · " in work_html(reading, [StageProgress(Stage.PARSE, "running", 1, 2, "pages", 0.5)])


def test_a_failed_document_says_why_and_is_tried_again(opened: DocumentServices, open_page: OpenPage) -> None:
    failed = document("locked.pdf")
    opened.library.documents.kept[failed.id] = failed
    opened.library.ingest_records.fail(
        failed.id, "error.file_unreadable", {"name": "locked.pdf", "reason": "it is <b>locked</b>"}
    )
    app = open_page("documents")
    assert "it is &lt;b&gt;locked&lt;/b&gt;" in html(app)
    app.button(key=f"retry-{failed.id}").click().run()
    assert opened.library.documents.get(failed.id).status is DocumentStatus.QUEUED


def test_a_failed_document_that_was_deleted_elsewhere_is_told_above_the_list(
    opened: DocumentServices, open_page: OpenPage
) -> None:
    failed = document("scan.pdf", DocumentStatus.FAILED, error_key="error.cancelled")
    opened.library.documents.kept[failed.id] = failed
    app = open_page("documents")
    del opened.library.documents.kept[failed.id]
    app.button(key=f"retry-{failed.id}").click().run()
    assert not app.exception
    assert [error.value for error in app.error] == ["That document no longer exists\\. Choose another one\\."]
    assert app.button(key=f"open-{HANDBOOK}")


def test_a_failed_document_is_read_with_another_parser_that_is_set_up(
    opened: DocumentServices, open_page: OpenPage
) -> None:
    failed = document("scan.pdf", DocumentStatus.FAILED, error_key="error.cancelled")
    opened.library.documents.kept[failed.id] = failed
    key = f"retry-{failed.id}-mineru-server"
    assert key not in {button.key for button in open_page("documents").button}
    opened.settings = opened.settings.model_copy(update={"mineru_self_hosted_url": "http://localhost:8000"})
    open_page("documents").button(key=key).click().run()
    assert opened.library.documents.get(failed.id).parser_choice == "mineru-server"


def test_problems_come_first_when_asked_for(opened: DocumentServices, open_page: OpenPage) -> None:
    for number, status in enumerate(("ready", "failed", "ready", "paused", "cancelled")):
        made = document(f"{number}.pdf", DocumentStatus(status))
        opened.library.documents.kept[made.id] = made
    app = open_page("documents")
    app.selectbox(key="documents-sort").set_value("status").run()
    chips = [piece.partition("</li>")[0].rpartition(">")[2] for piece in html_of_page(app) if "gt-chip" in piece]
    assert chips == ["Waiting for approval", "Failed", "Cancelled", "Ready", "Ready", "Ready"]


def test_hundreds_of_documents_are_shown_a_page_at_a_time_and_found_by_name(
    opened: DocumentServices, open_page: OpenPage
) -> None:
    for number in range(300):
        made = document(f"report {number:03}.pdf")
        opened.library.documents.kept[made.id] = made
    app = open_page("documents")
    rows = [button for button in app.button if (button.key or "").startswith("open-")]
    assert len(rows) == 20
    assert "301 documents" in words(app)
    app.text_input(key="documents-query").set_value("report 277").run()
    assert [b.label for b in app.button if (b.key or "").startswith("open-")] == ["report 277\\.pdf"]


def test_deleting_shows_first_what_goes_and_what_stays(opened: DocumentServices, open_page: OpenPage) -> None:
    app = open_page("documents")
    app.button(key=f"delete-{HANDBOOK}").click().run()
    goes = "5 passages and 12 entities will be deleted with it."
    assert f"{goes} Kept, because other documents mention them: 7 entities." in words(app)
    assert opened.removed == []
    app.button(key="delete-do").click().run()
    assert opened.removed == [HANDBOOK]
    assert HANDBOOK not in opened.library.documents.kept
    assert "handbook\\.pdf was deleted" in words(app)


def test_a_deletion_is_undone_from_its_notice_and_from_the_trash(opened: DocumentServices, open_page: OpenPage) -> None:
    app = open_page("documents")
    for undo in ("undo-0", f"restore-{HANDBOOK}"):
        app.button(key=f"delete-{HANDBOOK}").click().run()
        app.button(key="delete-do").click().run()
        app.run()
        assert "until 2026-11-27" in html(app)
        app.button(key=undo).click().run()
        assert HANDBOOK in opened.library.documents.kept
        assert not opened.lifecycle.removal.kept


def test_a_notice_stays_with_its_knowledge_base(opened: DocumentServices, open_page: OpenPage) -> None:
    app = open_page("documents")
    app.button(key=f"delete-{HANDBOOK}").click().run()
    app.button(key="delete-do").click().run()
    assert "handbook\\.pdf was deleted" in words(app.run())
    other = opened.library.bases.create("Second")
    for base_id, is_shown in ((other.id, False), ("b1", True)):
        app.session_state["base"] = base_id
        assert ("handbook\\.pdf was deleted" in words(app.run())) is is_shown


def test_the_trash_is_emptied_on_request(opened: DocumentServices, open_page: OpenPage) -> None:
    opened.lifecycle.remove_document(HANDBOOK)
    app = open_page("documents")
    app.button(key="trash-empty").click().run()
    assert not opened.lifecycle.removal.kept
    assert "until 2026-11-27" not in html(app)


def test_several_documents_are_deleted_at_once_and_come_back_at_once(
    opened: DocumentServices, open_page: OpenPage
) -> None:
    for number in range(30):
        made = document(f"report {number:02}.pdf")
        opened.library.documents.kept[made.id] = made
    app = open_page("documents")
    app.checkbox(key="select-d-report 29.pdf-0").check().run()
    app.button(key="select-all").click().run()
    assert "31 selected" in words(app)
    app.button(key="delete-selected").click().run()
    assert "155 passages and 12 entities will be deleted with them" in words(app)
    app.button(key="delete-do").click().run()
    assert not opened.library.documents.kept
    app.run()
    app.button(key="undo-0").click().run()
    assert len(opened.library.documents.kept) == 31


def test_a_document_opens_to_its_page_with_every_block_outlined(opened: DocumentServices, open_page: OpenPage) -> None:
    app = open_page("documents", document=HANDBOOK)
    assert not app.exception
    assert f"{PNG_TAG}0.png?token=" in html(app)
    assert html(app).count('class="gt-outline"') == 3
    app.number_input(key=f"document-page-{HANDBOOK}").set_value(2).run()
    assert f"{PNG_TAG}1.png?token=" in html(app)
    assert html(app).count('class="gt-outline"') == 2


def test_a_citation_opens_its_page_with_its_boxes_and_words(opened: DocumentServices, open_page: OpenPage) -> None:
    cited = chunks_of(HANDBOOK)[3]
    app = open_page("documents", document=HANDBOOK, page="2", chunk=cited.id)
    assert f"{PNG_TAG}1.png?token=" in html(app)
    assert html(app).count('class="gt-outline is-strong"') == 1
    assert f"</small>{cited.text}</blockquote>" in html(app)


@pytest.mark.parametrize("page", ["0", "99", "-1", "x", "1e3", ""])
def test_an_odd_page_in_the_address_opens_a_page_that_exists(
    opened: DocumentServices, open_page: OpenPage, page: str
) -> None:
    app = open_page("documents", document=HANDBOOK, page=page)
    assert not app.exception
    assert PNG_TAG in html(app)


def test_a_document_that_is_gone_is_said_to_be_gone(opened: DocumentServices, open_page: OpenPage) -> None:
    app = open_page("documents", document="d-gone")
    assert not app.exception
    assert "no longer exists" in words(app)


def test_chunks_are_shown_with_section_and_page(opened: DocumentServices, open_page: OpenPage) -> None:
    app = open_page("documents", document=HANDBOOK)
    app.session_state[f"document-tabs-{HANDBOOK}"] = "Passages"
    app.run()
    assert "Instruments › KelpNet" in html(app)
    assert "page 2" in html(app)
    app.text_input(key=f"chunk-query-{HANDBOOK}").set_value("nordholm").run()
    assert html(app).count("<mark>Nordholm</mark>") == 2


def test_a_chunk_is_shown_on_its_page(opened: DocumentServices, open_page: OpenPage) -> None:
    app = open_page("documents", document=HANDBOOK)
    app.session_state[f"document-tabs-{HANDBOOK}"] = "Passages"
    app.run()
    app.button(key="show-4").click().run()
    assert f"{PNG_TAG}1.png?token=" in html(app)
    assert html(app).count('class="gt-outline is-strong"') == 1


def chunks_tab(app: AppTest) -> AppTest:
    app.session_state[f"document-tabs-{HANDBOOK}"] = "Passages"
    return app.run()


def test_a_chunk_is_edited_in_place(opened: DocumentServices, open_page: OpenPage) -> None:
    app = chunks_tab(open_page("documents", document=HANDBOOK))
    app.button(key="edit-1").click().run()
    app.text_area[0].set_value("Ingrid leads <b>everything</b>.").run()
    app.button(key="chunk-save").click().run()
    assert opened.lifecycle.chunk_editor.written == [(f"{HANDBOOK}-c1", "Ingrid leads <b>everything</b>.")]
    assert "Ingrid leads &lt;b&gt;everything&lt;/b&gt;." in html(app)
    assert '<li class="gt-chip is-weak">edited</li>' in html(app)
    app.button(key="edit-1").click().run()
    app.button(key="chunk-restore").click().run()
    assert opened.lifecycle.chunk_editor.written[1] == (f"{HANDBOOK}-c1", chunks_of(HANDBOOK)[1].text)


def test_an_edit_that_is_refused_says_why_and_keeps_the_form(opened: DocumentServices, open_page: OpenPage) -> None:
    app = chunks_tab(open_page("documents", document=HANDBOOK))
    app.button(key="edit-0").click().run()
    app.text_area[0].set_value(" ").run()
    app.button(key="chunk-save").click().run()
    assert "switch it off instead" in words(app)
    assert len(app.text_area) == 1
    app.button(key="chunk-cancel").click().run()
    assert not app.text_area


def test_a_chunk_is_switched_off_and_shown_as_such(opened: DocumentServices, open_page: OpenPage) -> None:
    app = chunks_tab(open_page("documents", document=HANDBOOK))
    app.toggle(key=f"on-{HANDBOOK}-c2-True").set_value(False).run()
    assert not opened.library.passages.chunks(HANDBOOK)[2].enabled
    assert html(app).count("switched off</li>") == 1
    assert "entities stay in the graph" in app.toast[0].value
    app.toggle(key=f"on-{HANDBOOK}-c2-False").set_value(True).run()
    assert opened.library.passages.chunks(HANDBOOK)[2].enabled


def test_a_question_is_tried_out_on_the_chunks(opened: DocumentServices, open_page: OpenPage) -> None:
    opened.lifecycle.chunk_editor.switch(f"{HANDBOOK}-c4", False)
    app = open_page("documents", document=HANDBOOK)
    app.session_state[f"chunk-mode-{HANDBOOK}"] = "test"
    app = chunks_tab(app)
    app.text_input(key=f"chunk-test-{HANDBOOK}").set_value("kelpnet spectra").run()
    assert "<b>1</b>" in html(app)
    assert "<b>–</b>" in html(app)
    assert "<em>100%</em>" in html(app)
    assert "answers never use them" in words(app)
    scores = [int(score) for score in re.findall(r"<em>(\d+)%</em>", html(app))]
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) > 1


def test_the_page_is_kept_while_another_tab_is_looked_at(opened: DocumentServices, open_page: OpenPage) -> None:
    app = open_page("documents", document=HANDBOOK)
    app.number_input(key=f"document-page-{HANDBOOK}").set_value(2).run()
    for tab in ("Passages", "Pages"):
        app.session_state[f"document-tabs-{HANDBOOK}"] = tab
        app.run()
    assert f"{PNG_TAG}1.png?token=" in html(app)


def test_entities_lead_into_the_graph(opened: DocumentServices, open_page: OpenPage) -> None:
    app = open_page("documents", document=HANDBOOK)
    app.session_state[f"document-tabs-{HANDBOOK}"] = "Entities"
    app.run()
    labels = [button.label for button in app.button if (button.key or "").startswith("entity-")]
    assert labels[0].startswith(":blue[●] KelpNet")
    assert len(labels) == 10


def test_formats_without_pages_show_their_blocks_as_text(opened: DocumentServices, open_page: OpenPage) -> None:
    notes = document("notes.md", media_type="text/markdown", pages=0)
    opened.library.documents.kept[notes.id] = notes
    opened.library.passages.make_blocks = lambda _: [Block(i, 0, "text", f"Line {i} <i>x</i>") for i in range(150)]
    app = open_page("documents", document=notes.id)
    assert not app.exception
    assert "<img" not in html(app)
    assert "Line 59 &lt;i&gt;x&lt;/i&gt;" in html(app)
    assert "Line 60 " not in html(app)


def test_a_book_of_many_pages_reads_one_page_at_a_time(opened: DocumentServices, open_page: OpenPage) -> None:
    asked: list[int | None] = []
    opened.library.documents.kept[HANDBOOK] = document(pages=196)
    read = opened.library.passages.blocks

    def blocks(document_id: str, page: int | None = None) -> list[Block]:
        asked.append(page)
        return read(document_id, page)

    opened.library.passages.blocks = blocks  # type: ignore[method-assign]
    app = open_page("documents", document=HANDBOOK, page="150")
    assert not app.exception
    assert asked == [149]
    assert blocks_of(HANDBOOK)


def dialog(kind: str) -> None:
    """Runs as a script: one of the dialogs of the knowledge base."""
    from pages.components.documents.base_menu import ask
    from pages.components.shell.services import services

    ask(kind, None if kind == "create" else services().library.bases.all()[0])


def test_a_knowledge_base_is_made(opened: DocumentServices) -> None:
    app = AppTest.from_function(dialog, kwargs={"kind": "create"}).run()
    app.button(key="base-name-do").click().run()
    assert [base.name for base in opened.library.bases.all()] == ["Marlow Sound"]
    assert "needs a name" in app.error[0].value
    app.text_input(key="base-name").set_value("Second")
    app.button(key="base-name-do").click().run()
    assert [base.name for base in opened.library.bases.all()] == ["Marlow Sound", "Second"]


def test_a_name_that_is_taken_is_refused_with_a_sentence(opened: DocumentServices) -> None:
    app = AppTest.from_function(dialog, kwargs={"kind": "create"}).run()
    app.text_input(key="base-name").set_value("Marlow Sound")
    app.button(key="base-name-do").click().run()
    assert "already a knowledge base" in app.error[0].value
    assert app.text_input(key="base-name").value == "Marlow Sound"


def test_a_knowledge_base_is_renamed(opened: DocumentServices) -> None:
    app = AppTest.from_function(dialog, kwargs={"kind": "rename"}).run()
    app.text_input(key="base-name").set_value("Marlow")
    app.button(key="base-name-do").click().run()
    assert [base.name for base in opened.library.bases.all()] == ["Marlow"]


def test_a_deleted_knowledge_base_says_what_goes_and_for_how_long_it_can_be_had_back(opened: DocumentServices) -> None:
    app = AppTest.from_function(dialog, kwargs={"kind": "delete"}).run()
    assert "its 1 document and 10 entities" in app.markdown[0].value
    assert "7 days" in app.caption[0].value
    app.button(key="base-delete-do").click().run()
    assert opened.library.bases.all() == []
    (notice,) = app.session_state["documents-notices"]
    assert (notice.kind, notice.deleted_base) == ("deleted", "b1")


def test_a_knowledge_base_comes_back_from_the_trash_of_an_empty_library(
    opened: DocumentServices, open_page: OpenPage
) -> None:
    opened.lifecycle.base_removal.remove("b1")
    app = open_page("documents")
    assert "<b>Marlow Sound</b>" in html(app)
    assert "1 document</li>" in html(app)
    app.button(key="restore-base-b1n0").click().run()
    assert not app.exception
    assert app.button(key=f"open-{HANDBOOK}")
    assert opened.lifecycle.base_removal.kept == {}


def test_of_two_deleted_knowledge_bases_of_one_name_the_chosen_one_comes_back(
    opened: DocumentServices, open_page: OpenPage
) -> None:
    opened.lifecycle.base_removal.remove("b1")
    opened.library.bases.create("Marlow Sound")
    opened.lifecycle.base_removal.remove("b1")
    app = open_page("documents")
    app.button(key="restore-base-b1n0").click().run()
    assert not app.exception
    assert [*opened.lifecycle.base_removal.kept] == ["b1n1"]


def test_emptying_the_trash_lets_knowledge_bases_go_too(opened: DocumentServices, open_page: OpenPage) -> None:
    opened.lifecycle.base_removal.remove("b1")
    open_page("documents").button(key="trash-empty").click().run()
    assert "Marlow Sound" not in html(open_page("documents"))


def test_entity_classes_are_edited_and_set_back(opened: DocumentServices) -> None:
    app = AppTest.from_function(dialog, kwargs={"kind": "classes"}).run()
    assert (app.text_area(key="base-classes").value or "").startswith("TECHNOLOGY\n")
    app.text_area(key="base-classes").set_value("gene\ncell line").run()
    app.button(key="classes-do").click().run()
    assert opened.library.bases.all()[0].entity_types == ("GENE", "CELL_LINE")
    app = AppTest.from_function(dialog, kwargs={"kind": "classes"}).run()
    app.button(key="classes-standard").click().run()
    assert opened.library.bases.all()[0].entity_types == ()


def test_a_class_that_cannot_be_used_is_refused_with_a_sentence(opened: DocumentServices) -> None:
    app = AppTest.from_function(dialog, kwargs={"kind": "classes"}).run()
    app.text_area(key="base-classes").set_value("gene\n<b>").run()
    app.button(key="classes-do").click().run()
    assert opened.library.bases.all()[0].entity_types == ()
    assert [notice.kind for notice in app.session_state["documents-notices"]] == ["refused"]


def test_a_scan_that_failed_is_offered_again_with_ocr(opened: DocumentServices, open_page: OpenPage) -> None:
    failed = document("scan.pdf")
    opened.library.documents.kept[failed.id] = failed
    opened.library.ingest_records.fail(failed.id, "ingest.error.scanned", {"name": "scan.pdf"})
    app = open_page("documents")
    button = app.button(key=f"retry-{failed.id}")
    assert button.label == "Read again with OCR"
    button.click().run()
    assert opened.library.documents.get(failed.id).status is DocumentStatus.QUEUED


@pytest.mark.parametrize("error", ["empty", "archive", "not_text"])
def test_where_another_file_is_needed_nothing_else_is_offered(
    opened: DocumentServices, open_page: OpenPage, error: str
) -> None:
    failed = document("report.pdf")
    opened.library.documents.kept[failed.id] = failed
    opened.library.ingest_records.fail(failed.id, f"ingest.error.{error}", {"name": "report.pdf"})
    app = open_page("documents")
    assert not [button for button in app.button if str(button.key).startswith("retry-")]


def test_ocr_is_not_offered_for_a_file_without_pages(opened: DocumentServices, open_page: OpenPage) -> None:
    failed = document("report.docx", media_type=BY_EXTENSION["docx"].media_type)
    opened.library.documents.kept[failed.id] = failed
    opened.library.ingest_records.fail(failed.id, "ingest.error.parser_failed", {"name": "report.docx"})
    keys = {button.key for button in open_page("documents").button}
    assert f"retry-{failed.id}" in keys
    assert f"retry-{failed.id}-built-in-ocr" not in keys


@pytest.mark.parametrize(("error", "offered"), [("scanned", True), ("damaged", False)])
def test_ocr_is_not_offered_for_a_file_that_cannot_be_opened(
    opened: DocumentServices, open_page: OpenPage, error: str, offered: bool
) -> None:
    failed = document("report.pdf")
    opened.library.documents.kept[failed.id] = failed
    opened.library.ingest_records.fail(failed.id, f"ingest.error.{error}", {"name": "report.pdf"})
    app = open_page("documents")
    assert (f"retry-{failed.id}-built-in-ocr" in {button.key for button in app.button}) is offered
    assert (app.button(key=f"retry-{failed.id}").label == "Read again with OCR") is offered


def test_an_encrypted_document_asks_for_its_password(opened: DocumentServices, open_page: OpenPage) -> None:
    locked = document("locked.pdf")
    opened.library.documents.kept[locked.id] = locked
    opened.library.ingest_records.fail(locked.id, "ingest.error.encrypted", {"name": "locked.pdf"})
    app = open_page("documents")
    assert "Waits for its password" in html(app)
    assert "gt-reason" not in html(app)
    assert ">Failed<" not in html(app)
    for password in ("wrong", "1234"):
        app.text_input(key=f"password-typed-{locked.id}").set_value(password)
        next(button for button in app.button if button.label == "Open").click().run()
        told = "does not open" in " ".join(box.value for box in app.error)
        assert told is (password == "wrong")
    assert opened.lifecycle.unlocking.heard == ["wrong", "1234"]
    assert opened.library.documents.get(locked.id).status is DocumentStatus.QUEUED


def test_passages_that_cannot_be_found_by_meaning_yet_are_counted(
    opened: DocumentServices, open_page: OpenPage
) -> None:
    opened.search.vectors = VectorProgress(120, 300)
    app = open_page("documents")
    assert not app.exception
    assert "120 of 300" in app.get("progress")[0].proto.text
