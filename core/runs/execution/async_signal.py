"""Carries news of a run from its thread into an event loop."""

import asyncio
from contextlib import suppress


class AsyncSignal:
    """Signals a loop that there is something new; once, until it is taken."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._told = False
        self._event = asyncio.Event()

    def tell(self) -> None:
        """From any thread."""
        if not self._told:
            self._told = True
            with suppress(RuntimeError):  # the server is closing, and whoever listens with it
                self._loop.call_soon_threadsafe(self._event.set)

    def take(self) -> None:
        self._told = False
        self._event.clear()

    async def wait(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._event.wait()
