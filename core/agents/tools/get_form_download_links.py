"""Forms to download: whether a question asks for one, which ones it names, and the tool that offers them as links."""

from collections.abc import Sequence
from pathlib import PurePath

from pydantic import Field

from core.agents.state import Deps, State
from core.agents.tools.tool import Tool, ToolArguments, ToolOutcome, Toolset, ToolSituation
from core.documents.model import Document, DocumentFilter, DocumentStatus
from core.platform.language.patterns import any_of
from core.platform.language.terms import content_terms, normal_form

READY_FORMS = DocumentFilter((DocumentStatus.READY,), only_forms=True)
MOST = 5
"""Limit of forms offered at once."""
_FORM_WORDS = (
    "form forms template templates download get need fill sheet file where find "
    "表格 表单 模板 申请表 登记表 下载 填写 获取 哪里 需要"
)
_ASKS = any_of(
    r"\b(?:download|get|need|find|send|give|fill (?:in|out)|where)\b.*\b(?:forms?|templates?|sheets?)\b",
    r"\b(?:forms?|templates?)\b.*\b(?:download|fill (?:in|out))\b|\bdownload\b.*\bfile\b",
    r"(?:下载|填写|获取|索取|需要|想要|给我|哪里|有没有|提供).{0,20}(?:表格?|表单|模板|申请书)",
    r"(?:表格?|表单|模板|申请书).{0,10}(?:下载|在哪|怎么填|如何填)",
)
_EXPLAINS = any_of(
    r"\bhow\b.*\b(?:fill|complete)|\bwhat\b.*\b(?:write|enter|put)\b", r"(?:怎[么样]|如何)填|填(?:写)?什么"
)


class FormQuestion(ToolArguments):
    question: str = Field(description="what the user says of the form")


def next_form(situation: ToolSituation) -> FormQuestion:
    return FormQuestion(question=situation.question)


def asks_for_form(question: str) -> bool:
    return _ASKS.search(normal_form(question)) is not None


def asks_how_to_fill(question: str) -> bool:
    """Whether the question wants an explanation rather than the form."""
    return _EXPLAINS.search(normal_form(question)) is not None


def matching_forms(question: str, forms: Sequence[Document]) -> list[Document]:
    """Forms named in the question, best first; all forms if it names none."""
    wanted = set(content_terms(question)) - set(content_terms(_FORM_WORDS))
    scored = [(len(wanted & set(_terms(form))), form) for form in forms]
    named = [pair for pair in scored if pair[0]]
    if wanted and not named:
        return []
    best = sorted(named or scored, key=lambda pair: (-pair[0], pair[1].name, pair[1].id))
    most = best[0][0] if best else 0
    return [form for score, form in best if 2 * score >= most][:MOST]


def _terms(form: Document) -> list[str]:
    stem = PurePath(form.name.replace("\\", "/")).stem.replace("_", " ").replace("-", " ")
    return content_terms(f"{form.title} {stem}")


def get_form_download_links(arguments: FormQuestion, state: State, deps: Deps) -> ToolOutcome:
    found = matching_forms(arguments.question, deps.documents.find(state.base_id, READY_FORMS))
    lines = [f"{form.name} ({form.id})" for form in found]
    return ToolOutcome("\n".join(lines) or "no form", forms=tuple(form.id for form in found))


TOOL = Tool(
    name="get_form_download_links",
    description="lists the forms that fit",
    toolset=Toolset.FORMS,
    order=20,
    arguments=FormQuestion,
    call=get_form_download_links,
    next=next_form,
)
