"""The six stages of ingestion: each reads the results of earlier ones and stores its own."""
