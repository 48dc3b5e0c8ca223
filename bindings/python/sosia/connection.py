# SPDX-License-Identifier: Apache-2.0
"""Requests to one server, of the standard library alone: connections are kept, one a thread."""
from __future__ import annotations

import http.client
import os
import threading
from typing import IO, Optional, Union
from urllib.parse import urlsplit

PATIENCE = 120  # seconds to wait for an answer
Fields = list[tuple[str, str]]
Sent = Union[None, bytes, str, IO[bytes]]  # of a file all of it, from its beginning


class Connection:
    """A connection that has ended while it was idle is opened again. What goes wrong is OSError or http.client.HTTPException."""

    def __init__(self, url: str) -> None:
        at = urlsplit(url)
        if at.scheme not in ("http", "https") or not at.hostname:
            raise ValueError("url must be http://HOST:PORT or https://HOST:PORT, not %r" % url)
        self.host, self.port, self.secure = at.hostname, at.port, at.scheme == "https"
        self._kept = threading.local()

    def _open(self) -> http.client.HTTPConnection:
        if self.secure:
            return http.client.HTTPSConnection(self.host, self.port, timeout=PATIENCE)
        return http.client.HTTPConnection(self.host, self.port, timeout=PATIENCE)

    def ask(self, method: str, target: str, body: Sent, fields: Fields,
            host: Optional[str] = None) -> tuple[int, Fields, bytes]:
        """Status, header fields and body. host: another one to name than the server's."""
        sent = body.encode("utf-8") if isinstance(body, str) else body
        before: Optional[http.client.HTTPConnection] = self._kept.__dict__.get("connection")
        for fresh in ((False, True) if before else (True,)):
            kept = before if before and not fresh else self._open()
            self._kept.connection = kept
            try:
                return _ask(kept, method, target, sent, fields, host)
            except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError):
                self.close()
                if fresh:
                    raise
            except BaseException:  # half an answer may be left on it
                self.close()
                raise
        raise AssertionError("not reached")

    def begin(self, method: str, target: str, body: Sent, fields: Fields,
              host: Optional[str] = None) -> tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
        """The same on a connection of its own, which the caller closes, with the body still to be read, however long it takes."""
        sent = body.encode("utf-8") if isinstance(body, str) else body
        own = self._open()
        try:
            response = _begin(own, method, target, sent, fields, host)
            if own.sock is not None:
                own.sock.settimeout(None)
            return own, response
        except BaseException:
            own.close()
            raise

    def close(self) -> None:
        """Closes the calling thread's."""
        kept: Optional[http.client.HTTPConnection] = self._kept.__dict__.pop("connection", None)
        if kept:
            kept.close()


def _size(body: Union[None, bytes, IO[bytes]]) -> int:
    """Of a file: it is at its beginning then."""
    if body is None or isinstance(body, bytes):
        return len(body or b"")
    size = body.seek(0, os.SEEK_END) or body.tell()
    body.seek(0)
    return size


def _ask(kept: http.client.HTTPConnection, method: str, target: str, body: Union[None, bytes, IO[bytes]], fields: Fields,
         host: Optional[str]) -> tuple[int, Fields, bytes]:
    response = _begin(kept, method, target, body, fields, host)
    return response.status, response.getheaders(), response.read()


def _begin(kept: http.client.HTTPConnection, method: str, target: str, body: Union[None, bytes, IO[bytes]], fields: Fields,
           host: Optional[str]) -> http.client.HTTPResponse:
    kept.putrequest(method, target, skip_host=host is not None, skip_accept_encoding=True)
    if host is not None:
        kept.putheader("Host", host)
    for name, value in fields:
        kept.putheader(name, value.encode("utf-8"))  # type: ignore[arg-type]
    if body is not None or method in ("POST", "PUT", "PATCH"):
        kept.putheader("Content-Length", str(_size(body)))
    kept.endheaders(body)
    return kept.getresponse()
