"""The model as LangExtract calls it: prompts go through the app's own client, with its limits and connections."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

from langextract.core.base_model import BaseLanguageModel
from langextract.core.types import ScoredOutput

from core.models.meter import Meter

TASK = "extract_entities"
MOST_ANSWERED = 2
"""Tokens of the list of names and relations for each of the source, at most."""


class JsonModel(Protocol):
    """The part of core.models.chat.llm.ChatLlm that extraction needs."""

    @property
    def engine(self) -> str: ...

    def answer_json(self, task: str, prompt: str, max_tokens: int, meter: Meter) -> str:
        """Raises ServiceError or CancelledError."""


class SharedModel(BaseLanguageModel):
    def __init__(self, ask: Callable[[str], str]) -> None:
        super().__init__()
        self._ask = ask

    def infer(self, batch_prompts: Sequence[str], **kwargs: Any) -> Iterator[Sequence[ScoredOutput]]:
        del kwargs
        for prompt in batch_prompts:
            yield [ScoredOutput(score=1.0, output=self._ask(prompt))]


def ask(model: JsonModel, prompt: str, source_tokens: int, meter: Meter) -> str:
    """Through LangExtract's own interface. Raises ServiceError or CancelledError."""
    most = MOST_ANSWERED * source_tokens
    shared = SharedModel(lambda asked: model.answer_json(TASK, asked, most, meter))
    ((scored,),) = shared.infer([prompt])
    return scored.output or ""
