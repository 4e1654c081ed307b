"""Models of trees: read as their library grew them, then as trees over codes."""
