"""The methods: which searcher, refiner and selector answer a question.

`method=` is a name, a Searcher with its own knobs, or a Method. What a Searcher states about
itself decides the rest: with the class attribute `in_order` its points are the answers, taken as
they come; the fields `effort`, `needed`, `tight`, `round_numbers` and `nearest` reach the refiner
and the selector. A Searcher without them gets those of the default engine; if its points are taken
as they come, it gets no marks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ifonly.errors import OptionError, nearest
from ifonly.refine import Nothing, Refiner, Shrink
from ifonly.search import Edits, Engine, Exact, Gradient, Neighbours, Searcher, Surrogate
from ifonly.search.device.selector import PROMISES, WaysOnDevice
from ifonly.search.searcher import needs_of, proves
from ifonly.select import Determinant, Diverse, InOrder, Polish, Selector, Ways
from ifonly.space.space import SPARSITY


@dataclass(frozen=True)
class Method:
    """A searcher, a refiner and a selector.

    Parameters
    ----------
    searcher
        What proposes candidates.
    refiner
        What makes them nearer.
    selector
        What chooses k of them.

    Examples
    --------
    >>> from ifonly.select import InOrder
    >>> Method(Engine(), selector=InOrder()).selector
    InOrder(needed=False, tight=False)
    """

    searcher: Searcher = field(default_factory=Engine)
    refiner: Refiner = field(default_factory=Shrink)
    selector: Selector = field(default_factory=Ways)

    @property
    def descends(self) -> bool:
        """Whether the search needs the model's gradient."""
        return "gradient" in self.needs

    @property
    def proves(self) -> bool:
        """Whether the search proves how near an answer can be."""
        return proves(self.searcher)

    @property
    def needs(self) -> frozenset[str]:
        """What its strategies need of the model beside scores."""
        return needs_of(self.searcher, self.refiner, self.selector)

    @property
    def weighs(self) -> bool:
        """Whether it weighs the charge for changed features beside the distance."""
        return isinstance(self.selector, Diverse) or getattr(self.searcher, "weighs", False)

    def with_diversity(self, diversity: float) -> Method:
        """The method at another diversity.

        Parameters
        ----------
        diversity
            From 0, the closest answers, to 1, the widest.

        Returns
        -------
        Method

        Raises
        ------
        OptionError
            The selector of the method has no diversity.

        Examples
        --------
        >>> Method().with_diversity(0.9).selector.choice.diversity
        0.9
        """
        if not isinstance(self.selector, Diverse):
            raise OptionError(
                f"diversity={diversity!r} has no effect: {type(self.selector).__name__} takes the "
                f"points of {type(self.searcher).__name__} in order.",
                "Leave `diversity` out, or use method='auto'.",
            )
        return replace(self, selector=self.selector.with_diversity(diversity))


MethodLike = str | Searcher | Method
"""What `method=` takes."""

SEARCHERS: dict[str, Searcher] = {
    "auto": Engine(),
    "edits": Edits(),
    "neighbours": Neighbours(),
    "gradient": Gradient(),
    "exact": Exact(starts=Engine()),
    "surrogate": Surrogate(Engine("base")),
}


def method_of(method: MethodLike = "auto", diversity: float | None = None) -> Method:
    """The method of a name or of a Searcher; a Method as it is given."""
    if isinstance(method, Method):
        chosen = replace(method, searcher=started(method.searcher))
    else:
        chosen = _composed(started(_searcher(method)))
    return chosen if diversity is None else chosen.with_diversity(diversity)


def check_used(method: Method, certify: bool | float, sparsity: float) -> None:
    """Refuse what a question or its space states and the method does not use."""
    searcher = type(method.searcher).__name__
    if certify is not False and method.proves:
        raise OptionError(
            f"certify={certify!r} has no effect: {searcher} proves its answers itself.",
            "Leave `certify` out; Exact(limit=...) states the most seconds per answer.",
        )
    if sparsity not in (SPARSITY, 0) and not method.weighs:
        raise OptionError(
            f"sparsity={sparsity!r} of the space has no effect: {type(method.selector).__name__} "
            f"takes the points of {searcher} in order.",
            "Leave `sparsity` out, or use method='auto' or 'exact'.",
        )


def check_demands(method: Method, demands: Sequence[object], margin: object) -> None:
    """Refuse a demand, or a margin, that the method cannot obey while it searches."""
    on_device = getattr(method.searcher, "device", None) is not None
    if (demands and method.proves) or (on_device and (demands or margin)):
        what = f"the demand that {demands[0]}" if demands else f"margin={margin!r}"
        raise OptionError(
            f"{type(method.searcher).__name__} cannot be given {what}.",
            "Use method='auto'; with certify=True it proves how near any answer can be.",
        )


def started(searcher: Searcher) -> Searcher:
    """The searcher; one that starts from another's candidates starts from the default engine's."""
    filled: dict[str, Any] = {}
    if several := getattr(searcher, "searchers", ()):
        filled["searchers"] = tuple(map(started, several))
    if getattr(searcher, "starts", searcher) is None:
        filled["starts"] = Engine("base")
    if getattr(searcher, "searcher", searcher) is None:
        filled["searcher"] = Engine("base")
    whole: Any = searcher
    return replace(whole, **filled) if filled else searcher


def _composed(searcher: Searcher) -> Method:
    """A searcher with the refiner and the selector that fit what it states."""
    if getattr(searcher, "in_order", False):
        marks = (getattr(searcher, name, False) for name in ("needed", "tight"))
        return Method(searcher, Nothing(), InOrder(*marks))
    inner = getattr(searcher, "searcher", searcher)
    effort = getattr(inner, "effort", "auto")
    choice = Determinant(nearest=getattr(inner, "nearest", True))
    needed, tight = (getattr(inner, name, True) for name in ("needed", "tight"))
    rounded = (needed or tight) and getattr(inner, "round_numbers", True)
    if (device := getattr(searcher, "device", None)) is not None:
        kept = zip(PROMISES, (needed, tight, rounded), strict=True)
        promises = tuple(name for name, on in kept if on)
        return Method(searcher, Nothing(), WaysOnDevice(device, promises, nearest=choice.nearest))
    if not needed and not tight:
        return Method(searcher, Shrink(effort), Polish(choice, effort))
    ways = Ways(choice, needed, tight, rounded)
    return Method(searcher, Shrink(effort), ways)


def _searcher(method: Any) -> Searcher:
    if isinstance(method, Searcher) and not isinstance(method, type):
        return method
    if isinstance(method, str) and method in SEARCHERS:
        return SEARCHERS[method]
    raise OptionError(
        f"There is no method {method!r}.",
        f"{nearest(method, SEARCHERS)} A Searcher of your own works too.",
    )
