"""Talking to models, the pure part: prompts, output forms, the wire's messages, secrets. No SDK, no network."""
