"""Faster ways to the scores of a model, each checked against the model."""
