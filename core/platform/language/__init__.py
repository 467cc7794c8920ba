"""Language processing: detection, sentences, words. Pure functions."""
