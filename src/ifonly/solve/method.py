"""The methods by name: which searcher, refiner and selector answer a question."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from ifonly.errors import OptionError, nearest
from ifonly.refine import Nothing, Refiner, Shrink
from ifonly.search import SIZES, Edits, Engine, Exact, Gradient, Neighbours, Searcher, Size
from ifonly.select import Determinant, InOrder, Needed, Polish, Selector


@dataclass(frozen=True)
class Method:
    """A searcher, a refiner and a selector."""

    searcher: Searcher
    refiner: Refiner = field(default_factory=Shrink)
    selector: Selector = field(default_factory=lambda: Polish(Determinant()))

    @property
    def descends(self) -> bool:
        """Whether the search needs the model's gradient."""
        return any(isinstance(one, Gradient) for one in self._every)

    @property
    def solves(self) -> bool:
        """Whether the search needs a reading of the model."""
        return any(getattr(one, "solves", False) for one in self._every)

    @property
    def _every(self) -> tuple[Searcher, ...]:
        return tuple(getattr(self.searcher, "searchers", (self.searcher,)))


SEARCHERS: dict[str, Searcher] = {
    "auto": Engine(),
    "edits": Edits(),
    "neighbours": Neighbours(),
    "gradient": Gradient(),
    "exact": Exact(starts=Engine()),
}


def method_of(
    method: Any = "auto",
    *,
    diversity: float = 0.55,
    sparsity: float = 0.5,
    effort: str = "base",
    nearest_first: bool = True,
    minimal: bool = False,
) -> Method:
    """The method of a name or of a Searcher, with its knobs; a Method as it is given.

    `diversity` goes from 0, the closest answers, to 1, the widest; `sparsity` is the price of a
    changed feature beside its distance; `effort` is 'small', 'base' or 'thorough'; `nearest_first`
    says whether the nearest answer must be among the answers, `minimal` whether every change of an
    answer must be needed.
    """
    if isinstance(method, Method):
        return replace(method, searcher=started(method.searcher))
    if effort not in SIZES:
        raise OptionError(f"There is no effort {effort!r}.", nearest(effort, ("auto", *SIZES)))
    size = SIZES[effort]
    if method == "exact" or isinstance(method, Exact):
        return Method(_searcher(method, size), Nothing(), InOrder())
    choice = Determinant(diversity, sparsity, nearest_first)
    return Method(
        _searcher(method, size),
        Shrink(keep=size.keep, rounds=size.shrinks),
        Needed(choice) if minimal else Polish(choice, size.polish, size.around),
    )


def started(searcher: Searcher) -> Searcher:
    """The searcher; one that starts from another's candidates starts from the default engine's."""
    filled: dict[str, Any] = {}
    if several := getattr(searcher, "searchers", ()):
        filled["searchers"] = tuple(map(started, several))
    if getattr(searcher, "starts", searcher) is None:
        filled["starts"] = Engine()
    whole: Any = searcher
    return replace(whole, **filled) if filled else searcher


def _searcher(method: Any, size: Size) -> Searcher:
    if isinstance(method, Searcher) and not isinstance(method, type):
        return started(method)
    if isinstance(method, str) and method in SEARCHERS:
        return Engine(size) if method == "auto" else SEARCHERS[method]
    raise OptionError(
        f"There is no method {method!r}.",
        f"{nearest(method, SEARCHERS)} A Searcher of your own works too.",
    )
