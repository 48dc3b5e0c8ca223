# SPDX-License-Identifier: Apache-2.0
"""HTTP/1.1 and WebSockets (RFC 6455) on asyncio, as much as the servers beside this file need: JSON in and out, no TLS.

Requests are read strictly and have bounds. Whoever asks needs the server's key, and names this machine (or a name that was given) as the
host; a page of another origin is refused. So neither a web page nor an agent in a world reaches a server on this machine.
"""
import asyncio
import base64
import concurrent.futures
import hashlib
import hmac
import ipaddress
import json
import secrets
import signal
import traceback
from urllib.parse import parse_qs, urlsplit

MAX_HEAD = 32 << 10
MAX_BODY = 16 << 20  # of a request, and of a message
MAX_FRAGMENTS = 1000
IDLE = 300  # seconds without a request on a connection
GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
REASONS = {101: "Switching Protocols", 200: "OK", 201: "Created", 204: "No Content", 400: "Bad Request", 401: "Unauthorized",
           403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed", 409: "Conflict", 413: "Content Too Large",
           421: "Misdirected Request", 422: "Unprocessable Content", 426: "Upgrade Required", 431: "Request Header Fields Too Large",
           500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway"}


class Error(Exception):
    """A refusal: a status and what the body is."""

    def __init__(self, status, body):
        super().__init__(str(body))
        self.status, self.body = status, body


class Closed(Exception):
    """The client has gone, or the WebSocket was closed; code: of the close frame that is sent."""

    def __init__(self, code=1000):
        super().__init__(code)
        self.code = code


def is_loopback(name):
    """Of a host's name or address, as it is in a URL without its port."""
    name = name.lower().rstrip(".")
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(name.strip("[]")).is_loopback
    except ValueError:
        return False


def host_name(field):
    """The name in a Host field; None: there is none."""
    if not field or any(c in field for c in "/@?#\\ \t"):
        return None
    name, colon, port = field.rpartition(":") if not field.endswith("]") else (field, "", "")
    if not colon:
        name, port = field, "1"
    return name.lower().rstrip(".") if name and port.isascii() and port.isdigit() else None


def options(parser):
    """What every server here has, before parse_args()."""
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on")
    parser.add_argument("--name", action="append", default=[], help="answer for this host too; may be repeated")
    parser.add_argument("--key", help="of the server, 8 characters, 16 beyond loopback (default: a random one, which is printed)")


def key_of(parser, o):
    """The key that was given, or one that nobody can guess."""
    least = 8 if is_loopback(o.host) else 16
    if o.key is not None and (len(o.key) < least or not all("!" <= c <= "~" for c in o.key)):
        parser.error("--key must be %d characters of ASCII or more, without whitespace" % least)
    return o.key or secrets.token_urlsafe(24)


class Request:
    def __init__(self, method, target, headers, body):
        parts = urlsplit(target)
        self.method, self.path, self.headers, self.body, self.target = method, parts.path, headers, body, target
        self.query = {k: v[0] for k, v in parse_qs(parts.query).items()}

    def json(self):
        """The body, which must be JSON; {} without one."""
        try:
            return json.loads(self.body) if self.body else {}
        except (ValueError, RecursionError) as e:
            raise Error(400, {"detail": "the body must be JSON: %s" % e}) from e


class Socket:
    """A WebSocket's messages, which are texts."""

    def __init__(self, reader, writer):
        self.reader, self.writer = reader, writer

    async def receive(self):
        """The next message; pings are answered. Raises Closed."""
        parts, size = [], 0
        while True:
            final, opcode, data = await self._frame(MAX_BODY - size)
            if opcode == 8:
                raise Closed(1000 if len(data) < 2 else int.from_bytes(data[:2], "big"))
            if opcode == 9:
                await self._send(10, data)
            elif opcode in (1, 2) and not parts or opcode == 0 and parts:
                if opcode == 2:
                    raise Closed(1003)
                parts.append(data)
                size += len(data)
                if len(parts) > MAX_FRAGMENTS:
                    raise Closed(1008)
                if final:
                    try:
                        return b"".join(parts).decode("utf-8")
                    except UnicodeDecodeError:
                        raise Closed(1007) from None
            elif opcode != 10:
                raise Closed(1002)

    async def _frame(self, room):
        try:
            first, second = await self.reader.readexactly(2)
            opcode, n = first & 15, second & 127
            if first & 0x70 or not second & 128 or opcode > 7 and (n > 125 or not first & 128):
                raise Closed(1002)
            if n > 125:
                n = int.from_bytes(await self.reader.readexactly(2 if n == 126 else 8), "big")
            if n > room:
                raise Closed(1009)
            mask, data = await self.reader.readexactly(4), await self.reader.readexactly(n)
        except (asyncio.IncompleteReadError, ConnectionError):
            raise Closed(1006) from None
        if data:
            mask = (mask * (n // 4 + 1))[:n]
            data = (int.from_bytes(data, "big") ^ int.from_bytes(mask, "big")).to_bytes(n, "big")
        return bool(first & 128), opcode, data

    async def send(self, value):
        await self._send(1, json.dumps(value).encode())

    async def _send(self, opcode, data):
        n = len(data)
        size = bytes([n]) if n < 126 else b"\x7e" + n.to_bytes(2, "big") if n < 1 << 16 else b"\x7f" + n.to_bytes(8, "big")
        self.writer.write(bytes([128 | opcode]) + size + data)
        try:
            await self.writer.drain()
        except ConnectionError:
            raise Closed(1006) from None

    async def close(self, code):
        if code != 1006 and not self.writer.is_closing():
            try:
                known = code in (1000, 1001, 1002, 1003, 1007, 1008, 1009, 1011, 1013) or 3000 <= code < 5000
                await self._send(8, (code if known else 1000).to_bytes(2, "big"))
            except Closed:
                pass


class Server:
    """answer(request) gives (status, body) or (status, body, headers); sockets: by path, what serves a Socket.

    The key comes as `Authorization: Bearer KEY` or `X-API-Key: KEY`, or, where in_path, as /k/KEY in front of the path, for clients that
    have no header fields of their own. keyless(path): it is not needed there. names: of hosts, besides this machine's.
    """

    def __init__(self, answer, key, sockets=None, names=(), in_path=False, keyless=lambda path: False):
        self.answer, self.sockets, self.server, self.open = answer, sockets or {}, None, set()
        self.key, self.names, self.any_host, self.in_path, self.keyless = key, [n.lower() for n in names], False, in_path, keyless

    async def start(self, host="127.0.0.1", port=0, listening=None):
        """Gives the port. listening: a socket that listens at this host already, maybe in other processes too."""
        self.any_host = not is_loopback(host) and not self.names
        where = {"sock": listening} if listening else {"host": host, "port": port}
        self.server = await asyncio.start_server(self._connection, **where, limit=MAX_HEAD, backlog=4096)
        return self.server.sockets[0].getsockname()[1]

    async def stop(self):
        self.server.close()
        for task in list(self.open):
            task.cancel()
        await asyncio.gather(*self.open, return_exceptions=True)

    async def _connection(self, reader, writer):
        task = asyncio.current_task()
        self.open.add(task)
        try:
            while await self._request(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.TimeoutError, asyncio.CancelledError):
            pass
        finally:
            self.open.discard(task)
            writer.close()

    async def _request(self, reader, writer):
        """Whether another one may follow."""
        keep = False
        try:
            try:
                request, keep = await asyncio.wait_for(self._read(reader), IDLE)  # refuses hosts and origins
            except (ConnectionError, asyncio.IncompleteReadError, asyncio.TimeoutError):
                return False
            if request is None:
                return False
            self._check_key(request)
            serve = self.sockets.get(request.path)
            if serve and request.headers.get("upgrade", "").lower() == "websocket":
                await self._upgrade(request, reader, writer, serve)
                return False
            answer = await self.answer(request)
        except Error as e:
            answer = (e.status, e.body)
        except Exception:  # a fault of ours
            traceback.print_exc()
            answer, keep = (500, {"detail": "Internal Server Error"}), False
        status, body, *more = answer
        data = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        headers = {"Content-Type": "application/json", "Content-Length": len(data), "Connection": "keep-alive" if keep else "close",
                   **(more[0] if more else {})}
        head = "HTTP/1.1 %d %s\r\n" % (status, REASONS.get(status, "Status")) + "".join("%s: %s\r\n" % h for h in headers.items())
        writer.write(head.encode("latin-1", "replace") + b"\r\n" + data)
        await writer.drain()
        return keep

    def _check_host(self, field):
        name = host_name(field)
        if name is None:
            raise Error(400, {"detail": "the request must have one Host, a name and at most a port behind it"})
        if not (self.any_host or is_loopback(name) or name in self.names):
            raise Error(421, {"detail": "this server does not answer for that host name (--name)"})

    def _check_key(self, request):
        """Takes the key out of the path, too."""
        given = [request.headers.get("x-api-key", "")]
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            given.append(token.strip())
        if self.in_path and request.path.startswith("/k/"):
            given.append(request.path[3:].partition("/")[0])
            prefix = len("/k/" + given[-1])
            request.path, request.target = request.path[prefix:] or "/", request.target[prefix:] or "/"
        good = any([hmac.compare_digest(g.encode("utf-8", "replace"), self.key.encode()) for g in given])
        if not good and not self.keyless(request.path):
            raise Error(401, {"detail": "invalid or missing API key"})

    async def _read(self, reader):
        try:
            head = await reader.readuntil(b"\r\n\r\n")
        except asyncio.LimitOverrunError:
            raise Error(431, {"detail": "the head must have %d bytes at most" % MAX_HEAD}) from None
        except asyncio.IncompleteReadError as e:
            if e.partial:
                raise
            return None, False
        lines = head.decode("latin-1").split("\r\n")[:-2]
        first, headers = lines[0].split(" "), {}
        if len(first) != 3 or not first[1].startswith("/") or first[2] not in ("HTTP/1.1", "HTTP/1.0"):
            raise Error(400, {"detail": "the request line must be METHOD /path HTTP/1.1"})
        for line in lines[1:]:
            name, colon, value = line.partition(":")
            if not colon or not name or name != name.strip() or name.lower() in headers and name.lower() in ("host", "content-length"):
                raise Error(400, {"detail": "a header field must be Name: value, once"})
            headers[name.lower()] = value.strip()
        length = headers.get("content-length", "0")
        if "transfer-encoding" in headers or not (length.isascii() and length.isdigit()):
            raise Error(400, {"detail": "a body must have a Content-Length"})
        if len(length) > 12 or int(length) > MAX_BODY:
            raise Error(413, {"detail": "a body must have %d bytes at most" % MAX_BODY})
        self._check_host(headers.get("host"))
        origin = headers.get("origin")
        if origin and urlsplit(origin).netloc != headers.get("host"):
            raise Error(403, {"detail": "pages of another origin are refused"})
        body = await reader.readexactly(int(length))
        keep = first[2] == "HTTP/1.1" and headers.get("connection", "").lower() != "close"
        return Request(first[0], first[1], headers, body), keep

    async def _upgrade(self, request, reader, writer, serve):
        key = request.headers.get("sec-websocket-key", "")
        if request.method != "GET" or request.headers.get("sec-websocket-version") != "13" or len(key) != 24:
            raise Error(426, {"detail": "a WebSocket needs GET, version 13 and a key"})
        accept = base64.b64encode(hashlib.sha1(key.encode("latin-1") + GUID).digest()).decode()
        writer.write(("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                      "Sec-WebSocket-Accept: %s\r\n\r\n" % accept).encode())
        socket, code = Socket(reader, writer), 1000
        try:
            await serve(socket)
        except Closed as e:
            code = e.code
        except asyncio.CancelledError:
            code = 1001
        await socket.close(code)


async def run(server, host, port, ready, ended=None, listening=None, before=None):
    """Serves until SIGINT or SIGTERM; `await before()`, then ready(port) when it listens; `await ended()` at the end."""
    stop = asyncio.Event()
    asyncio.get_running_loop().set_default_executor(concurrent.futures.ThreadPoolExecutor(32))
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    if before:
        await before()
    ready(await server.start(host, port, listening))
    await stop.wait()
    await server.stop()
    if ended:
        await ended()
