"""A turn and its run, live and later."""
