"""Answers and what is read off them: frames, views, plans, proofs, records and files."""

from ifonly.answers.answers import Answers

__all__ = ["Answers"]
