"""The configured model for whole prompts that are not questions for the documents."""

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from core.app.services import Services
from core.models.meter import Meter
from core.models.ports import BUILT_IN
from core.models.thinking import without_thinking
from core.platform.plain_text import storable_parts
from core.runs.model import Usage

if TYPE_CHECKING:
    from core.models.chat.slots import DocumentLlm

MAX_TOKENS = 2_000
_TASK = "program"


@dataclass(frozen=True, slots=True)
class Written:
    text: str
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True)
class WritingModel:
    llm: "DocumentLlm"

    def write(self, prompt: str, meter: Meter) -> str:
        """Raises AppError."""
        return self.llm.answer_json(_TASK, prompt, MAX_TOKENS, meter)


def writing_model(services: Services) -> WritingModel | None:
    """None without a model."""
    llm = services.models.llm
    return None if llm.engine == BUILT_IN else WritingModel(cast("DocumentLlm", llm))


def json_in(text: str) -> dict[str, Any] | None:
    """The first JSON object in a reply."""
    said = without_thinking(text)
    start = said.find("{")
    if start < 0:
        return None
    try:
        found, _ = json.JSONDecoder().raw_decode(said, start)
    except (ValueError, RecursionError):
        return None
    return storable_parts(found) if isinstance(found, dict) else None
