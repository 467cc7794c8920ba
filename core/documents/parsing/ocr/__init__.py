"""Text in pictures by RapidOCR: models that come with the package, on the processor, without network."""
