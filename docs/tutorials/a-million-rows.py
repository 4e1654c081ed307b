# %% [markdown]
# # A million rows
#
# A whole portfolio, explained over night: the rows do not fit into one table, the run takes hours, and
# something will go wrong on the way. `ifonly.scale` cuts files into shards, answers each of them in a
# process of its own and keeps one part per shard. A run that is killed goes on where it was, and a row's
# answers do not depend on how the rows were cut.
#
# `SIZE` is the only number to change. The page was written with 2,000 rows; with a million the same
# lines run for as much longer.

# %%
from pathlib import Path

import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import ifonly
from ifonly import scale

SIZE = 2_000  # try 1_000_000

# %% [markdown]
# ## Rows in files
# A lender's applications, in Parquet files of at most 100,000 rows. `application` tells rows apart.

# %%
portfolio = Path("portfolio")
portfolio.mkdir()
for number, start in enumerate(range(0, SIZE, 100_000)):
    count = min(100_000, SIZE - start)
    frame = ifonly.datasets.make_lender(count, seed=100 + number).frame
    frame.insert(0, "application", [f"A{start + one:07}" for one in range(count)])
    frame.to_parquet(portfolio / f"{number:03}.parquet", index=False)
print(sorted(path.name for path in portfolio.iterdir()))

# %% [markdown]
# ## One explainer
# The model is a pipeline over the lender's table. Rules hold for every row.

# %%
lender = ifonly.datasets.make_lender(3000, seed=0)
encode = make_column_transformer(
    (OneHotEncoder(), ["education", "job"]), remainder=StandardScaler()
)
model = make_pipeline(encode, LogisticRegression(max_iter=1000)).fit(lender.frame, lender.outcome)
rules = ["age only increases", "age changes by at most 5", "education fixed", "job fixed"]
explainer = ifonly.Explainer(model, data=lender.frame, rules=rules)

# %% [markdown]
# ## The run
# Two local processes, shards of 500 rows here (by default they are larger). `target="approved"`: who is
# approved already needs no answer. On a cluster, `on=` takes a Dask client, Ray or a Spark session.

# %%
run = scale.explain(
    explainer,
    portfolio,
    out="answers",
    id="application",
    workers=2,
    shard_rows=500,
    target="approved",
    k=2,
)
print(run)
print(run.summary.statuses)
print({name: round(value, 2) for name, value in run.summary.means.items() if name == "distance"})

# %% [markdown]
# The summary comes from the manifest: no answer was loaded. The parts are Parquet files that any tool
# reads, with a line for each answer:

# %%
parts = sorted(Path("answers").rglob("*.parquet"))
print(len(parts), "parts")
table = pd.concat(pd.read_parquet(part) for part in parts)
print(table.columns.tolist())

# %% [markdown]
# ## When something goes wrong
# A part is lost, and another one is damaged. Start the same run again: it says what it found, answers
# these shards and no other, and ends with the same bytes.

# %%
before = {part.name: part.read_bytes() for part in parts}
parts[0].unlink()
parts[1].write_bytes(before[parts[1].name][:-20])
found = []
again = scale.explain(
    explainer,
    portfolio,
    out="answers",
    id="application",
    workers=2,
    shard_rows=500,
    target="approved",
    k=2,
    say=found.append,
)
print(*(" ".join(sentence.split()[3:]) for sentence in found), sep="\n")
print(again)
print("the same bytes:", before == {part.name: part.read_bytes() for part in parts})

# %% [markdown]
# ## Single rows, as ever
# What was computed by the million is the same as what one question gives:

# %%
rows = pd.read_parquet(portfolio / "000.parquet")
row = rows[model.predict(rows) == "refused"][:1]
print(row.to_string(index=False))
alone = explainer.explain(row.drop(columns="application"), target="approved", k=2)
print(*alone.sentences()[0], sep="\n")

# %% [markdown]
# Look at some answers before you send a million of them: the second way pays back 2,489 of debt, and
# the savings stay as they are. A rule mends it, and makes another run of it. The answers of two runs are
# never mixed in one folder:

# %%
mended = [*rules, "debt decreases => savings decreases"]
stricter = ifonly.Explainer(model, data=lender.frame, rules=mended)
try:
    scale.explain(stricter, portfolio, out="answers", id="application", target="approved", k=2)
except ifonly.IfonlyError as error:
    print(error.message.rpartition(": ")[2])
print(
    *stricter.explain(row.drop(columns="application"), target="approved", k=2).sentences()[0],
    sep="\n",
)

# %% [markdown]
# ## Where to go next
# [Millions of rows](../guides/millions-of-rows.md): clusters, object stores, faults. [Models that cost](../guides/models-that-cost.md): budgets and workers. [Search on a GPU](../guides/on-a-gpu.md).
