"""The workflows a question can run through: one file each, found by looking into this folder."""
