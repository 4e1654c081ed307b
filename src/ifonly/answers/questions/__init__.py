"""What answers are asked about real rows, about each of their changes, and about each feature."""
