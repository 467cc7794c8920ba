"""Prompts, tasks and nodes are the same set of names, and a prompt names exactly what its request has."""

import importlib
import pkgutil
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import get_type_hints

import pytest
from pydantic import BaseModel

from core.agents import nodes
from core.agents.nodes.answer.generate import ANSWER
from core.agents.nodes.answer.small_model import CAN_ANSWER, write_answer
from core.agents.state import State, Update
from core.documents.extraction.relation_extractor import STATE_RELATIONS
from core.documents.pipeline.summarise_model import SUMMARISE
from core.graph.network.community_summary import SUMMARISE_COMMUNITY
from core.models.agent_ports import AgentTask
from core.models.chat.outputs import strict_schema
from core.models.prompt_files import FOLDER, fill, placeholders
from core.models.tasks import Task, TextTask
from core.runs.evaluation.written_questions import WRITE_QUESTIONS
from core.runs.execution.titles import TITLE

AnyTask = Task | TextTask | AgentTask  # type: ignore[type-arg]  # tasks of every kind
SHARED = {
    "compliance_rules",
    "runtime",
    "memories",
    "evidence",
    "understood",
    "telling",
    "replying",
    "references",
    "small_model",
}
"""Modules beside the nodes that nodes share."""
MODULES = {
    name: module.name
    for module in pkgutil.walk_packages(nodes.__path__, "core.agents.nodes.")
    if not module.ispkg and (name := module.name.rpartition(".")[2]) not in SHARED
}


def node_modules() -> list[str]:
    return sorted(MODULES)


def tasks() -> Iterator[tuple[str, AnyTask]]:
    """(module, task) of every node that asks a model, of ingestion, of evaluation, of titles and of communities."""
    for name in node_modules():
        module = importlib.import_module(MODULES[name])
        yield from (
            (name, value)
            for value in vars(module).values()
            if isinstance(value, Task | TextTask | AgentTask) and value.name == name
        )

    for small in (CAN_ANSWER, write_answer(ANSWER)):
        yield small.name, small
    yield SUMMARISE.name, SUMMARISE
    yield STATE_RELATIONS.name, STATE_RELATIONS
    yield WRITE_QUESTIONS.name, WRITE_QUESTIONS
    yield TITLE.name, TITLE
    yield SUMMARISE_COMMUNITY.name, SUMMARISE_COMMUNITY


def request_type(task: AnyTask) -> type:
    if isinstance(task, AgentTask):
        return task.request
    found = get_type_hints(task.rule)["request"]
    assert isinstance(found, type)
    return found


def test_every_prompt_belongs_to_a_task_of_the_same_name() -> None:
    assert sorted(task.name for _, task in tasks()) == sorted(path.stem for path in FOLDER.glob("*.md"))


@pytest.mark.parametrize("name", node_modules())
def test_a_node_is_one_file_with_its_function_and_at_most_one_task(name: str) -> None:
    module = importlib.import_module(MODULES[name])
    assert callable(getattr(module, name))
    own = [value for value in vars(module).values() if isinstance(value, Task | TextTask | AgentTask)]
    assert all(task.name == name for task in own)
    assert len(own) <= 1


@pytest.mark.parametrize(("name", "task"), list(tasks()), ids=lambda value: value if isinstance(value, str) else "")
def test_a_prompt_names_exactly_the_fields_of_its_request(name: str, task: AnyTask) -> None:
    request = request_type(task)
    assert is_dataclass(request)
    assert placeholders(name) == {field.name for field in fields(request)}


@pytest.mark.parametrize("task", [task for _, task in tasks() if isinstance(task, Task)], ids=lambda task: task.name)
def test_outputs_can_be_asked_of_strict_endpoints(task: "Task[object, BaseModel]") -> None:
    schema = strict_schema(task.output)
    assert schema["additionalProperties"] is False
    assert set(schema["required"]) == set(schema["properties"])
    assert all(field.description for name, field in task.output.model_fields.items() if name != "importance")


def test_prompts_hold_no_placeholder_that_is_left_over() -> None:
    from core.agents.nodes.search.rewrite_query import RewriteRequest

    system, user = fill("rewrite_query", RewriteRequest("Why?", tried=("a {question}",)))
    assert "{question}" not in system["content"]
    assert "a {question}" in user["content"]


def test_what_a_node_may_change_is_mirrored_from_the_state() -> None:
    fixed = {"question", "base_id", "thread_id", "run_id", "history", "use_memory", "use_web", "interface_language"}
    fixed |= {"options"}
    state, update = get_type_hints(State), get_type_hints(Update)
    assert update == {name: kind for name, kind in state.items() if name not in fixed}


def test_prompts_that_read_passages_begin_alike() -> None:
    readers = [path.stem for path in FOLDER.glob("*.md") if "passages" in placeholders(path.stem)]
    assert len(readers) > 5
    assert all((FOLDER / f"{name}.md").read_text(encoding="utf-8").startswith("# task\n") for name in readers)
