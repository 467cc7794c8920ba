"""Entities and relations by a model, through LangExtract."""
