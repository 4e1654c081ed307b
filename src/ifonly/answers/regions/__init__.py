"""Boxes around rows and answers in which the outcome holds, as rules, sentences and tables."""
