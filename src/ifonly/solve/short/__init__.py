"""Rows that are short of answers: searched harder, and what keeps them from having more."""
