"""The posed question: rows, goal, grid and moves, and the pool of candidates."""
