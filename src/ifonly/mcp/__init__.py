"""The contract as tools of the Model Context Protocol, for agents.

An agent asks, ifonly answers: every reply has sentences to repeat and the evidence for them. There
is no language model inside.
"""

try:
    import mcp as _mcp  # noqa: F401
except ImportError:
    from ifonly.errors import MissingExtra

    raise MissingExtra("mcp", "mcp") from None

from ifonly.mcp.server import serve_stdio, server_of

__all__ = ["serve_stdio", "server_of"]
