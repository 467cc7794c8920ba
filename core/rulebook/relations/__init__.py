"""Relations that sentences, lists and tables state between entities."""
