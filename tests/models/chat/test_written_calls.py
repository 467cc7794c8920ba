"""Calls of tools in the text of a reply: what is one, what is not, and what of it is shown while it streams."""

import json

import pytest

from core.models.agent_ports import ToolSchema
from core.models.chat.written_calls import CallFilter, WrittenCall, read_calls

TOOLS = {"search": ToolSchema("search", "Searches.", {}, lambda given: isinstance(given.get("query"), str))}
KELP = WrittenCall("search", {"query": "kelp"})
CALL = json.dumps({"name": "search", "arguments": {"query": "kelp"}})
WRONG = json.dumps({"name": "search", "arguments": {"words": 1}})
UNKNOWN = json.dumps({"name": "fly", "arguments": {}})
TEXTS = [
    "Buoy L4 [1] lies at 88 metres, which is < 90.",
    'The record is {"name": "Ada", "age": 7} and nothing else.',
    "```python\nprint({1: 2})\n```\nprints a dictionary.",
    'It is called {"name": "search"',
    f"A call looks like {WRONG} as you see.",
    f"You could write {UNKNOWN} for that.",
]


@pytest.mark.parametrize(
    "reply",
    [
        CALL,
        f"```json\n{CALL}\n```",
        f"```\n{CALL}```",
        f"<tool_call>\n{CALL}\n</tool_call>",
        f"<tools>{CALL}</tools>",
        f"[{CALL}]",
        f"{{{CALL}}}",
        CALL.replace("arguments", "parameters"),
    ],
)
def test_an_object_that_is_the_whole_reply_is_a_call(reply: str) -> None:
    assert read_calls(reply, TOOLS) == ("", [KELP])
    assert shown(reply) == ""


@pytest.mark.parametrize("reply", ["<tools> </tools>\n\nIt is there.", "<tool_call></tool_call>It is there."])
def test_tags_around_nothing_are_no_text(reply: str) -> None:
    assert read_calls(reply, TOOLS) == ("It is there.", [])
    assert shown(reply) + held(reply, 1) == "It is there."


def test_escapes_of_a_call_are_made_storable() -> None:
    reply = CALL.replace("kelp", r"kelp\ud800\u0000")
    assert read_calls(reply, TOOLS) == ("", [WrittenCall("search", {"query": "kelp\ufffd\ufffd"})])


def test_several_are_all_calls() -> None:
    for between in ("\n", ", ", "\n```\n```json\n"):
        assert read_calls(f"```json\n{CALL}{between}{CALL}\n```", TOOLS) == ("", [KELP, KELP])


def test_what_is_said_before_a_call_stays_text() -> None:
    reply = f"I look for it [1].\n```json\n{CALL}\n```"
    assert read_calls(reply, TOOLS) == ("I look for it [1].", [KELP])
    assert shown(reply) == "I look for it [1].\n"


@pytest.mark.parametrize(("reply", "name"), [(WRONG, "search"), (f"```json\n{UNKNOWN}\n```", "fly")])
def test_a_wrong_call_that_is_the_whole_reply_is_one_for_the_tool_to_refuse(reply: str, name: str) -> None:
    text, calls = read_calls(reply, TOOLS)
    assert (text, [call.name for call in calls]) == ("", [name])


@pytest.mark.parametrize("reply", TEXTS)
def test_anything_else_is_text(reply: str) -> None:
    assert read_calls(reply, TOOLS) == (reply, [])
    for size in (1, 3, 1_000):
        assert shown(reply, size) + held(reply, size) == reply


def test_text_goes_on_as_soon_as_it_can_be_no_call() -> None:
    said = CallFilter()
    assert said.feed("See [") == "See "
    assert said.feed("1] and {") == "[1] and "
    assert said.feed('"age": 7') == '{"age": 7'
    assert said.feed("}.") == "}."


def test_an_object_without_an_end_is_not_held_for_ever() -> None:
    said = CallFilter()
    assert "".join(said.feed("x" * 100) for _ in range(3)) == "x" * 300
    assert said.feed('{"name": "') == ""
    assert len("".join(said.feed("y" * 100) for _ in range(50))) > 4_000


def shown(reply: str, size: int = 1) -> str:
    said = CallFilter()
    return "".join(said.feed(reply[at : at + size]) for at in range(0, len(reply), size))


def held(reply: str, size: int) -> str:
    said = CallFilter()
    for at in range(0, len(reply), size):
        said.feed(reply[at : at + size])
    return said.finish()
