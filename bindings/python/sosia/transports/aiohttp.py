# SPDX-License-Identifier: Apache-2.0
"""For aiohttp, and programs on it (slack_sdk's AsyncWebClient takes session=): session(source), or
ClientSession(connector=Connector(source)). The client writes to a connection in memory, which reads the requests."""
from __future__ import annotations

import asyncio
from typing import Any, Optional

import aiohttp
from aiohttp.client_proto import ResponseHandler

from ..answer import Answer
from ..streams import Pieces
from . import Source, as_http, world_of

MOST_HEAD = 1 << 20  # bytes


class Requests:
    """Reads HTTP/1.1 requests out of bytes, in the form that clients write them."""

    def __init__(self) -> None:
        self._bytes = bytearray()

    def add(self, data: bytes) -> None:
        self._bytes += data

    def wants_continue(self) -> bool:
        end = self._bytes.find(b"\r\n\r\n")
        return end >= 0 and b"\r\nexpect: 100-continue" in self._bytes[:end].lower()

    def next(self) -> Optional[tuple[str, str, list[tuple[str, str]], bytes]]:
        """Method, target, headers and body; None: it is not whole yet."""
        end = self._bytes.find(b"\r\n\r\n")
        if end < 0:
            if len(self._bytes) > MOST_HEAD:
                raise ValueError("the head of a request must have %d bytes at most" % MOST_HEAD)
            return None
        first, *lines = self._bytes[:end].decode("utf-8", "surrogateescape").split("\r\n")
        method, target, _ = first.split(" ", 2)
        headers = [(n.strip(), v.strip()) for n, _, v in (line.partition(":") for line in lines)]
        named = {n.lower(): v for n, v in headers}
        if "chunked" in named.get("transfer-encoding", "").lower():
            found = self._chunks(end + 4)
        else:
            length = int(named.get("content-length", "0"))
            there = len(self._bytes) >= end + 4 + length
            found = (bytes(self._bytes[end + 4:end + 4 + length]), end + 4 + length) if there else None
        if found is None:
            return None
        body, over = found
        del self._bytes[:over]
        return method, target, [h for h in headers if h[0].lower() not in ("transfer-encoding", "expect")], body

    def _chunks(self, at: int) -> Optional[tuple[bytes, int]]:
        body = bytearray()
        while True:
            line = self._bytes.find(b"\r\n", at)
            if line < 0:
                return None
            size = int(bytes(self._bytes[at:line]).split(b";")[0], 16)
            at = line + 2
            if len(self._bytes) < at + size + 2:
                return None
            body += self._bytes[at:at + size]
            at += size + 2
            if not size:
                return bytes(body), at


class Line(asyncio.Transport):
    """The client's end of a connection in memory."""

    def __init__(self, source: Source, base: str, protocol: ResponseHandler, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__()
        self._source, self._base, self._protocol, self._loop = source, base, protocol, loop
        self._requests, self._closing = Requests(), False
        self._tasks: set[asyncio.Future[None]] = set()

    def write(self, data: Any) -> None:
        self._requests.add(bytes(data))
        if self._requests.wants_continue():
            self._loop.call_soon(self._give, b"HTTP/1.1 100 Continue\r\n\r\n")
        asked = self._requests.next()
        if asked is not None:
            task = self._loop.create_task(self._answer(*asked))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _answer(self, method: str, target: str, headers: list[tuple[str, str]], body: bytes) -> None:
        try:
            if world_of(self._source).url is None:  # short: in this thread
                answer, pieces = self._source.exchange_open(method, self._base + target, headers, body)
            else:
                answer, pieces = await asyncio.to_thread(self._source.exchange_open, method, self._base + target, headers, body)
            if pieces is None:
                self._give(as_http(answer, method == "HEAD"))
            else:
                await self._give_on(answer, pieces)
        except Exception as e:  # the client's call ends with it
            if not self._closing:
                self._closing = True
                self._protocol.set_exception(e)
                self._protocol.connection_lost(None)

    async def _give_on(self, answer: Answer, pieces: Pieces) -> None:
        try:
            self._give(as_http(answer, goes_on=True))
            while not self._closing and (piece := await pieces.take_async()) is not None:
                self._give(piece)
        finally:
            pieces.close()
            self.close()

    def _give(self, data: bytes) -> None:
        if not self._closing:
            self._protocol.data_received(data)

    def close(self) -> None:
        if not self._closing:
            self._closing = True
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
        pass

    def resume_reading(self) -> None:
        pass

    def is_reading(self) -> bool:
        return True

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
