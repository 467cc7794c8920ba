"""Tests of prompts find the example prompts."""

from tests.adapters.chat.examples import example_prompts

__all__ = ["example_prompts"]
