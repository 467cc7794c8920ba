"""Stores about finished runs: lists, texts, earlier questions, feedback, evaluations, votes."""

from functools import cached_property

from sqlalchemy import Engine

from core.app.models import Models
from core.runs.ports import Evaluations, FeedbackStore, QuestionSearch, RunLists, Votes
from core.runs.store.evaluations import SqlEvaluations, SqlFeedbackStore, SqlVotes
from core.runs.store.question_search import SqlQuestionSearch
from core.runs.store.run_lists import SqlRunLists
from core.runs.store.run_texts import SqlRunTexts


class Records:
    def __init__(self, models: Models, engine: Engine) -> None:
        self._models = models
        self._engine = engine
        self.run_lists: RunLists = SqlRunLists(engine)
        self.run_texts = SqlRunTexts(engine)
        self.feedback: FeedbackStore = SqlFeedbackStore(engine)
        self.evaluations: Evaluations = SqlEvaluations(engine)
        self.votes: Votes = SqlVotes(engine)

    @cached_property
    def questions(self) -> QuestionSearch:
        return SqlQuestionSearch(self._engine, self._models.encoder)
