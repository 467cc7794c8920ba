"""Tests of prompts find the example prompts."""

from tests.models.chat.examples import example_prompts

__all__ = ["example_prompts"]
