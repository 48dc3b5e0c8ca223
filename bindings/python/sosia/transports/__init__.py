# SPDX-License-Identifier: Apache-2.0
"""What HTTP clients are given so that a world answers them, without a socket: a module for each client, which needs that client.

    import sosia.transports.requests
    session = sosia.transports.requests.session(world.as_actor("ada@small.example"))

A transport takes a World, whose requests bring their own credentials, or an Actor, whose token is added where a request has none.
"""
from __future__ import annotations

import http.client
import io
from typing import IO, Any, Optional, Union

from ..answer import Answer
from ..streams import Pieces, Streamed, is_streamed
from ..world import Actor, World

Source = Union[World, Actor]


def world_of(source: Source) -> World:
    return source.world if isinstance(source, Actor) else source


def body_of(body: Any) -> Union[None, bytes, Streamed]:
    """What clients take as a body, as exchange() does: bytes, text, a file, pieces."""
    if body is None or isinstance(body, bytes):
        return body
    if isinstance(body, str):
        return body.encode("utf-8")
    if isinstance(body, (bytearray, memoryview)):
        return bytes(body)
    if is_streamed(body):
        streamed: Streamed = body
        return streamed
    raise TypeError("a body must be bytes, text, a file or pieces of them, not %r" % type(body))


def reason(status: int) -> str:
    return http.client.responses.get(status, "")


def as_http(answer: Answer, head: bool = False, goes_on: bool = False, length: Optional[int] = None) -> bytes:
    """The answer as it is on a connection; goes_on: up to its body, of so many bytes, else it ends with the connection."""
    lines = ["HTTP/1.1 %d %s" % (answer.status, reason(answer.status))]
    lines += ["%s: %s" % (n, v) for n, v in answer.fields if n.lower() not in ("transfer-encoding", "connection") and (head or n.lower() != "content-length")]
    if head:
        pass  # it says what the answer to a GET would
    elif goes_on:
        lines.append("Connection: close" if length is None else "Content-Length: %d" % length)
    elif answer.status >= 200 and answer.status not in (204, 304):
        lines.append("Content-Length: %d" % len(answer.body))
    text = "\r\n".join(lines) + "\r\n\r\n"
    return text.encode("utf-8", "surrogateescape") + (b"" if head else answer.body)


class Reader(io.RawIOBase):
    """A body that comes in pieces, as a file that waits for them."""

    def __init__(self, pieces: Pieces) -> None:
        self._pieces, self._rest = pieces, b""
        self._over = False

    def readable(self) -> bool:
        return True

    def readinto(self, to: Any) -> int:
        if not self._rest and not self._over:
            piece = self._pieces.take()
            self._over, self._rest = piece is None, piece or b""
        n = min(len(to), len(self._rest))
        to[:n], self._rest = self._rest[:n], self._rest[n:]
        return n

    def close(self) -> None:
        if not self.closed:
            self._pieces.close()
        super().close()


class _Given:
    """What http.client.HTTPResponse reads instead of a socket."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def makefile(self, *unused: Any) -> IO[bytes]:
        return self._file


class _Behind(Pieces):
    """Bytes, and pieces behind them."""

    def __init__(self, first: bytes, rest: Pieces) -> None:
        self._first, self._rest = first, rest

    @property
    def length(self) -> Optional[int]:
        return self._rest.length

    def take(self) -> Optional[bytes]:
        first, self._first = self._first, b""
        return first or self._rest.take()

    async def take_async(self) -> Optional[bytes]:
        first, self._first = self._first, b""
        return first or await self._rest.take_async()

    def close(self) -> None:
        self._rest.close()


def as_response(answer: Answer, pieces: Optional[Pieces], method: str, url: str) -> http.client.HTTPResponse:
    """As http.client gives it."""
    head = method == "HEAD"
    file: Any = io.BytesIO(as_http(answer, head))
    if pieces is not None:
        file = io.BufferedReader(Reader(_Behind(as_http(answer, goes_on=True, length=pieces.length), pieces)))
    made = http.client.HTTPResponse(_Given(file), method=method, url=url)  # type: ignore[arg-type]
    made.begin()
    return made
