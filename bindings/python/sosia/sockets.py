# SPDX-License-Identifier: Apache-2.0
"""WebSockets of a world in this process (Slack's Socket Mode and RTM): clients open sockets, so there is a port of loopback for
them, in threads of its own. The addresses that the world's answers give out lead to it."""
from __future__ import annotations

import base64
import hashlib
import re
import select
import socket
import struct
import threading
from types import TracebackType
from typing import TYPE_CHECKING, Any, Optional, Type

from . import interception
from .answer import Answer
from .errors import Error

if TYPE_CHECKING:
    from .local import Local
    from .world import World

ACCEPT = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"  # RFC 6455, section 1.3
CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10
NORMAL, GOING_AWAY, PROTOCOL, ABNORMAL, TOO_BIG, INTERNAL = 1000, 1001, 1002, 1006, 1009, 1011
MOST_HEAD = 1 << 16  # bytes
LINGER = 0.5  # seconds for a client to close behind the close frame
PATIENCE = 10  # seconds for a head, and for what is written
# As the methods that open connections answer. The same text elsewhere is somebody's, and stays as it is.
_ADDRESS = re.compile(rb'\A(\{\s*"ok":\s*true,\s*"url":\s*")wss:(\\?/\\?/)([A-Za-z0-9.-]+)')


class _Ended(Exception):
    """A connection is over, with a close code."""

    def __init__(self, code: int, reason: str = "") -> None:
        super().__init__(reason)
        self.code, self.reason = code, reason


class _Frames:
    """The client's frames, out of bytes as they come."""

    def __init__(self, most: int) -> None:
        self._bytes, self._message, self._kind, self._most = bytearray(), bytearray(), 0, most

    def add(self, data: bytes) -> None:
        self._bytes += data

    def next(self) -> Optional[tuple[int, bytes]]:
        """(opcode, whole message); None: it is not there yet. Raises _Ended."""
        while True:
            frame = self._frame()
            if frame is None:
                return None
            final, kind, data = frame
            if kind >= CLOSE:
                return kind, data
            if (kind == CONTINUATION) != bool(self._kind):
                raise _Ended(PROTOCOL, "a frame is out of its order")
            self._kind = self._kind or kind
            self._message += data
            if len(self._message) > self._most:
                raise _Ended(TOO_BIG, "a message must have %d bytes at most" % self._most)
            if final:
                message, kind = bytes(self._message), self._kind
                self._message, self._kind = bytearray(), 0
                return kind, message

    def _frame(self) -> Optional[tuple[bool, int, bytes]]:
        have = self._bytes
        if len(have) < 2:
            return None
        kind, size, at = have[0] & 15, have[1] & 127, 2
        if have[0] & 0x70 or not have[1] & 128 or kind not in (CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG):
            raise _Ended(PROTOCOL, "a frame is malformed")
        if kind >= CLOSE and (size > 125 or not have[0] & 128):
            raise _Ended(PROTOCOL, "a control frame is malformed")
        if size > 125:
            at = 4 if size == 126 else 10
            if len(have) < at:
                return None
            size = int.from_bytes(have[2:at], "big")
        if size > self._most:
            raise _Ended(TOO_BIG, "a message must have %d bytes at most" % self._most)
        if len(have) < at + 4 + size:
            return None
        mask, data = have[at:at + 4], bytes(have[at + 4:at + 4 + size])
        final = bool(have[0] & 128)
        del have[:at + 4 + size]
        whole = bytes(mask) * (size // 4 + 1)
        return final, kind, (int.from_bytes(data, "big") ^ int.from_bytes(whole[:size], "big")).to_bytes(size, "big")


def _frame(kind: int, data: bytes) -> bytes:
    n = len(data)
    size = bytes([n]) if n < 126 else b"\x7e" + struct.pack(">H", n) if n < 65536 else b"\x7f" + struct.pack(">Q", n)
    return bytes([128 | kind]) + size + data


def _read_head(connection: socket.socket) -> Optional[tuple[str, str, list[tuple[str, str]], bytes]]:
    """Method, target, header fields, and what came behind them."""
    got = bytearray()
    while (end := got.find(b"\r\n\r\n")) < 0:
        some = connection.recv(4096)
        if not some or len(got) > MOST_HEAD:
            return None
        got += some
    first, *lines = got[:end].decode("latin-1").split("\r\n")
    parts = first.split(" ")
    if len(parts) != 3:
        return None
    fields = [(n.strip(), v.strip()) for n, _, v in (line.partition(":") for line in lines)]
    return parts[0], parts[1], fields, bytes(got[end + 4:])


class Sockets:
    """A port of loopback for the WebSockets of one world, in a `with` statement or until close(), which ends them."""

    def __init__(self, world: "World") -> None:
        from .local import Local
        home = world.home
        if not isinstance(home, Local):
            raise TypeError("a server has WebSockets of its own: sockets() are of worlds in the process of the engine")
        self.world, self._local = world, home
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._wake, self._stop = socket.socketpair()
        self._lock = threading.Lock()
        self._closed = False
        self._threads: set[threading.Thread] = set()
        interception.bridges.add(self.port)
        home.bridges.add(self)
        home.listening().add(self)  # which has the engine look for what is due on its sessions
        world._sockets = self
        self._accepting = threading.Thread(target=self._accept, name="sosia sockets", daemon=True)
        self._accepting.start()

    @property
    def url(self) -> str:
        """ws://127.0.0.1:PORT; behind it goes /@HOST and a path of that host."""
        return "ws://127.0.0.1:%d" % self.port

    def __repr__(self) -> str:
        return "<Sockets %s of %r>" % (self.url, self.world)

    def __enter__(self) -> "Sockets":
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        self.close()

    def close(self) -> None:
        """Ends its connections with 1001, and waits for their threads."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        if self.world._sockets is self:
            self.world._sockets = None
        self._local.bridges.discard(self)
        if self._local.hub is not None:
            self._local.hub.remove(self)
        interception.bridges.discard(self.port)
        self._wake.close()  # which all threads see
        self._accepting.join()
        for thread in list(self._threads):
            if thread is not threading.current_thread():
                thread.join()
        self._stop.close()

    def _look(self) -> None:
        """Something was put into the outbox: nothing to do, the sessions get what is theirs."""

    def _end(self) -> None:
        """The engine is about to be closed, and closes this."""

    def lead(self, answer: Answer) -> Answer:
        """An answer whose addresses of WebSockets lead here."""
        body = answer.body
        found = _ADDRESS.match(body)
        if not found:
            return answer
        slash = found[2][:len(found[2]) // 2]
        body = b"%sws:%s127.0.0.1:%d%s@%s%s" % (found[1], found[2], self.port, slash, found[3], body[found.end():])
        fields = [(n, str(len(body)) if n.lower() == "content-length" else v) for n, v in answer.fields]
        return Answer(answer.status, fields, body)

    def _accept(self) -> None:
        while True:
            ready, _, _ = select.select([self._listener, self._stop], [], [])
            if self._stop in ready:
                self._listener.close()
                return
            connection, _ = self._listener.accept()
            thread = threading.Thread(target=self._serve, args=(connection,), name="sosia socket", daemon=True)
            self._threads.add(thread)
            thread.start()

    def _serve(self, connection: socket.socket) -> None:
        try:
            with connection:
                connection.settimeout(PATIENCE)
                self._talk(connection)
        except (OSError, Error):  # the client, the world or the engine has gone
            pass
        finally:
            self._threads.discard(threading.current_thread())

    def _talk(self, connection: socket.socket) -> None:
        head = _read_head(connection)
        if head is None:
            return
        method, target, fields, rest = head
        named = {n.lower(): v for n, v in fields}
        answer, session = self._local.engine.session(self.world._ref, method, target, tuple(fields), None)
        key = named.get("sec-websocket-key", "")
        if session is None or not key:
            from .transports import as_http
            connection.sendall(as_http(answer))
            return
        accept = base64.b64encode(hashlib.sha1(key.encode("latin-1") + ACCEPT).digest()).decode()
        more = "".join("%s: %s\r\n" % (n, v) for n, v in answer.fields if n.lower() not in ("content-length", "connection", "upgrade"))
        connection.sendall(("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                            "Sec-WebSocket-Accept: %s\r\n%s\r\n" % (accept, more)).encode("latin-1"))
        code = ABNORMAL
        try:
            self._carry(connection, session, rest)
        except _Ended as e:
            code = e.code
            connection.sendall(_frame(CLOSE, b"" if code == ABNORMAL else struct.pack(">H", code) + e.reason.encode()[:123]))
            connection.shutdown(socket.SHUT_WR)
        finally:
            session.close(code)
        connection.settimeout(LINGER)  # what the client was sending is read, so that it gets to read the frame
        while connection.recv(65536):
            pass

    def _carry(self, connection: socket.socket, session: Any, rest: bytes) -> None:
        """Until it raises _Ended."""
        frames = _Frames(session.max_frame)
        frames.add(rest)
        while True:
            while (message := frames.next()) is not None:
                self._take(connection, session, *message)
            ready, _, _ = select.select([connection, session, self._stop], [], [])
            if session in ready:
                for code, text in session.take():
                    if code:
                        raise _Ended(code, text)
                    connection.sendall(_frame(TEXT, text.encode("utf-8")))
            if self._stop in ready:
                raise _Ended(GOING_AWAY)
            if connection in ready:
                data = connection.recv(65536)
                if not data:
                    raise ConnectionResetError("without a close frame")
                frames.add(data)

    def _take(self, connection: socket.socket, session: Any, kind: int, data: bytes) -> None:
        if kind == PING:
            connection.sendall(_frame(PONG, data))
        elif kind == CLOSE:
            raise _Ended(struct.unpack(">H", data[:2])[0] if len(data) > 1 else NORMAL)
        elif kind in (TEXT, BINARY):
            try:
                session.send(data, kind == BINARY)
            except Error as e:
                for code, text in session.take():  # what it said before, and why it ends
                    if code:
                        raise _Ended(code, text) from None
                    connection.sendall(_frame(TEXT, text.encode("utf-8")))
                raise _Ended(INTERNAL, e.message) from None
