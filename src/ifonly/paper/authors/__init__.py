"""What the authors published: the figures that they print and the records that they keep."""
