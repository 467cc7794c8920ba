"""Support for extraction by a model: units of text and the places of names in them. Pure functions."""
