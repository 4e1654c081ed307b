"""The page: one front end, over the service or inside a notebook.

Its sources are in `web/`; what they are built into, `assets`, is part of the package. It asks the
contract and nothing else.
"""
