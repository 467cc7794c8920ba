"""The page at /api: what programs can ask of this app, for people to read."""
