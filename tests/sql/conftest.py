"""Databases for the tests of the SQL adapter."""

from tests.sql.databases import clock, engine, migrated_file

__all__ = ["clock", "engine", "migrated_file"]
