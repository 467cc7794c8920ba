"""Runs reach Langfuse over its wire protocol (OTLP in protobuf), and no fault of the service reaches a run."""

import base64
import gzip
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from uuid import uuid4

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from core.app.services import Services
from core.platform.settings.settings import load_settings
from core.runs.events import (
    AnswerReady,
    ModelCalled,
    NodeFinished,
    NodeStarted,
    RunFailed,
    RunFinished,
    RunStarted,
    ToolCalled,
)
from core.runs.history.langfuse_export import LangfuseExport
from core.runs.model import Run, RunRequest, RunStatus, Usage

RUN = Run("run-1", "thread-1", "base", "Who made it?", "adaptive", "gpt-x", RunStatus.RUNNING, datetime.now(UTC))
EVENTS = (
    RunStarted("Who made it?", "adaptive", "gpt-x"),
    NodeStarted("plan", 1),
    ModelCalled("plan", "user:\nWho?", '{"route": "chunks"}', 0.5, Usage(1, 120, 7)),
    NodeFinished("plan", 1, 0.6, "chunks", "asks for a fact"),
    NodeStarted("generate", 1),
    ToolCalled("search_entities", '{"query": "it"}', "Found 1", 0.01),
    AnswerReady("Ada made it [1].", ()),
    NodeFinished("generate", 1, 1.0, ""),
    RunFinished("answered", 1.7, Usage(1, 120, 7)),
)


@dataclass
class Received:
    url: str
    status: int = 200
    requests: list[tuple[str, str]] = field(default_factory=list)
    """(path, Authorization)."""
    spans: list[Any] = field(default_factory=list)

    def attributes(self, name: str) -> dict[str, str]:
        span = next(span for span in self.spans if span.name == name)
        return {pair.key: pair.value.string_value for pair in span.attributes}


@pytest.fixture
def langfuse() -> Iterator[Received]:
    received = Received("")

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            received.requests.append((self.path, self.headers["Authorization"]))
            if self.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                for scope in resource.scope_spans:
                    received.spans.extend(scope.spans)
            self.send_response(received.status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    received.url = f"http://127.0.0.1:{server.server_port}"
    yield received
    server.shutdown()
    server.server_close()


def exported(url: str, *events: Any) -> None:
    export = LangfuseExport(f"pk-{uuid4().hex}", "sk-lf-secret", url)
    for event in events:
        export.observe(RUN, event)
    export.close()


def test_a_run_is_a_trace_with_its_nodes_and_calls(langfuse: Received) -> None:
    exported(langfuse.url, *EVENTS)
    path, authorization = langfuse.requests[0]
    assert path == "/api/public/otel/v1/traces"
    assert base64.b64decode(authorization.removeprefix("Basic ")).decode().endswith(":sk-lf-secret")
    spans = {span.name: span for span in langfuse.spans}
    assert set(spans) == {"adaptive", "plan", "generate", "search_entities"}
    assert len(langfuse.spans) == 5
    root = next(span for span in langfuse.spans if not span.parent_span_id)
    assert (root.name, {span.trace_id for span in langfuse.spans}) == ("adaptive", {root.trace_id})
    attributes = langfuse.attributes("adaptive")
    assert attributes["langfuse.observation.input"] == "Who made it?"
    assert attributes["langfuse.observation.output"] == "Ada made it [1]."
    assert attributes["session.id"] == "thread-1"


def test_a_model_call_is_a_generation_of_its_node_with_tokens_and_time(langfuse: Received) -> None:
    exported(langfuse.url, *EVENTS)
    calls = [span for span in langfuse.spans if ("langfuse.observation.type", "generation") in _pairs(span)]
    assert len(calls) == 1
    assert 0.5 <= (calls[0].end_time_unix_nano - calls[0].start_time_unix_nano) / 1e9 < 0.6
    assert ("langfuse.observation.model.name", "gpt-x") in _pairs(calls[0])
    assert ("langfuse.observation.usage_details", '{"input": 120, "output": 7}') in _pairs(calls[0])
    parents = [span for span in langfuse.spans if span.span_id == calls[0].parent_span_id]
    assert ("langfuse.observation.type", "span") in _pairs(parents[0])


def test_a_failed_run_is_an_error_and_leaves_no_span_open(langfuse: Received) -> None:
    exported(langfuse.url, EVENTS[0], NodeStarted("plan", 1), RunFailed("llm.refused"))
    assert {span.name for span in langfuse.spans} == {"adaptive", "plan"}
    assert langfuse.attributes("adaptive")["langfuse.observation.level"] == "ERROR"


@pytest.mark.parametrize("status", [401, 400, 302])
def test_a_service_that_refuses_does_no_harm(langfuse: Received, status: int) -> None:
    langfuse.status = status
    exported(langfuse.url, *EVENTS)
    assert langfuse.requests


def test_a_service_that_is_not_there_does_no_harm() -> None:
    exported("http://127.0.0.1:9", *EVENTS)


def test_without_keys_nothing_is_exported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANGFUSE_PUBLIC_KEY", "pk-alone")
    with Services(load_settings()) as services:
        assert services.answering.langfuse is None


def test_a_question_asked_in_the_app_arrives(langfuse: Received, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANGFUSE_PUBLIC_KEY", f"pk-{uuid4().hex}")
    monkeypatch.setenv("LANGFUSE_SECRET_KEY", "sk-lf-secret")
    monkeypatch.setenv("LANGFUSE_HOST", langfuse.url)
    with Services(load_settings()) as services:
        base = services.library.bases.create("Papers")
        run_id = services.worker.start(RunRequest("Hello!", base.id))
        list(services.worker.follow(run_id))
    assert langfuse.attributes("adaptive")["langfuse.observation.input"] == "Hello!"
    assert langfuse.attributes("adaptive")["langfuse.observation.output"]
    told = json.loads(langfuse.attributes("telemetry")["langfuse.observation.output"])
    assert {"outcome": "direct", "language": "en", "trace": run_id}.items() <= told.items()
    assert "prompts" in told


def _pairs(span: Any) -> set[tuple[str, str]]:
    return {(pair.key, pair.value.string_value) for pair in span.attributes}
