"""Classifiers of messages, forms of answers, statements, introductions, replies and questions for the graph."""

from core.rulebook.graph.asked import GraphQuestions
from core.rulebook.understanding.answer_forms import AnswerForms
from core.rulebook.understanding.intents import Intents
from core.rulebook.understanding.introductions import Introductions
from core.rulebook.understanding.personal_questions import PersonalQuestions
from core.rulebook.understanding.replies import Replies
from core.rulebook.understanding.self_statements import SelfStatements

__all__ = [
    "AnswerForms",
    "GraphQuestions",
    "Intents",
    "Introductions",
    "PersonalQuestions",
    "Replies",
    "SelfStatements",
]
