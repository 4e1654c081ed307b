"""The worker processes of the service, and who asks which of them."""

from ifonly.serve.pool.pool import Pool

__all__ = ["Pool"]
