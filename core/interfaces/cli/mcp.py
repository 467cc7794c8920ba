"""`mcp`: the tools of this data folder for another program, over standard input and output."""

import asyncio
from argparse import Namespace

from core.app.services import Services
from core.platform.errors import ConfigurationError


def serve(services: Services, options: Namespace) -> int:
    """Returns when the other program closes the standard input."""
    del options
    try:
        from core.interfaces.http.mcp.server import serve_stdio
    except ModuleNotFoundError as error:
        raise ConfigurationError("cli.mcp.missing") from error
    asyncio.run(serve_stdio(services))
    return 0
