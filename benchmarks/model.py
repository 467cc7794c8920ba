"""`python -m benchmarks.model FOLDER ADDRESS`: what a small model makes of questions, beside the engine without one.

FOLDER holds the documents of model_questions.jsonl (the README says where they are from) or of `--file`; ADDRESS is an
OpenAI-compatible server with the model. `--told` prints every answer and reply, so that they can be read.
"""

import argparse
import json
import math
import statistics
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.check_trial import shows_all
from benchmarks.output import say_line
from benchmarks.trial import SURE, load, text_below, text_shown
from core.app.services import Services
from core.models.chat.llm import ChatLlm
from core.models.ports import BUILT_IN
from core.models.tokens import SMALL_MODEL_READS
from core.platform.settings.settings import Settings
from core.runs.events import AnswerDelta, AnswerReady, AnswerReset, Degraded, ModelCalled, RunFinished
from core.runs.model import AnswerOutcome, RunOptions, RunRequest, Usage

QUESTIONS = Path(__file__).with_name("model_questions.jsonl")
PATIENT = {"llm_call_seconds": 600, "llm_answer_seconds": 1_800, "max_seconds": 3_600}
"""What is measured is what the model writes, on a machine that may be busy."""
KINDS = ("right", "shown", "wrong", "declined")


@dataclass(frozen=True, slots=True)
class Result:
    row: dict[str, Any]
    outcome: str
    text: str
    below: str
    """The passages below an answer."""
    cited: str
    """What the citations mark on their pages."""
    first_seconds: float
    seconds: float
    usage: Usage
    replies: tuple[tuple[str, str], ...]
    """(task, reply with the mean log probability of its tokens) of each call, or (task, why it failed)."""

    @property
    def kind(self) -> str:
        """Shown is a right answer that is listed without being claimed."""
        is_right = self.row["answerable"] and shows_all(self.text, self.row)
        if self.outcome in SURE:
            return "right" if is_right else "wrong"
        return "shown" if is_right and self.outcome == AnswerOutcome.CLOSEST else "declined"

    @property
    def is_seen(self) -> bool:
        """Whether the right words stand in the answer or in a passage below it."""
        return self.kind in {"right", "shown"} or shows_all(f"{self.text}\n{self.below}", self.row)


def main(arguments: argparse.Namespace) -> None:
    rows = [json.loads(line) for line in arguments.file.read_text(encoding="utf-8").splitlines()][: arguments.most]
    with services_with(arguments.address) as services:
        base_id = load(services, [arguments.folder], {row["document"] for row in rows})
        services.warm()
        for engine in (BUILT_IN, services.llm.engine):
            results = []
            for row in rows:
                results.append(_asked(services, base_id, row, engine, arguments.workflow))
                if arguments.told:
                    _tell(results[-1])
            table("without a model" if engine == BUILT_IN else engine, results)


@contextmanager
def services_with(address: str) -> Iterator[Services]:
    """On an empty folder, with the server's model as if it were one of this machine."""
    with TemporaryDirectory() as folder:
        changes = {"data": Path(folder), "database_url": "", "chroma_url": "", "llm_base_url": address}
        settings = Settings().model_copy(update=changes | PATIENT | {"llm_model": "local"})
        with Services(settings) as services:
            if isinstance(services.llm, ChatLlm):
                services.llm.config = replace(services.llm.config, small=True, passage_tokens=SMALL_MODEL_READS)
            yield services


def _asked(services: Services, base_id: str, row: dict[str, Any], engine: str, workflow: str) -> Result:
    options = RunOptions(engine=engine)
    request = RunRequest(row["question"], base_id, workflow=workflow, use_memory=False, options=options)
    started, first = time.perf_counter(), math.nan
    run_id = services.worker.start(request)
    text, below, cited, usage, replies = "", "", "", Usage(), []
    for _, event in services.worker.follow(run_id):
        match event:
            case AnswerDelta() if math.isnan(first):
                first = time.perf_counter() - started
            case AnswerReset():
                first = math.nan
            case AnswerReady():
                text, below = text_shown(event), text_below(event)
                cited = "\n".join(citation.text for citation in event.citations)
                first = time.perf_counter() - started if math.isnan(first) else first
            case ModelCalled():
                sure = "" if event.certainty is None else f" ({event.certainty:.2f})"
                replies.append((event.task, event.response + sure))
            case Degraded():
                replies.append((event.task, event.reason))
            case RunFinished():
                usage = event.usage
    seconds = time.perf_counter() - started
    return Result(row, services.runs.get(run_id).outcome, text, below, cited, first, seconds, usage, tuple(replies))


def _tell(result: Result) -> None:
    say_line(f"{result.kind:<9}{result.row.get('id', '')} {result.row['question']} {result.row['answers']}")
    say_line(f"    {result.outcome}: {' / '.join(result.text.splitlines())[:500]}\n    cited: {result.cited[:300]!r}")
    for task, reply in result.replies:
        say_line(f"    {task}: {reply!r}"[:700])


def table(name: str, results: Sequence[Result]) -> None:
    """One line: counts of the answerable and the unanswerable questions, then what they cost."""
    counts = Counter((result.kind, result.row["answerable"]) for result in results)
    right = [result for result in results if result.kind == "right"]
    answerable = sum(result.row["answerable"] for result in results)
    cells = [str(counts[kind, True]) for kind in KINDS]
    cells.append(str(sum(result.row["answerable"] and result.is_seen for result in results)))
    cells += [str(answerable), str(counts["wrong", False]), str(len(results) - answerable)]
    cells.append(f"{sum(shows_all(result.cited, result.row) for result in right)} of {len(right)}")
    cells += [f"{statistics.median(seconds):.1f}" for seconds in _times(results)]
    cells += [f"{statistics.fmean(of):.1f}" for of in zip(*map(_costs, results), strict=True)]
    say_line(
        "| | right | shown | wrong | declined | right words on the page | of answerable | answered | of unanswerable "
        "| citations right | s to the first word | s to the end | calls | tokens read | tokens written |"
    )
    say_line("|---" * 15 + "|")
    say_line(f"| {name} | {' | '.join(cells)} |\n")


def _times(results: Sequence[Result]) -> tuple[list[float], list[float]]:
    return [it.first_seconds for it in results if not math.isnan(it.first_seconds)], [it.seconds for it in results]


def _costs(result: Result) -> tuple[int, int, int]:
    return result.usage.model_calls, result.usage.prompt_tokens, result.usage.completion_tokens


def arguments_of(given: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("address")
    parser.add_argument("--file", type=Path, default=QUESTIONS)
    parser.add_argument("--workflow", default="adaptive")
    parser.add_argument("--most", type=int, default=None, help="questions")
    parser.add_argument("--told", action="store_true")
    return parser.parse_args(given)


if __name__ == "__main__":
    main(arguments_of())
