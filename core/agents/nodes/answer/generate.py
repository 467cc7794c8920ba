"""Writes the answer from the kept passages, streaming, and cites the passages; a refusal of a model is not shown."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain

from core.agents.nodes.answer.answer_by_outline import OutlineAnswer, answer_by_outline
from core.agents.nodes.answer.small_model import can_answer, doubt_of, excerpts, write_answer
from core.agents.nodes.evidence import evidence_of, surely_answers, view_of
from core.agents.nodes.memory.memories import recalled
from core.agents.nodes.runtime import Writer, by_rule, noted, shown_as_written, stream_text, unseen
from core.agents.nodes.search.grade_evidence import is_in_doubt
from core.agents.state import Deps, Draft, NodeRuntime, State, Update
from core.documents.model import DocumentFilter, DocumentStatus
from core.graph.questions import GraphQuestion
from core.memory.model import Memory
from core.models.ports import BUILT_IN
from core.models.tasks import TextTask
from core.models.tokens import SMALL_MODEL_READS
from core.platform.language.answer_marks import Numbering, renumbered
from core.platform.texts import text
from core.rulebook.evidence import EvidenceAssessment, Extreme, Quote
from core.rulebook.messages import Question
from core.rulebook.model import QuestionKind
from core.rulebook.quotes import NO_PLACES, citations_of
from core.rulebook.verification import Evidence, with_citations
from core.runs.model import AnswerOutcome, QuestionPart, Turn
from core.search.model import Citation, Passage

HISTORY_TURNS = 4
MAX_NEIGHBOURS = 8
MAX_REASON = 300
"""Longest stored description of what is missing, in characters."""
CLOSEST_OF_A_PART = 3
"""Sentences that come closest to a part without an answer."""


@dataclass(frozen=True, slots=True)
class AnswerRequest:
    question: str
    language: str
    passages: tuple[Passage, ...]
    """Numbered from 1 in the prompt."""
    memories: tuple[Memory, ...] = ()
    history: tuple[Turn, ...] = ()
    neighbours: tuple[str, ...] = ()
    """For a question about what lies around one thing: its neighbours in the knowledge graph, closest first."""


def _by_quoting(request: AnswerRequest, view: EvidenceAssessment | None = None, of_documents: int = 0) -> Iterator[str]:
    """A short introduction and the best sentences verbatim, each cited; for a two-part question, part by part.

    of_documents: how many documents there are, where the question is what all of them are about.
    """
    view = view or EvidenceAssessment(request.question, request.passages, None)
    if view.parts:
        if any(part.is_answered for part in view.parts):
            yield "\n\n".join(_part(request, part) for part in view.parts)
        return
    if together := view.quotes_naming(request.neighbours):
        yield text("answer.frame.neighbours", request.language) + "\n"
        for name, quote in together:
            yield f"\n- {name}: {_quoted(quote)}"
        return
    if not view.quotes:
        return
    if view.extremes:
        yield "\n\n".join("".join(_of_table(request, view, extreme)) for extreme in view.extremes)
    elif of_documents > 1:
        yield from _by_document(request, view.quotes, of_documents)
    else:
        yield from _value_first(request, view) if view.value else _framed(request, view)


def _value_first(request: AnswerRequest, view: EvidenceAssessment) -> Iterator[str]:
    """The value asked for, then the quote that contains it."""
    first = max(view.quotes, key=lambda quote: quote.score)
    yield text("answer.frame.value", request.language, value=view.value, quote=_quoted(first))
    others = [quote for quote in view.quotes if quote is not first]
    if others:
        yield "\n"
    for quote in others:
        yield f"\n- {_quoted(quote)}"


def _framed(request: AnswerRequest, view: EvidenceAssessment) -> Iterator[str]:
    frame = "probably" if view.is_probable else _frame(request, view.quotes)
    yield from _listed(text(f"answer.frame.{frame}", request.language), view.quotes)


def _of_table(request: AnswerRequest, view: EvidenceAssessment, extreme: Extreme) -> Iterator[str]:
    name = request.passages[extreme.rows[0].passage].document_name
    frame = text("answer.frame.extreme", request.language, value=extreme.value, document=name)
    yield from _listed(frame, view.rows_of(extreme))


def _listed(frame: str, quotes: Sequence[Quote]) -> Iterator[str]:
    if len(quotes) == 1:
        yield frame if frame.endswith("：") else f"{frame} "
        yield _quoted(quotes[0])
        return
    yield frame + "\n"
    for quote in quotes:
        yield f"\n- {_quoted(quote)}"


def _by_document(request: AnswerRequest, quotes: Sequence[Quote], total: int) -> Iterator[str]:
    """Quotes of each document under its name."""
    by_name: dict[str, list[Quote]] = {}
    for quote in quotes:
        by_name.setdefault(request.passages[quote.passage].document_name, []).append(quote)
    frame = "every_document" if len(by_name) == total else "documents"
    yield text(f"answer.frame.{frame}", request.language, count=len(by_name), total=total)
    for name, own in by_name.items():
        yield f"\n\n### {name}\n"
        for quote in own:
            yield f"\n- {_quoted(quote)}"


def _part(request: AnswerRequest, part: EvidenceAssessment) -> str:
    """The part of the question as a heading, with its answer, what comes closest, or a note that there is none."""
    if part.is_answered:
        answer = "".join(_by_quoting(replace(request, question=part.question, neighbours=()), part))
    elif part.may_answer:
        near = "".join(f"\n- {_quoted(quote)}" for quote in part.closest[:CLOSEST_OF_A_PART])
        answer = f"{text('answer.part.closest', request.language)}\n{near}"
    else:
        answer = text("answer.part.unanswered", request.language)
    return f"{_heading(part)}\n\n{answer}"


def _heading(part: EvidenceAssessment) -> str:
    return f"### {part.question}"


def _answered_parts(view: EvidenceAssessment, answer: str) -> tuple[QuestionPart, ...]:
    """The parts of the question; empty if the answer does not treat them one by one."""
    if not all(_heading(part) in answer for part in view.parts):
        return ()
    return tuple(QuestionPart(part.question, part.is_answered) for part in view.parts)


ANSWER = TextTask("generate", _by_quoting, max_tokens=2_000)


@dataclass(slots=True)
class _Rule:
    """The rule for one question; records whether it was used."""

    request: AnswerRequest
    """With whole passages, of which a small model reads excerpts."""
    view: EvidenceAssessment
    of_documents: int
    is_in_doubt: Callable[[], bool]
    outline: OutlineAnswer | None = None
    """The answer to the question what documents are about."""
    wrote: bool = False

    def __call__(self, request: AnswerRequest) -> Iterator[str]:
        """Quotes; nothing if the passages do not answer literally, so that only a model could."""
        del request
        if self.is_in_doubt():
            return iter(())
        self.wrote = True
        if self.outline:
            return iter((self.outline.text,))
        return _by_quoting(self.request, self.view, self.of_documents)


def generate(state: State, runtime: NodeRuntime) -> Update:
    """Streams a draft to the reader; a later check publishes it."""
    return _generated(state, runtime.context, shown_as_written)


def generate_unseen(state: State, runtime: NodeRuntime) -> Update:
    """Writes a draft that is not shown before it is checked."""
    return _generated(state, runtime.context, unseen)


def _generated(state: State, deps: Deps, write: Writer) -> Update:
    request, rule = _asked(state, deps)
    read, is_asked, task = list(range(len(request.passages))), True, replace(ANSWER, rule=rule)
    if deps.small_model:
        read, request = _excerpted(request, rule.view)
        is_asked, task = not (state.search.corrections or rule.view.value), write_answer(task)
        if is_asked and not can_answer(deps, request.question, request.passages):
            return _refused(state, "run.reason.model_denied")
    numbering, refusal = Numbering(len(rule.request.passages)), Refusal()
    pieces = answer_of((stream_text if is_asked else by_rule)(deps, task, request), refusal)
    written = write(deps, ANSWER.name, renumbered(pieces, numbering))
    if refusal.made:
        return _refused(state, refusal.reason)
    if deps.small_model and not rule.wrote and (doubt := doubt_of(deps, task, request.question, written.text)):
        return _refused(state, doubt)
    answer, citations = _cited(written.text, rule, numbering, read, deps)
    draft = _draft(state, rule, answer, citations, written.fault)
    outcome = "interrupted" if written.fault else "written"
    return {"draft": draft, "note": noted(outcome, written.fault or "run.reason.written", citations=len(citations))}


def _cited(
    written: str, rule: _Rule, numbering: Numbering, read: Sequence[int], deps: Deps
) -> tuple[str, tuple[Citation, ...]]:
    """read: positions of the passages that a model read, in its own numbering."""
    passages = rule.request.passages
    if rule.wrote:
        places = rule.outline.places if rule.outline else NO_PLACES
        return written, citations_of(written, [passages[position] for position in numbering.order], places)
    evidence = Evidence(passages, deps.encoder, rule.view.units, rule.request.question)
    own = [read[position] for position in numbering.order if position < len(read)]
    return with_citations(written, evidence, own)


def _draft(state: State, rule: _Rule, answer: str, citations: tuple[Citation, ...], fault: str = "") -> Draft:
    is_outline = rule.wrote and rule.outline is not None
    return replace(
        state.draft,
        answer=answer,
        citations=citations,
        parts=_answered_parts(rule.view, answer),
        quoted=rule.wrote,
        outline=is_outline,
        outcome=AnswerOutcome.ANSWERED if is_outline else None,
        interrupted=bool(fault),
        verdict_reason=fault,
    )


def answer_by_rules(state: State, deps: Deps) -> Draft | None:
    """The answer of the rules from the kept passages; None if it would be unsure."""
    request, rule = _asked(state, deps)
    numbering = Numbering(len(request.passages))
    answer = "".join(renumbered(iter(by_rule(deps, replace(ANSWER, rule=rule), request)), numbering)).strip()
    citations = citations_of(answer, [request.passages[position] for position in numbering.order])
    draft = _draft(state, rule, answer, citations)
    return draft if citations and surely_answers(replace(state, draft=draft), deps) else None


def _asked(state: State, deps: Deps) -> tuple[AnswerRequest, _Rule]:
    passages = evidence_of(state, deps)
    request = AnswerRequest(
        question=state.standalone_question,
        language=state.language,
        passages=passages,
        memories=recalled(state, deps),
        history=state.history[-HISTORY_TURNS:],
        neighbours=_neighbours(state, deps),
    )
    view, total = view_of(request.question, passages, deps), _of_documents(state, deps)
    outline = answer_by_outline(state, deps, view, total) if deps.llm.engine == BUILT_IN else None
    read = replace(request, passages=outline.passages) if outline else request
    return read, _Rule(read, view, total, partial(_is_left, state, deps), outline)


def _excerpted(request: AnswerRequest, view: EvidenceAssessment) -> tuple[list[int], AnswerRequest]:
    """Positions of the passages that a small model reads, and the request with their excerpts."""
    texts = excerpts(view, SMALL_MODEL_READS)
    passages = [request.passages[place] for place in texts]
    cut = (replace(it, chunk=replace(it.chunk, text=text)) for it, text in zip(passages, texts.values(), strict=True))
    return list(texts), replace(request, passages=tuple(cut))


def _is_left(state: State, deps: Deps) -> bool:
    """Whether the rules write nothing: they are unsure, or their answer is shown already."""
    return bool(deps.without_model) or is_in_doubt(state, deps)


def _refused(state: State, reason: str) -> Update:
    """Nothing is written; the outcome of an answer that a reader sent back goes with it."""
    why = reason.strip()[:MAX_REASON] or "run.reason.evidence_short"
    unwritten = replace(state.draft, answer="", citations=(), parts=(), outline=False, outcome=None)
    return {
        "draft": replace(unwritten, interrupted=False, verdict_reason=why),
        "note": noted("refused", why),
    }


def _neighbours(state: State, deps: Deps) -> tuple[str, ...]:
    question = state.standalone_question
    if Question(question).kind is not QuestionKind.RELATION or state.search.asked.kind is GraphQuestion.CONNECTION:
        return ()
    named = deps.graph.named_in(state.base_id, question, 2)
    if len(named) != 1:
        return ()
    return tuple(found.entity.name for found in deps.graph.neighbours(named[0].id, 1, MAX_NEIGHBOURS))


def _of_documents(state: State, deps: Deps) -> int:
    question = Question(state.standalone_question)
    if question.kind is not QuestionKind.OVERVIEW or not question.asks_of_several:
        return 0
    chosen = state.search.documents or state.options.documents
    ready = DocumentStatus.READY
    return len(chosen) or deps.documents.counts(state.base_id, DocumentFilter((ready,))).get(ready, 0)


def _quoted(quote: Quote) -> str:
    return f"“{quote.text}” [{quote.passage + 1}]"


def _frame(request: AnswerRequest, quotes: Sequence[Quote]) -> str:
    if any(passage.url for passage in request.passages):
        return "web"
    kind = Question(request.question).kind
    if kind is QuestionKind.COMPARISON and not _are_of_sides(request.question, quotes):
        return "fact"
    framed = {QuestionKind.OVERVIEW, QuestionKind.DEFINITION, QuestionKind.COMPARISON, QuestionKind.LIST}
    return kind.value if kind in framed else "fact"


def _are_of_sides(question: str, quotes: Sequence[Quote]) -> bool:
    """Whether there are several quotes, and each name in the question is in one of them, but not all in the same."""
    names = [name.casefold() for name in Question(question).names]
    told = [{name for name in names if name in quote.text.casefold()} for quote in quotes]
    return len(quotes) > 1 and (not names or set(names) == set[str]().union(*told) not in told)


REFUSAL = "NOT ANSWERED"
"""What a model is asked to write where the passages do not answer."""
MAX_REFUSAL = 600
"""Longest stored text behind a refusal, in characters."""
_ORNAMENT = " \t\r\n*_#`\"'>[("


class Refusal:
    """Whether a reply is one, known once its pieces were read."""

    def __init__(self) -> None:
        self.made = False
        self.reason = ""
        """What is missing."""


def answer_of(pieces: Iterator[str], refusal: Refusal) -> Iterator[str]:
    """Yield the pieces of the answer as soon as it is clear that they are some; what a refusal says is noted there."""
    held = ""
    for piece in pieces:
        held += piece
        begun = held.lstrip(_ORNAMENT)
        if begun.upper().startswith(REFUSAL):
            _refuse(begun, pieces, refusal)
            return
        if not REFUSAL.startswith(begun[: len(REFUSAL)].upper()):
            yield held
            yield from pieces
            return
    if held:
        yield held


def _refuse(begun: str, pieces: Iterator[str], refusal: Refusal) -> None:
    refusal.made = True
    for piece in chain((begun[len(REFUSAL) :],), pieces):
        refusal.reason = (refusal.reason + piece)[:MAX_REFUSAL]
    refusal.reason = refusal.reason.lstrip(_ORNAMENT + ":：.").rstrip()
