"""The verbs: a model and rows give answers, a record the same again, and data suggest rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ifonly.answers import Answers
from ifonly.answers.record import space_of
from ifonly.causal import CausalModel
from ifonly.demands.robust import asked_again
from ifonly.demands.tolerance import Tolerance
from ifonly.errors import OptionError, options
from ifonly.explainer import Explainer
from ifonly.plausible import Plausible
from ifonly.problem.goal import Logit, Target
from ifonly.rules import Rules
from ifonly.rules.suggested.suggestions import MOST, Suggestions, suggested
from ifonly.solve.method import MethodLike
from ifonly.solve.method_text import read_method
from ifonly.solve.question import Budget, check_whole
from ifonly.space import Cost, Space
from ifonly.space.table.frame import Frame


@options
def explain(
    model: Any,
    rows: Frame,
    *,
    data: Frame | None = None,
    target: Target = "opposite",
    k: int = 4,
    rules: Rules = (),
    method: MethodLike = "auto",
    diversity: float | None = None,
    threshold: float | None = None,
    weights: Mapping[str, float | Cost] | None = None,
    categorical: Iterable[str] = (),
    space: Space | None = None,
    causes: CausalModel | None = None,
    certify: bool | float = False,
    plausible: float | bool | Plausible | None = None,
    robust: Any = None,
    margin: float | Logit = 0.0,
    tolerance: Tolerance | None = None,
    seed: int = 0,
    budget: Any = None,
    workers: int | str = 1,
    progress: bool | Callable[[int, int], None] | None = None,
) -> Answers:
    """k ways in which each row would have got another outcome.

    Every answer is valid by the model's own decision and satisfies every rule; a row without
    answers has a status and a message that says why. To ask several questions about one model, use
    `ifonly.Explainer`, which prepares once and also takes rules of single rows.

    Parameters
    ----------
    model
        A fitted estimator or pipeline, anything with `predict_proba` or `predict` on a DataFrame,
        a path to a saved model, or a function or torch module wrapped by `ifonly.as_model`.
    rows
        The rows to explain: a DataFrame of pandas, polars, PyArrow or Modin with the columns of
        `data`.
    data
        The frame of features that the model was trained on, without the outcome.
    target
        The wanted outcome: 'opposite' (two classes), 'other' (any class but the row's own), a
        class, a range (low, high) of a regressor
        in which an open end is None, or a list with one of these per row.
    k
        How many answers to each row.
    rules
        What every answer must satisfy: lines of text such as 'race fixed', 'age only increases',
        'debt + loan <= 0.4 * income', or rules such as `ifonly.fixed('race')`. The word
        'suggested' stands for `ifonly.suggest_rules(data)`.
    method
        How answers are searched for: 'auto', 'gradient' (the paper's method), 'exact' (nearest,
        proved), 'surrogate' (few model rows; 'auto' chooses it for a slow model), 'edits' or
        'neighbours'; a Searcher with its own knobs, such as
        `ifonly.search.Engine(effort='thorough', tight=False)`; or a Method.
    diversity
        From 0, the closest answers, to 1, the widest; 0.55 unless stated.
    threshold
        The probability from which the second of two classes is decided for, where it is not the
        model's own `predict` that decides.
    weights
        What changes cost: {'age': 2.0, 'income': ifonly.cost(up=3)}, factors on the distance.
    categorical
        Columns with numbers that are names of categories.
    space
        An `ifonly.Space`, where it must say more than `data` does: orders of levels, labels,
        sparsity; or in place of data that cannot be shared.
    causes
        An `ifonly.CausalModel`: an answer is then an action and what follows from it.
    certify
        Prove how near an answer can be: True, or the most seconds per row.
    plausible
        Every answer is at least as usual as this share of the rows of `data`, or as its own row:
        0.05. By default, of answers of similar cost the more usual are chosen; False leaves that
        out, and `ifonly.Plausible` chooses the measure.
    robust
        Every answer holds in other models, too: a list of them, `ifonly.Robust(models, share=0.9)`,
        or `ifonly.Refits(fit, data, outcome)`, which refits models on bootstrap samples; or it
        holds while every parameter moves a little, `ifonly.Within(0.005)`.
    margin
        How far beyond the threshold the score of every answer is: 0.1, or `ifonly.Logit(0.5)` in
        log odds. Of more than two classes, how far it is above every other; of a regressor, how
        far inside the range.
    tolerance
        The outcome stays if the numbers that an answer changes end up so much off, all at once:
        {'income': 500, 'age': 1}, or 0.1, that share of each change. Proved where the model can be
        read, else sampled with a stated confidence.
    seed
        The same seed gives the same answers.
    budget
        The most seconds, or {'seconds': ..., 'model_rows': ..., 'model_rows_per_row': ...}, with
        all that is asked of the model to prepare. What is found by then comes back, and the rows
        not reached have the status `skipped`. 'model_rows_per_row' is for each row by itself. With
        {'harder': False}, rows that are short of answers are not searched again, harder.
    workers
        How many processes answer the rows, each with a thread of its own for the model; 'all': one
        per core. The answers are the same. Starting them takes seconds, once; the model is sent
        to them, and what it counts or keeps stays there.
    progress
        A bar shows after two seconds, in a terminal or a notebook. False: none. A function is
        called with the number of rows done and of rows asked instead.

    Returns
    -------
    Answers
        k answers to each row, with a status for each row.

    Raises
    ------
    IfonlyError
        Something that was given cannot be used; the message says what and why. An option that the
        method does not use is an `OptionError`.

    Examples
    --------
    >>> import pandas as pd, ifonly
    >>> data = pd.DataFrame({"income": [1000, 3000, 5000], "debt": [0, 900, 200]})
    >>> lender = ifonly.as_model(lambda f: f["income"] - f["debt"] > 2500, classes=["no", "yes"])
    >>> answers = ifonly.explain(lender, data[1:2], data=data, k=2)
    >>> answers.status
    (<Status.FOUND: 'found'>,)
    """
    limit = Budget.of(budget)
    explainer = Explainer(
        model,
        data=data,
        space=space,
        categorical=categorical,
        rules=rules,
        causes=causes,
        method=method,
        budget=limit.to_prepare,
    )
    return explainer.explain(
        rows,
        target=target,
        k=k,
        threshold=threshold,
        weights=weights,
        diversity=diversity,
        certify=certify,
        plausible=plausible,
        robust=robust,
        margin=margin,
        tolerance=tolerance,
        seed=seed,
        budget=limit.after(explainer.setting.prepared_rows),
        workers=workers,
        progress=progress,
    )


def explain_again(
    record: Mapping[str, Any],
    model: Any,
    rows: Frame,
    *,
    data: Frame | None = None,
    space: Space | None = None,
    causes: CausalModel | None = None,
    method: MethodLike | None = None,
    robust: Any = None,
) -> Answers:
    """The answers to the question that a record holds: the same where model and data are.

    Parameters
    ----------
    record
        `answers.record`, also of answers that were saved.
    model, rows, data
        As they were given to `explain`.
    space
        The space, where it was given without data: `answers.space`.
    causes
        The causal model, where there was one.
    method
        The method, where a part of it was not ifonly's own.
    robust
        The other models, or the refits, where there were any.

    Returns
    -------
    Answers

    Raises
    ------
    OptionError
        The record cannot be asked again with what is given; the message says why.

    Examples
    --------
    >>> import pandas as pd, ifonly
    >>> data = pd.DataFrame({"income": [1000, 3000, 5000], "debt": [0, 900, 200]})
    >>> lender = ifonly.as_model(lambda f: f["income"] - f["debt"] > 2500, classes=["no", "yes"])
    >>> answers = ifonly.explain(lender, data[1:2], data=data, k=2, diversity=0.9)
    >>> again = ifonly.explain_again(answers.record, lender, data[1:2], data=data)
    >>> again.frame().equals(answers.frame())
    True
    """
    if (record["causes"] is None) != (causes is None):
        raise OptionError(
            f"The record was made with causes={record['causes']}, and causes is {causes!r}.",
            "Give the causal model that the answers were made with, and only then.",
        )
    robust = asked_again(record.get("robust"), robust)
    if space is None and data is not None:
        space = space_of(record, data)
    if space is not None and space.fingerprint != record["space_fingerprint"]:
        raise OptionError(
            "The record was made with other data: its space is not the space of these.",
            "Give the data, or answers.space, that the answers were made with.",
        )
    limit = Budget.of(record["budget"])
    explainer = Explainer(
        model,
        data=data,
        space=space,
        rules=record["rules"],
        causes=causes,
        method=read_method(record["method"]) if method is None else method,
        budget=limit.to_prepare,
        share_rows=record.get("share_rows", True),
    )
    names = ("target", "k", "threshold", "row_rules", "certify", "plausible", "seed")
    limit = limit.after(explainer.setting.prepared_rows)
    stated = {name: record[name] for name in names} | {"margin": record.get("margin", 0.0)}
    stated["tolerance"] = record.get("tolerates")
    return explainer.explain(rows, budget=limit, robust=robust, **stated)


@options
def suggest_rules(data: Frame, *, space: Space | None = None, most: int = MOST) -> Suggestions:
    """Rules that hold in every row of the data, and hardly by chance.

    A level that goes with a value of another column, a total and its parts, a number that is never
    above another, a column that repeats or follows from another. Give the result as `rules`, or
    the word 'suggested' in its place.

    Parameters
    ----------
    data
        The frame of features that the model was trained on, without the outcome.
    space
        An `ifonly.Space`, where it must say more than `data` does: which numbers are categories.
    most
        How many rules to suggest at the most.

    Returns
    -------
    Suggestions
        The texts of the rules, the most useful first, with the rows that show each and its
        meaning.

    Raises
    ------
    OptionError
        `most` is not a whole number of 0 or more.
    DataError
        The data cannot be used; the message says why.

    Examples
    --------
    >>> import pandas as pd, ifonly
    >>> data = pd.DataFrame({"garage": ["none", "open", "closed"] * 20, "area": [0, 30, 45] * 20})
    >>> print(ifonly.suggest_rules(data))
    rule                                                         rows  meaning
    garage determines area: closed -> 45, none -> 0, open -> 30    60  area repeats garage in ...
    """
    check_whole(most, "most", least=0)
    space = Space.infer(data) if space is None else space
    return suggested(space, space.codes(data, "data"), most)
