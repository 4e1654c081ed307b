"""A server asked from Python as a model is: `ifonly.connect(url)` has the shape of `Explainer`."""

from ifonly.client.client import Client, connect
from ifonly.client.job import Job

__all__ = ["Client", "Job", "connect"]
