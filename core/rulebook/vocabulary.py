"""Synonyms, word lists, singulars, and the verbs of a phrase."""

from core.rulebook.assessing.synonyms import other_words
from core.rulebook.entities.lexicon import singular, words
from core.rulebook.syntax.verbs import verbs_of

__all__ = ["other_words", "singular", "verbs_of", "words"]
