# SPDX-License-Identifier: Apache-2.0
"""For httpx: client(source) and async_client(source), or Client(transport=Transport(source))."""
from __future__ import annotations

import asyncio
import contextlib
from typing import Any, AsyncIterator, Iterator, Optional, Union

import httpx

from ..answer import Answer
from ..streams import Pieces
from . import Source, world_of


class Body(httpx.SyncByteStream, httpx.AsyncByteStream):
    """A body that comes in pieces."""

    def __init__(self, pieces: Pieces) -> None:
        self._pieces = pieces

    def __iter__(self) -> Iterator[bytes]:
        while (piece := self._pieces.take()) is not None:
            yield piece

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while (piece := await self._pieces.take_async()) is not None:
            yield piece

    def close(self) -> None:
        self._pieces.close()

    async def aclose(self) -> None:
        self._pieces.close()


def response(answer: Answer, pieces: Optional[Pieces], request: httpx.Request) -> httpx.Response:
    head = request.method == "HEAD"
    fields = [(n, v) for n, v in answer.fields if n.lower() != "transfer-encoding" and (head or n.lower() != "content-length")]
    if pieces is not None:
        if pieces.length is not None and not head:
            fields.append(("Content-Length", str(pieces.length)))
        return httpx.Response(answer.status, headers=fields, stream=Body(pieces), request=request)
    return httpx.Response(answer.status, headers=fields, content=None if head else answer.body, request=request)


def _headers(request: httpx.Request) -> list[tuple[str, str]]:
    return [(n, v) for n, v in request.headers.multi_items() if n.lower() != "host"]


def _held(request: httpx.Request) -> Optional[bytes]:
    """The body, if it is in memory already."""
    try:
        content: bytes = request.content
        return content
    except httpx.RequestNotRead:
        return None


def handle(source: Source, request: httpx.Request) -> httpx.Response:
    held = _held(request)
    body: Any = request.stream if held is None else held
    answer, pieces = source.exchange_open(request.method, str(request.url), _headers(request), body)
    return response(answer, pieces, request)


async def _exchange(source: Source, request: httpx.Request, body: Any) -> httpx.Response:
    asked = (request.method, str(request.url), _headers(request), body)
    if world_of(source).url is None:  # short: in this thread
        return response(*source.exchange_open(*asked), request)
    return response(*await asyncio.to_thread(source.exchange_open, *asked), request)


async def handle_async(source: Source, request: httpx.Request) -> httpx.Response:
    held = _held(request)
    if held is not None:
        return await _exchange(source, request, held)
    stream: Union[httpx.AsyncByteStream, httpx.SyncByteStream] = request.stream
    with contextlib.closing(source.spool(request.method, str(request.url), _headers(request))) as spool:
        assert isinstance(stream, httpx.AsyncByteStream)
        async for piece in stream:
            spool.write(piece)
        return await _exchange(source, request, spool)


class Transport(httpx.BaseTransport, httpx.AsyncBaseTransport):
    """For clients of either kind."""

    def __init__(self, source: Source) -> None:
        self._source = source

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        return handle(self._source, request)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        return await handle_async(self._source, request)


def client(source: Source, **options: Any) -> httpx.Client:
    """A client whose requests the world answers."""
    return httpx.Client(transport=Transport(source), **options)


def async_client(source: Source, **options: Any) -> httpx.AsyncClient:
    """The same with async methods."""
    return httpx.AsyncClient(transport=Transport(source), **options)
