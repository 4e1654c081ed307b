"""Routes about many rows at once: a file of them, their scores, and summaries of answers."""
