"""The real rows that stand for each outcome of a model, and those that they stand for least."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ifonly.arrays.keys import row_streams
from ifonly.errors import OptionError, TargetError, options
from ifonly.explainer import Explainer
from ifonly.metrics import critic
from ifonly.models import Counted
from ifonly.models.decision import by_scores
from ifonly.solve.prepare import Setting
from ifonly.solve.question import check_whole
from ifonly.space import Space
from ifonly.space.layout import columns_of
from ifonly.space.table.carry import tagged
from ifonly.space.table.frame import Frame, free_name, table
from ifonly.space.table.index import index_names, index_of, with_index

MOST = 2000
"""Of how many different rows of an outcome some are chosen; of more, so many by their hash."""


@options
def prototypes(
    model: Any,
    data: Frame | None = None,
    *,
    n: int = 3,
    criticisms: int | None = None,
    categorical: Iterable[str] = (),
    space: Space | None = None,
) -> Frame:
    """Real rows that are typical of each outcome, and rows that these do not represent.

    MMD-critic (Kim, Khanna and Koyejo, 2016) with the kernel 1 / (1 + distance), over the rows
    that the model gives each class. Equal rows are chosen once. Where an outcome has more than
    2,000 different rows, so many are chosen among, and all are compared with.

    Parameters
    ----------
    model
        A model, as for `ifonly.explain`; or an `ifonly.Explainer`, which has its data.
    data
        The frame of features that the model was trained on.
    n
        How many prototypes of each outcome.
    criticisms
        How many criticisms of each outcome; by default n.
    categorical, space
        As for `ifonly.explain`.

    Returns
    -------
    Frame
        One line per row chosen, in the order of choice: outcome, kind, place, the position `row`
        in the data, the features. Where `data` have an index, lines have their labels.

    Raises
    ------
    IfonlyError
        Something that was given cannot be used, or the rows are private; the message says why.

    Examples
    --------
    >>> import pandas as pd, ifonly
    >>> data = pd.DataFrame({"income": [10, 11, 12, 30, 60, 61, 62, 90]})
    >>> rich = ifonly.as_model(lambda frame: frame["income"] > 40, classes=["no", "yes"])
    >>> ifonly.prototypes(rich, data, n=1)
      outcome       kind  place  row  income
    0      no  prototype      0    1      11
    1      no  criticism      0    3      30
    2     yes  prototype      0    5      61
    3     yes  criticism      0    7      90
    """
    check_whole(n, "n", least=1)
    others = n if criticisms is None else criticisms
    check_whole(others, "criticisms", least=0)
    if not isinstance(model, Explainer):
        model = Explainer(model, data=data, categorical=categorical, space=space)
    elif data is not None or space is not None or tuple(categorical):
        raise OptionError(
            "An Explainer has its data and its space already.", "Give prototypes(explainer, n=3)."
        )
    lines = _lines(model.setting, n, others)
    setting, rows = model.setting, [row for *_, row in lines]
    ours = {
        free_name(name, setting.space.names): [line[place] for line in lines]
        for place, name in enumerate(("outcome", "kind", "place", "row"))
    }
    codes = setting.readable.data[rows]
    library = setting.space.library
    frame = table({**ours, **columns_of(setting.space, codes, library)}, library)
    labels = index_of(data, len(setting.readable.data))
    return with_index(frame, index_names(data), [labels[row] for row in rows])


def _lines(setting: Setting, n: int, others: int) -> list[tuple[Any, str, int, int]]:
    """The outcome, kind, place and position in the data of every row that is chosen."""
    known, model = setting.readable, setting.model
    assert known is not None, "prepare() has stated it"
    known.check_shown()
    if not model.classes:
        raise TargetError(
            "The model is a regressor, and has no classes to find prototypes of.",
            "Say what the outcomes are: ifonly.as_model(lambda frame: model.predict(frame) > 200, "
            "classes=['low', 'high']).",
        )
    carries = getattr(model, "carried", None) is not None
    asked = tagged(known.data, np.arange(len(known.data)) if carries else None)
    decided, scores = Counted(model, model).own(asked, score=False)
    if decided is None:
        decided = by_scores(scores, setting.decision.threshold)
        decided[np.isnan(scores).any(axis=1)] = -1
    lines: list[tuple[Any, str, int, int]] = []
    for place, outcome in enumerate(model.classes):
        rows = np.flatnonzero(decided == place)
        _, first, count = np.unique(
            row_streams(known.data[rows], seed=0), return_index=True, return_counts=True
        )
        if not len(first):
            continue
        codes, few = known.data[rows], np.sort(first[:MOST])
        mean = critic.mean_similarity(setting.metric, codes[few], codes[first], count)
        chosen = critic.prototypes(setting.metric, codes[few], mean, n)
        critics = critic.criticisms(setting.metric, codes[few], mean, chosen, others)
        for kind, places in (("prototype", chosen), ("criticism", critics)):
            lines += [(outcome, kind, at, int(rows[few[one]])) for at, one in enumerate(places)]
    return lines
