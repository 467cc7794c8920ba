"""Wakes a coroutine from another thread."""

import asyncio
from contextlib import suppress


class AsyncSignal:
    """An event of the running loop that threads can set; set once until it is taken."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._is_set = False
        self._event = asyncio.Event()

    def tell(self) -> None:
        """Sets the event; may be called in any thread."""
        if not self._is_set:
            self._is_set = True
            with suppress(RuntimeError):  # the loop is closed
                self._loop.call_soon_threadsafe(self._event.set)

    def take(self) -> None:
        self._is_set = False
        self._event.clear()

    async def wait(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._event.wait()
