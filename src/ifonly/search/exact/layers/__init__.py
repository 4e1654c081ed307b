"""The nearest answer of linear models and networks by a mixed-integer program."""
