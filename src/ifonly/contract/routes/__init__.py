"""One file per route: its request, its reply, and the function that answers it."""
