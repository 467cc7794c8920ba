"""The third front end: what programs do with the app over HTTP and MCP."""
