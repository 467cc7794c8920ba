"""The Runs page: the list, figures over time, one run opened or replayed, two compared."""
