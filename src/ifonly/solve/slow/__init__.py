"""Slow models: a cheap one proposes."""
