"""Answers for people to read."""
