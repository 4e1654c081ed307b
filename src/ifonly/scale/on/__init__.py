"""Where a run's shards are answered: an adapter of a page for each engine."""
