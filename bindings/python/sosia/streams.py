# SPDX-License-Identifier: Apache-2.0
"""Bodies that come in pieces: answers that go on (Server-Sent Events), large files; and those that programs send so."""
from __future__ import annotations

import abc
import select
from types import TracebackType
from typing import IO, TYPE_CHECKING, Any, AsyncIterator, Iterable, Iterator, Optional, Type, Union

from .answer import Answer, Headers

if TYPE_CHECKING:
    import asyncio

PIECE = 1 << 16  # bytes
Streamed = Union[IO[bytes], IO[str], Iterable[Union[bytes, str]]]


class Pieces(abc.ABC):
    """The rest of one answer's body."""

    @property
    def length(self) -> Optional[int]:
        """Of all of it, in bytes; None: it goes on, nobody knows how long."""
        return None

    @abc.abstractmethod
    def take(self) -> Optional[bytes]:
        """The next piece, and waits for it; None: that was all."""

    @abc.abstractmethod
    async def take_async(self) -> Optional[bytes]:
        """The same, while the loop goes on."""

    @abc.abstractmethod
    def close(self) -> None:
        """Ends it, as if the client had gone away."""


class Local(Pieces):
    """Of a world in this process."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    @property
    def length(self) -> Optional[int]:
        length: int = self._stream.length
        return None if length < 0 else length

    def take(self) -> Optional[bytes]:
        while True:
            piece: Optional[bytes] = self._stream.take()
            if piece is None or piece:
                return piece
            select.select([self._stream], [], [])

    async def take_async(self) -> Optional[bytes]:
        while True:
            piece: Optional[bytes] = self._stream.take()
            if piece is None or piece:
                return piece
            import asyncio  # which takes long to load, and most programs don't need
            loop = asyncio.get_running_loop()
            ready: "asyncio.Future[None]" = loop.create_future()
            loop.add_reader(self._stream, _set, ready)
            try:
                await ready
            finally:
                loop.remove_reader(self._stream)

    def close(self) -> None:
        self._stream.close()


def _set(ready: "asyncio.Future[None]") -> None:
    if not ready.done():
        ready.set_result(None)


class Stream:
    """An answer whose body comes as an iterator, or an async iterator, of bytes. In a `with` statement, or until close(), it can be
    left before its end. .status, .fields, .headers and .ok are as of an Answer; .length is in bytes, None of one that goes on."""

    def __init__(self, answer: Answer, pieces: Optional[Pieces]) -> None:
        self.status, self.fields, self.ok = answer.status, answer.fields, answer.ok
        self._first: Optional[bytes] = answer.body
        self._pieces = pieces
        self.length = len(answer.body) if pieces is None else pieces.length

    @property
    def headers(self) -> Headers:
        return Headers(self.fields)

    def __repr__(self) -> str:
        return "<Stream %d>" % self.status

    def __enter__(self) -> "Stream":
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        self.close()

    async def __aenter__(self) -> "Stream":
        return self

    async def __aexit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                        trace: Optional[TracebackType]) -> None:
        self.close()

    def close(self) -> None:
        self._first = None
        if self._pieces is not None:
            self._pieces.close()
            self._pieces = None

    def _begun(self) -> Optional[bytes]:
        first, self._first = self._first, None
        return first

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        piece = self._begun() or (None if self._pieces is None else self._pieces.take())
        if piece is None:
            self.close()
            raise StopIteration
        return piece

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        piece = self._begun() or (None if self._pieces is None else await self._pieces.take_async())
        if piece is None:
            self.close()
            raise StopAsyncIteration
        return piece


def is_streamed(body: Any) -> bool:
    """Whether a body is given piece by piece: a file, or an iterable of bytes or text."""
    return not isinstance(body, (bytes, bytearray, memoryview, str, dict, list)) and (hasattr(body, "read") or hasattr(body, "__iter__"))


def _bytes(piece: Any) -> bytes:
    return piece.encode("utf-8") if isinstance(piece, str) else bytes(memoryview(piece))


def pieces_of(body: Streamed) -> Iterator[bytes]:
    """The bytes of a body that is given so."""
    read = getattr(body, "read", None)
    if read is None:
        for piece in body:
            yield _bytes(piece)
        return
    while True:
        piece = read(PIECE)
        if not piece:
            return
        yield _bytes(piece)
