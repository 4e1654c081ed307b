"""A run of the evaluation: its cells, their order, what they gave."""
