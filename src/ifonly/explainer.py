"""Model, space and strategy, prepared once and asked often."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import Any

from ifonly.answers import Answers
from ifonly.answers.produce import produce
from ifonly.causal import CausalModel
from ifonly.demands.tolerance import Tolerance
from ifonly.errors import OptionError, check_flag, options
from ifonly.models.counted import Contradiction, Rejection
from ifonly.plausible import Plausible, Usual
from ifonly.problem.goal import Logit, Target, check_threshold
from ifonly.rules import Rules
from ifonly.solve.asked import Asked
from ifonly.solve.chunks import counted
from ifonly.solve.demanding import (
    Known,
    as_margin,
    with_demands,
    with_margin,
    with_tolerance,
    with_usual,
)
from ifonly.solve.method import Method, MethodLike, check_demands, check_used, method_of
from ifonly.solve.prepare import Setting, prepare, provided
from ifonly.solve.question import Budget, Question, read_row_rules
from ifonly.solve.watched import new_watch, watched
from ifonly.space import Cost, Space
from ifonly.space.table.frame import Frame
from ifonly.space.table.index import index_of


class Explainer:
    """Answers questions about one model: prepared once, asked often.

    Parameters
    ----------
    model
        A fitted estimator or pipeline, anything with `predict_proba` or `predict` on a DataFrame,
        a path to a saved model, or a function wrapped by `ifonly.as_model`.
    data
        The frame of features that the model was trained on.
    space
        The features and what changing them costs, where `Space.infer(data)` does not say enough.
        Without `data`, the search has no known rows to start from.
    categorical
        Columns of `data` with numbers that are names of categories.
    rules
        Rules of every question.
    causes
        An `ifonly.CausalModel`: an answer is then an action and what follows from it.
    method
        'auto', 'gradient', 'exact', 'surrogate', 'edits' or 'neighbours'; a Searcher such as
        `Engine(effort='thorough')`; or a Method.
    budget
        What preparing may cost, as in `explain`: fewer rows of `data` are asked about, and what
        does not fit is left out. `answers.record["prepared_rows"]` says what it cost.
    share_rows
        False: `data` are private, and `answers.examples` and `ifonly.prototypes` are refused.

    Raises
    ------
    IfonlyError
        Something that was given cannot be used; the message says what and why.

    Examples
    --------
    >>> import pandas as pd
    >>> from ifonly import as_model
    >>> data = pd.DataFrame({"income": [10, 30, 50], "job": ["a", "b", "a"]})
    >>> model = as_model(lambda frame: frame["income"] > 40, classes=["no", "yes"])
    >>> Explainer(model, data=data).explain(data[:1], k=1).sentences()
    [['If only income were 41 (not 10): yes (1.00).']]
    """

    @options
    def __init__(
        self,
        model: Any,
        *,
        data: Frame | None = None,
        space: Space | None = None,
        categorical: Iterable[str] = (),
        rules: Rules = (),
        causes: CausalModel | None = None,
        method: MethodLike = "auto",
        budget: Any = None,
        share_rows: bool = True,
    ) -> None:
        check_flag(share_rows, "share_rows")
        limit = Budget.of(budget)
        self.method = method_of(method)
        categorical = (categorical,) if isinstance(categorical, str) else tuple(categorical)
        if categorical and (space is not None or data is None):
            raise OptionError(
                f"categorical={list(categorical)} has no effect: `space` states the kinds.",
                "Give it to Space.infer(data, categorical=...).",
            )
        space = Space.infer(data, categorical) if categorical else space
        by_itself = isinstance(method, str) and method == "auto"
        slow = None if by_itself else "surrogate" in self.method.needs
        setting = prepare(model, data, space, causes, limit, slow=slow, share_rows=share_rows)
        if setting.slow:
            self.method = method_of("surrogate")
        self.setting = provided(setting.with_rules(rules), self.method.needs)
        self._usual: dict[Any, Usual] = {}
        self._others: Known = {}

    @classmethod
    def _of(cls, setting: Setting, method: Method) -> Explainer:
        """An explainer of what was prepared already: the page asks what answers were asked."""
        made = cls.__new__(cls)
        made.method, made.setting = method, setting
        made._usual, made._others = {}, {}
        return made

    def page(self, rows: Any = None, **options: Any) -> Any:
        """The page about rows in a notebook, without a port (extra 'page').

        Parameters
        ----------
        rows
            A frame, or one row of a pandas frame; None: the page offers a form.
        **options
            `row`, the position of the row that is shown first; `title`; `language`, 'en' or 'de';
            and options of `explain`, which the page asks with first.

        Returns
        -------
        ifonly.page.widget.PageWidget
            A widget for Jupyter, JupyterLab, VS Code and marimo.

        Raises
        ------
        IfonlyError
            The rows or an option cannot be used, or anywidget is not installed.

        Examples
        --------
        >>> import pandas as pd
        >>> from ifonly import as_model
        >>> data = pd.DataFrame({"income": [10, 30, 50]})
        >>> rich = as_model(lambda frame: frame["income"] > 40, classes=["no", "yes"])
        >>> Explainer(rich, data=data).page(data[:1], k=2).start["rows"]
        [{'income': 10}]
        """
        # The page is a room above this one: it is looked up when somebody asks for it.
        return import_module("ifonly.page.widget").page_of_explainer(self, rows, **options)

    @options
    def explain(
        self,
        rows: Frame,
        *,
        target: Target = "opposite",
        k: int = 4,
        threshold: float | None = None,
        rules: Rules = (),
        row_rules: Any = None,
        weights: Mapping[str, float | Cost] | None = None,
        diversity: float | None = None,
        certify: bool | float = False,
        seed: int = 0,
        budget: Any = None,
        plausible: float | bool | Plausible | None = None,
        robust: Any = None,
        margin: float | Logit = 0.0,
        tolerance: Tolerance | None = None,
        workers: int | str = 1,
        progress: bool | Callable[[int, int], None] | None = None,
        keep: bool = False,
    ) -> Answers:
        """k answers to each row.

        Parameters
        ----------
        rows
            The rows to explain: a frame with the columns of `data`.
        target
            'opposite', 'other' (any class but the row's own), a class, a range (low, high) of a
            regressor, or a list with one per row.
        k
            How many answers to each row.
        threshold
            The probability from which the second of two classes is decided for, where it is not
            the model's own `predict` that decides.
        rules
            Rules of this question, beside those of the Explainer.
        row_rules
            Rules of single rows, by position or label: {0: ['income fixed']}, or a list per row.
        weights
            What changes cost in this question: {'age': 2.0, 'income': ifonly.cost(up=3)}.
        diversity
            From 0, the closest answers, to 1, the widest.
        certify
            Prove how near an answer can be: True, or the most seconds per row.
        seed
            The same seed gives the same answers.
        budget
            The most seconds, or {'seconds': ..., 'model_rows': ..., 'model_rows_per_row': ...}.
            What is found by then comes back, and the rows not reached are `skipped`. With
            {'harder': False}, rows that are short of answers are not searched again, harder.
        plausible
            Every answer is at least as usual as this share of the rows of `data`, or as its own
            row: 0.05. By default, of answers of similar cost the more usual are chosen; False
            leaves that out, and `ifonly.Plausible` chooses the measure.
        robust
            Other models that must agree with every answer: a list of them, `ifonly.Robust`,
            `ifonly.Refits`; or `ifonly.Within`, for parameters that move.
        margin
            How far beyond the threshold the score of every answer is: 0.1, or `ifonly.Logit(0.5)`.
        tolerance
            The outcome stays if changed numbers end up so much off: {'income': 500}, or 0.1 of
            each change. Proved where the model can be read, else sampled.
        workers
            How many processes answer the rows; 'all': one per core. Answers are the same.
        progress
            A bar shows after two seconds, in a terminal or a notebook. False: none. A function is
            called with the number of rows done and of rows asked instead.
        keep
            Ctrl-C ends the search after the call of the model that runs, and what is found comes
            back.

        Returns
        -------
        Answers

        Raises
        ------
        IfonlyError
            Something that was given cannot be used; the message says what and why.

        Examples
        --------
        >>> import pandas as pd
        >>> from ifonly import as_model
        >>> data = pd.DataFrame({"income": [10, 30, 50]})
        >>> rich = as_model(lambda frame: frame["income"] > 40, classes=["no", "yes"])
        >>> Explainer(rich, data=data).explain(data[:2], k=1, row_rules={1: ["income fixed"]})
        <Answers: 2 rows, k=1: 1 found, 1 infeasible>
        """
        limit, watch = Budget.of(budget), new_watch.get()()
        asked_for = (target, k, threshold, certify, seed, limit, progress, keep, plausible, workers)
        question = Question(*asked_for, robust, as_margin(margin), tolerance)
        method = self.method if diversity is None else self.method.with_diversity(diversity)
        with watched(watch, progress, keep=keep):
            setting = self._setting(question, method, rules, weights)
            try:
                usual = self._usual, limit.deadline
                setting = with_usual(setting, method.selector, plausible, *usual)
                setting = with_demands(setting, robust, self._others)
                setting = with_tolerance(setting, tolerance)
                check_demands(method, setting.demands, question.margin)
            except KeyboardInterrupt:
                if not keep:
                    raise
                watch.ended = time.monotonic()
            check_threshold(threshold, setting.model.classes)
            setting = setting if threshold is None else setting.by_scores
            setting = with_margin(setting, question.margin)
            setting, carried = setting.carrying(rows)
            asked = Asked.read(setting, rows, carried)
            watch.asked, watch.searching = len(asked.x), True
            own = read_row_rules(row_rules, index_of(rows, len(asked.x)), setting.space)
            model = counted(setting, limit, method, watch)
            ask = partial(produce, question, method, rows, asked, own)
            try:
                return ask(model=model, setting=setting)
            except Rejection:  # one row that the model fails for: the route is right for others
                plain = replace(setting, route=setting.model)
            except Contradiction:
                # A shortcut that misleads is not taken again: the model itself is asked.
                self.setting = replace(self.setting, route=setting.model, contradicted=True)
                plain = replace(setting, route=setting.model, contradicted=True)
            return ask(model=model.without_route(), setting=plain)

    def _setting(
        self,
        question: Question,
        method: Method,
        rules: Rules,
        weights: Mapping[str, float | Cost] | None,
    ) -> Setting:
        """What was prepared, with what this question adds to it."""
        setting = self.setting  # read once: another thread may drop its route
        check_used(method, question.certify, setting.space.sparsity)
        if question.certify is not False and setting.reading is None and not setting.unread:
            setting = self.setting = provided(setting, frozenset(), certify=True)
        prices: dict[str, Any] = {} if weights is None else {"weights": weights}
        if not method.weighs:  # what nothing makes small is no part of the price
            prices["sparsity"] = 0.0
        return (setting.priced(**prices) if prices else setting).with_rules(rules)
