"""The six stages: each reads what the ones before it left, does its work through ports, and leaves its own result."""
