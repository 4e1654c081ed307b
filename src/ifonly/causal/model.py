"""The causal model of a user: which features cause which, and by what equations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ifonly.causal.binding import bind_equation
from ifonly.causal.causes import Causes, Link
from ifonly.causal.equation import Coded, Equation
from ifonly.causal.fitting import check_effects, fit_equations
from ifonly.causal.graph import Graph, check_names, effects_of, read_graph
from ifonly.errors import OptionError, nearest
from ifonly.space import Space
from ifonly.space.table.frame import Frame


@dataclass(frozen=True, eq=False, repr=False)
class CausalModel:
    """Features that follow from others: value = equation(causes) + noise.

    Parameters
    ----------
    graph
        Each feature's direct causes; features that it does not name have none.
    equations
        One entry per feature with causes: a function of a pandas frame with these causes, in
        the graph's order, that returns one number per row.
    errors
        For equations made by `fit`: the root mean squared residual on rows held out.
    actions
        The features that can be acted on; every other one changes only where it follows. None:
        every feature.

    Raises
    ------
    OptionError
        The graph, the equations or the actions cannot be used; the message says why.

    Examples
    --------
    >>> model = CausalModel({"income": ("age",)}, {"income": lambda causes: 900 * causes["age"]})
    >>> model
    CausalModel(income from age)
    """

    graph: Mapping[str, tuple[str, ...]]
    equations: Mapping[str, Equation]
    errors: Mapping[str, float] = field(default_factory=dict)
    actions: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "graph", read_graph(self.graph))
        _check_equations(self.graph, self.equations)
        object.__setattr__(self, "equations", dict(self.equations))
        if isinstance(self.actions, str):
            raise OptionError(f"actions is {self.actions!r}.", "Give a list of features.")
        if self.actions is not None:
            object.__setattr__(self, "actions", tuple(self.actions))

    @classmethod
    def fit(
        cls,
        graph: Mapping[str, Iterable[str]],
        data: Frame,
        equations: str = "linear",
        seed: int = 0,
        *,
        categorical: Iterable[str] = (),
        actions: Iterable[str] | None = None,
    ) -> CausalModel:
        """The model whose equations are fitted to rows of data.

        Rows that lack an effect or one of its causes are left out of its fit.

        Parameters
        ----------
        graph
            Each feature's direct causes.
        data
            The rows, with all features of the graph.
        equations
            The kind of equation: 'linear' or 'boosted'.
        seed
            It deals the rows into five parts, each held out once for `errors`, and goes to the
            trees.
        categorical
            Columns with numbers that are names of categories, as for `ifonly.explain`.
        actions
            The features that can be acted on; None: every feature.

        Returns
        -------
        CausalModel

        Raises
        ------
        IfonlyError
            The graph, the data or the kind of equation cannot be used; the message says why.

        Examples
        --------
        >>> from ifonly.datasets import make_lender
        >>> lender = make_lender(500, seed=0)
        >>> model = CausalModel.fit(lender.graph, lender.frame)
        >>> model.equations["debt"]
        Linear(2571.72 + 0.11099 income)
        >>> round(model.errors["debt"])
        1612
        """
        read = read_graph(graph)
        acted = None if actions is None else tuple(actions)
        return cls(read, *fit_equations(read, data, equations, seed, categorical), acted)

    def bind(self, space: Space) -> Causes:
        """The model in a space, ready to follow actions on codes.

        Parameters
        ----------
        space
            The space, with all features of the graph.

        Returns
        -------
        Causes

        Raises
        ------
        OptionError
            The space lacks a feature of the graph or an action.
        DataError
            A category has causes.

        Examples
        --------
        >>> model = CausalModel({"income": ["age"]}, {"income": lambda causes: 9 * causes["age"]})
        >>> space = Space.describe({"name": "age", "low": 20, "high": 60},
        ...                        {"name": "income", "low": 0, "high": 90000})
        >>> len(model.bind(space).links)
        1
        """
        check_names(self.graph, space.names, "the space")
        check_effects(self.graph, space)
        effects = effects_of(self.graph)
        links = []
        for effect in effects:
            places = tuple(space.index(name) for name in self.graph[effect])
            causes = Space(tuple(space.features[j] for j in places), space.library)
            own = space.index(effect)
            equation = bind_equation(effect, self.equations[effect], causes, effects)
            links.append(Link(own, places, equation, Space((space.features[own],))))
        for name in self.actions or ():
            if name not in space.names:
                raise OptionError(
                    f"There is no feature {name!r} to act on.", nearest(name, space.names)
                )
        acts = None if self.actions is None else tuple(space.index(name) for name in self.actions)
        return Causes(space, tuple(links), acts, repr(self))

    def __repr__(self) -> str:
        lines = []
        for effect in effects_of(self.graph):
            error = f" ± {self.errors[effect]:.4g}" if effect in self.errors else ""
            lines.append(f"{effect} from {', '.join(self.graph[effect])}{error}")
        return f"CausalModel({'; '.join(lines)})"


def _check_equations(graph: Graph, equations: Any) -> None:
    if not isinstance(equations, Mapping):
        raise OptionError(
            f"The equations are {equations!r}.",
            "Give a dictionary with a function for each feature that has causes; "
            "CausalModel.fit(graph, data) makes them from data.",
        )
    effects = [name for name, causes in graph.items() if causes]
    for name in equations:
        if name not in effects:
            raise OptionError(
                f"There is an equation for {name!r}, which has no causes in the graph.",
                nearest(name, effects),
            )
    for name in effects:
        if name not in equations:
            listed = ", ".join(map(repr, graph[name]))
            raise OptionError(
                f"{name!r} has causes and no equation.",
                f"Give a function of a frame with {listed}, or leave its causes out.",
            )
        if not callable(equations[name]):
            raise OptionError(
                f"The equation of {name!r} is {equations[name]!r}.",
                "Give a function of a frame that returns one number per row.",
            )
        _check_fitted(name, graph[name], equations[name])


def _check_fitted(effect: str, causes: tuple[str, ...], equation: Any) -> None:
    if not isinstance(equation, Coded):
        return
    fitted = tuple(feature.name for feature in equation.causes)
    if fitted != causes:
        raise OptionError(
            f"The equation of {effect!r} was fitted on {', '.join(map(repr, fitted))}, and the "
            f"graph says {', '.join(map(repr, causes))}.",
            "Fit it again: CausalModel.fit(graph, data).",
        )
