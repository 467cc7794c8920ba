"""What is looked up and said about runs when they are over: lists, texts, earlier questions, feedback, evaluations."""

from sqlalchemy import Engine

from core.adapters.sql.evaluations import SqlEvaluations
from core.adapters.sql.feedback import SqlFeedbackStore
from core.adapters.sql.question_search import SqlQuestionSearch
from core.adapters.sql.run_lists import SqlRunLists
from core.adapters.sql.run_texts import SqlRunTexts
from core.adapters.sql.votes import SqlVotes
from core.bootstrap.lazy import Area, lazy
from core.bootstrap.models import Models
from core.ports.evaluation import Evaluations, Votes
from core.ports.runs import FeedbackStore, QuestionSearch, RunLists, RunTexts


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
