"""Linear models and networks as plain layers over units."""
