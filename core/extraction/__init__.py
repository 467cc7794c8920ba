"""Entities of texts by rules: English and Chinese, pure functions over strings and word lists."""
