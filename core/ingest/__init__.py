"""From an uploaded file to a published document: stages, the bridge from blocks to chunks, the worker around them."""
