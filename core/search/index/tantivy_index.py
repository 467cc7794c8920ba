"""Words of chunks and summaries in tantivy: one folder per knowledge base and level, BM25, rebuilt from SQL if lost."""

import re
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from threading import Lock
from time import monotonic, sleep

import tantivy
from tantivy import Occur, Query

from core.platform.errors import AppError, RetryableServiceError, ServiceError, Translated
from core.platform.files.disk import read_only
from core.platform.language.terms import normal_form, query_terms, terms
from core.search.index.batched_writes import JointWrites
from core.search.index.errors import damaged
from core.search.index.word_lengths import by_true_length, mean_length
from core.search.ports import LEVELS, IndexEntry

FORMAT = "1"
"""Part of the folder's name. Increase it when the schema or the tokenization changes; old folders are then ignored."""
HEADING_WEIGHT = 0.5
"""Weight of a term in title or section relative to the text; recall@5 is flat from 0.25 to 0.75."""
MAX_QUERY_TERMS = 64
MAX_TITLE = 400
_BITS = 16
"""Terms per query."""
_ASKED = 200
"""Entries per query: a score is a 32-bit float, which represents whole numbers exactly up to 2**24."""
_WRITER_BYTES = 15_000_000
_WORD = re.compile(r"[^\W_]+")
_BRACKETS = re.compile(r"\s*[(（][^()（）]*[)）]\s*$")


@dataclass(frozen=True, slots=True)
class _Opened:
    index: tantivy.Index
    stamp: tuple[int, int]
    """inode and time of meta.json, which change with every commit and with a new folder."""
    mean_length: float
    """0 where lengths are unknown: the index is empty, or older than the field."""

    @property
    def searcher(self) -> tantivy.Searcher:
        return self.index.searcher()


class TantivyIndex:
    """LexicalIndex in folder/<format>/<base>/<level>; safe for threads and for several processes."""

    def __init__(self, folder: Path, lock_seconds: float = 30.0) -> None:
        self._folder = folder / FORMAT
        self._lock_seconds = lock_seconds
        self._opened: dict[Path, _Opened] = {}
        self._opening = Lock()
        self._joint: dict[Path, JointWrites[IndexEntry]] = {}

    def upsert(self, base_id: str, level: str, entries: Sequence[IndexEntry]) -> None:
        """Durable on return. Creates both levels of a new base, so that a missing level is a lost one."""
        for each in LEVELS:
            if not self._meta(base_id, each).exists():
                self._create(base_id, each)
        if entries:
            joint = self._joint.setdefault(self._path(base_id, level), JointWrites())
            joint.write(entries, lambda found: self._upsert(base_id, level, found))

    def _upsert(self, base_id: str, level: str, entries: Sequence[IndexEntry]) -> None:
        with self._writer(base_id, level) as writer:
            for entry in entries:
                writer.delete_documents_by_term("id", entry.chunk_id)
                writer.add_document(_document(entry))

    def exchange(
        self, base_id: str, level: str, document_ids: Sequence[str], batches: Iterable[Sequence[IndexEntry]]
    ) -> None:
        """Replaces all entries of the documents by these, in one step."""
        with self._writer(base_id, level) as writer:
            for document_id in document_ids:
                writer.delete_documents_by_term("document", document_id)
            for entries in batches:
                for entry in entries:
                    writer.add_document(_document(entry))

    def replace(self, base_id: str, level: str, batches: Iterable[Sequence[IndexEntry]]) -> int:
        self._make_usable(base_id, level)
        written = 0
        with self._writer(base_id, level) as writer:
            writer.delete_all_documents()
            for entries in batches:
                for entry in entries:
                    writer.add_document(_document(entry))
                written += len(entries)
        return written

    def search(
        self, base_id: str, level: str, query: str, limit: int, documents: Sequence[str] = ()
    ) -> list[tuple[str, float]]:
        with self._reading(base_id, level) as opened:
            searcher = opened.searcher
            wanted = _ranked(query, documents)
            hits = searcher.search(wanted, limit, count=False).hits if wanted and limit > 0 else []
            found = [(_text(searcher.doc(address), "id"), float(score)) for score, address in hits]
            return by_true_length(found, searcher, [address for _, address in hits], opened.mean_length)

    def titled(
        self, base_id: str, level: str, names: Sequence[str], query: str, limit: int
    ) -> list[tuple[str, str, str]]:
        by_key = {key: name for name in reversed(names) if (key := title_key(name))}

        with self._reading(base_id, level) as opened:
            searcher = opened.searcher
            held = [key for key in by_key if searcher.doc_freq("key", key)]
            wanted = Query.boolean_query([(Occur.Must, _any("key", held)), *_should(query)])
            hits = searcher.search(wanted, limit, count=False).hits if held and limit > 0 else []
            return [row for _, address in hits for row in _named(searcher.doc(address), by_key)]

    def matches(self, base_id: str, level: str, terms: Sequence[str], ids: Sequence[str]) -> dict[str, frozenset[str]]:
        distinct, asked = list(dict.fromkeys(terms))[:MAX_QUERY_TERMS], list(dict.fromkeys(ids))

        with self._reading(base_id, level) as opened:
            searcher = opened.searcher
            found: dict[str, frozenset[str]] = {}
            for first in range(0, len(asked), _ASKED):
                for start in range(0, max(len(distinct), 1), _BITS):
                    for id, held in _held(searcher, distinct[start : start + _BITS], asked[first : first + _ASKED]):
                        found[id] = found[id] | held if id in found else held
            return found

    def frequencies(self, base_id: str, level: str, terms: Sequence[str]) -> tuple[int, dict[str, int]]:
        with self._reading(base_id, level) as opened:
            searcher = opened.searcher
            return searcher.num_docs, {term: searcher.doc_freq("body", term) for term in terms}

    def documents_of(self, base_id: str, level: str, ids: Sequence[str]) -> dict[str, str]:
        with self._reading(base_id, level) as opened:
            searcher = opened.searcher
            wanted = _any("id", ids)
            hits = searcher.search(wanted, len(ids), count=False).hits if ids else []
            found = [searcher.doc(address) for _, address in hits]
            return {_text(document, "id"): _text(document, "document") for document in found}

    def delete_documents(self, base_id: str, document_ids: Sequence[str]) -> None:
        for level in LEVELS:
            if document_ids and self._meta(base_id, level).exists():
                with self._writer(base_id, level) as writer:
                    for document_id in document_ids:
                        writer.delete_documents_by_term("document", document_id)

    def delete_base(self, base_id: str) -> None:
        with self._opening:
            for level in LEVELS:
                self._opened.pop(self._path(base_id, level), None)
            shutil.rmtree(self._path(base_id, ""), ignore_errors=True)

    def count(self, base_id: str, level: str) -> int:
        with self._reading(base_id, level) as opened:
            return int(opened.searcher.num_docs)

    def _path(self, base_id: str, level: str) -> Path:
        return _path(self._folder, base_id, level)

    def _meta(self, base_id: str, level: str) -> Path:
        return _meta(self._path(base_id, level))

    def _refusal(self, reason: object) -> AppError:
        """The AppError for a reason; tantivy locks a file of the folder even for reading."""
        is_forbidden = any(kind in str(reason) for kind in ("PermissionDenied", "ReadOnlyFilesystem"))
        return read_only(self._folder.parent) if is_forbidden else damaged(reason)

    def _make_usable(self, base_id: str, level: str) -> None:
        """Recreates the index if it is missing, cannot be opened or has an earlier schema."""
        path = self._path(base_id, level)
        try:
            usable = tantivy.Index.open(str(path)).schema == _schema()
        except (ValueError, OSError, RuntimeError):
            usable = False
        if not usable:
            with self._opening:
                self._opened.pop(path, None)
            shutil.rmtree(path, ignore_errors=True)
            self._create(base_id, level)

    def _create(self, base_id: str, level: str) -> None:
        path = self._path(base_id, level)
        if any(path.glob("*.store")):
            raise damaged("meta.json is missing")
        path.mkdir(parents=True, exist_ok=True)
        with Translated(self._refusal, ValueError, OSError, RuntimeError):
            tantivy.Index(_schema(), path=str(path))

    @contextmanager
    def _reading(self, base_id: str, level: str) -> Iterator[_Opened]:
        with Translated(self._refusal, ValueError, OSError, RuntimeError):
            yield self._open(self._path(base_id, level))

    def _open(self, path: Path) -> _Opened:
        """The index as last committed by any process. Raises ServiceError if it does not exist."""
        with self._opening:
            try:
                status = _meta(path).stat()
            except FileNotFoundError:
                self._opened.pop(path, None)
                raise ServiceError("retrieval.index_missing") from None
            stamp = (status.st_ino, status.st_mtime_ns)
            opened = self._opened.get(path)
            if opened is None or opened.stamp != stamp:
                index = tantivy.Index.open(str(path))
                index.config_reader("manual")
                self._opened[path] = opened = _Opened(index, stamp, mean_length(index.searcher()))
            return opened

    @contextmanager
    def _writer(self, base_id: str, level: str) -> Iterator[tantivy.IndexWriter]:
        """Changes become visible all at once, or not at all."""
        with Translated(self._refusal, ValueError, OSError, RuntimeError):
            writer = self._locked_writer(tantivy.Index.open(str(self._path(base_id, level))))
            with ExitStack() as closing:
                closing.callback(writer.wait_merging_threads)
                undo = closing.enter_context(ExitStack())
                undo.callback(writer.rollback)
                yield writer
                writer.commit()
                undo.pop_all()

    def _locked_writer(self, index: tantivy.Index) -> tantivy.IndexWriter:
        """The only writer; waits for other threads and processes until the deadline."""
        deadline = monotonic() + self._lock_seconds
        while True:
            try:
                return index.writer(_WRITER_BYTES, 1)
            except ValueError as error:
                if "LockBusy" not in str(error):
                    raise
                if monotonic() >= deadline:
                    raise RetryableServiceError("retrieval.index_busy", seconds=round(self._lock_seconds)) from error
            sleep(0.02)


@lru_cache(maxsize=256)
def _path(folder: Path, base_id: str, level: str) -> Path:
    return folder / re.sub(r"[^A-Za-z0-9_-]", "-", base_id) / level


@lru_cache(maxsize=256)
def _meta(path: Path) -> Path:
    return path / "meta.json"


@lru_cache(maxsize=20_000)
def title_key(name: str) -> str:
    """Key under which two titles count as equal: their words as spelt, without a final remark in brackets.

    Terms are not used, because stemming would merge "Stone" and "The Stones" and cost more than the search.
    """
    bare = name[:MAX_TITLE]
    if bare.rstrip().endswith((")", "）")):
        bare = _BRACKETS.sub("", bare) or bare
    return " ".join(_WORD.findall(normal_form(bare).casefold()))


@cache
def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    for name in ("id", "document", "key"):
        builder.add_text_field(name, stored=True, tokenizer_name="raw", index_option="basic")
    for name in ("heading", "body"):
        builder.add_text_field(name, tokenizer_name="whitespace", index_option="freq")
    builder.add_unsigned_field("length", fast=True)
    return builder.build()


def _document(entry: IndexEntry) -> tantivy.Document:
    """The text field also contains title and section, because a page names its company and year only on the cover."""
    heading = terms(f"{entry.title}\n{entry.section}")
    body = [*heading, *terms(entry.text)]
    document = tantivy.Document()
    document.add_text("id", entry.chunk_id)
    document.add_text("document", entry.document_id)
    for key in dict.fromkeys((title_key(entry.title), title_key(entry.section.rpartition("\n")[2]))):
        if key:
            document.add_text("key", key)
    document.add_text("heading", " ".join(heading))
    document.add_text("body", " ".join(body))
    document.add_unsigned("length", len(body))
    return document


@lru_cache(maxsize=32)
def _should(query: str) -> tuple[tuple[Occur, Query], ...]:
    """Scoring clauses of a query, cached because a search needs them twice."""
    schema, found = _schema(), list(dict.fromkeys(query_terms(query)))[:MAX_QUERY_TERMS]
    body = [Query.term_query(schema, "body", term, "freq") for term in found]
    heading = [Query.boost_query(Query.term_query(schema, "heading", term, "freq"), HEADING_WEIGHT) for term in found]
    return tuple((Occur.Should, part) for part in (*body, *heading))


def _any(field: str, values: Sequence[str]) -> Query:
    """Entries with one of the values, each with a score of 0. A term set query takes six times as long."""
    schema = _schema()
    each = [(Occur.Should, Query.term_query(schema, field, value, "basic")) for value in values]
    return Query.const_score_query(Query.boolean_query(each), 0.0)


def _ranked(query: str, documents: Sequence[str]) -> Query | None:
    """BM25 over text and headings, restricted to the given documents, if any; None for a query without terms."""
    words = _should(query)
    if not words or not documents:
        return Query.boolean_query(words) if words else None
    return Query.boolean_query([(Occur.Must, _any("document", documents)), (Occur.Must, Query.boolean_query(words))])


def _held(searcher: tantivy.Searcher, terms: Sequence[str], ids: Sequence[str]) -> Iterator[tuple[str, frozenset[str]]]:
    """(id, terms that the entry holds), by one search: each term adds its own power of two to the score, and each entry
    its index above them, so that nothing is read from the store.
    """
    bits = [(Occur.Should, _worth("body", term, 1 << place)) for place, term in enumerate(terms)]
    each = [(Occur.Should, _worth("id", id, place << _BITS)) for place, id in enumerate(ids, 1)]
    query = Query.boolean_query([(Occur.Must, Query.boolean_query(each)), *bits])
    known: dict[int, frozenset[str]] = {}
    for score, _ in searcher.search(query, len(ids), count=False).hits:
        entry, held = divmod(round(score), 1 << _BITS)
        if held not in known:
            known[held] = frozenset(term for place, term in enumerate(terms) if held >> place & 1)
        yield ids[entry - 1], known[held]


def _worth(field: str, value: str, score: int) -> Query:
    return Query.const_score_query(Query.term_query(_schema(), field, value, "basic"), float(score))


def _named(document: tantivy.Document, by_key: dict[str, str]) -> Iterator[tuple[str, str, str]]:
    for key in document.get_all("key"):
        if key in by_key:
            yield _text(document, "id"), _text(document, "document"), by_key[key]


def _text(document: tantivy.Document, field: str) -> str:
    return str(document.get_first(field))
