"""Synonyms, word lists, everyday English words, singulars, and the verbs of a phrase."""

from core.rulebook.assessing.synonyms import other_words
from core.rulebook.entities.lexicon import is_plain, singular, words
from core.rulebook.syntax.verbs import verbs_of

__all__ = ["is_plain", "other_words", "singular", "verbs_of", "words"]
