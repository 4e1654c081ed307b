"""Tables to try ifonly on: the four of the paper, and a lender whose causes are known."""

from ifonly.datasets.lender import Lender, make_lender
from ifonly.datasets.loading import Dataset, load

__all__ = ["Dataset", "Lender", "load", "make_lender"]
