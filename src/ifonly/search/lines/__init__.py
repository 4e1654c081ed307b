"""Near answers of trees, by the margins along single features."""
