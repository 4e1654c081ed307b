"""Write the figures of docs/comparison.md and of the README: `python scripts/write_comparison.py`.

They come from the kept records of the benchmarks, `benchmarks/results`, and stand between two marks
on each page. A test writes them again and compares.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
BEGIN, END = "<!-- measured: scripts/write_comparison.py -->", "<!-- /measured -->"
NETWORK = "The published Adult network, k = 4"
COLUMNS = ("rows", "ms per row", "full", "valid", "distance", "det")
Line = dict[str, Any]


def main() -> None:
    """Write both pages."""
    for path, text in pages().items():
        (ROOT / path).write_text(text, encoding="utf-8")


def pages() -> dict[str, str]:
    """The text of each page with the figures as they are kept."""
    parts = {"docs/comparison.md": comparison(), "README.md": readme()}
    return {path: _placed((ROOT / path).read_text("utf-8"), part) for path, part in parts.items()}


def comparison() -> str:
    """The tables of docs/comparison.md."""
    speed, facts = _tables("speed"), _record("speed")["facts"]
    machine = f"{facts['date']}; {facts['processor']}, {facts['cores']} cores."
    network, forest, boosted = network_lines(), pipeline_lines("forest"), pipeline_lines("xgboost")
    sparse, ours, near, _ = speed["Adult, forest pipeline, k = 1, against NICE 0.2.3"]
    (title, audit), *_ = [
        (title, lines) for title, lines in _tables("audit_adult").items() if "time for" in title
    ]
    return "\n\n".join(
        [
            machine,
            f"The published network, k = 4:\n\n{_table(network, COLUMNS)}",
            f"A pipeline with a forest, k = 4:\n\n{_table(forest, COLUMNS)}",
            f"A pipeline with XGBoost, k = 4:\n\n{_table(boosted, COLUMNS)}",
            "The forest, one answer per row; ifonly with `Engine(needed=False, tight=False)`:\n\n"
            + _table([sparse, near, ours], COLUMNS[:-1]),
            f"{title.replace('Adult: time for', 'An audit of Adult, in seconds:')}:\n\n"
            + _table([{"by": line[""], **line} for line in audit], ("seconds",)),
        ]
    )


def readme() -> str:
    """The table of the README."""
    parts = {
        "published network": network_lines(),
        "forest pipeline": pipeline_lines("forest"),
        "XGBoost pipeline": pipeline_lines("xgboost"),
    }
    lines = ["| model | library | ms per row | rows with all four | valid | distance | det K |"]
    lines += ["|---|---|---|---|---|---|---|"]
    for model, found in parts.items():
        for i, one in enumerate(found):
            by = re.sub(r"^(\S+) (\w+)$", r"\1 `\2`", str(one["by"]))
            ms = f"{one['ms per row']:,.{0 if one['ms per row'] > 100 else 1}f}"
            cells = [model if not i else "", by, ms, _percent(one["full"]), _percent(one["valid"])]
            cells += [f"{one['distance']:.2f}", f"{one['det']:.2f}"]
            lines.append("| " + " | ".join(cells) + " |")
    alone = [round(network_lines()[-1]["single row, ms"]), *map(_alone, ("forest", "xgboost"))]
    note = "a single row takes {} ms on the network, {} on the forest, {} on XGBoost."
    table = "\n".join(lines).replace("|  |", "| |")
    return f"{table}\n\nifonly calls the model in batches; {note.format(*alone)}"


def network_lines() -> list[Line]:
    """Who was measured on the published network: time and quality."""
    speed, quality = (
        _named(_tables("speed")[f"{NETWORK}: {part}"]) for part in ("speed", "quality")
    )
    names = {"dice-ml gradient": "dice-ml gradient", "jax-relax DiverseCF": "jax-relax DiverseCF"}
    names |= {"ifonly, layers, default choice": "ifonly"}
    return [speed[name] | quality[name] | {"by": by} for name, by in names.items()]


def pipeline_lines(model: str) -> list[Line]:
    """Who was measured on a pipeline; the default's time is that beside dice-ml random."""
    lines = _named(_tables("speed")[f"Adult, {model} pipeline, k = 4"])
    peers = [lines[f"dice-ml {method}"] for method in ("random", "genetic", "kdtree")]
    ms = peers[0]["ms per row"] / float(_told(model).partition(";")[0])
    return [*peers, lines["ifonly, default"] | {"by": "ifonly", "ms per row": ms}]


def _told(model: str) -> str:
    """What the check of the default's speed says: how many times faster, and a single row."""
    claim = rf"{model}: by default, \d+ times dice-ml random's rows a second"
    checks = _record("speed")["checks"]
    (told,) = [str(one["figures"]) for one in checks if re.fullmatch(claim, one["claim"])]
    return told


def _alone(model: str) -> str:
    """The milliseconds of a single row on a pipeline, by default."""
    found = re.search(r"a single row (\d+) ms", _told(model))
    assert found is not None
    return found[1]


def _record(part: str) -> dict[str, Any]:
    path = ROOT / "benchmarks" / "results" / f"{part}.json"
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def _tables(part: str) -> dict[str, list[Line]]:
    """The lines of each table of a record, by its title."""
    return {
        table["title"]: [dict(zip(table["columns"], line, strict=True)) for line in table["lines"]]
        for table in _record(part)["tables"]
    }


def _named(lines: list[Line]) -> dict[str, Line]:
    return {line["by"]: line for line in lines}


def _table(lines: list[Line], columns: tuple[str, ...]) -> str:
    """A table of Markdown."""
    head = f"| by | {' | '.join(columns)} |\n|---|{'---|' * len(columns)}"
    rows = (" | ".join([line["by"], *(_cell(line[name]) for name in columns)]) for line in lines)
    return "\n".join([head, *(f"| {row} |" for row in rows)])


def _cell(value: Any) -> str:
    """A number as the benchmarks' page writes it."""
    if isinstance(value, float):
        return f"{value:.3f}" if value < 100 else f"{value:,.1f}"
    return str(value)


def _percent(share: float) -> str:
    """A share in percent, with a digit more where it would be rounded to all."""
    text = f"{100 * share:.0f}"
    return f"{100 * share:.1f} %" if text == "100" and share < 1 else f"{text} %"


def _placed(page: str, text: str) -> str:
    """A page with a text between its marks."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    assert rest, f"{BEGIN} is not on the page"
    return f"{before}{BEGIN}\n\n{text}\n\n{END}{after}"


if __name__ == "__main__":
    main()
