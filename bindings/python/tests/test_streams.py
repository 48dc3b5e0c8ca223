# SPDX-License-Identifier: Apache-2.0
"""Bodies in pieces: answers that go on, large files, what programs send so. WebSockets by a port of loopback."""
from __future__ import annotations

import asyncio
import hashlib
import io
import json
import socket
import struct
import threading
import urllib.request

import aiohttp
import httpx
import pytest
import requests

import sosia
import sosia.transports.aiohttp
import sosia.transports.httpx
import sosia.transports.requests
import sosia.transports.urllib

MCP = "/mcp"
ACCEPT = {"Accept": "application/json, text/event-stream"}
RESOURCE = "calendar://primary/events/smallcoffee01"
FILES = "https://www.googleapis.com/drive/v3/files"
UPLOAD = "https://www.googleapis.com/upload/drive/v3/files?uploadType=media"
LARGE = bytes(range(256)) * 4096 * 3  # 3 MiB, beyond what an engine keeps in memory
SIZE = len(LARGE)


@pytest.fixture(params=["in process", "server"])
def worlds(request):
    if request.param == "in process":
        with sosia.Engine() as engine:
            yield engine
    else:
        with sosia.Server.start() as server:
            yield server


@pytest.fixture
def ada():
    with sosia.Engine() as engine, engine.create(fixture="small") as world:
        yield world.as_actor("ada@small.example")


def pieces(data, size=100_000):
    return (data[i:i + size] for i in range(0, len(data), size))


def listener(ada):
    """The headers of an MCP session's stream, and a function that has something sent on it."""
    start = {"jsonrpc": "2.0", "id": 1, "method": "initialize",
             "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}
    made = ada.call("POST", MCP, start, headers=ACCEPT)
    assert made.ok, made.text
    headers = {**ACCEPT, "Mcp-Session-Id": made.headers["mcp-session-id"], "MCP-Protocol-Version": "2025-06-18"}

    def ask(method, **params):
        answer = ada.call("POST", MCP, {"jsonrpc": "2.0", "id": 2, "method": method, "params": params}, headers=headers)
        assert answer.ok, answer.text
        return answer.text

    assert ada.call("POST", MCP, {"jsonrpc": "2.0", "method": "notifications/initialized"}, headers=headers).status == 202
    # What it is told of.
    ask("resources/subscribe", uri=RESOURCE)

    names = iter(["Tea", "Cocoa"])

    def change():
        assert ada.call("PATCH", "/calendar/v3/calendars/primary/events/smallcoffee01", {"summary": next(names)}).ok

    return headers, change


def test_an_answer_that_goes_on(worlds):
    with worlds.create(fixture="small") as world:
        ada = world.as_actor("ada@small.example")
        headers, change = listener(ada)
        with ada.stream("GET", MCP, headers=headers) as stream:
            assert stream.status == 200 and stream.headers["content-type"] == "text/event-stream"
            change()
            came = b""
            while b"notifications/resources/updated" not in came:
                came += next(stream)


def test_an_answer_that_does_not_go_on_is_one_piece(worlds):
    with worlds.create(fixture="small") as world:
        ada = world.as_actor("ada@small.example")
        with ada.stream("GET", "/drive/v3/about?fields=user") as stream:
            assert json.loads(b"".join(stream))["user"]["emailAddress"] == "ada@small.example"
        with ada.stream("GET", "/drive/v3/files/nothing") as stream:
            assert stream.status == 404 and not stream.ok


@pytest.mark.parametrize("body", [lambda: io.BytesIO(LARGE), lambda: pieces(LARGE)], ids=["a file", "pieces"])
def test_a_large_body_up_and_down(worlds, body):
    with worlds.create(fixture="small") as world:
        ada = world.as_actor("ada@small.example")
        made = ada.call("POST", "/upload/drive/v3/files?uploadType=media", body(), headers={"Content-Type": "application/x-thing"})
        assert made.ok, made.text
        path = "/drive/v3/files/%s" % made.data["id"]
        about = ada.call("GET", path + "?fields=size,sha256Checksum").data
        assert about == {"size": str(SIZE), "sha256Checksum": hashlib.sha256(LARGE).hexdigest()}
        came = list(ada.stream("GET", path + "?alt=media"))
        assert len(came) > 10 and b"".join(came) == LARGE
        assert ada.call("GET", path + "?alt=media").body == LARGE
        with ada.stream("HEAD", path + "?alt=media") as head:
            assert (head.headers["content-length"], list(head)) == (str(SIZE), [])


def test_a_body_beyond_what_its_method_takes(ada):
    with pytest.raises(sosia.TooLarge):
        ada.call("POST", "/calendar/v3/calendars/primary/events", pieces(b" " * (80 << 20), 1 << 20))
    assert len(ada.call("GET", "/calendar/v3/calendars/primary/events").data["items"]) == 3


def test_a_body_that_breaks_off_changes_nothing(ada):
    def broken():
        yield LARGE[:200_000]
        raise KeyError("the program's own")

    before = ada.world.hash()
    with pytest.raises(KeyError):
        ada.call("POST", "/upload/drive/v3/files?uploadType=media", broken())
    with pytest.raises(TypeError):
        ada.call("POST", "/upload/drive/v3/files?uploadType=media", iter([b"1", 2]))
    assert ada.world.hash() == before


def test_requests(ada):
    session = sosia.transports.requests.session(ada)
    made = session.post(UPLOAD, data=pieces(LARGE), headers={"Content-Type": "application/x-thing"})
    assert made.ok
    with session.get("%s/%s?alt=media" % (FILES, made.json()["id"]), stream=True) as got:
        assert b"".join(got.iter_content(50_000)) == LARGE


def test_httpx(ada):
    client = sosia.transports.httpx.client(ada)
    made = client.post(UPLOAD, content=pieces(LARGE), headers={"Content-Type": "application/x-thing"})
    with client.stream("GET", "%s/%s?alt=media" % (FILES, made.json()["id"])) as got:
        assert b"".join(got.iter_bytes()) == LARGE


def test_urllib(ada):
    opener = sosia.transports.urllib.opener(ada)
    made = json.load(opener.open(urllib.request.Request(UPLOAD, io.BytesIO(LARGE), {"Content-Type": "application/x-thing", "Content-Length": str(SIZE)})))
    assert opener.open("%s/%s?alt=media" % (FILES, made["id"])).read() == LARGE


def test_async_clients(ada):
    async def upload():
        for piece in pieces(LARGE):
            yield piece

    async def both():
        async with sosia.transports.httpx.async_client(ada) as client:
            made = await client.post(UPLOAD, content=upload(), headers={"Content-Type": "application/x-thing"})
            async with client.stream("GET", "%s/%s?alt=media" % (FILES, made.json()["id"])) as got:
                assert b"".join([piece async for piece in got.aiter_bytes()]) == LARGE
                assert got.headers["content-length"] == str(SIZE)
        async with sosia.transports.aiohttp.session(ada) as session:
            for body in (upload(), LARGE, io.BytesIO(LARGE)):  # in chunks, and with its length
                async with session.post(UPLOAD, data=body, headers={"Content-Type": "application/x-thing"}) as sent:
                    made = await sent.json()
                async with session.get("%s/%s?alt=media" % (FILES, made["id"])) as got:
                    assert got.content_length == SIZE
                    assert await got.read() == LARGE
            async with session.post(UPLOAD, data=upload(), headers={"Content-Type": "application/x-thing"}, expect100=True) as sent:
                assert sent.status == 200

    asyncio.run(both())


def test_aiohttp_holds_no_body(ada, monkeypatch):
    """What goes up is a spool's before the next piece comes, what comes down waits for its reader."""
    given = []

    async def slowly():
        async def upload():
            for piece in pieces(LARGE, 1 << 18):
                given.append(len(requests_of(session)))
                yield piece
        async with sosia.transports.aiohttp.session(ada) as session:
            async with session.post(UPLOAD, data=upload(), headers={"Content-Type": "application/x-thing"}) as sent:
                made = await sent.json()
            assert 1 << 17 < max(given) < 1 << 19
            taken = []
            take = sosia.streams.Local.take_async

            async def noted(self):
                piece = await take(self)
                taken.append(len(piece or b""))
                return piece
            monkeypatch.setattr(sosia.streams.Local, "take_async", noted)
            async with session.get("%s/%s?alt=media" % (FILES, made["id"])) as got:
                for _ in range(200):
                    await asyncio.sleep(0)
                assert sum(taken) < SIZE // 4
                assert await got.read() == LARGE

    def requests_of(session):
        """What its connection has of the body that goes up."""
        for key in session.connector._acquired:
            asked = key.transport._requests
            return asked._bytes + (asked.asked._held if asked.asked else b"")
        return b""

    asyncio.run(slowly())


def test_aiohttp_refuses_too_much(ada):
    async def send():
        async def much():
            for _ in range(80):
                yield b" " * (1 << 20)
        async with sosia.transports.aiohttp.session(ada) as session:
            with pytest.raises(sosia.TooLarge):
                await session.post("https://www.googleapis.com/calendar/v3/calendars/primary/events", data=much())
            async with session.get("https://www.googleapis.com/calendar/v3/calendars/primary") as got:
                assert got.status == 200

    asyncio.run(send())


def test_events_of_a_session_by_async_clients(ada):
    headers, change = listener(ada)
    url = "https://mcp.example" + MCP

    async def change_soon():
        await asyncio.sleep(0)
        change()

    async def by_httpx():
        async with sosia.transports.httpx.async_client(ada, headers=headers) as client, client.stream("GET", url) as stream:
            assert stream.status_code == 200
            asyncio.create_task(change_soon())
            came = b""
            async for piece in stream.aiter_bytes():
                came += piece
                if b"updated" in came:
                    return came

    async def by_aiohttp():
        async with sosia.transports.aiohttp.session(ada) as session, session.get(url, headers=headers) as stream:
            assert stream.status == 200
            asyncio.create_task(change_soon())
            return await stream.content.readuntil(b"updated")

    for way in (by_httpx, by_aiohttp):
        assert b"notifications/resources/u" in asyncio.run(asyncio.wait_for(way(), 60))


def test_a_stream_ends_with_its_engine():
    with sosia.Engine() as engine:
        ada = engine.create(fixture="small").as_actor("ada@small.example")
        headers, _ = listener(ada)
        stream = ada.stream("GET", MCP, headers=headers)
        later = ada.stream("GET", "/drive/v3/about?fields=user")
        made = ada.call("POST", "/upload/drive/v3/files?uploadType=media", LARGE, headers={"Content-Type": "application/x-thing"})
        file = ada.stream("GET", "/drive/v3/files/%s?alt=media" % made.data["id"])
        assert (stream.length, file.length) == (None, SIZE) and len(next(file)) < SIZE
        left = ada.stream("GET", "/drive/v3/files/%s?alt=media" % made.data["id"])
        left.close()
    assert list(stream) == [] and len(list(later)) == 1 and list(left) == []
    with pytest.raises(sosia.Closed):
        list(file)


def test_who_waits_for_more_sees_the_end_of_its_engine():
    for by_loop in (False, True):
        engine = sosia.Engine()
        ada = engine.create(fixture="small").as_actor("ada@small.example")
        headers, change = listener(ada)
        stream, begun = ada.stream("GET", MCP, headers=headers), threading.Event()

        def read():
            for _ in stream:
                begun.set()

        async def read_by_loop():
            async for _ in stream:
                begun.set()
        reader = threading.Thread(target=(lambda: asyncio.run(read_by_loop())) if by_loop else read, daemon=True)
        reader.start()
        change()
        assert begun.wait(500)
        engine.close()
        reader.join(60)
        assert not reader.is_alive()


# ---- WebSockets ----

ACME = {
    "sosia": 1, "time": "2026-02-15T20:00:00Z",
    "people": [{"email": "ada@acme.example", "name": "Ada Conti"}, {"email": "deploy@acme.example", "name": "Deploy", "kind": "bot"}],
    "apps": [{"client_id": "1.2", "client_secret": "hush", "name": "Deployer", "vendor": "slack", "bot": "deploy@acme.example"}],
    "workspaces": [{"id": "T0ACME", "domain": "acme", "name": "Acme", "apps": [{"client_id": "1.2", "id": "A0DEPLOY", "bot": "B0DEPLOY"}],
                    "members": [{"actor": "ada@acme.example", "id": "U0ADA"}, {"actor": "deploy@acme.example", "id": "U0DEPLOY"}]}],
    "chatApps": [{"client_id": "1.2", "settings": {"socket_mode": True, "bot_events": ["message.channels"]}}],
    "channels": [{"id": "C0DEV", "name": "dev", "creator": "U0ADA", "members": ["U0ADA", "U0DEPLOY"]}],
}
OPEN = "https://slack.com/api/apps.connections.open"


@pytest.fixture
def acme():
    with sosia.Engine() as engine, engine.create(ACME) as world:
        yield world


def connect(world):
    tokens = world.credential("slack", "deploy@acme.example")
    opened = sosia.transports.requests.session(world).post(OPEN, headers={"Authorization": "Bearer " + tokens["slack_app"]}).json()
    assert opened["ok"], opened
    return Client(opened["url"])


def post(world, text):
    answer = world.as_actor("ada@acme.example").call("POST", "/api/chat.postMessage", {"channel": "C0DEV", "text": text})
    assert answer.data["ok"], answer.text
    return answer.data


class Client:
    """A WebSocket by hand."""

    def __init__(self, url):
        at = url[len("ws://"):]
        host, _, path = at.partition("/")
        name, _, port = host.partition(":")
        self.socket = socket.create_connection((name, int(port)), timeout=500)
        self.socket.sendall(("GET /%s HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                             "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n" % (path, host)).encode())
        self.file = self.socket.makefile("rb")
        self.status = self.file.readline().split()[1].decode()
        self.head = {}
        while (line := self.file.readline().strip()):
            name, _, value = line.decode().partition(": ")
            self.head[name.lower()] = value

    def send(self, kind, data, final=True):
        mask = b"\1\2\3\4"
        size = bytes([128 | len(data)]) if len(data) < 126 else b"\xfe" + struct.pack(">H", len(data))
        self.socket.sendall(bytes([(128 if final else 0) | kind]) + size + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(data)))

    def next(self):
        kind, size = self.file.read(2)
        size = struct.unpack(">H", self.file.read(2))[0] if size == 126 else struct.unpack(">Q", self.file.read(8))[0] if size == 127 else size
        return kind & 15, self.file.read(size)

    def json(self):
        kind, data = self.next()
        assert kind == 1, (kind, data)
        return json.loads(data)

    def close(self):
        self.file.close()
        self.socket.close()


def test_socket_mode(acme):
    with acme.sockets() as sockets:
        client = connect(acme)
        assert client.status == "101" and client.head["sec-websocket-accept"] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="
        assert client.json()["type"] == "hello"
        post(acme, "one")
        got = client.json()
        assert got["type"] == "events_api" and got["payload"]["event"]["text"] == "one"
        client.send(1, json.dumps({"envelope_id": got["envelope_id"]}).encode())
        post(acme, "two")
        got = client.json()
        assert (got["payload"]["event"]["text"], got["retry_attempt"]) == ("two", 0)
        acme.advance(4)  # not acknowledged
        again = client.json()
        assert (again["payload"]["event"]["text"], again["retry_attempt"]) == ("two", 1)
        client.send(9, b"still there")
        assert client.next() == (10, b"still there")
        client.send(8, struct.pack(">H", 1000))
        assert client.next() == (8, struct.pack(">H", 1000))
        client.close()
        assert "127.0.0.1:%d" % sockets.port in sockets.url
        said = "see wss://chat.example/door"  # what people write stays as it is
        assert post(acme, said)["message"]["text"] == said
    assert "wss://" in sosia.transports.requests.session(acme).post(
        OPEN, headers={"Authorization": "Bearer " + acme.credential("slack", "deploy@acme.example")["slack_app"]}).text.replace("\\/", "/")


def test_a_frame_in_parts_is_one_message(acme):
    with acme.sockets():
        client = connect(acme)
        client.json()
        post(acme, "one")
        said = json.dumps({"envelope_id": client.json()["envelope_id"]}).encode()
        client.send(1, said[:5], final=False)
        client.send(9, b"")
        client.send(0, said[5:])
        assert client.next() == (10, b"")
        post(acme, "two")
        assert client.json()["payload"]["event"]["text"] == "two"
        client.close()


@pytest.mark.parametrize("frame, code", [
    (b"\x81\x01a", 1002),                                    # not masked
    (b"\xf1\x81\1\2\3\4a", 1002),                        # reserved bits
    (b"\x83\x81\1\2\3\4a", 1002),                        # no such opcode
    (b"\x80\x81\1\2\3\4a", 1002),                        # goes on with nothing
    (b"\x09\x80\1\2\3\4", 1002),                         # a control frame in parts
    (b"\x81\xff\x7f" + b"\xff" * 7 + b"\1\2\3\4", 1009),  # of 2^63 bytes
])
def test_malformed_frames(acme, frame, code):
    with acme.sockets():
        client = connect(acme)
        client.json()
        client.socket.sendall(frame)
        kind, data = client.next()
        assert kind == 8 and struct.unpack(">H", data[:2])[0] == code
        client.close()


def test_what_is_no_websocket(acme):
    with acme.sockets() as sockets:
        for sent in (b"\r\n\r\n", b"x" * 100_000, b"GET / HTTP/1.1\r\n"):
            with socket.create_connection(("127.0.0.1", sockets.port), timeout=500) as raw:
                raw.sendall(sent)
                raw.shutdown(socket.SHUT_WR)
                try:
                    raw.recv(100)
                except ConnectionResetError:  # it had not read all
                    pass
        refused = Client(sockets.url + "/@wss-primary.slack.com/link/?ticket=nothing")
        assert refused.status != "101"
        refused.close()
        assert connect(acme).json()["type"] == "hello"


def test_sockets_end_with_the_world_and_with_the_engine(acme):
    world = acme.fork()
    sockets = world.sockets()
    client = connect(world)
    client.json()
    world.drop()
    assert client.next()[0] == 8
    client.close()
    sockets.close()
    with sosia.Engine() as engine:
        world = engine.create(ACME)
        world.sockets()
        client = connect(world)
        client.json()
    kind, data = client.next()
    assert (kind, struct.unpack(">H", data[:2])[0]) == (8, 1001)
    client.close()


def test_a_server_has_its_own():
    with sosia.Server.start() as server, server.create(fixture="small") as world, pytest.raises(TypeError):
        world.sockets()


def test_intercepted_programs_reach_it(acme):
    with acme.sockets() as sockets, sosia.intercept(acme):
        client = connect(acme)
        assert client.json()["type"] == "hello"
        client.close()

        async def by_aiohttp():
            tokens = acme.credential("slack", "deploy@acme.example")
            async with aiohttp.ClientSession() as session:
                async with session.post(OPEN, headers={"Authorization": "Bearer " + tokens["slack_app"]}) as opened:
                    url = (await opened.json())["url"]
                async with session.ws_connect(url) as ws:
                    return (await ws.receive_json())["type"]

        assert asyncio.run(by_aiohttp()) == "hello"
        with pytest.raises(sosia.Refused):
            socket.create_connection(("127.0.0.1", 9))
        port = sockets.port
    with sosia.intercept(acme), pytest.raises(sosia.Refused):
        socket.create_connection(("127.0.0.1", port))


def test_many_connections_from_many_threads(acme):
    got, over = [], threading.Event()
    with acme.sockets():
        clients = [connect(acme) for _ in range(4)]
        for client in clients:
            client.json()

        def read(client):
            while True:
                kind, data = client.next()
                if kind == 8:
                    return
                got.append(json.loads(data)["payload"]["event"]["text"])
                if len(got) == 40:
                    over.set()
                client.send(1, json.dumps({"envelope_id": json.loads(data)["envelope_id"]}).encode())

        threads = [threading.Thread(target=read, args=(client,)) for client in clients]
        for thread in threads:
            thread.start()
        for i in range(40):
            post(acme, "m%d" % i)
        assert over.wait(500)
        assert sorted(got) == sorted("m%d" % i for i in range(40))
    for thread in threads:  # what one had not acknowledged when it ended came to another
        thread.join(60)
        assert not thread.is_alive()
