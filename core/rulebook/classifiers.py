"""Classifiers by labelled examples: intents, forms of answers, slots of statements, questions for the graph."""

from core.rulebook.graph.asked import GraphQuestions
from core.rulebook.understanding.answer_forms import AnswerForms
from core.rulebook.understanding.intents import Intents
from core.rulebook.understanding.slots import StatementSlots

__all__ = ["AnswerForms", "GraphQuestions", "Intents", "StatementSlots"]
