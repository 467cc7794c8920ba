"""Classifies messages: intents, kinds of questions, routes, follow-ups."""
