"""Damaged files of saved answers: each is refused by one error, or it can be used in every way."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import numpy as np
import pytest

import ifonly
from ifonly.errors import FileError, IfonlyError

from .damage import BASES, damaged, saved

MUTANTS = 100


@pytest.mark.parametrize("place", range(len(BASES)))
def test_a_whole_file_can_be_used_in_every_way(place: int) -> None:
    use(ifonly.Answers.from_json(saved(place)))


@pytest.mark.filterwarnings("ignore:.* encountered in:RuntimeWarning")  # numbers such as 1e308
@pytest.mark.draws(40)
def test_a_damaged_file_is_refused_by_one_error_or_can_be_used_in_every_way(
    seed: int, tally: Callable[[str, int], None]
) -> None:
    draw = np.random.default_rng(seed)
    refused = 0
    for _ in range(MUTANTS):
        content = damaged(saved(int(draw.integers(0, len(BASES)))), draw)
        try:
            answers = ifonly.Answers.from_json(content)
        except FileError:
            refused += 1
        else:
            use(answers)
    tally("damaged files", MUTANTS)
    tally("damaged files refused", refused)


def use(answers: ifonly.Answers) -> None:
    """Everything that saved answers can be asked; what a file cannot have is an error of ifonly."""
    for ask in (
        answers.frame,
        answers.changes,
        answers.metrics,
        answers.sentences,
        answers.to_html,
    ):
        assert ask() is not None
    assert len(answers.importance(by_row=True)) == len(answers) * len(answers.space)
    answers.importance()
    answers._repr_html_()
    assert repr(answers).startswith("<Answers")
    again = ifonly.Answers.from_json(answers.to_json())
    assert again.to_json() == answers.to_json()
    for row in range(len(answers)):
        assert str(answers.why(row))
        with suppress(IfonlyError):  # a rule that nobody can read; no such answer
            str(answers.plan(row))
    with suppress(IfonlyError):  # nothing is proved
        answers.certificates()
    with pytest.raises(IfonlyError):
        answers.sensitive([answers.space.names[0]])
