"""LangGraph is imported without the clients that it would bring; who uses them has the real ones."""

import os
import subprocess
import sys
from pathlib import Path

LOADED = """
import sys
from core.agents.workflows.registry import workflow_named
from core.agents.workflows.workflow import compile_workflow
graph = compile_workflow(workflow_named("adaptive"))
from langchain_core.callbacks import CallbackManager
CallbackManager.configure()
clients = ("requests.models", "urllib3", "httpx2", "langsmith._client", "langsmith.env")
print(*(name for name in clients if name in sys.modules))
"""
USED = """
import requests.exceptions
from langchain_core.tracers.context import _tracing_v2_is_enabled
from langchain_core.tracers.langchain import LangChainTracer
from langchain_core.tracers.schemas import Run
from langsmith import Client, RunTree, get_tracing_context, tracing_context
print(_tracing_v2_is_enabled(), get_tracing_context()["enabled"])
with tracing_context(enabled=True, tags=["one"]):
    print(_tracing_v2_is_enabled(), get_tracing_context()["tags"])
    print(any(isinstance(each, LangChainTracer) for each in CallbackManager.configure().handlers))
made = Run(name="a", run_type="chain", client=Client(api_key="none"))
print(type(made) is RunTree, isinstance(Client, type), requests.HTTPError is requests.exceptions.HTTPError)
"""


def said(script: str, **environment: str) -> list[str]:
    quiet = {name: value for name, value in os.environ.items() if not name.startswith(("LANGSMITH", "LANGCHAIN"))}
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=Path(__file__).parents[3],
        env=quiet | environment,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_a_workflow_loads_no_client_of_a_server_and_what_stood_in_for_one_gives_way_to_it() -> None:
    assert said(LOADED + USED) == ["", "False None", "True ['one']", "True", "True True True"]


def test_where_the_environment_asks_for_reports_they_are_made() -> None:
    script = LOADED + "print(*(type(each).__name__ for each in CallbackManager.configure().handlers))"
    assert said(script, LANGSMITH_TRACING="true", LANGSMITH_API_KEY="none")[1] == "LangChainTracer"
