"""What a browser says to the app and hears from it when a page is opened, without drawing it."""

import time
from collections.abc import Mapping
from typing import Self

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState, ContextInfo
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect

from benchmarks.served_app import Served

PATIENCE = 60.0
MAX_BYTES = 64_000_000
CONTEXT = ContextInfo(timezone="Europe/London", locale="en-GB", url="http://localhost/")


class Visitor:
    """One session; to be used as a context."""

    def __init__(self, app: Served, headers: Mapping[str, str] | None = None) -> None:
        """headers: of the request that opens the session, such as cookies."""
        address = f"ws://localhost:{app.port}/_stcore/stream"
        self._connecting = connect(
            address,
            open_timeout=PATIENCE,
            close_timeout=PATIENCE,
            ping_interval=None,
            max_size=MAX_BYTES,
            additional_headers=headers,
        )
        self._connection: ClientConnection | None = None

    async def __aenter__(self) -> Self:
        self._connection = await self._connecting
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._connection
        await self._connection.close()

    async def open(self, page: str, query: str = "") -> float:
        """Seconds until its script was done. Raises RuntimeError when the page failed."""
        assert self._connection
        began = time.perf_counter()
        asked = BackMsg(rerun_script=ClientState(page_name=page, query_string=query, context_info=CONTEXT))
        await self._connection.send(asked.SerializeToString())
        drawn = False
        while True:
            message = ForwardMsg.FromString(await self._connection.recv(decode=False))
            kind = message.WhichOneof("type")
            if kind == "delta" and message.delta.new_element.WhichOneof("type") == "exception":
                raise RuntimeError(message.delta.new_element.exception.message)
            drawn |= kind == "delta"
            if drawn and kind == "script_finished" and message.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY:
                return time.perf_counter() - began
