"""Nodes of agents that call tools."""
