# SPDX-License-Identifier: Apache-2.0
"""A thousand connections of Socket Mode: what they take of the server's memory, and that they all work."""
import json
import os
import resource
import selectors
import socket
import struct
import time
import unittest
from urllib.parse import urlsplit

from harness import PATIENCE, SOSIA, Server

APPS, EACH = 100, 10  # as many connections as the service lets an app have
WARM = 2              # more apps, whose connections come before those that are counted
SANITIZED = "asan" in SOSIA or "tsan" in SOSIA or "sanit" in SOSIA


def world():
    n = range(APPS + WARM)
    return {
        "sosia": 1, "time": "2026-02-15T20:00:00Z",
        "people": [{"email": "ada@acme.example", "name": "Ada"}]
                  + [{"handle": "bot%d" % i, "kind": "bot", "name": "Bot"} for i in n],
        "apps": [{"client_id": "1.%d" % i, "name": "App", "vendor": "slack", "bot": "bot%d" % i} for i in n],
        "workspaces": [{
            "id": "T0ACME", "domain": "acme", "name": "Acme",
            "members": [{"actor": "ada@acme.example", "id": "U0ADA"}]
                       + [{"actor": "bot%d" % i, "id": "U0BOT%d" % i} for i in n],
            "apps": [{"client_id": "1.%d" % i, "id": "A0APP%d" % i, "bot": "B0APP%d" % i} for i in n]}],
        "chatApps": [{"client_id": "1.%d" % i,
                      "settings": {"socket_mode": True, "bot_events": ["message.channels"]}} for i in n],
        "channels": [{"id": "C0DEV", "name": "dev", "creator": "U0ADA",
                      "members": ["U0ADA"] + ["U0BOT%d" % i for i in n]}],
    }


class Socket:
    """One connection of an app, whose hello has come."""

    def __init__(self, app, url):
        at = urlsplit(url)
        self.app, self.got = app, b""
        self.socket = socket.create_connection((at.hostname, at.port), timeout=PATIENCE)
        self.socket.sendall(("GET %s?%s HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                             "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
                             % (at.path, at.query, at.netloc)).encode())
        while b"\r\n\r\n" not in self.got:
            self.more()
        head, self.got = self.got.split(b"\r\n\r\n", 1)
        assert head.startswith(b"HTTP/1.1 101 "), head
        self.hello = self.frame()

    def more(self):
        data = self.socket.recv(65536)
        assert data, "the connection ended"
        self.got += data

    def take(self):
        """A frame that has come whole, or None. A ping, which who takes long is sent, is answered and is none."""
        while len(self.got) >= 2 and self.got[0] == 0x89 and len(self.got) >= 2 + self.got[1]:
            data, self.got = self.got[2:2 + self.got[1]], self.got[2 + self.got[1]:]
            self.socket.sendall(bytes([0x8A, 0x80 | len(data), 0, 0, 0, 0]) + data)
        if len(self.got) < 2 or self.got[0] == 0x89:
            return None
        n, at = self.got[1], 2
        if n == 126:
            if len(self.got) < 4:
                return None
            n, at = struct.unpack(">H", self.got[2:4])[0], 4
        assert n != 127 and self.got[0] == 0x81, self.got[:4]
        if len(self.got) < at + n:
            return None
        data, self.got = self.got[at:at + n], self.got[at + n:]
        return json.loads(data)

    def frame(self):
        while (value := self.take()) is None:
            self.more()
        return value

    def say(self, value):
        data = json.dumps(value).encode()
        assert len(data) < 126
        self.socket.sendall(bytes([0x81, 0x80 | len(data), 0, 0, 0, 0]) + data)


class Sockets(unittest.TestCase):
    def setUp(self):
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if hard != resource.RLIM_INFINITY and hard < 2048:
            self.skipTest("2,048 descriptors are needed, %d are allowed" % hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (2048, hard))
        self.server = Server("--clock", "frozen")
        self.sockets = []
        self.addCleanup(self.stop)
        made = self.server.control("POST", "/worlds", {"seed_document": world(), "clock": "frozen"})
        self.assertEqual(made.status, 201, made.body)
        self.world = made.json()["world"]

    def stop(self):
        for s in self.sockets:
            s.socket.close()
        code, out, err = self.server.stop()
        self.assertEqual((code, out, err), (0, b"", b""))

    def credentials(self, actor):
        return self.server.control("GET", "/worlds/%s/credentials?kind=slack&actor=%s" % (self.world, actor)).json()

    def slack(self, token, method, **arguments):
        answer = self.server.call(token, "POST", "/api/" + method, arguments, world=self.world).json()
        self.assertTrue(answer["ok"], answer)
        return answer

    def open(self, app, token):
        self.sockets.append(Socket(app, self.slack(token, "apps.connections.open")["url"]))
        return self.sockets[-1]

    def resident(self):
        with open("/proc/%d/statm" % self.server.process.pid, encoding="ascii") as f:
            return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def frames(self, n):
        """n frames, from whichever connection."""
        found, until = [], time.monotonic() + PATIENCE
        with selectors.DefaultSelector() as ready:
            for s in self.sockets:
                ready.register(s.socket, selectors.EVENT_READ, s)
            while len(found) < n:
                self.assertLess(time.monotonic(), until, "%d frames of %d" % (len(found), n))
                for key, _ in ready.select(1):
                    key.data.more()
                    while (value := key.data.take()) is not None:
                        found.append((key.data, value))
        return found

    def test_a_thousand_connections(self):
        known = self.credentials("ada@acme.example")
        person, apps = known["slack_user"], {a["client_id"]: a for a in known["apps"]}
        tokens = [apps["1.%d" % i]["app_token"] for i in range(APPS + WARM)]
        for i in range(APPS, APPS + WARM):
            for _ in range(EACH):
                self.open(i, tokens[i])
        before = self.resident()
        for i in range(APPS):
            for n in range(EACH):
                hello = self.open(i, tokens[i]).hello
                self.assertEqual((hello["type"], hello["num_connections"], hello["connection_info"]["app_id"]),
                                 ("hello", n + 1, "A0APP%d" % i))
        grown = (self.resident() - before) / (APPS * EACH)
        if not SANITIZED:
            self.assertLessEqual(grown, 30000, "bytes of memory for each connection")
        self.slack(person, "chat.postMessage", channel="C0DEV", text="one for each app")
        found = self.frames(APPS + WARM)
        self.assertEqual(sorted(s.app for s, _ in found), list(range(APPS + WARM)))
        for s, frame in found:
            self.assertEqual((frame["type"], frame["payload"]["api_app_id"], frame["payload"]["event"]["text"]),
                             ("events_api", "A0APP%d" % s.app, "one for each app"))
            s.say({"envelope_id": frame["envelope_id"]})
        self.slack(person, "chat.postMessage", channel="C0DEV", text="another one")
        again = self.frames(APPS + WARM)
        self.assertEqual({frame["payload"]["event"]["text"] for _, frame in again}, {"another one"})
        print("%.0f bytes for each connection" % grown)


if __name__ == "__main__":
    unittest.main()
