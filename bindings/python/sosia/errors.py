# SPDX-License-Identifier: Apache-2.0
"""What can go wrong, as exceptions: one class for each code of sosia.h, all below Error."""
from __future__ import annotations

from typing import Any, Mapping, Optional


class Error(Exception):
    """The engine, or the control interface of a server, refused something.

    reason: a machine-readable word ("worldNotFound"), or None; where: the parameter at fault, or None; line: in a document, counted
    from 1, or 0; status: the HTTP status that it stands for; message: for people.
    """

    status = 500

    def __init__(self, message: str, reason: Optional[str] = None, where: Optional[str] = None, line: int = 0,
                 status: Optional[int] = None) -> None:
        super().__init__(message)
        self.message, self.reason, self.where, self.line = message, reason, where, line
        if status is not None:
            self.status = status

    def __str__(self) -> str:
        at = [w for w in (self.reason, self.where, "line %d" % self.line if self.line else None) if w]
        return "%s (%s)" % (self.message, ", ".join(at)) if at else self.message

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.message, self.reason, self.where, self.line, self.status)


class Invalid(Error):
    """An argument or a document can't be that."""
    status = 400


class Unauthenticated(Error):
    """A token or a control key is missing, or not good."""
    status = 401


class Forbidden(Error):
    """It would change a snapshot, or somebody has no right to it."""
    status = 403


class NotFound(Error):
    """There is no such world, actor, task or entry, or its time is over."""
    status = 404


class MethodNotAllowed(Error):
    """The path is there, for another method."""
    status = 405


class Conflict(Error):
    """A name is taken, or something is under way."""
    status = 409


class Gone(Error):
    """It was there."""
    status = 410


class Precondition(Error):
    """It is not in the state that was asked for."""
    status = 412


class TooLarge(Error):
    """It has a limit, and is larger."""
    status = 413


class MediaType(Error):
    """A body is not of a kind that is taken here."""
    status = 415


class Limit(Error):
    """Too many calls at once."""
    status = 429


class Internal(Error):
    """A fault of the engine's own."""
    status = 500


class Full(Error):
    """A limit of the engine's options is reached, or the disk is full."""
    status = 507


class NoMemory(Error, MemoryError):
    """There is no memory for it."""
    status = 503


class DataFailed(Error):
    """The data directory, or a file, can't be read or written."""
    status = 500


class Interrupted(Error):
    """It was ended by another thread, and the world is as it was before."""
    status = 503


class Closed(Error):
    """The engine is closed, or belongs to the process that this one was forked from."""
    status = 500


class Refused(Error, ConnectionError):
    """intercept(): a program asked for a host that is no vendor's."""
    status = 503


class Broken(Error, ConnectionError):
    """A server can't be reached, or its answer is not one of a server of sosia."""
    status = 503


# In the order of SOSIA_CODE_MAP.
_BY_CODE: tuple[type[Error], ...] = (
    Error, Error, Invalid, Unauthenticated, Forbidden, NotFound, MethodNotAllowed, Conflict, Gone, Precondition, TooLarge, MediaType,
    Limit, Internal, Full, NoMemory, DataFailed, Interrupted, Closed)
_BY_STATUS: dict[int, type[Error]] = {c.status: c for c in reversed(_BY_CODE) if c not in (Error, Closed, Interrupted, DataFailed)}


def from_engine(code: int, reason: Optional[str], where: Optional[str], line: int, text: str) -> Error:
    """What the extension raises."""
    kind: type[Error] = _BY_CODE[code] if 0 <= code < len(_BY_CODE) else Error
    return kind(text, reason, where, line)


def from_control(status: int, error: Mapping[str, Any]) -> Error:
    """What a server's control interface says."""
    kind: type[Error] = _BY_STATUS.get(status, Error)
    return kind(str(error.get("message", "status %d" % status)), error.get("reason"), error.get("field"), int(error.get("line", 0)),
                status)
