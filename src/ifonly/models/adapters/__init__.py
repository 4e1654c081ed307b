"""One file for each kind of model that ifonly can ask."""
