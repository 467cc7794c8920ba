"""The HTTP interface of version 1: one file an area, each with its routes and the shapes that they take and give."""
