"""Arrays that every room works on: batches of points, rankings and keys."""
