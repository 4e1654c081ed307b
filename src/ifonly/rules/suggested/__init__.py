"""Rules that hold in every row of the data, found so that a user can accept them."""
