"""The engine that works without a model: rules and small fitted models. Pure functions."""
