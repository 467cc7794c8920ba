"""The engine that works without a model: rules and small fitted models. Pure functions.

Its modules are public; its folders are internal.
"""
