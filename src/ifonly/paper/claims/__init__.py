"""The sentences of the paper that can be checked, each with its rule."""

from ifonly.paper.claims import boundary, further, linear, sets
from ifonly.paper.claims.claim import Claim, Evidence, Finding, Verdict, decide

CLAIMS = (*sets.CLAIMS, *linear.CLAIMS, *boundary.CLAIMS, *further.CLAIMS)

__all__ = ["CLAIMS", "Claim", "Evidence", "Finding", "Verdict", "decide"]
