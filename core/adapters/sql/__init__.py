"""Storage on SQLite or Postgres, through SQLAlchemy Core."""
