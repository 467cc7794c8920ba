"""`python -m benchmarks extraction`: what extraction by a model takes, beside LangExtract with one call a passage.

The model is a process of its own that knows the labelled names and answers after 200 ms; its CPU does not count here.
"""

import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.request import urlopen

import langextract as lx
from langextract.core.base_model import BaseLanguageModel
from langextract.core.types import ScoredOutput

from benchmarks.model_process import answering
from benchmarks.ner import ENGLISH
from core.app.bench.entities import Tally, type_of
from core.documents.extraction.builtin_extractor import BuiltinExtractor
from core.documents.extraction.langextract.extractor import LangExtractExtractor
from core.documents.extraction.langextract.reader import MOST_ANSWERED
from core.documents.pipeline.work_files import AnswerFiles
from core.documents.ports.extraction import ExtractionRequest
from core.graph.model import ENTITY_TYPES, ExtractedName
from core.models.chat.endpoint_config import EndpointConfig
from core.models.chat.llm import ChatLlm
from core.models.chat.slots import SlottedLlm
from core.models.meter import CountingMeter
from core.models.ports import OF_A_SERVICE, Pace
from core.models.tagging.entity_tagger import OnnxEntityTagger
from core.models.tokens import estimate_tokens

LATENCY_SECONDS = 0.2
IN_FLIGHT = 16
WORDS = 150
"""Of a passage."""
TIMES_OVER = 20
"""How often our own run reads the file, so that there are many more calls than slots."""
Gold = dict[tuple[int, int], str]
Rows = Sequence[Sequence[ExtractedName]]


class Never:
    def requested(self) -> bool:
        return False


class Counted(ChatLlm):
    """Remembers what is sent."""

    def __init__(self, address: str) -> None:
        super().__init__(EndpointConfig(address, "loopback-model"))
        self.prompts: list[str] = []

    def answer_json(self, task: str, prompt: str, max_tokens: int, meter: object) -> str:
        self.prompts.append(prompt)
        return super().answer_json(task, prompt, max_tokens, CountingMeter(Never()))


@dataclass(frozen=True, slots=True)
class Cost:
    calls: float
    """For 1,000 words."""
    prompt: float
    """Tokens sent for each of the source."""
    cpu: float
    """Milliseconds of this process for a passage."""
    slots: float
    """Share of the slots in use from the first call to the last."""
    f1: float


def passages(path: Path) -> list[tuple[str, Gold]]:
    """Labelled sentences joined to passages, with the places of their names."""
    found: list[tuple[str, Gold]] = [("", {})]
    for row in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
        text, gold = found[-1]
        if len(text.split()) >= WORDS:
            text, gold = "", {}
            found.append((text, gold))
        start = len(text) + 1 if text else 0
        gold |= {(start + each["start"], start + each["end"]): type_of(each["type"]) for each in row["entities"]}
        found[-1] = (f"{text}\n{row['text']}" if text else row["text"], gold)
    return found


def measured(
    address: str, run: Callable[[Counted, Sequence[str]], Rows], texts: Sequence[str], gold: Sequence[Gold]
) -> Cost:
    """After a first call that opens the connections; slots as the model saw them."""
    llm = Counted(address)
    run(llm, texts[:2])
    _slots(address)
    llm.prompts.clear()
    started = time.process_time()
    rows = run(llm, texts)
    cpu = time.process_time() - started
    words, source = sum(len(text.split()) for text in texts), sum(map(estimate_tokens, texts))
    tally = Tally()
    for labels, row in zip(gold, rows, strict=False):
        tally.add(labels, {(each.start, each.end): each.type for each in row})
    f1 = next(row[3] for row in tally.rows() if row[0] == "all, typed")
    sent = sum(map(estimate_tokens, llm.prompts))
    return Cost(1000 * len(llm.prompts) / words, sent / source, 1000 * cpu * WORDS / words, _slots(address), f1)


def ours(llm: Counted, texts: Sequence[str]) -> Rows:
    """Packed, parallel, stored."""
    with TemporaryDirectory() as folder:
        order = ExtractionRequest(texts, "en", (), AnswerFiles(Path(folder)), Never(), lambda done, total: None)
        model = SlottedLlm(llm, Pace(in_flight=IN_FLIGHT))
        return (
            LangExtractExtractor(model, BuiltinExtractor(OnnxEntityTagger()), model.pace).extract_document(order).found
        )


def plain(llm: Counted, texts: Sequence[str]) -> Rows:
    """LangExtract as it comes, a call a passage, 16 at a time."""
    with ThreadPoolExecutor(IN_FLIGHT) as pool:
        return list(pool.map(lambda text: _plainly(llm, text), texts))


class SharedModel(BaseLanguageModel):
    """The model as LangExtract calls it."""

    def __init__(self, ask: Callable[[str], str]) -> None:
        super().__init__()
        self._ask = ask

    def infer(self, batch_prompts: Sequence[str], **_: Any) -> Iterator[Sequence[ScoredOutput]]:
        for prompt in batch_prompts:
            yield [ScoredOutput(score=1.0, output=self._ask(prompt))]


def _plainly(llm: Counted, text: str) -> list[ExtractedName]:
    example = lx.data.ExampleData(
        "Ada Quill of Tarn Labs maintains PlotLib, a tool for vector graphics.",
        [lx.data.Extraction("PERSON", "Ada Quill"), lx.data.Extraction("TECHNOLOGY", "PlotLib")],
    )
    document = lx.extract(
        text,
        prompt_description=f"Extract named entities in order of appearance. Classes: {', '.join(ENTITY_TYPES)}.",
        examples=[example],
        model=SharedModel(
            lambda prompt: llm.answer_json("plain", prompt, MOST_ANSWERED * OF_A_SERVICE.unit_tokens, None)
        ),
        max_char_buffer=len(text) + 1,
        use_schema_constraints=False,
        tokenizer=lx.tokenizer.UnicodeTokenizer(),
        show_progress=False,
    )
    return [
        ExtractedName(span.start_pos, span.end_pos, each.extraction_text, each.extraction_class, 1.0)
        for each in document.extractions
        if (span := each.char_interval) is not None
    ]


def _slots(address: str) -> float:
    with urlopen(f"{address}/slots") as response:
        said = json.load(response)
    return float(said["busy"] / (said["whole"] * IN_FLIGHT))


def main(data: Path) -> None:
    pairs = passages(data / ENGLISH)
    texts, gold = [text for text, _ in pairs], [labels for _, labels in pairs]
    with answering("extraction_model", str(data / ENGLISH), str(LATENCY_SECONDS)) as address:
        baseline = measured(address, plain, texts, gold)
        copies = [f"{text}\nCopy {number}." for number in range(TIMES_OVER) for text in texts]
        own = measured(address, ours, copies, gold)
    rows = (
        ("calls per 1,000 words", baseline.calls, own.calls, "<= 0.4"),
        ("prompt tokens / source tokens", baseline.prompt, own.prompt, "<= 1.15"),
        ("own CPU, ms per 150-word passage", baseline.cpu, own.cpu, "<= 4"),
        ("use of 16 slots at 200 ms", baseline.slots, own.slots, ">= 0.92"),
        ("F1 of names with their classes", baseline.f1, own.f1, "equal"),
    )
    sys.stdout.write(f"{'':34}{'a call a passage':>18}{'ours':>10}{'goal':>10}\n")
    for name, theirs, mine, goal in rows:
        sys.stdout.write(f"{name:34}{theirs:>18.3f}{mine:>10.3f}{goal:>10}\n")
    sys.stdout.write("Built-in extraction makes no calls and sends nothing; its CPU is in `ner`.\n")
