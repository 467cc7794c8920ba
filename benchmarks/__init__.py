"""Benchmarks: ratios against a named baseline in the same run; `make bench` prints them."""
