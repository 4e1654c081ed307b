"""The paper's experiments, one in each file."""
