"""A model for the benchmark in a process of its own, which answers every task with what stands in the request."""

import sys

from tests.loopback.derived import derived_reply
from tests.loopback.openai_server import OpenAiServer


def main() -> None:
    """Prints its address."""
    server = OpenAiServer(derived_reply)
    sys.stdout.write(f"{server.base_url}\n")
    sys.stdout.flush()
    server.serve()


if __name__ == "__main__":
    main()
