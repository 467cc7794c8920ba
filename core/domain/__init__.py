"""The product's nouns: frozen dataclasses, standard library only."""
