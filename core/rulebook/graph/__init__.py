"""Questions that the knowledge graph answers."""
