"""The interface for programs over HTTP and MCP."""
