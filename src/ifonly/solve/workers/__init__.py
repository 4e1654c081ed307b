"""Several processes that answer the chunks of one question."""
