"""Classifiers of messages by labelled examples: intents, forms of answers, questions for the knowledge graph."""

from core.rulebook.graph.asked import GraphQuestions
from core.rulebook.understanding.answer_forms import AnswerForms
from core.rulebook.understanding.intents import Intents

__all__ = ["AnswerForms", "GraphQuestions", "Intents"]
