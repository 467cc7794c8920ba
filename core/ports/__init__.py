"""Ports, by area: what the core needs of storage, indexes, models, parsers and the web.

Adapters under core/adapters implement them; tests/contracts holds one suite a port that every adapter passes.
"""
