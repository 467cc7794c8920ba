"""The Model Context Protocol: documents, questions, the graph and memories as tools and resources for agents."""
