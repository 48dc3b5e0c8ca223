# SPDX-License-Identifier: Apache-2.0
"""For aiohttp, and programs on it (slack_sdk's AsyncWebClient takes session=): session(source), or
ClientSession(connector=Connector(source)). The client writes to a connection in memory, which reads the requests."""
from __future__ import annotations

import asyncio
import contextlib
from typing import Any, Optional

import aiohttp
from aiohttp.client_proto import ResponseHandler

from ..answer import Answer
from ..streams import Pieces
from . import Source, as_http, world_of

MOST_HEAD = 1 << 20  # bytes
LARGE = 1 << 18  # of a body: what is more is put into a spool
Head = tuple[str, str, list[tuple[str, str]]]  # method, target, headers


class Asked:
    """One request, whose body is taken as it comes."""

    def __init__(self, source: Source, base: str, head: Head) -> None:
        self.method, self.target, headers = head
        self.headers = [h for h in headers if h[0].lower() not in ("transfer-encoding", "expect")]
        named = {n.lower(): v for n, v in headers}
        self.continues = named.get("expect", "").lower() == "100-continue"
        self.chunked = "chunked" in named.get("transfer-encoding", "").lower()
        self.left = 0 if self.chunked else int(named.get("content-length", "0"))  # bytes, of the chunk or of all
        self._source, self._url = source, base + self.target
        self._held = bytearray()
        self._spool: Any = None

    def add(self, piece: bytes) -> None:
        if self._spool is None and len(self._held) + len(piece) > LARGE:
            self._spool = self._source.spool(self.method, self._url, self.headers)
            self._spool.write(bytes(self._held))
            self._held.clear()
        if self._spool is not None:
            self._spool.write(piece)
        else:
            self._held += piece

    @property
    def body(self) -> Any:
        return bytes(self._held) if self._spool is None else self._spool

    def close(self) -> None:
        if self._spool is not None:
            self._spool.close()


class Requests:
    """Reads HTTP/1.1 requests out of bytes, in the form that clients write them."""

    def __init__(self, source: Source, base: str) -> None:
        self._source, self._base = source, base
        self._bytes = bytearray()
        self.asked: Optional[Asked] = None  # whose head is there, and whose body comes

    def add(self, data: bytes) -> None:
        self._bytes += data

    def next(self) -> Optional[Asked]:
        """A request that is whole; None: there is none yet."""
        if self.asked is None:
            head = self._head()
            if head is None:
                return None
            self.asked = Asked(self._source, self._base, head)
        asked = self.asked
        if not (self._chunks(asked) if asked.chunked else self._take(asked)):
            return None
        self.asked = None
        return asked

    def close(self) -> None:
        if self.asked is not None:
            self.asked.close()
            self.asked = None

    def _head(self) -> Optional[Head]:
        end = self._bytes.find(b"\r\n\r\n")
        if end < 0:
            if len(self._bytes) > MOST_HEAD:
                raise ValueError("the head of a request must have %d bytes at most" % MOST_HEAD)
            return None
        first, *lines = self._bytes[:end].decode("utf-8", "surrogateescape").split("\r\n")
        del self._bytes[:end + 4]
        method, target, _ = first.split(" ", 2)
        return method, target, [(n.strip(), v.strip()) for n, _, v in (line.partition(":") for line in lines)]

    def _take(self, asked: Asked) -> bool:
        """Takes what is there of `left`; whether that is all of it."""
        piece = bytes(self._bytes[:asked.left])
        del self._bytes[:len(piece)]
        asked.left -= len(piece)
        if piece:
            asked.add(piece)
        return not asked.left

    def _chunks(self, asked: Asked) -> bool:
        while True:
            if asked.left and not self._take(asked):
                return False
            if self._bytes[:2] == b"\r\n":  # behind a chunk
                del self._bytes[:2]
            line = self._bytes.find(b"\r\n")
            if line < 0:
                return False
            size = int(bytes(self._bytes[:line]).split(b";")[0], 16)
            if not size:  # the last one, and no trailers: clients write none
                if len(self._bytes) < line + 4:
                    return False
                del self._bytes[:line + 4]
                return True
            del self._bytes[:line + 2]
            asked.left = size


class Line(asyncio.Transport):
    """The client's end of a connection in memory."""

    def __init__(self, source: Source, base: str, protocol: ResponseHandler, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__()
        self._source, self._base, self._protocol, self._loop = source, base, protocol, loop
        self._requests, self._closing = Requests(source, base), False
        self._tasks: set[asyncio.Future[None]] = set()
        self._reading = asyncio.Event()
        self._reading.set()

    def write(self, data: Any) -> None:
        if self._closing:
            return
        try:
            self._requests.add(bytes(data))
            before = self._requests.asked
            asked = self._requests.next()
            begun = self._requests.asked
        except Exception as e:
            self._fail(e)
            return
        if begun is not None and begun is not before and begun.continues:
            self._loop.call_soon(self._give, b"HTTP/1.1 100 Continue\r\n\r\n")
        if asked is not None:
            task = self._loop.create_task(self._answer(asked))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def _fail(self, error: Exception) -> None:
        """The client's call ends with it."""
        if not self._closing:
            self._closing = True
            self._requests.close()
            self._protocol.set_exception(error)
            self._protocol.connection_lost(None)

    async def _answer(self, asked: Asked) -> None:
        try:
            with contextlib.closing(asked):
                exchange = (asked.method, self._base + asked.target, asked.headers, asked.body)
                if world_of(self._source).url is None:  # short: in this thread
                    answer, pieces = self._source.exchange_open(*exchange)
                else:
                    answer, pieces = await asyncio.to_thread(self._source.exchange_open, *exchange)
            if pieces is None:
                self._give(as_http(answer, asked.method == "HEAD"))
            else:
                await self._give_on(answer, pieces)
        except Exception as e:
            self._fail(e)

    async def _give_on(self, answer: Answer, pieces: Pieces) -> None:
        try:
            self._give(as_http(answer, goes_on=True, length=pieces.length))
            while not self._closing and (piece := await pieces.take_async()) is not None:
                self._give(piece)
                await self._reading.wait()  # a client that reads slowly
        finally:
            pieces.close()
            if pieces.length is None:
                self.close()

    def _give(self, data: bytes) -> None:
        if not self._closing:
            self._protocol.data_received(data)

    def close(self) -> None:
        if not self._closing:
            self._closing = True
            self._requests.close()
            for task in self._tasks:
                task.cancel()
            self._loop.call_soon(self._protocol.connection_lost, None)

    abort = close

    def is_closing(self) -> bool:
        return self._closing

    def can_write_eof(self) -> bool:
        return False

    def get_write_buffer_size(self) -> int:
        return 0

    def pause_reading(self) -> None:
        self._reading.clear()

    def resume_reading(self) -> None:
        self._reading.set()

    def is_reading(self) -> bool:
        return self._reading.is_set()

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return default


def connect(source: Source, request: Any, loop: asyncio.AbstractEventLoop) -> ResponseHandler:
    """What a connector's _create_connection() gives."""
    protocol = ResponseHandler(loop)
    protocol.connection_made(Line(source, "%s://%s" % (request.url.scheme, request.url.authority), protocol, loop))
    return protocol


class Connector(aiohttp.BaseConnector):
    """Answers for every host. To be made in a running loop."""

    def __init__(self, source: Source) -> None:
        super().__init__()
        self._source = source

    async def _create_connection(self, req: Any, traces: Any, timeout: Any) -> ResponseHandler:
        return connect(self._source, req, asyncio.get_running_loop())


def session(source: Source, **options: Any) -> aiohttp.ClientSession:
    """A session whose requests the world answers; in a running loop."""
    return aiohttp.ClientSession(connector=Connector(source), **options)
