"""OpenAI's protocol below /v1: the workflows as models that chat, the built-in encoder as one that embeds."""
