# SPDX-License-Identifier: Apache-2.0
"""What worlds of this process deliver to programs: webhooks, events, pushes. The program says what its receiver answers.

The engine's function runs under a world's lock; it leaves notices, which a thread of our own (a Hub, one an engine, while somebody
listens) takes and hands on through queues.
"""
from __future__ import annotations

import asyncio
import os
import queue
import select
import threading
import weakref
from types import TracebackType
from typing import TYPE_CHECKING, Any, Callable, Iterator, Optional, Protocol, Type, Union

from .errors import Closed, Error

if TYPE_CHECKING:
    from .local import Local
    from .world import World

Response = Union[None, int, tuple[int, Union[str, bytes]]]
PAGE = 100  # entries that are read at once


class Delivery:
    """One request to a receiver: id, kind, attempt (from 1), method, url, headers, body (text)."""

    def __init__(self, world: "World", entry: dict[str, Any]) -> None:
        payload = entry["payload"]
        self.world, self.entry = world, entry
        self.id: int = entry["id"]
        self.kind: str = entry.get("kind", "")
        self.attempt: int = entry["delivery"].get("attempts", 0) + 1
        self.method: str = payload.get("method", "POST")
        self.url: str = payload["url"]
        self.headers: dict[str, str] = dict(payload.get("headers", {}))
        self.body: str = payload.get("body", "")

    def __repr__(self) -> str:
        return "<Delivery %d of %s: %s %s>" % (self.id, self.kind, self.method, self.url)

    def answer(self, status: int = 200, body: Union[str, bytes] = b"", content_type: Optional[str] = None) -> Any:
        """Says what the receiver answered. Gives when it is tried again, by the world's clock, or None. NotFound
        "deliveryNotFound": the attempt has an outcome already."""
        sent = body.encode("utf-8") if isinstance(body, str) else body
        return self.world.home.outcome(self.world._ref, self.id, self.attempt, status, None, content_type, sent)

    def fail(self, why: str = "connection refused") -> Any:
        """Says that no answer came."""
        return self.world.home.outcome(self.world._ref, self.id, self.attempt, 0, why, None, b"")


class Listener(Protocol):
    """Who is told what a world puts into its outbox, and has what is due in it happen."""

    world: "World"

    def _look(self) -> None: ...
    def _end(self) -> None: ...


class Hub:
    """The thread of an engine that takes notices."""

    def __init__(self, local: "Local") -> None:
        self._local = local
        self._notices = local.engine.listen()
        self._stop = os.pipe2(os.O_CLOEXEC)
        self._lock = threading.Lock()
        self._listeners: list["weakref.ref[Listener]"] = []
        self._thread = threading.Thread(target=self._run, name="sosia deliveries", daemon=True)
        self._thread.start()

    def add(self, listener: "Listener") -> None:
        with self._lock:
            self._listeners.append(weakref.ref(listener))

    def remove(self, listener: "Listener") -> None:
        with self._lock:
            self._listeners = [r for r in self._listeners if r() not in (None, listener)]

    def close(self) -> None:
        os.write(self._stop[1], b"x")
        if self._thread is not threading.current_thread():
            self._thread.join()
        for fd in self._stop:
            os.close(fd)
        for r in list(self._listeners):
            listener = r()
            if listener is not None:
                listener._end()

    def _run(self) -> None:
        while True:
            ready, _, _ = select.select([self._notices, self._stop[0]], [], [])
            if self._stop[0] in ready:
                return
            notices, lost = self._local.engine.take()
            with self._lock:
                listeners = [listener for listener in (r() for r in self._listeners) if listener is not None]
            due = {world for world, first, _ in notices if not first}
            for listener in listeners:
                ref = listener.world._ref
                if ref in due:
                    self._wake(ref)
                if lost or any(world == ref for world, _, _ in notices):
                    listener._look()
            del listeners

    def _wake(self, world: int) -> None:
        try:
            self._local.engine.wake(world)
        except Error:  # it was dropped meanwhile
            pass


class Deliveries:
    """What is to be delivered from now on, in its order: an iterator (which waits), an async iterator, now(), get() and each().

    In a `with` statement, or until close(), which ends iterations. Each attempt is given once.
    """

    def __init__(self, world: "World") -> None:
        from .local import Local
        home = world.home
        if not isinstance(home, Local):
            raise TypeError("deliveries are taken in the process of the engine: a server sends those of its worlds itself")
        self.world, self._local = world, home
        entries = world.outbox()
        self._after = entries[-1]["id"] if entries else 0
        self._given: set[tuple[int, int]] = set()
        self._queue: "queue.SimpleQueue[Optional[Delivery]]" = queue.SimpleQueue()
        self._waiting: list[tuple[asyncio.AbstractEventLoop, "asyncio.Future[None]"]] = []
        self._lock = threading.Lock()
        self._closed = False
        self._callback: Optional[Callable[[Delivery], Response]] = None
        self._thread: Optional[threading.Thread] = None
        self.errors: list[BaseException] = []
        home.listening().add(self)

    def __enter__(self) -> "Deliveries":
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        self.close()

    def close(self) -> None:
        """Ends it. What a callback has raised is raised here, the first of it."""
        if not self._closed:
            if self._local.hub is not None:
                self._local.hub.remove(self)
            self._end()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()
            self._thread = None
        if self.errors:
            raise self.errors.pop(0)

    def _end(self) -> None:
        self._closed = True
        self._put(None)

    def _look(self) -> None:
        """Puts what is pending and was not given yet into the queue; any thread."""
        with self._lock:
            after = self._after
            while True:
                try:
                    page = self.world.outbox(after, PAGE)
                except Error:  # the world or the engine has gone
                    return
                for entry in page:
                    state = entry.get("delivery", {}).get("state")
                    if state == "pending" and "url" in entry.get("payload", {}):
                        delivery = Delivery(self.world, entry)
                        if (delivery.id, delivery.attempt) not in self._given:
                            self._given.add((delivery.id, delivery.attempt))
                            self._put(delivery)
                if len(page) < PAGE:
                    return
                after = page[-1]["id"]

    def _put(self, delivery: Optional[Delivery]) -> None:
        self._queue.put(delivery)
        waiting, self._waiting = self._waiting, []
        for loop, future in waiting:
            try:
                loop.call_soon_threadsafe(_set, future)
            except RuntimeError:  # the loop has ended
                pass

    def now(self) -> list[Delivery]:
        """All that wait at this moment; it does not wait."""
        self._look()
        found: list[Delivery] = []
        while True:
            try:
                one = self._queue.get_nowait()
            except queue.Empty:
                return found
            if one is None:
                self._queue.put(None)
                return found
            found.append(one)

    def get(self, timeout: Optional[float] = None) -> Delivery:
        """The next one, within so many seconds. TimeoutError; Closed."""
        try:
            one = None if self._closed and self._queue.empty() else self._queue.get(timeout=timeout)
        except queue.Empty:
            raise TimeoutError("nothing was delivered within %s s" % timeout) from None
        if one is None:
            self._queue.put(None)  # for others who wait
            raise Closed("the deliveries are closed")
        return one

    def __iter__(self) -> Iterator[Delivery]:
        return self

    def __next__(self) -> Delivery:
        try:
            return self.get()
        except Closed:
            raise StopIteration from None

    def __aiter__(self) -> "Deliveries":
        return self

    async def __anext__(self) -> Delivery:
        while True:
            loop = asyncio.get_running_loop()
            future: "asyncio.Future[None]" = loop.create_future()
            self._waiting.append((loop, future))  # before the look, so that nothing is missed
            try:
                one = self._queue.get_nowait()
            except queue.Empty:
                if self._closed:
                    raise StopAsyncIteration from None
                await future
                continue
            if (loop, future) in self._waiting:
                self._waiting.remove((loop, future))
            if one is None:
                self._queue.put(None)
                raise StopAsyncIteration
            return one

    def each(self, callback: Callable[[Delivery], Response]) -> "Deliveries":
        """From now on a thread of its own gives each one to the callback, whose result is what the receiver answers: None (200), a
        status, or a status and a body. What it raises is a 500, and raised by close(). Gives itself, for `with`."""
        if self._thread is not None:
            raise ValueError("each() must be called once")
        self._callback = callback
        self._thread = threading.Thread(target=self._serve, name="sosia receiver", daemon=True)
        self._thread.start()
        return self

    def _serve(self) -> None:
        assert self._callback is not None
        for delivery in self:
            try:
                try:
                    said = self._callback(delivery)
                    status, body = (200 if said is None else said, b"") if not isinstance(said, tuple) else said
                    delivery.answer(status, body)
                except Exception as e:
                    self.errors.append(e)
                    delivery.answer(500)
            except Error:  # the world has gone
                pass


def _set(future: "asyncio.Future[None]") -> None:
    if not future.done():
        future.set_result(None)
