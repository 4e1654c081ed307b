"""The methods by name: which searcher, refiner and selector answer a question."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ifonly.errors import OptionError, nearest
from ifonly.refine import GiveBack, Refiner
from ifonly.search import Edits, Gradient, Neighbours, Searcher, Union
from ifonly.select import Determinant, Selector


@dataclass(frozen=True)
class Method:
    """A searcher, a refiner and a selector."""

    searcher: Searcher
    refiner: Refiner = field(default_factory=GiveBack)
    selector: Selector = field(default_factory=Determinant)

    @property
    def descends(self) -> bool:
        """Whether the search needs the model's gradient."""
        return isinstance(self.searcher, Gradient)


SEARCHERS: dict[str, Searcher] = {
    "auto": Union((Edits(), Neighbours())),
    "edits": Edits(),
    "neighbours": Neighbours(),
    "gradient": Gradient(),
}


def method_of(method: Any, diversity: float = 0.5) -> Method:
    """The method of a name, of a Searcher, or as it is given."""
    if isinstance(method, Method):
        return method
    selector = Determinant(diversity)
    if isinstance(method, str) and method in SEARCHERS:
        return Method(SEARCHERS[method], selector=selector)
    if isinstance(method, Searcher) and not isinstance(method, type):
        return Method(method, selector=selector)
    raise OptionError(
        f"There is no method {method!r}.",
        f"{nearest(method, SEARCHERS)} A Searcher of your own works too.",
    )
