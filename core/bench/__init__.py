"""Measurements of the product on labelled data, as `graphtalk bench` runs them."""
