"""How the columns of a user's frame are read and written."""
