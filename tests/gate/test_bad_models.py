"""No question that is right or shown without a model is neither with one, however bad: each is asked of one of them."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.answers import load_samples
from benchmarks.model_path import services_at
from tests.gate.outcomes import RIGHT, SHOWN, expected_of, outcome_of
from tests.gate.questions import GateQuestion, of_tables, samples
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


Asked = Callable[[GateQuestion, str], str]
"""Of a question and what the model writes: the outcome."""


@pytest.fixture(scope="module")
def questions() -> list[GateQuestion]:
    """Those of the sample library that are right or shown without a model."""
    known = expected_of([*samples(), *of_tables()])
    return [one for one, outcome in known.items() if outcome in {RIGHT, SHOWN}]


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory, sample_library: Callable[[Path], None]) -> Iterator[Asked]:
    """A model that writes the text, and approves of all where it is to decide."""
    text = ""

    def reply(request: dict[str, Any]) -> Reply:
        return derived_reply(request) if "response_format" in request else Reply(text)

    def ask(question: GateQuestion, written: str) -> str:
        nonlocal text
        text = written
        services.llm.resume()
        return outcome_of(services, base_id, question)

    data = tmp_path_factory.mktemp("data")
    sample_library(data)
    with OpenAiServer(reply) as server, services_at(data, server.base_url) as services:
        base_id = load_samples(services)
        services.warm()
        yield ask


@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", WRITTEN)
def test_what_is_right_or_shown_without_a_model_is_one_of_these_with_a_bad_one(
    name: str, questions: list[GateQuestion], asked: Asked
) -> None:
    known = expected_of(questions)
    part = questions[list(WRITTEN).index(name) :: len(WRITTEN)]
    outcomes = {one.question: (known[one], asked(one, WRITTEN[name])) for one in part}
    lost = {question: both for question, both in outcomes.items() if both[1] not in {RIGHT, SHOWN}}
    assert not lost, json.dumps(lost, indent=1, ensure_ascii=False)
