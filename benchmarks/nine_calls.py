"""The named baseline of the model path: the agentic question of the tutorials, nine calls one after the other."""

import time
from collections.abc import Sequence

from core.agents.nodes.answer.direct_answer import DIRECT, DirectRequest
from core.agents.nodes.answer.generate import ANSWER, AnswerRequest
from core.agents.nodes.check.check_answer import CHECK, CheckRequest
from core.agents.nodes.plan.plan import PLAN, PlanRequest
from core.agents.nodes.search.grade_evidence import GRADE, GradeRequest
from core.agents.nodes.search.rewrite_query import REWRITE, RewriteRequest
from core.agents.state import Route
from core.documents.ports.library import Library
from core.models.meter import Meter
from core.models.ports import Llm
from core.runs.model import Turn
from core.search.model import Passage
from core.search.ports import Retriever

PASSAGES = 4


class NineCalls:
    """Route, rewrite, retrieve, grade each of four passages, generate, two checks; small talk is only routed."""

    def __init__(self, llm: Llm, retriever: Retriever, library: Library) -> None:
        self.llm, self.retriever, self.library = llm, retriever, library

    def first_words(self, base_id: str, question: str, language: str, history: Sequence[Turn], meter: Meter) -> float:
        """Seconds to the first piece of the answer; everything is asked to its end."""
        started = time.perf_counter()
        turns = tuple(history)
        planned = self.llm.run(PLAN, PlanRequest(question, turns), meter)
        if planned.route in (Route.DIRECT, Route.OUT_OF_SCOPE):
            pieces = self.llm.stream(DIRECT, DirectRequest(question, language, history=turns), meter)
            next(pieces, "")
            first = time.perf_counter() - started
            list(pieces)
            return first
        query = self.llm.run(REWRITE, RewriteRequest(planned.question, language), meter).query
        hits = self.retriever.chunks(base_id, query, PASSAGES)
        found = tuple(self.library.passages.get([hit.chunk_id for hit in hits]))
        kept = tuple(passage for passage in found if self._helps(planned.question, passage, meter))
        pieces = self.llm.stream(ANSWER, AnswerRequest(planned.question, language, kept or found, (), turns), meter)
        said = [next(pieces, "")]
        first = time.perf_counter() - started
        said += pieces
        for _ in ("supported by the passages", "answers the question"):
            self.llm.run(CHECK, CheckRequest(planned.question, "".join(said), kept or found), meter)
        return first

    def _helps(self, question: str, passage: Passage, meter: Meter) -> bool:
        return bool(self.llm.run(GRADE, GradeRequest(question, (passage,)), meter).relevant)
