"""Runs: a workflow executed for a question, its events written to a log, followed live and later."""
