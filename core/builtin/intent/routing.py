"""Which way of searching a question calls for, and which documents it names."""

import re
from collections.abc import Sequence

from core.builtin.intent.questions import Kind, any_of, kind_of
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


LONGEST_NAME = 40
"""Terms of a name that is looked for; names of documents are shorter."""
SHORT_NAME = 11
"""Characters of one word up to which it may stand in a question without meaning a document."""


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


def names_asked(question: str) -> frozenset[str]:
    """Every stretch of the question that may be a document's title or file name, written as terms.

    A name of one short word counts only where it is quoted.
    """
    asked = terms(question)
    stretches = (
        " ".join(asked[start:stop])
        for start in range(len(asked))
        for stop in range(start + 1, min(start + LONGEST_NAME, len(asked)) + 1)
    )
    quoted = (" ".join(terms(words)) for words in _QUOTED.findall(question))
    return frozenset([*(name for name in stretches if " " in name or len(name) > SHORT_NAME), *quoted]) - {""}
