"""Many rows, cut into shards that any engine may answer, and nothing lost.

`explain` plans a run, gives its shards to an engine and keeps one part for each; `open_run` reads
what is there. What a shard is, how its answers become Arrow, and how a run is committed and resumed
knows no engine; `ifonly.scale.on` has an adapter for each. `dask`, `ray` and `spark` answer the
rows of a frame that an engine holds; `to_delta` puts a run into a table of Delta Lake.
"""

from ifonly.scale.driver import Progress, explain
from ifonly.scale.on.dask import dask
from ifonly.scale.on.ray import ray
from ifonly.scale.on.spark import spark
from ifonly.scale.run import Run, open_run
from ifonly.scale.shard import Shard, Span
from ifonly.scale.stores.delta import to_delta
from ifonly.scale.summary import Summary
from ifonly.scale.table import answers_table, schema
from ifonly.scale.task import Done, Task

__all__ = [
    "Done",
    "Progress",
    "Run",
    "Shard",
    "Span",
    "Summary",
    "Task",
    "answers_table",
    "dask",
    "explain",
    "open_run",
    "ray",
    "schema",
    "spark",
    "to_delta",
]
