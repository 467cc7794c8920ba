"""Classifiers by labelled examples: intents, forms of answers, statements of a person, questions for the graph."""

from core.rulebook.graph.asked import GraphQuestions
from core.rulebook.understanding.answer_forms import AnswerForms
from core.rulebook.understanding.intents import Intents
from core.rulebook.understanding.self_statements import SelfStatements
from core.rulebook.understanding.slots import StatementSlots

__all__ = ["AnswerForms", "GraphQuestions", "Intents", "SelfStatements", "StatementSlots"]
