"""What is looked up and said about runs when they are over: lists, texts, earlier questions, feedback, evaluations."""

from sqlalchemy import Engine

from core.app.lazy import Area, lazy
from core.app.models import Models
from core.runs.evaluation.ports import Evaluations, Votes
from core.runs.ports import FeedbackStore, QuestionSearch, RunLists, RunTexts
from core.runs.store.evaluations import SqlEvaluations, SqlVotes
from core.runs.store.feedback import SqlFeedbackStore
from core.runs.store.question_search import SqlQuestionSearch
from core.runs.store.run_lists import SqlRunLists
from core.runs.store.run_texts import SqlRunTexts


class Records(Area):
    def __init__(self, models: Models, engine: Engine) -> None:
        super().__init__(models.configuration)
        self._models = models
        self._engine = engine

    @lazy
    def run_lists(self) -> RunLists:
        return SqlRunLists(self._engine)

    @lazy
    def run_texts(self) -> RunTexts:
        return SqlRunTexts(self._engine)

    @lazy
    def questions(self) -> QuestionSearch:
        return SqlQuestionSearch(self._engine, self._models.encoder)

    @lazy
    def feedback(self) -> FeedbackStore:
        return SqlFeedbackStore(self._engine)

    @lazy
    def evaluations(self) -> Evaluations:
        return SqlEvaluations(self._engine)

    @lazy
    def votes(self) -> Votes:
        return SqlVotes(self._engine)
