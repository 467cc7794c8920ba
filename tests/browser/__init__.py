"""Tests of the pages in a real browser."""

SLOW = 180_000
"""Milliseconds after which a test gives up waiting: two busy cores need more than a minute to read the sample."""
