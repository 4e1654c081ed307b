"""Rows that provably have no answer: nothing that they may become has the wanted outcome.

The model's sums are bounded over the box of each row, and over halves of it where a bound is too
wide. Of the rules that a box does not say all of, only how many features may change narrows it
further; whatever the others allow lies in it, too.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from math import comb

import numpy as np

from ifonly.bounds.boxes import Boxes, number_columns, owner
from ifonly.bounds.hold import holding
from ifonly.bounds.outcome import Outcome
from ifonly.models.reading import Reading
from ifonly.problem.problem import Problem
from ifonly.rules import Box
from ifonly.rules.change_rules import AtMost

PARTS = 512
"""About how many parts of what a row may become are bounded, at the most."""
CHOICES = 64
"""In how many ways the features that change are chosen, at the most."""


def dead_ends(problem: Problem, reading: Reading) -> np.ndarray:
    """bool [q]: the rows that provably have no answer, as far as bounds can tell."""
    dead = np.zeros(len(problem.x), dtype=bool)
    outcome = Outcome.of(problem.model.model, problem.goal, reading, problem.x)
    rows = np.flatnonzero(outcome.proves)
    if outcome.reading is None or not len(rows):
        return dead
    boxes, of = _boxes(problem.take(rows))
    goal = outcome.goal.take(rows[of])
    avoided = np.zeros(len(of), dtype=bool) if goal.avoided is None else goal.avoided
    margin = holding(
        reading,
        replace(goal, avoided=~avoided),
        boxes,
        max(1, PARTS * len(rows) // len(of)),
        lambda points, box: ~outcome.decided(points, rows[of[box]]),
    )
    dead[rows] = np.bincount(of, ~(margin > 0), minlength=len(rows)) == 0
    return dead


def _boxes(problem: Problem) -> tuple[Boxes, np.ndarray]:
    """Boxes that hold all that rows may become, and int [n] the row of each."""
    box, space = problem.box, problem.space
    may = _may_change(problem)
    of = np.repeat(np.arange(len(problem.x)), len(may))
    stays = ~np.tile(may, (len(problem.x), 1)) & box.keep[of]
    own, whole = Boxes.at(space, problem.x)[of], _whole(box)[of]
    return Boxes(
        space,
        np.where(stays, own.low, whole.low),
        np.where(stays, own.high, whole.high),
        np.where(stays[:, owner(space)], own.levels, whole.levels),
        np.where(stays, own.missing, whole.missing),
    ), of


def _whole(box: Box) -> Boxes:
    """The least boxes around what rules allow, with the rows' own values where they may stay."""
    space, own = box.space, Boxes.at(box.space, box.x)
    some = (box.low <= box.high) & np.asarray(space.continuous)
    low, high = (np.where(some, end, np.nan) for end in (box.low, box.high))
    kept = [np.where(box.keep, end, np.nan) for end in (own.low, own.high)]
    levels = box.levels & ~number_columns(space)
    return Boxes(
        space,
        np.fmin(low, kept[0]),
        np.fmax(high, kept[1]),
        levels | (own.levels & box.keep[:, owner(space)]),
        box.erase | (own.missing & box.keep),
    )


def _may_change(problem: Problem) -> np.ndarray:
    """bool [n, d] sets of features; no row may change others than those of one set."""
    names = problem.space.names
    limits = [rule for rule in problem.relations if isinstance(rule, AtMost)]
    rule = min(limits, key=lambda one: one.count, default=AtMost(len(names)))
    counted = ~problem.box.frozen().all(axis=0) & np.isin(names, rule.among or names)
    most = min(rule.count, int(counted.sum()))
    if comb(int(counted.sum()), most) > CHOICES:
        return np.ones((1, len(names)), dtype=bool)
    chosen = np.array(list(combinations(np.flatnonzero(counted), most)), dtype=np.intp)
    sets = np.repeat(~counted[None], len(chosen), axis=0)
    np.put_along_axis(sets, chosen, values=True, axis=1)
    return sets
