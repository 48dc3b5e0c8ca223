# SPDX-License-Identifier: Apache-2.0
"""For httpx: client(source) and async_client(source), or Client(transport=Transport(source))."""
from __future__ import annotations

import asyncio
from typing import Any

import httpx

from ..answer import Answer
from . import Source, world_of


def response(answer: Answer, request: httpx.Request) -> httpx.Response:
    fields = [(n, v) for n, v in answer.fields if n.lower() not in ("transfer-encoding", "content-length")]
    return httpx.Response(answer.status, headers=fields, content=b"" if request.method == "HEAD" else answer.body, request=request)


def _headers(request: httpx.Request) -> list[tuple[str, str]]:
    return [(n, v) for n, v in request.headers.multi_items() if n.lower() != "host"]


def handle(source: Source, request: httpx.Request) -> httpx.Response:
    return response(source.exchange(request.method, str(request.url), _headers(request), request.read()), request)


async def handle_async(source: Source, request: httpx.Request) -> httpx.Response:
    body = await request.aread()
    asked = (request.method, str(request.url), _headers(request), body)
    if world_of(source).url is None:  # short: in this thread
        return response(source.exchange(*asked), request)
    return response(await asyncio.to_thread(source.exchange, *asked), request)


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
