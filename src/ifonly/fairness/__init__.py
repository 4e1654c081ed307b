"""Is recourse equal? An audit of a model by groups, all of it from one pass of answers."""
