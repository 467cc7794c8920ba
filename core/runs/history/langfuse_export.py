"""Exports runs to Langfuse: one span per node, one generation per model call, sent in the background by its SDK."""

import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from langfuse import Langfuse, LangfuseOtelSpanAttributes
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.trace import Span, set_span_in_context

from core.runs.events import (
    END_EVENTS,
    AnswerReady,
    Event,
    ModelCalled,
    NodeFinished,
    NodeStarted,
    RunFailed,
    RunFinished,
    RunStarted,
    RunStopped,
    ToolCalled,
)
from core.runs.model import Run, Usage

CLOUD = "https://cloud.langfuse.com"
SEND_SECONDS = 5
_SECOND = 1_000_000_000
_ATTRIBUTES = LangfuseOtelSpanAttributes


@dataclass(slots=True)
class _Trace:
    """A run in progress: its own span and the spans of unfinished nodes, by node and attempt."""

    root: Span
    nodes: dict[tuple[str, int], Span] = field(default_factory=dict)
    answer: str = ""

    @property
    def innermost(self) -> Span:
        """The parent of a call: the node that started last."""
        return next(reversed(self.nodes.values()), self.root)


class LangfuseExport:
    """RunObserver. Events that cannot be delivered within SEND_SECONDS are dropped; the SDK logs that."""

    def __init__(
        self, public_key: str, secret_key: str, base_url: str = "", clock: Callable[[], int] = time.time_ns
    ) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._traces: dict[str, _Trace] = {}
        self._provider = TracerProvider(shutdown_on_exit=False)
        self._client = Langfuse(
            public_key=public_key,
            secret_key=secret_key,
            base_url=base_url.strip().rstrip("/") or CLOUD,
            timeout=SEND_SECONDS,
            tracer_provider=self._provider,
            should_export_span=lambda _: True,
        )
        self._tracer = self._provider.get_tracer("graphtalk")

    def observe(self, run: Run, event: Event) -> None:
        """Events arrive in order per run; runs may interleave."""
        with self._lock:
            if isinstance(event, RunStarted):
                self._traces[run.id] = _Trace(self._root(run))
            elif trace := self._traces.get(run.id):
                self._follow(trace, run, event)
                if isinstance(event, END_EVENTS):
                    del self._traces[run.id]

    def close(self) -> None:
        """Flush pending events. Takes at most SEND_SECONDS if the service does not respond."""
        self._client.shutdown()
        self._provider.shutdown()

    def _root(self, run: Run) -> Span:
        attributes = {
            _ATTRIBUTES.TRACE_NAME: run.workflow,
            _ATTRIBUTES.TRACE_SESSION_ID: run.thread_id,
            _ATTRIBUTES.OBSERVATION_TYPE: "agent",
            _ATTRIBUTES.OBSERVATION_INPUT: run.question,
            f"{_ATTRIBUTES.TRACE_METADATA}.engine": run.engine,
            f"{_ATTRIBUTES.TRACE_METADATA}.run_id": run.id,
        }
        return self._tracer.start_span(run.workflow, attributes=attributes, start_time=self._clock())

    def _follow(self, trace: _Trace, run: Run, event: Event) -> None:
        if isinstance(event, NodeStarted):
            span = self._child(trace.root, event.node, "span", self._clock())
            span.set_attribute(f"{_ATTRIBUTES.OBSERVATION_METADATA}.attempt", event.attempt)
            trace.nodes[event.node, event.attempt] = span
        elif isinstance(event, NodeFinished):
            if span_of_node := trace.nodes.pop((event.node, event.attempt), None):
                self._end(span_of_node, {"outcome": event.outcome, "reason": event.reason, **dict(event.details)})
        elif isinstance(event, ModelCalled):
            span = self._call(trace, event.task, "generation", event.seconds, event.prompt)
            span.set_attribute(_ATTRIBUTES.OBSERVATION_MODEL, run.engine)
            span.set_attribute(_ATTRIBUTES.OBSERVATION_USAGE_DETAILS, _usage(event.usage))
            self._end(span, event.response)
        elif isinstance(event, ToolCalled):
            self._end(self._call(trace, event.tool, "tool", event.seconds, event.arguments), event.result)
        elif isinstance(event, AnswerReady):
            trace.answer = event.text
        elif isinstance(event, RunFinished | RunStopped | RunFailed):
            self._finish(trace, event)

    def _finish(self, trace: _Trace, event: RunFinished | RunStopped | RunFailed) -> None:
        for span in trace.nodes.values():
            span.end(self._clock())
        if isinstance(event, RunFinished):
            trace.root.set_attribute(f"{_ATTRIBUTES.TRACE_METADATA}.outcome", event.outcome)
        else:
            said = event.message if isinstance(event, RunFailed) else "stopped"
            trace.root.set_attribute(_ATTRIBUTES.OBSERVATION_LEVEL, "ERROR" if said != "stopped" else "WARNING")
            trace.root.set_attribute(_ATTRIBUTES.OBSERVATION_STATUS_MESSAGE, said)
        self._end(trace.root, trace.answer)

    def _call(self, trace: _Trace, name: str, kind: str, seconds: float, sent: str) -> Span:
        """A span that ends now and lasted the given seconds."""
        span = self._child(trace.innermost, name, kind, self._clock() - int(seconds * _SECOND))
        span.set_attribute(_ATTRIBUTES.OBSERVATION_INPUT, sent)
        return span

    def _child(self, parent: Span, name: str, kind: str, start: int) -> Span:
        attributes = {_ATTRIBUTES.OBSERVATION_TYPE: kind}
        context = set_span_in_context(parent)
        return self._tracer.start_span(name, context, attributes=attributes, start_time=start)

    def _end(self, span: Span, output: str | Mapping[str, Any] | Sequence[Any]) -> None:
        text = output if isinstance(output, str) else json.dumps(output, ensure_ascii=False)
        span.set_attribute(_ATTRIBUTES.OBSERVATION_OUTPUT, text)
        span.end(self._clock())


def _usage(usage: Usage) -> str:
    return json.dumps({"input": usage.prompt_tokens, "output": usage.completion_tokens})
