"""`ifonly demo`: a refused applicant of the bundled Adult data, explained in the terminal."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Group
from rich.padding import Padding
from rich.text import Text

from ifonly.api import explain
from ifonly.cli import terminal as tables
from ifonly.cli.messages import say
from ifonly.cli.output import deliver
from ifonly.cli.service.page import Browser, Port, show_demo
from ifonly.datasets.demo import APPLICANT, LABELS, RULES, demo_model
from ifonly.render.view import RowView
from ifonly.space import Space

NEXT = """\
Explain your own model, from a file:
  ifonly explain rows.csv --data train.csv --outcome income \\
      --model model.skops --rule "race fixed" --rule "age only increases"
  ifonly explain --help

See it as a page, which solves again as you edit:
  ifonly demo --page

or in Python:
  import ifonly
  answers = ifonly.explain(model, rows, data=train, k=4, rules=["race fixed"])
  answers.frame(); answers.sentences(); answers.plot()

How it works: docs/how-it-works.md"""


Page = Annotated[bool, typer.Option("--page", help="Show it as a page in the browser.")]


def demo(*, page: Page = False, port: Port = 0, browser: Browser = True) -> None:
    """Explain a refused applicant of the bundled Adult data, in the terminal or as a page."""
    if page:
        show_demo(port=port, browser=browser)
        return
    say("Training a logistic regression on the bundled Adult data …")
    model, train, test = demo_model()
    answers = explain(
        model,
        test.features.loc[[APPLICANT]],
        data=train.features,
        space=Space.infer(train.features, labels=LABELS),
        target=1,
        rules=RULES,
    )
    deliver(_story(answers.views()[0]), None)


def _story(view: RowView) -> Group:
    """The applicant, the verdict, the ways out, and where to go next."""
    before, wanted = f"{view.score:.2f}", str(view.wanted)
    after = ", ".join(f"{answer.score:.2f}" for answer in view.answers)
    return Group(
        Text("An applicant", style="bold"),
        tables.values(view),
        Text(),
        Text.assemble(
            f"Will they earn {wanted}? The model says ",
            (str(view.prediction), "bold red"),
            f", with a score of {before} for {wanted}.",
        ),
        Text(f"The rules: {', '.join(RULES)}.", style="dim"),
        Text(),
        Text(f"{len(view.answers)} ways to {wanted}", style="bold"),
        Padding(tables.answers(view), (0, 0, 0, 2)),
        Text(),
        Text("In words", style="bold"),
        tables.numbered(view),
        Text(),
        Text.assemble(
            "The score before: ", (before, "bold red"), "; after: ", (after, "bold green"), "."
        ),
        Text(),
        Text("Where to go next", style="bold"),
        Padding(Text(NEXT), (0, 0, 0, 2)),
    )
