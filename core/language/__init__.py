"""Text as language: which one it is, its sentences, its words. Pure functions."""
