"""Trace one `explain` call: the files and functions of ifonly that it runs, room by room.

    python scripts/trace_call.py

The call is the README's: a forest pipeline over Adult with four rules. Functions are counted once,
and what a module runs when it is first imported is left out.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import ifonly

ROOT = Path(ifonly.__file__).parent
RULES = ["race fixed", "gender fixed", "age only increases", "at most 3 features change"]


def main() -> None:
    """Print the files by room, with the number of functions of each."""
    train, test = ifonly.datasets.load("adult").split()
    encode = make_column_transformer(
        (OneHotEncoder(), list(train.categorical)), remainder="passthrough"
    )
    model = make_pipeline(encode, RandomForestClassifier(50, random_state=0))
    model.fit(train.features, train.outcome)

    def ask() -> Any:
        return ifonly.explain(model, test.features[:10], data=train.features, rules=RULES)

    ask()  # what is loaded on first use is loaded
    ran: set[CodeType] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(str(ROOT)):
            ran.add(frame.f_code)

    sys.setprofile(note)
    ask()
    sys.setprofile(None)
    named = {code for code in ran if not code.co_name.startswith("<")}
    files = Counter(str(Path(code.co_filename).relative_to(ROOT)) for code in named)
    rooms = Counter(name.split("/")[0] if "/" in name else "root" for name in files)
    print(f"{len(files)} files, {len(named)} functions")
    for room, count in rooms.most_common():
        inside = {n: c for n, c in files.items() if n.startswith(f"{room}/") or room == "root"}
        listed = [f"{n} ({c})" for n, c in sorted(inside.items()) if room != "root" or "/" not in n]
        print(f"{room}: {count} files: {', '.join(listed)}")


if __name__ == "__main__":
    main()
