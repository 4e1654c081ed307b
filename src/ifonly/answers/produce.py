"""From a question about rows, with all that is prepared, to their answers."""

from __future__ import annotations

from typing import Any

from ifonly.answers.answers import Answers
from ifonly.answers.record import record_of
from ifonly.demands.agreement import agreeing
from ifonly.demands.tolerance import tolerated
from ifonly.errors import OptionError
from ifonly.models import Counted
from ifonly.plausible import odd_features
from ifonly.problem.goal import resolve
from ifonly.rules import Rule
from ifonly.solve.asked import Asked
from ifonly.solve.chunks import answer_in_turns
from ifonly.solve.method import Method
from ifonly.solve.pose import Batch
from ifonly.solve.predict import predict_asked
from ifonly.solve.prepare import Setting
from ifonly.solve.question import Question
from ifonly.solve.source import Source
from ifonly.solve.stages import certifier_of
from ifonly.solve.statuses import wanted_of, wanted_score
from ifonly.space.table.coded import Coded
from ifonly.space.table.frame import Frame, library_of
from ifonly.space.table.index import index_of


def produce(
    question: Question,
    method: Method,
    rows: Frame | Coded,
    asked: Asked,
    own: tuple[tuple[Rule, ...], ...],
    *,
    model: Counted,
    setting: Setting,
) -> Answers:
    """The answers of the rows asked, asking the model by one route."""
    x, stated = asked.x, question.threshold is not None
    cut = question.threshold if stated else setting.decision.threshold
    certain = not setting.decision.found
    said = predict_asked(model, asked, cut, stated=stated, certain=certain)
    edge: dict[str, Any] = {"threshold": cut, "by_scores": stated, "margin": question.margin}
    goal = resolve(question.target, model.classes, said.decided, **edge)
    if goal.avoided is not None and (method.needs - {"surrogate"} or question.certify is not False):
        raise OptionError(
            "target='other' cannot be used here: a method that looks inside the model, or a proof, "
            "needs one wanted class.",
            "Name the class, or use method='auto' without certify.",
        )
    met = goal.reached(said.scores, said.decided if model.classes else None)
    batch = Batch(
        x, goal, met, own, question.seed, said.known, said.failed, asked.odd, asked.places
    )
    proving = question.certify is not False or method.proves
    certify, other = certifier_of(question), asked.setting
    found = answer_in_turns(batch, setting, model, method, question, certify=certify, other=other)
    model.confirm()
    return Answers(
        space=asked.setting.space,
        x=x,
        points=found.points,
        acted=found.acted,
        bound=None if found.proof is None else found.proof.bound,
        seconds=None if found.proof is None else found.proof.seconds,
        filled=found.filled,
        extra=found.extra,
        reached=None if goal.avoided is None else found.reached,
        usual=found.usual,
        agreeing=agreeing(asked.setting.demands, goal, found.points, found.filled),
        tolerated=tolerated(asked.setting.demands, goal, x, found.points, found.filled),
        odd=odd_features(setting.measure, x, found.points, found.usual),
        status=found.status,
        wanted=wanted_of(goal, model.classes, said.known),
        predicted=said.labels(model.classes),
        row_score=wanted_score(said.confirmed(model)[:, None], goal)[:, 0],
        score=found.score,
        index=index_of(rows, len(x)),
        library=rows.library if isinstance(rows, Coded) else library_of(rows),
        carried=asked.carried,
        notes=asked.noted(found.notes, found.status, proving=proving),
        record=record_of(setting, model, method, question, own, rows, found=found),
        source=Source(asked.setting, method, batch, found.pools),
    )
