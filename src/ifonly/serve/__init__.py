"""The service: the contract over HTTP, worker processes behind it, records and jobs beside it."""
