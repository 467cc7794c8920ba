"""English words: word lists, everyday words, singulars, and the verbs of a phrase."""

from core.rulebook.entities.lexicon import is_plain, singular, words
from core.rulebook.syntax.verbs import verbs_of

__all__ = ["is_plain", "singular", "verbs_of", "words"]
