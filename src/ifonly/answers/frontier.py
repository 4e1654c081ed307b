"""The answers that other settings of `diversity` choose from the candidates already found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ifonly.answers.data import AnswerData
from ifonly.demands.agreement import agreeing
from ifonly.demands.tolerance import tolerated
from ifonly.errors import OptionError
from ifonly.models import Counted
from ifonly.models.counted import Contradiction
from ifonly.plausible import odd_features, shares
from ifonly.select import Selector
from ifonly.select.selector import from_pool, marked
from ifonly.solve.source import MOST_ROWS, Source
from ifonly.solve.stages import judged
from ifonly.solve.statuses import status_of, wanted_score


def frontier(answers: AnswerData, diversities: Sequence[float]) -> dict[float, dict[str, Any]]:
    """For each setting, the fields in which its answers differ."""
    source = answers.asked_further()
    if "examples" in answers.record:
        raise OptionError(
            "These are real rows, chosen by their price alone.",
            "Call it on the answers that `examples` was called on.",
        )
    if len(answers) > MOST_ROWS:
        raise OptionError(
            f"The candidates of {len(answers)} rows were not kept.",
            f"Ask for at most {MOST_ROWS} rows at a time.",
        )
    sets = {}
    for one in diversities:
        method = source.method.with_diversity(one)
        chooser = from_pool(method.selector)
        try:
            chosen = _chosen(answers, source, chooser)
        except Contradiction:
            plain = replace(source, setting=replace(source.setting, route=source.setting.model))
            chosen = _chosen(answers, plain, chooser)
        sets[float(one)] = {**chosen, "record": {**answers.record, "method": repr(method)}}
    return sets


def _chosen(answers: AnswerData, source: Source, selector: Selector) -> dict[str, Any]:
    points, filled = answers.points.copy(), answers.filled.copy()
    score, acted = answers.score.copy(), answers.acted_features().copy()
    extra = answers.extra.copy()
    reached = None if answers.reached is None else answers.reached.copy()
    model = Counted(source.setting.model, source.setting.route)
    method = replace(source.method, selector=selector)
    for rows, pool in source.pools:
        problem = source.batch.pose(source.setting, model, rows)
        chosen = marked(selector, problem, pool, answers.k)
        solved = judged(problem, method, pool, chosen)
        points[rows], filled[rows] = solved.points, solved.filled
        acted[rows], extra[rows] = solved.acted, solved.extra
        if reached is not None:
            reached[rows] = solved.reached
        score[rows] = wanted_score(solved.scores, problem.goal)
    usual = shares(source.setting.measure, points, filled)
    return {
        "points": points,
        "filled": filled,
        "extra": extra,
        "reached": reached,
        "usual": usual,
        "agreeing": agreeing(source.setting.demands, source.batch.goal, points, filled),
        "tolerated": tolerated(
            source.setting.demands, source.batch.goal, answers.x, points, filled
        ),
        "odd": odd_features(source.setting.measure, answers.x, points, usual),
        "score": score,
        "status": status_of(filled, answers.status),
        "acted": None if answers.acted is None else acted,
    }
