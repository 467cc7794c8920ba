"""Facts about a document for lists and headings, as short texts with units, which may be untrusted."""

from core.documents.lifecycle.graph_import import MEDIA_TYPE as GRAPH
from core.documents.model import TEXT_READER, Document, page_number, read_note
from core.documents.reading.formats import BY_MEDIA_TYPE, extension_of
from core.platform.texts import known, text
from pages.components.shell.language import language, t
from pages.components.shell.text import label
from pages.components.shell.times import ago

LANGUAGES = {"en": "english", "zh-hans": "chinese_simplified", "zh-hant": "chinese_traditional"}


def facts(document: Document) -> list[str]:
    """Kind, counts, language, size and age; zero counts are left out."""
    counted = [(name, getattr(document, name)) for name in ("pages", "chunks", "entities")]
    return [
        kind(document),
        *(counted_in_words(name, count) for name, count in counted if count),
        *([t("documents.form.chip")] if document.form else []),
        *([language_name(document.language)] if document.language else []),
        size(document.size),
        t("documents.added", when=ago(document.added_at)),
    ]


def counted_in_words(name: str, count: int) -> str:
    """`name` is documents, pages, chunks or entities."""
    return t(f"documents.count.{name}", count=f"{count:,}")


def kind(document: Document) -> str:
    if document.media_type == GRAPH:
        return t("documents.kind_graph")
    form = BY_MEDIA_TYPE.get(document.media_type)
    return form.suffix.upper() if form else label(extension_of(document.name).upper(), 12) or "?"


def has_pages(document: Document) -> bool:
    """Whether the document has page numbers that readers see."""
    form = BY_MEDIA_TYPE.get(document.media_type)
    return bool(form and form.has_pages)


def page_words(document_name: str, page: int) -> str:
    """ "" where readers see no page numbers."""
    number = page_number(document_name, page)
    return t("chat.source.page", page=number) if number else ""


def place_words(document_name: str, page: int) -> str:
    number = page_number(document_name, page)
    return t("graph.panel.page", document=document_name, page=number) if number else document_name


def size(count: int) -> str:
    """Bytes as 812 B, 48 KB, 1.2 MB."""
    if count < 1000:
        return f"{count} B"
    value, unit = (count / 1e3, "KB") if count < 1e6 else (count / 1e6, "MB")
    return f"{value:.0f} {unit}" if value >= 10 else f"{value:.1f} {unit}"


def language_name(code: str) -> str:
    key = f"documents.language.{LANGUAGES.get(code, code)}"
    return t(key) if known(key) else label(code, 20)


def reader_name(parser: str) -> str:
    return t("documents.parser_text") if parser == TEXT_READER else parser


def failure(document: Document) -> str:
    """Why it failed and what to do, in the interface language; "" if it did not fail."""
    if not document.error_key:
        return ""
    if not known(document.error_key):
        return t("error.unexpected", kind=label(document.error_key, 60))
    return text(document.error_key, language(), **dict(document.error_params))


def remarks(document: Document) -> list[str]:
    found = [read_note(note) for note in document.notes]
    return [t(key, **params) for key, params in found if known(key)]
