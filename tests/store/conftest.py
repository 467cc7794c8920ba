"""Databases for the tests of the SQL adapter."""

from tests.store.databases import clock, engine, migrated_file

__all__ = ["clock", "engine", "migrated_file"]
