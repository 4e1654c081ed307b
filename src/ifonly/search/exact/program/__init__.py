"""A mixed-integer program of one row's answer, and the solvers of it."""
