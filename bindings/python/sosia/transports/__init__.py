# SPDX-License-Identifier: Apache-2.0
"""What HTTP clients are given so that a world answers them, without a socket: a module for each client, which needs that client.

    import sosia.transports.requests
    session = sosia.transports.requests.session(world.as_actor("ada@small.example"))

A transport takes a World, whose requests bring their own credentials, or an Actor, whose token is added where a request has none.
"""
from __future__ import annotations

import http.client
import io
from typing import IO, Any, Iterable, Protocol, Union

from ..answer import Answer
from ..world import Actor, World

Source = Union[World, Actor]


class Readable(Protocol):
    def read(self) -> Union[str, bytes]: ...


def world_of(source: Source) -> World:
    return source.world if isinstance(source, Actor) else source


def all_of(body: Any) -> Union[bytes, None]:
    """The bytes of what clients take as a body: bytes, text, a file, pieces."""
    if body is None or isinstance(body, bytes):
        return body
    if isinstance(body, str):
        return body.encode("utf-8")
    if isinstance(body, (bytearray, memoryview)):
        return bytes(body)
    if hasattr(body, "read"):
        return all_of(body.read())
    if isinstance(body, Iterable):
        return b"".join(all_of(piece) or b"" for piece in body)
    raise TypeError("a body must be bytes, text, a file or pieces of them, not %r" % type(body))


def reason(status: int) -> str:
    return http.client.responses.get(status, "")


def as_http(answer: Answer, head: bool = False) -> bytes:
    """The answer as it is on a connection."""
    lines = ["HTTP/1.1 %d %s" % (answer.status, reason(answer.status))]
    lines += ["%s: %s" % (n, v) for n, v in answer.fields if n.lower() not in ("content-length", "transfer-encoding", "connection")]
    if answer.status >= 200 and answer.status not in (204, 304):
        lines.append("Content-Length: %d" % len(answer.body))
    text = "\r\n".join(lines) + "\r\n\r\n"
    return text.encode("utf-8", "surrogateescape") + (b"" if head else answer.body)


class _Given:
    """What http.client.HTTPResponse reads instead of a socket."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def makefile(self, *unused: Any) -> IO[bytes]:
        return io.BytesIO(self._data)


def as_response(answer: Answer, method: str, url: str) -> http.client.HTTPResponse:
    """As http.client gives it."""
    made = http.client.HTTPResponse(_Given(as_http(answer, method == "HEAD")), method=method, url=url)  # type: ignore[arg-type]
    made.begin()
    return made
