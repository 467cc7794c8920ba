"""How nodes get a decision or a text: from the model, or from the rule if the budget is spent; in the wanted length."""

from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass, replace
from string import Formatter
from typing import Any, TypeVar

from core.agents.state import Deps, Note
from core.memory.units import with_measure
from core.models.meter import stop_if_cancelled
from core.models.ports import BUILT_IN
from core.models.tasks import Output, Request, Task, TextTask
from core.platform.errors import BudgetError, ServiceError
from core.platform.language.answer_marks import SHOWN
from core.platform.language.sentences import sentences
from core.platform.texts import known, text
from core.rulebook.quotes import readable
from core.runs.events import AnswerDelta
from core.runs.model import Length
from core.search.model import Passage

Answer = TypeVar("Answer")
MAX_NAMES = 20
"""Limit of entities looked up in the graph per question."""
MAX_QUERY = 1000
"""Longest question or query accepted from a model, in characters."""


def ask_model(deps: Deps, task: Task[Request, Output], request: Request) -> Output:
    try:
        return deps.llm.run(task, request, deps.meter)
    except BudgetError as error:
        deps.meter.degraded(task.name, error.key)
    return task.rule(request)


def asked_once(deps: Deps, ask: Callable[..., Answer], *about: Any) -> Answer:
    """The result of a query to a store, computed once a run; arguments are hashable, the result is read-only."""
    key = ask, about
    if key not in deps.answered:
        deps.answered[key] = ask(*about)
    answer: Answer = deps.answered[key]
    return answer


def stream_text(deps: Deps, task: TextTask[Request], request: Request) -> Generator[str, None, None]:
    """Pieces of text. Raises BudgetError or ServiceError only after the first piece, CancelledError at a stop.

    Errors are raised inside the generator so that the model's stream is closed and metered before the run ends.
    """
    if (deps.length or deps.units) and deps.llm.engine == BUILT_IN:
        yield from by_rule(deps, task, request)
        return
    begun, asked = False, with_form_requests(deps, request)
    try:
        for piece in deps.llm.stream(task, asked, deps.meter):
            begun = True
            yield piece
            stop_if_cancelled(deps.meter)
        return
    except BudgetError as error:
        if begun:
            raise
        deps.meter.degraded(task.name, error.key)
    yield from by_rule(deps, task, request)


def by_rule(deps: Deps, task: TextTask[Request], request: Request) -> Iterator[str]:
    if not deps.length and not deps.units:
        yield from task.rule(request)
        return
    answer = "".join(task.rule(request))
    of_length = formed(answer, deps.length, request) if deps.length else answer
    measured = with_measure(of_length, deps.units) if deps.units else of_length
    if deps.length and of_length != answer:
        deps.shaped.add((deps.length, measured))
    if deps.units and measured != of_length:
        deps.shaped.add((deps.units, measured))
    yield measured


def with_form_requests(deps: Deps, request: Request) -> Request:
    """The request with the wanted length and units of the answer below the question."""
    requests = [f"answer.length.{deps.length}"] if deps.length else []
    requests += [f"answer.units.{deps.units}"] if deps.units else []
    asked: Any = request  # every request for a text is a dataclass with a question
    below = "".join(f"\n\n({text(request_key, 'en')})" for request_key in requests)
    extended: Request = replace(asked, question=f"{asked.question}{below}") if requests else request
    return extended


@dataclass(frozen=True, slots=True)
class WrittenText:
    text: str
    """The text, possibly incomplete."""
    fault: str = ""
    """Catalogue key of the reason if the text is incomplete."""


def shown_as_written(deps: Deps, task: str, pieces: Iterator[str]) -> WrittenText:
    """Shows the pieces to the reader as they come."""

    def shown() -> Iterator[str]:
        for piece in pieces:
            deps.emit(AnswerDelta(piece))
            yield piece

    return unseen(deps, task, shown())


def unseen(deps: Deps, task: str, pieces: Iterator[str]) -> WrittenText:
    """Collects the text without showing it, because it is checked first."""
    said: list[str] = []
    fault = ""
    try:
        said.extend(pieces)
    except (ServiceError, BudgetError) as error:
        fault = error.key
        deps.meter.degraded(task, fault, tuple(error.params.items()))
    return WrittenText("".join(said).strip(), fault)


Writer = Callable[[Deps, str, Iterator[str]], WrittenText]


def noted(outcome: str, reason: str = "", **details: object) -> Note:
    """A note without its empty details, which must fill the placeholders of a reason that is a catalogue key."""
    said = {name: str(value) for name, value in details.items() if value not in ("", None, ())}
    return Note(str(outcome), reason if _is_complete(reason, said) else "", tuple(said.items()))


def _is_complete(reason: str, details: Mapping[str, str]) -> bool:
    """Whether the details fill the placeholders; a model may have written the key."""
    if not known(reason):
        return True
    wanted = {name for _, name, _, _ in Formatter().parse(text(reason)) if name}
    return wanted <= details.keys()


MOST_PASSAGES = 3
MOST_CHARACTERS = 700
"""Of a passage that is shown around its quote."""
LEAD_INS = ("fact", "overview", "definition", "comparison", "list")
"""Sentences before quotes that say nothing about them; others are unsure, count documents or name what is shared."""


def formed(answer: str, length: Length, request: object) -> str:
    """The request is that of the task which wrote the answer; only one with passages can give more."""
    language = getattr(request, "language", "en")
    if length is Length.SHORTER:
        return shortened(answer, language)
    return with_surroundings(answer, getattr(request, "passages", ()), language)


def shortened(answer: str, language: str) -> str:
    """Return the answer without its lead-ins.

    A rule cannot tell which item, step or condition the reader could do without, so every quote remains.
    """
    lead_ins = tuple(text(f"answer.frame.{name}", language) for name in LEAD_INS)
    paragraphs = (_without(lead_ins, paragraph) for paragraph in answer.split("\n\n"))
    return "\n\n".join(filter(None, paragraphs))


def _without(lead_ins: tuple[str, ...], paragraph: str) -> str:
    found = next((lead_in for lead_in in lead_ins if paragraph.startswith(lead_in)), "")
    return paragraph.removeprefix(found).strip()


def with_surroundings(answer: str, passages: tuple[Passage, ...], language: str) -> str:
    """With the passages that it cites, as far as they say more."""
    cited = dict.fromkeys(int(found) for found in SHOWN.findall(answer))
    around = [
        f"- “{beginning}” [{number}]"
        for number in cited
        if 1 <= number <= len(passages) and (beginning := _beginning(passages[number - 1])) and beginning not in answer
    ]
    if not around:
        return answer
    return f"{answer}\n\n{text('answer.length.around', language)}\n\n" + "\n".join(around[:MOST_PASSAGES])


def _beginning(passage: Passage) -> str:
    """Whole sentences from its beginning; nothing of a table, which is no text to read on in."""
    if "|" in passage.chunk.text:
        return ""
    beginning, headings = "", {" ".join(heading.split()) for heading in passage.chunk.section}
    for sentence in sentences(passage.chunk.text):
        if " ".join(sentence.split()) in headings:
            continue
        longer = f"{beginning} {readable(sentence)}".strip()
        if len(longer) > MOST_CHARACTERS:
            break
        beginning = longer
    return beginning
