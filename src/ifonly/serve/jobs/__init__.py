"""Jobs: large batches of rows that the service answers by and by, and that no restart loses."""

from ifonly.serve.jobs.jobs import JobLimits, Jobs
from ifonly.serve.jobs.routes import router

__all__ = ["JobLimits", "Jobs", "router"]
