"""Syntax of English sentences."""
