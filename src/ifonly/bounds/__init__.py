"""Whether a model keeps an outcome everywhere in a box of points, proved or sampled."""
