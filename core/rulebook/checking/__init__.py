"""Whether an answer is supported and compliant."""
