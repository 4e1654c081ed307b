"""`ifonly demo`: a refused applicant of the bundled Adult data, explained in the terminal."""

from __future__ import annotations

from typing import Any

from rich.padding import Padding
from rich.text import Text

from ifonly.cli import tables
from ifonly.cli.talking import talk
from ifonly.datasets import Dataset, load
from ifonly.explainer import explain

RULES = ("race fixed", "gender fixed", "marital_status fixed", "age only increases")
LABELS = {0: "<=50K", 1: ">50K"}
NEXT = """\
Explain your own model, from a file:
  ifonly explain rows.csv --data train.csv --outcome income --model model.skops \\
      --rule "race fixed" --rule "age only increases"
  ifonly explain --help

or in Python:
  import ifonly
  answers = ifonly.explain(model, rows, data=train, k=4, rules=["race fixed"])
  answers.frame(); answers.sentences(); answers.plot()

How it works: docs/how-it-works.md
"""


def demo() -> None:
    """Explain a refused applicant of the bundled Adult data."""
    talk().print("Training a logistic regression on the bundled Adult data …")
    train, test = load("adult").split()
    model = _fitted(train)
    score = model.predict_proba(test.features)[:, 1]
    # The first applicant whom the model refuses without much doubt.
    refused = test.features[score < 0.2].head(1)
    found = explain(
        model, refused, data=train.features, target=1, rules=RULES, labels=LABELS, seed=0
    )
    view = found.views()[0]
    out = tables.console()
    out.print(Text("An applicant, as the model sees them", style="bold"))
    out.print(tables.values(view))
    out.print(
        Text.assemble(
            "\nWill they earn more than 50K? The model says ",
            (str(view.prediction), "bold red"),
            ": its score for >50K is ",
            (f"{view.score:.2f}", "bold red"),
            ".",
        )
    )
    out.print(Text(f"The rules: {', '.join(RULES)}.", style="dim"))
    out.print(Text(f"\n{len(view.answers)} ways to >50K", style="bold"))
    out.print(Padding(tables.answers(view), (0, 0, 0, 2)))
    out.print(Text("In words", style="bold"))
    out.print(tables.told(view))
    scores = ", ".join(f"{answer.score:.2f}" for answer in view.answers)
    out.print(
        Text.assemble(
            "\nThe score before: ",
            (f"{view.score:.2f}", "bold red"),
            "; after: ",
            (scores, "bold green"),
            ".",
        )
    )
    out.print(Text("\nWhere to go next", style="bold"))
    out.print(Padding(Text(NEXT), (0, 0, 0, 2)))


def _fitted(train: Dataset) -> Any:
    """A pipeline that takes the DataFrame as it is."""
    from sklearn.compose import make_column_transformer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    columns = make_column_transformer(
        (OneHotEncoder(), list(train.categorical)), (StandardScaler(), list(train.continuous))
    )
    pipeline = make_pipeline(columns, LogisticRegression(max_iter=1000))
    return pipeline.fit(train.features, train.outcome)
