"""No question that is right or shown without a model is neither with one, however bad: each is asked of one of them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks.model_path import services_at
from tests.gate.outcomes import RIGHT, SHOWN, expected_of, outcome_of
from tests.gate.questions import committed_groups
from tests.loopback.answers import Reply
from tests.loopback.derived import derived_reply
from tests.loopback.openai_server import OpenAiServer

INVENTED = "A bank in Paris bought it in 1931 for nine million francs."
WRITTEN = {
    "empty": "",
    "markers only": "[1][2]",
    "refusal": "NOT ANSWERED",
    "refusal below a copy": "QUOTE: Nothing of the kind is told.\nANSWER: NOT ANSWERED",
    "invented": INVENTED,
    "invented and copied": f"QUOTE: {INVENTED}\nANSWER: {INVENTED} [1]",
    "endless": "It depends on many things, as always. " * 2_000,
}


def bad(text: str) -> Callable[[dict[str, Any]], Reply]:
    """A model that writes the text, and approves of all where it is to decide."""

    def reply(request: dict[str, Any]) -> Reply:
        return derived_reply(request) if "response_format" in request else Reply(text)

    return reply


@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", WRITTEN)
def test_what_is_right_or_shown_without_a_model_is_one_of_these_with_a_bad_one(name: str, tmp_path: Path) -> None:
    at = list(WRITTEN).index(name)
    with OpenAiServer(bad(WRITTEN[name])) as server, services_at(tmp_path, server.base_url) as services:
        base_id, questions = committed_groups()["sample library"](services)
        services.warm()
        known = expected_of(questions)
        asked = [one for one in questions if known[one] in {RIGHT, SHOWN}][at :: len(WRITTEN)]
        outcomes = {one.question: (known[one], outcome_of(services, base_id, one)) for one in asked}
    lost = {question: both for question, both in outcomes.items() if both[1] not in {RIGHT, SHOWN}}
    assert not lost, json.dumps(lost, indent=1, ensure_ascii=False)
