"""Rules as formulas and as rows of a program, and the conflicts between them."""
