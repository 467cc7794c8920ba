"""`python -m benchmarks streaming`: from the model's socket to what a page is sent, beside ChatOpenAI in LangGraph."""

import asyncio
import json
import math
import re
import statistics
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import httpx2
from langchain_openai import ChatOpenAI
from langgraph.graph import START, MessagesState, StateGraph
from pydantic import SecretStr

from benchmarks.model_process import answering
from benchmarks.output import say
from benchmarks.streaming_model import WIDTH, age
from core.app.bench.retrieval import Corpus, RetrievalRow
from core.app.services import Services
from core.platform.settings.settings import Settings
from core.runs.model import RunRequest
from pages.components.chat.workflow_choices import prepare_pictures
from pages.components.run.live_route import Follower, messages
from pages.components.shell.services import services as opened

TOKENS, PER_SECOND = 600, 100.0
_STAMP = re.compile(rf"\b[a-z]{{{WIDTH}}}\b")
_ANSWER = re.compile(r"gt-answer.*?>(.*)", re.DOTALL)
QUESTION = "Who developed KelpNet?"
ROWS = [
    RetrievalRow("1", "KelpNet", "KelpNet is a neural network. It was developed by Lena Vogt at Westhaven in 2021.")
]


@dataclass(frozen=True, slots=True)
class Streamed:
    lags: list[float]
    """Seconds of each token, from the socket to what shows it."""
    cpu_seconds: float
    tokens: int
    updates: int
    """What was sent to the page, or came out of the graph."""


def main(data: Path) -> None:
    del data
    with TemporaryDirectory() as folder, answering("streaming_model", str(TOKENS), str(PER_SECOND)) as address:
        raw, baseline = _raw(address), _langgraph(address)
        with _services(Path(folder), address) as services:
            corpus = Corpus(services)
            corpus.load(ROWS)
            services.warm()
            ours = [asyncio.run(_followed(services, corpus.base_id)) for _ in range(2)][-1]
    say(f"{TOKENS} tokens at {PER_SECOND:.0f} a second\n")
    say("| | lag, ms, median | lag, ms, p95 | processor, µs a token | updates a second |\n|---|---|---|---|---|\n")
    say("| goal | | 50 | 60 | 25 |\n")
    _row("ChatOpenAI.stream in LangGraph's messages mode, nothing stored, nothing drawn", baseline)
    _row("each token read with httpx, nothing else done", raw)
    _row("ours: events, log, page", ours)


@contextmanager
def _services(data: Path, address: str) -> Iterator[Services]:
    """The ones that the pages' code finds, with every picture drawn."""
    changes = {"data": data, "database_url": "", "chroma_url": "", "llm_base_url": address, "llm_model": "bench"}
    prepare_pictures()
    with Services(Settings().model_copy(update=changes)) as services:
        with patch("core.app.services.Services", lambda *_, **__: services):
            opened.clear()
            opened()
        yield services
        opened.clear()


async def _followed(services: Services, base_id: str) -> Streamed:
    """A question asked, and the page's own stream read to its end."""
    run_id = services.worker.start(RunRequest(QUESTION, base_id, use_memory=False))
    received: list[tuple[float, float, str]] = []
    ended = False
    while not ended:
        async for message in messages(Follower(run_id, "en")):
            received.append((time.monotonic(), time.process_time(), message))
            ended = message.startswith("event: end")
    return _streamed(received)


def _streamed(received: Sequence[tuple[float, float, str]]) -> Streamed:
    """Each token counts when it is first seen; the processor from the first to the last of them."""
    seen, lags, showing = 0, [], []
    for at, cpu, message in received:
        stamps = _STAMP.findall(_shown(message))
        if len(stamps) > seen:
            lags += [age(stamp, at) for stamp in stamps[seen:]]
            seen = len(stamps)
            showing.append((cpu, seen))
    (began, first), (over, last) = showing[0], showing[-1]
    return Streamed(lags, over - began, last - first, len(showing))


def _shown(message: str) -> str:
    if not message.startswith("data: {"):
        return ""
    parts = json.loads(message.removeprefix("data: ")).get("turn", [])
    html, _, _ = dict(parts).get("answer", "").partition('<p class="gt-silent"')
    found = _ANSWER.search(html)
    return re.sub(r"<[^>]+>", " ", found[1]) if found else ""


def _langgraph(address: str) -> Streamed:
    model = ChatOpenAI(model="bench", base_url=address, api_key=SecretStr("none"), max_retries=0)

    def answer(state: MessagesState) -> dict[str, Any]:
        whole: Any = None
        for chunk in model.stream(state["messages"]):
            whole = chunk if whole is None else whole + chunk
        return {"messages": [whole]}

    building = StateGraph(MessagesState)
    building.add_node("answer", answer)
    building.add_edge(START, "answer")
    graph = building.compile()
    asked: Any = {"messages": [("user", QUESTION)]}
    received = []
    for chunk, _ in graph.stream(asked, stream_mode="messages"):
        received.append((time.monotonic(), time.process_time(), str(getattr(chunk, "content", ""))))
    return _each(received)


def _raw(address: str) -> Streamed:
    request = {"model": "bench", "stream": True, "messages": [{"role": "user", "content": QUESTION}]}
    received = []
    with httpx2.Client() as client, client.stream("POST", f"{address}/chat/completions", json=request) as response:
        for line in response.iter_lines():
            if line.startswith("data: {"):
                said = json.loads(line.removeprefix("data: "))["choices"][0]["delta"].get("content", "")
                received.append((time.monotonic(), time.process_time(), said))
    return _each(received)


def _each(received: Sequence[tuple[float, float, str]]) -> Streamed:
    """Of a stream that gives one token at a time."""
    stamped = [(at, cpu, _STAMP.search(text)) for at, cpu, text in received]
    shown = [(at, cpu, found[0]) for at, cpu, found in stamped if found]
    lags = [age(stamp, at) for at, _, stamp in shown]
    return Streamed(lags, shown[-1][1] - shown[0][1], len(shown) - 1, len(shown))


def _row(name: str, it: Streamed) -> None:
    p95 = sorted(it.lags)[math.ceil(0.95 * len(it.lags)) - 1]
    seconds = it.tokens / PER_SECOND
    say(f"| {name} | {1000 * statistics.median(it.lags):.1f} | {1000 * p95:.1f} ")
    say(f"| {1e6 * it.cpu_seconds / it.tokens:.0f} | {it.updates / seconds:.0f} |\n")
