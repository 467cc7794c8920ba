"""The stages of ingestion and the process that runs them."""
