# SPDX-License-Identifier: Apache-2.0
"""sosia: worlds in which programs find the SaaS applications they work with, in this process or behind a server.

    import sosia

    with sosia.Engine() as engine, engine.create(fixture="small") as world:
        ada = world.as_actor("ada@small.example")
        ada.call("GET", "/calendar/v3/calendars/primary/events").data["items"]

docs/python.md has more. Importing the package loads nothing; the first name that is used does.
"""
from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._sosia import version as version
    from .aio import AsyncActor as AsyncActor, AsyncServer as AsyncServer, AsyncWorld as AsyncWorld
    from .aio import connect_async as connect_async
    from .answer import Answer as Answer, Headers as Headers
    from .changes import Change as Change, Diff as Diff
    from .deliveries import Deliveries as Deliveries, Delivery as Delivery
    from .errors import Closed as Closed, Conflict as Conflict, DataFailed as DataFailed, Error as Error, Forbidden as Forbidden
    from .errors import Broken as Broken, Full as Full, Interrupted as Interrupted, Invalid as Invalid, Limit as Limit
    from .errors import NoMemory as NoMemory, NotFound as NotFound, Refused as Refused, TooLarge as TooLarge
    from .errors import Unauthenticated as Unauthenticated
    from .interception import intercept as intercept
    from .server import Server as Server, connect as connect
    from .sockets import Sockets as Sockets
    from .streams import Stream as Stream
    from .suite import Grade as Grade, Suite as Suite
    from .world import Actor as Actor, Call as Call, Engine as Engine, World as World

_WHERE = {
    "_sosia": ("version",),
    "aio": ("AsyncActor", "AsyncServer", "AsyncWorld", "connect_async"),
    "answer": ("Answer", "Headers"),
    "changes": ("Change", "Diff"),
    "deliveries": ("Deliveries", "Delivery"),
    "errors": ("Broken", "Closed", "Conflict", "DataFailed", "Error", "Forbidden", "Full", "Interrupted", "Invalid", "Limit", "NoMemory",
               "NotFound", "Refused", "TooLarge", "Unauthenticated"),
    "interception": ("intercept",),
    "server": ("Server", "connect"),
    "sockets": ("Sockets",),
    "streams": ("Stream",),
    "suite": ("Grade", "Suite"),
    "world": ("Actor", "Call", "Engine", "World"),
}
_PLACE = {name: module for module, names in _WHERE.items() for name in names}
__all__ = sorted(_PLACE)


def __getattr__(name: str) -> Any:
    if name not in _PLACE:
        raise AttributeError("module 'sosia' has no attribute %r" % name)
    value = getattr(importlib.import_module("." + _PLACE[name], __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_PLACE])
