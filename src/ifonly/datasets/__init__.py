"""Tables to try ifonly on: the four of the paper, a lender whose causes are known, reason codes."""

from ifonly.datasets.lender import Lender, make_lender
from ifonly.datasets.loading import Dataset, load
from ifonly.datasets.reasons import reason_codes

__all__ = ["Dataset", "Lender", "load", "make_lender", "reason_codes"]
