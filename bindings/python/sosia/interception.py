# SPDX-License-Identifier: Apache-2.0
"""intercept(): while it holds, a world answers whatever in this process asks a vendor's host, and nothing else gets out.

Clients are answered where they hand a request to their transport: requests, httpx, httplib2, urllib.request, aiohttp, also clients
that were made before, and modules that are imported later. What else opens a connection is refused, with the name of the host.
"""
from __future__ import annotations

import contextvars
import functools
import importlib.abc
import importlib.machinery
import inspect
import socket
import sys
import threading
from types import ModuleType, TracebackType
from typing import Any, Callable, Optional, Sequence, Type, TypeVar, Union
from urllib.parse import urlsplit

from .errors import Refused
from .transports import Source, world_of


Given = Union[Source, Callable[[], Source]]
F = TypeVar("F", bound=Callable[..., Any])
_LOOPBACK = ("127.", "::1")

_lock = threading.RLock()
_active: list["intercept"] = []  # the last one answers
_originals: list[tuple[Any, str, Any]] = []
bridges: set[int] = set()  # ports of loopback that are a world's own (sockets.py)
_passing: contextvars.ContextVar[bool] = contextvars.ContextVar("sosia_passing", default=False)


def _matches(pattern: str, host: str) -> bool:
    return host.endswith(pattern[1:]) if pattern.startswith("*.") else host == pattern


def _is_loopback(host: str) -> bool:
    return host == "localhost" or host.endswith(".localhost") or host.startswith(_LOOPBACK)


def _is_bridge(host: str, port: Any) -> bool:
    return port in bridges and _is_loopback(host)


class intercept:
    """A context manager, and a decorator of functions, async functions and classes (of whose methods it takes those named test...).

    source: a World, an Actor (whose token is added where a request has none), or a function that gives one, called each time it
    begins; what a function gave is dropped at the end. allow: hosts that may be reached, as "api.example.com" or "*.example.com";
    "localhost" is all of loopback. Nested ones: the innermost answers. What is refused raises Refused in the program.
    """

    def __init__(self, source: Given, *, allow: Sequence[str] = ()) -> None:
        self._given, self._allow = source, tuple(allow)
        self._source: Optional[Source] = None
        self._hosts: tuple[str, ...] = ()
        self._depth = 0

    def __enter__(self) -> Source:
        with _lock:
            if self._depth == 0:
                self._source = self._given() if callable(self._given) else self._given
                self._hosts = tuple(world_of(self._source).home.hosts())
            self._depth += 1
            _active.append(self)
            if len(_active) == 1:
                _install()
            assert self._source is not None
            return self._source

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        with _lock:
            at = max(i for i, one in enumerate(_active) if one is self)
            del _active[at]
            if not _active:
                _remove()
            self._depth -= 1
            source = self._source
            if self._depth == 0:
                self._source = None
        if self._depth == 0 and callable(self._given) and source is not None:
            world_of(source).drop()

    def __call__(self, what: F) -> F:
        if inspect.isclass(what):
            for name, member in list(vars(what).items()):
                if name.startswith("test") and callable(member):
                    setattr(what, name, self(member))
            return what  # type: ignore[return-value]
        if inspect.iscoroutinefunction(what):
            @functools.wraps(what)
            async def held_async(*args: Any, **named: Any) -> Any:
                with self:
                    return await what(*args, **named)
            return held_async  # type: ignore[return-value]

        @functools.wraps(what)
        def held(*args: Any, **named: Any) -> Any:
            with self:
                return what(*args, **named)
        return held  # type: ignore[return-value]

    def answers(self, host: str) -> bool:
        return any(_matches(h, host) for h in self._hosts)

    def allows(self, host: str) -> bool:
        return any(_matches(h, host) or (h == "localhost" and _is_loopback(host)) for h in self._allow)

    def decide(self, method: str, url: str) -> Optional[Source]:
        """Who answers; None: it may go out. Refused."""
        at = urlsplit(url)
        host = (at.hostname or "").lower()
        if self._source is not None and self.answers(host):
            return self._source
        if self.allows(host) or _is_bridge(host, at.port):
            return None
        raise Refused("%s %s is refused: %s is no host of a service that the world has, and not among those that may be reached (%s)" % (
            method, url, host or "it has no host, which", ", ".join(self._allow) or "none"))


def _decide(method: str, url: str) -> Optional[Source]:
    with _lock:
        current = _active[-1] if _active else None
    return None if current is None else current.decide(method, url)


class _pass:
    """The connection that is made meanwhile is allowed."""

    def __enter__(self) -> None:
        self._token = _passing.set(True)

    def __exit__(self, *unused: Any) -> None:
        _passing.reset(self._token)


# ---- each client ----


def _requests(module: Any) -> None:
    original = module.HTTPAdapter.send

    def send(self: Any, request: Any, *args: Any, **options: Any) -> Any:
        from .transports import requests as ours
        source = _decide(request.method, request.url)
        if source is not None:
            return ours.send(self, source, request)
        with _pass():
            return original(self, request, *args, **options)

    _replace(module.HTTPAdapter, "send", send)


def _httpx(module: Any) -> None:
    original, original_async = module.HTTPTransport.handle_request, module.AsyncHTTPTransport.handle_async_request

    def handle(self: Any, request: Any) -> Any:
        from .transports import httpx as ours
        source = _decide(request.method, str(request.url))
        if source is not None:
            return ours.handle(source, request)
        with _pass():
            return original(self, request)

    async def handle_async(self: Any, request: Any) -> Any:
        from .transports import httpx as ours
        source = _decide(request.method, str(request.url))
        if source is not None:
            return await ours.handle_async(source, request)
        with _pass():
            return await original_async(self, request)

    _replace(module.HTTPTransport, "handle_request", handle)
    _replace(module.AsyncHTTPTransport, "handle_async_request", handle_async)


def _httplib2(module: Any) -> None:
    original = module.Http.request

    def request(self: Any, uri: str, method: str = "GET", body: Any = None, headers: Any = None,
                redirections: int = module.DEFAULT_MAX_REDIRECTS, connection_type: Any = None) -> Any:
        from .transports import httplib2 as ours
        source = _decide(method, uri)
        if source is not None:
            return ours.request(source, uri, method, body, headers, redirections if self.follow_redirects else 0)
        with _pass():
            return original(self, uri, method, body, headers, redirections, connection_type)

    _replace(module.Http, "request", request)


def _urllib(module: Any) -> None:
    original = module.AbstractHTTPHandler.do_open

    def do_open(self: Any, http_class: Any, request: Any, **options: Any) -> Any:
        from .transports import urllib as ours
        source = _decide(request.get_method(), request.full_url)
        if source is not None:
            return ours.open_request(source, request)
        with _pass():
            return original(self, http_class, request, **options)

    _replace(module.AbstractHTTPHandler, "do_open", do_open)


def _aiohttp(module: Any) -> None:
    original = module.TCPConnector._create_connection

    async def create(self: Any, req: Any, traces: Any, timeout: Any) -> Any:
        from .transports import aiohttp as ours
        source = _decide(req.method, str(req.url))
        if source is not None:
            return ours.connect(source, req, self._loop)
        with _pass():
            return await original(self, req, traces, timeout)

    _replace(module.TCPConnector, "_create_connection", create)


_CLIENTS: dict[str, Callable[[Any], None]] = {
    "requests.adapters": _requests, "httpx._transports.default": _httpx, "httplib2": _httplib2, "urllib.request": _urllib,
    "aiohttp.connector": _aiohttp}


# ---- what is left ----


def _refuse(what: str, host: str, port: Any) -> None:
    with _lock:
        current = _active[-1] if _active else None
    if current is None or _passing.get() or current.allows(host.lower()) or _is_bridge(host, port):
        return
    more = ("a service of the world has this host, but %s is not a client that can be answered in this process" % what
            if current.answers(host.lower()) else "it is not among the hosts that may be reached")
    raise Refused("%s to %s:%s is refused: %s" % (what, host, port, more))


def _sockets() -> None:
    connect, connect_ex, resolve = socket.socket.connect, socket.socket.connect_ex, socket.getaddrinfo

    def check(self: socket.socket, address: Any) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6) and isinstance(address, tuple) and len(address) >= 2:
            _refuse("a connection", str(address[0]), address[1])

    def connect_checked(self: socket.socket, address: Any) -> None:
        check(self, address)
        return connect(self, address)

    def connect_ex_checked(self: socket.socket, address: Any) -> int:
        check(self, address)
        return connect_ex(self, address)

    def resolve_checked(host: Any, port: Any, *args: Any, **named: Any) -> Any:
        if isinstance(host, (str, bytes)) and host:
            _refuse("a connection", host.decode() if isinstance(host, bytes) else host, port)
        return resolve(host, port, *args, **named)

    _replace(socket.socket, "connect", connect_checked)
    _replace(socket.socket, "connect_ex", connect_ex_checked)
    _replace(socket, "getaddrinfo", resolve_checked)


class _Finder(importlib.abc.MetaPathFinder):
    """Clients that are imported while it holds."""

    def find_spec(self, name: str, path: Any, target: Optional[ModuleType] = None) -> Optional[importlib.machinery.ModuleSpec]:
        if name not in _CLIENTS:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is None or spec.loader is None:
            return spec
        execute = spec.loader.exec_module

        def exec_module(module: ModuleType) -> None:
            execute(module)
            with _lock:
                if _active:
                    _CLIENTS[name](module)

        spec.loader.exec_module = exec_module  # type: ignore[assignment]
        return spec


_finder = _Finder()


def _replace(owner: Any, name: str, value: Any) -> None:
    _originals.append((owner, name, getattr(owner, name)))
    setattr(owner, name, value)


def _install() -> None:
    for name, change in _CLIENTS.items():
        if name in sys.modules:
            change(sys.modules[name])
    _sockets()
    sys.meta_path.insert(0, _finder)


def _remove() -> None:
    sys.meta_path.remove(_finder)
    while _originals:
        owner, name, value = _originals.pop()
        setattr(owner, name, value)



