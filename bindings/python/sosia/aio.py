# SPDX-License-Identifier: Apache-2.0
"""The same worlds with async methods. What is short and in this process is done at once; the rest in a thread, while the loop goes
on."""
from __future__ import annotations

import asyncio
import datetime as dt
import os
from types import TracebackType
from typing import Any, Callable, Optional, Type, TypeVar, Union

from .answer import Answer
from .changes import Diff
from .home import Document
from .server import Server, connect
from .suite import Grade, Suite
from .times import Instant, Span
from .world import Actor, Body, HeadersIn, World, Worlds

T = TypeVar("T")


class AsyncActor:
    """As Actor."""

    def __init__(self, world: "AsyncWorld", actor: Actor) -> None:
        self.world, self.actor, self.token = world, actor, actor.token

    async def call(self, method: str, target: str, body: Body = None, *, headers: HeadersIn = None) -> Answer:
        return await self.world._short(lambda: self.actor.call(method, target, body, headers=headers))


class AsyncWorld:
    """As World, of which it is made: AsyncWorld(world). What the methods take, give and raise is said there."""

    def __init__(self, world: World) -> None:
        self.world = world

    @property
    def key(self) -> str:
        return self.world.key

    @property
    def url(self) -> Optional[str]:
        return self.world.url

    async def _short(self, do: Callable[[], T]) -> T:
        return do() if self.world.url is None else await asyncio.to_thread(do)

    async def __aenter__(self) -> "AsyncWorld":
        return self

    async def __aexit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                        trace: Optional[TracebackType]) -> None:
        await self.drop()

    async def call(self, method: str, target: str, body: Body = None, *, headers: HeadersIn = None,
                   token: Optional[str] = None) -> Answer:
        return await self._short(lambda: self.world.call(method, target, body, headers=headers, token=token))

    async def as_actor(self, actor: str, *, scopes: Optional[str] = None) -> AsyncActor:
        return AsyncActor(self, await self._short(lambda: self.world.as_actor(actor, scopes=scopes)))

    async def actors(self) -> list[dict[str, Any]]:
        return await self._short(self.world.actors)

    async def fork(self, **options: Any) -> "AsyncWorld":
        return AsyncWorld(await self._short(lambda: self.world.fork(**options)))

    async def snapshot(self, name: Optional[str] = None) -> "AsyncWorld":
        return AsyncWorld(await self._short(lambda: self.world.snapshot(name)))

    async def reset(self, to: Optional["AsyncWorld"] = None, *, step: Optional[int] = None) -> None:
        await self._short(lambda: self.world.reset(None if to is None else to.world, step=step))

    async def drop(self) -> None:
        await self._short(self.world.drop)

    async def seed(self, document: Document, name: Optional[str] = None) -> None:
        await asyncio.to_thread(self.world.seed, document, name)

    async def dump(self) -> dict[str, Any]:
        return await asyncio.to_thread(self.world.dump)

    async def import_file(self, file: Union[bytes, str, "os.PathLike[str]"], format: str, person: Optional[str] = None, *,
                          vendor: Optional[str] = None, place: Optional[str] = None) -> dict[str, int]:
        return await asyncio.to_thread(lambda: self.world.import_file(file, format, person, vendor=vendor, place=place))

    async def export_file(self, format: str, person: Optional[str] = None, *, vendor: Optional[str] = None,
                          place: Optional[str] = None) -> bytes:
        return await asyncio.to_thread(lambda: self.world.export_file(format, person, vendor=vendor, place=place))

    async def hash(self) -> str:
        return await asyncio.to_thread(self.world.hash)

    async def info(self) -> dict[str, Any]:
        return await self._short(self.world.info)

    async def now(self) -> dt.datetime:
        return await self._short(lambda: self.world.now)

    async def set_now(self, now: Instant) -> None:
        await self._short(lambda: self.world.set_now(now))

    async def advance(self, by: Span) -> dt.datetime:
        return await asyncio.to_thread(self.world.advance, by)

    async def diff(self, since: Optional["AsyncWorld"] = None, *, all: bool = False) -> Diff:
        return await asyncio.to_thread(lambda: self.world.diff(None if since is None else since.world, all=all))

    async def grade(self, suite: Suite, task: Optional[str] = None, *, answer: Optional[str] = None,
                    judgements: Optional[dict[str, Any]] = None) -> Grade:
        return await asyncio.to_thread(lambda: self.world.grade(suite, task, answer=answer, judgements=judgements))

    async def journal(self, after: int = 0, limit: int = 0, *, bodies: bool = False) -> list[dict[str, Any]]:
        return await asyncio.to_thread(lambda: self.world.journal(after, limit, bodies=bodies))

    async def outbox(self, after: int = 0, limit: int = 0) -> list[dict[str, Any]]:
        return await asyncio.to_thread(self.world.outbox, after, limit)


class AsyncServer:
    """As Server, or as an engine: AsyncServer(worlds)."""

    def __init__(self, worlds: Worlds) -> None:
        self.worlds_of = worlds

    async def __aenter__(self) -> "AsyncServer":
        return self

    async def __aexit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                        trace: Optional[TracebackType]) -> None:
        await self.close()

    async def create(self, document: Optional[Document] = None, **options: Any) -> AsyncWorld:
        return AsyncWorld(await asyncio.to_thread(lambda: self.worlds_of.create(document, **options)))

    async def worlds(self) -> list[AsyncWorld]:
        return [AsyncWorld(w) for w in await asyncio.to_thread(self.worlds_of.worlds)]

    async def world(self, key_or_name: str) -> AsyncWorld:
        return AsyncWorld(await asyncio.to_thread(self.worlds_of.world, key_or_name))

    async def hosts(self) -> list[str]:
        return await asyncio.to_thread(self.worlds_of.hosts)

    async def close(self) -> None:
        await asyncio.to_thread(self.worlds_of.close)


def connect_async(url: Optional[str] = None, key: Optional[str] = None) -> AsyncServer:
    """As connect()."""
    server: Server = connect(url, key)
    return AsyncServer(server)
