"""`python -m benchmarks.tool_calls [--half tuned|judged] [--only TEXT] [--data FOLDER] [--at-once N] [--whole]`.

Which tools the configured model calls in graph_react and tool_loop, in the sample library, for the cases of
tool_calls.jsonl. A case is right when the calls of one of its alternatives were made, none was refused as
wrong, and no more than SPARE others were made. FOLDER is kept for the next time; --whole waits for
the answers and prints them, where otherwise a run is stopped when it has made its calls, or its answer begins.
"""

import argparse
import json
import re
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pydantic import SecretStr

from benchmarks.answers import ingest
from benchmarks.output import say
from benchmarks.trial import HERE
from core.app.services import Services
from core.platform.settings.settings import Settings
from core.runs.events import AnswerDelta, AnswerReady, Event, ModelCalled, NodeFinished, ToolCalled
from core.runs.model import RunRequest, RunStatus
from tests.loopback.tavily_server import Results, TavilyServer

SPARE = 2
"""Calls beside those that are wanted, such as a search for the name before its neighbours."""
PATIENT_SECONDS = 1_200.0
"""The model is judged, not the machine."""
RULES = """# Travel rules

A hotel night may cost at most 140 euros; a meal allowance of 32 euros is paid for each day. 出差餐费补贴为每天32欧元。
The head of administration approves every business trip before it is booked.
"""
NEWS = [{"title": "News", "url": "https://news.example", "content": "A bloom was seen off the coast.", "score": 0.5}]


@dataclass
class Asked:
    case: dict[str, Any]
    calls: list[ToolCalled] = field(default_factory=list)
    steps: list[str] = field(default_factory=list)
    outcome: str = ""
    answer: str = ""
    model_calls: int = 0
    tokens: int = 0
    seconds: float = 0.0

    @property
    def is_right(self) -> bool:
        wanted = self.case["calls"]
        if any(call.result.startswith("Error") for call in self.calls):
            return False
        if not wanted:
            return not self.calls
        return any(self._holds(alternative) for alternative in wanted)

    def _holds(self, alternative: list[dict[str, Any]]) -> bool:
        made = all(any(_fits(call, wanted) for call in self.calls) for wanted in alternative)
        return made and len(self.calls) <= len(alternative) + SPARE


def _fits(call: ToolCalled, wanted: dict[str, Any]) -> bool:
    given = json.loads(call.arguments)
    return call.tool == wanted["tool"] and all(
        re.search(pattern, str(given.get(name, "")), re.IGNORECASE) for name, pattern in wanted["arguments"].items()
    )


def main(options: argparse.Namespace) -> None:
    cases = [json.loads(line) for line in (HERE / "tool_calls.jsonl").read_text(encoding="utf-8").splitlines()]
    cases = [case for case in cases if not options.half or case["half"] == options.half]
    cases = [case for case in cases if options.only in json.dumps(case, ensure_ascii=False)]
    with _services(options.data) as services:
        base_id = _loaded(services)
        services.warm()
        with ThreadPoolExecutor(options.at_once) as pool:
            asked = list(pool.map(lambda case: _ask(services, base_id, case, options.whole), cases))
    _sum_up(asked)


@contextmanager
def _services(folder: Path | None) -> Iterator[Services]:
    with TemporaryDirectory() as fresh, TavilyServer(lambda _: Results(NEWS)) as web:
        changes = {
            "data": folder or Path(fresh),
            "database_url": "",
            "chroma_url": "",
            "llm_answer_seconds": PATIENT_SECONDS,
            "llm_call_seconds": PATIENT_SECONDS,
            "max_seconds": PATIENT_SECONDS,
            "tavily_api_key": SecretStr("tvly-key"),
            "tavily_base_url": web.url,
        }
        with Services(Settings().model_copy(update=changes)) as services:
            yield services


def _loaded(services: Services) -> str:
    """The sample library, and a further set of documents."""
    base = services.lifecycle.load_sample()
    rules = services.library.bases.named("Travel rules")
    if rules is None:
        rules = services.library.bases.create("Travel rules")
        with TemporaryDirectory() as folder:
            path = Path(folder) / "rules.md"
            path.write_text(RULES, encoding="utf-8")
            services.lifecycle.intake.add(rules.id, "Travel rules.md", path)
    for each in (base, rules):
        ingest(services, each.id)
    return base.id


def _ask(services: Services, base_id: str, case: dict[str, Any], whole: bool) -> Asked:
    asked, began = Asked(case), time.monotonic()
    request = RunRequest(
        case["question"],
        base_id,
        case["workflow"],
        use_memory=False,
        use_web=case["workflow"] == "tool_loop",
        web_agreed=True,
    )
    run_id = services.worker.start(request)
    for event in _events(services, run_id):
        if isinstance(event, ToolCalled):
            asked.calls.append(event)
        if not whole and (isinstance(event, AnswerDelta) or (asked.calls and asked.is_right)):
            services.worker.stop(run_id)
        if isinstance(event, AnswerReady):
            asked.answer = event.text
        elif isinstance(event, NodeFinished):
            asked.steps.append(f"{event.node}:{event.outcome}")
        elif isinstance(event, ModelCalled):
            asked.model_calls += 1
            asked.tokens += event.usage.prompt_tokens + event.usage.completion_tokens
            asked.steps.append(f"<{' '.join(event.response.split())[:300]}>")
    asked.outcome, asked.seconds = services.runs.get(run_id).outcome, time.monotonic() - began
    _tell(asked, whole)
    return asked


def _events(services: Services, run_id: str) -> Iterator[Event]:
    """To the end of the run, however long the model is silent."""
    seen = 0
    while True:
        for number, event in services.worker.follow(run_id, seen):
            seen = number
            yield event
        if services.runs.get(run_id).status is not RunStatus.RUNNING:
            return


def _tell(asked: Asked, whole: bool) -> None:
    calls = "; ".join(f"{call.tool}{call.arguments}" for call in asked.calls)
    say(f"{'right' if asked.is_right else 'WRONG'} {asked.case['workflow']} {asked.case['question']}\n    {calls}\n")
    say(f"    {' '.join(asked.steps)}\n")
    if whole:
        say(f"    [{asked.outcome}, {asked.seconds:.0f} s] {asked.answer}\n")


def _sum_up(asked: list[Asked]) -> None:
    for sort in ("half", "workflow", "language", "kind"):
        of_all = Counter(one.case[sort] for one in asked)
        right = Counter(one.case[sort] for one in asked if one.is_right)
        say(", ".join(f"{name} {right[name]} of {number}" for name, number in of_all.items()) + "\n")
    calls, tokens = sum(one.model_calls for one in asked), sum(one.tokens for one in asked)
    seconds = sorted(one.seconds for one in asked)[len(asked) // 2]
    say(f"{calls} calls of the model, {tokens} tokens, {seconds:.0f} s a question in the median\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", choices=("tuned", "judged"))
    parser.add_argument("--only", default="")
    parser.add_argument("--data", type=Path)
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--at-once", type=int, default=1)
    main(parser.parse_args())
