"""Structured outputs: the schema asked for and the answer read."""

from typing import Literal

import pytest
from pydantic import BaseModel, Field

from core.models.chat.outputs import InvalidOutputError, parse_output, strict_schema


class Step(BaseModel):
    name: str = Field(description="What to do.", max_length=20)
    kind: Literal["a", "b"] = "a"


class Plan(BaseModel):
    """A plan."""

    steps: list[Step] = Field(default=[], description="In order.")
    first: Step | None = None
    count: int = Field(default=1, ge=1, le=9)
    ratio: float = 0.5


def test_the_schema_is_closed_and_requires_everything() -> None:
    schema = strict_schema(Plan)
    assert schema["required"] == ["steps", "first", "count", "ratio"]
    assert schema["additionalProperties"] is False
    assert schema["$defs"]["Step"]["required"] == ["name", "kind"]
    assert schema["properties"]["count"] == {"type": "integer"}
    assert schema["properties"]["first"]["anyOf"] == [{"$ref": "#/$defs/Step"}, {"type": "null"}]
    assert schema["$defs"]["Step"]["properties"]["name"] == {"type": "string", "description": "What to do."}


@pytest.mark.parametrize(
    "answer",
    [
        '{"count": 3}',
        '```json\n{"count": 3}\n```',
        'Here it is: {"count": 3}. Anything else?',
        '<think>{"count": 5}</think>\n{"count": 3}',
        '{"count": "3", "unknown": [1]}',
    ],
)
def test_an_object_is_found_among_words(answer: str) -> None:
    assert parse_output(Plan, answer).count == 3


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("", "no JSON object"),
        ("[1, 2]", "no JSON object"),
        ('{"count": ', "cannot be read"),
        ('{"ratio": NaN}', "NaN is not a JSON number"),
        ('{"count": 0}', "count: Input should be greater than or equal to 1"),
        ('{"steps": [{"name": "x", "kind": "c"}]}', "steps.0.kind: Input should be 'a' or 'b'"),
        ('{"a":' * 100_000, "cannot be read"),
        ('{"count": ' + "9" * 10_000 + "}", "cannot be read"),
    ],
)
def test_what_is_wrong_is_said_in_words(answer: str, reason: str) -> None:
    with pytest.raises(InvalidOutputError, match=reason):
        parse_output(Plan, answer)


def test_few_of_many_problems_are_told() -> None:
    answer = '{"steps": [' + ",".join(["{}"] * 50) + "]}"
    with pytest.raises(InvalidOutputError) as caught:
        parse_output(Plan, answer)
    assert str(caught.value).count("Field required") == 8


def test_half_a_character_becomes_a_replacement_character() -> None:
    assert parse_output(Plan, r'{"steps": [{"name": "go \ud83d"}]}').steps == [Step(name="go �")]
