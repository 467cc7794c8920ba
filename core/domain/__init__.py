"""Domain model: frozen dataclasses, standard library only."""
