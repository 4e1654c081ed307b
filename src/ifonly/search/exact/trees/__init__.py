"""The nearest answer of trees by branch and bound over boxes."""
