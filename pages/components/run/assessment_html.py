"""Assessment of the evidence as HTML: how likely it answers, and the reasons against it."""

from collections.abc import Iterable

from core.rulebook.model import Assessment, AssessmentReason
from core.runs.history.view import RunView
from core.runs.model import AnswerOutcome, RunStatus
from pages.components.run.run_words import sentence
from pages.components.shell.language import t
from pages.components.shell.text import html_of

DECLINED = (AnswerOutcome.CLOSEST, AnswerOutcome.NOT_FOUND)


def declined_part(view: RunView) -> str:
    """Why nothing was taken for an answer: the first reason in words, which unfolds to the others and their numbers."""
    found = view.assessment
    if view.status is not RunStatus.DONE or view.outcome not in DECLINED or not found:
        return ""
    first = next((reason for reason in found.reasons if "needed" not in dict(reason.details)), None)
    if first is None:
        return ""
    others = [reason for reason in found.reasons if reason is not first]
    why = html_of(t("chat.state.why_not", reason=sentence(first.key, first.details)))
    body = f"<p>{_probability(found)}</p>{_list(others)}"
    return f'<details class="gt-legend" data-key="declined"><summary>{why}</summary>{body}</details>'


def assessment_html(found: Assessment | None) -> str:
    """The assessment in the body of its step."""
    return f"<p>{_probability(found)}</p>{_list(found.reasons)}" if found else ""


def _probability(found: Assessment) -> str:
    values = {"probability": f"{found.probability:.2f}", "needed": f"{found.threshold:.2f}"}
    return html_of(t("chat.run.assessed", **values))


def _list(reasons: Iterable[AssessmentReason]) -> str:
    items = "".join(f"<li>{html_of(sentence(one.key, one.details))}</li>" for one in reasons)
    return f"<ul>{items}</ul>" if items else ""
