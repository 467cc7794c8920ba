"""Which way of searching a question calls for, and which documents it names."""

import re
from collections.abc import Iterable, Sequence
from pathlib import PurePath

from core.builtin.intent.questions import Kind, any_of, kind_of
from core.domain.documents import Document, DocumentStatus
from core.language.terms import normal_form, terms

_BETWEEN = any_of(r"\bhave in common\b|\bbetween\b.*\band\b", r"之间")
_HOPS = any_of(
    r"\bof the\b.*\b(?:of|who|which|that|whose)\b|\bof [A-Z].*'s\b|'s \w+(?: \w+)?'s\b|\bwhose\b"
    r"|'s (?:\w+[ -]?){1,3}\??$",
    r"\b(?:who|which|that|where)\b.*\b(?:who|which|that|whose|where)\b|\b(?:performer|director|composer|founder"
    r"|author|owner) of\b",
    r"的.{1,10}的.{1,10}(?:是|在|有)|其.{1,8}的",
)
_FILE = re.compile(r"[\w\-. ]+\.(?:pdf|docx?|pptx?|xlsx?|html?|md|txt|epub)\b", re.IGNORECASE)
_QUOTED = re.compile(r"[\"“«《「『]([^\"”»》」』]{3,80})[\"”»》」』]")
_REFERS = any_of(
    r"\b(?:papers?|documents?|reports?|articles?|books?|files?|manual|handbook|notes?|contract|thesis|standard"
    r"|minutes)\b",
    r"论文|文章|文档|文件|报告|标准|手册|合同|纪要|规范|条例|办法",
)


def calls_for_graph(question: str, names: Sequence[str]) -> bool:
    """The answer lies between things that the question names, or one step away from them."""
    if not names:
        return False
    plain = normal_form(question)
    kind = kind_of(question)
    if kind is Kind.RELATION or _BETWEEN.search(plain) or _HOPS.search(plain):
        return True
    return len(names) > 1 and kind is Kind.COMPARISON


def may_name_a_document(question: str) -> bool:
    """Worth looking at the list of documents for."""
    plain = normal_form(question)
    return any(cue.search(plain) for cue in (_FILE, _QUOTED, _REFERS))


def named_documents(question: str, documents: Iterable[Document]) -> tuple[str, ...]:
    """Ids of the ready documents whose file name or title stands in the question, word for word."""
    asked = f" {' '.join(terms(question))} "
    quoted = {" ".join(terms(words)) for words in _QUOTED.findall(question)}
    return tuple(
        document.id
        for document in documents
        if document.status is DocumentStatus.READY and any(_named(name, asked, quoted) for name in _names(document))
    )


def _names(document: Document) -> list[str]:
    stem = PurePath(document.name.replace("\\", "/")).stem
    return [" ".join(terms(name)) for name in (document.title, stem.replace("_", " ").replace("-", " ")) if name]


def _named(name: str, asked: str, quoted: set[str]) -> bool:
    long_enough = len(name.split()) > 1 or len(name) > 11
    return bool(name) and (name in quoted or (long_enough and f" {name} " in asked))
