"""Asks a model of few billion parameters in two steps: whether the passages tell the answer, then to write it.

Allowed to refuse while it answers, it does so beside the sentence that answers; not allowed to, it invents.
"""

from contextlib import closing, suppress
from dataclasses import dataclass, replace

from core.agents.nodes.runtime import stream_text
from core.agents.state import Deps
from core.models.tasks import Request, TextTask
from core.platform.errors import BudgetError, ServiceError
from core.search.model import Passage

MAX_TOKENS = 600
"""Of an answer."""
YES = ("yes", "是")


@dataclass(frozen=True, slots=True)
class AnswerableRequest:
    question: str
    passages: tuple[Passage, ...]


def _yes(request: AnswerableRequest) -> tuple[str]:
    """Where the model is not heard, the rule of the answer decides."""
    return ("yes" if request.passages else "no",)


CAN_ANSWER = TextTask("can_answer", _yes, max_tokens=4)


def can_answer(deps: Deps, question: str, passages: tuple[Passage, ...]) -> bool:
    """Whether the model says yes; what it writes behind that is not waited for."""
    said = ""
    with (
        closing(stream_text(deps, CAN_ANSWER, AnswerableRequest(question, passages))) as pieces,
        suppress(ServiceError, BudgetError),
    ):
        for piece in pieces:
            said = (said + piece).lstrip(" *\"'\n").casefold()
            if len(said) >= len(YES[0]):
                break
    return said.startswith(YES)


def write_answer(task: TextTask[Request]) -> TextTask[Request]:
    """The task of answering for such a model."""
    return replace(task, name="write_answer", max_tokens=MAX_TOKENS)
