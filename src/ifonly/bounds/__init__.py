"""Whether a model keeps an outcome everywhere in a box of points, proved or sampled."""

from ifonly.bounds.boxes import Boxes
from ifonly.bounds.hold import holding
from ifonly.bounds.sampling import share_at_least

__all__ = ["Boxes", "holding", "share_at_least"]
