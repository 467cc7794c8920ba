"""The pure part of talking to models: prompts, output formats, messages, secrets. No SDK, no network."""
