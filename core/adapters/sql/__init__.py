"""The truth on SQLite or Postgres, through SQLAlchemy Core."""
