# SPDX-License-Identifier: Apache-2.0
"""Runs the programs of examples/loops, and speaks HTTP and WebSocket to those that serve."""
import atexit
import base64
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import unittest
from urllib.parse import urlsplit

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LOOPS = os.path.join(ROOT, "examples/loops")
SUITES = os.path.join(ROOT, "suites")
PATIENCE = 300  # seconds; nothing here depends on it unless something hangs
PACKAGE = os.path.join(ROOT, "bindings/python")  # what the programs need of it is Python alone
sys.path[:0] = [LOOPS, PACKAGE]


def environment():
    return {**{k: v for k, v in os.environ.items() if not k.startswith("SOSIA_")}, "PYTHONPATH": PACKAGE}


def run(program, *words):
    return subprocess.run([sys.executable, os.path.join(LOOPS, program), *words], env=environment(), capture_output=True, text=True,
                          timeout=PATIENCE, stdin=subprocess.DEVNULL)


class WebSocket:
    """A client; what it sends may be wrong."""

    def __init__(self, url, path="/ws", **headers):
        at = urlsplit(url)
        self.socket = socket.create_connection((at.hostname, at.port), timeout=PATIENCE)
        self.got = b""
        fields = {"Host": at.netloc, "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
                  "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode(), **headers}
        self.socket.sendall(("GET %s%s HTTP/1.1\r\n" % (at.path, path) + "".join("%s: %s\r\n" % f for f in fields.items()) + "\r\n").encode())
        self.head = self._until(b"\r\n\r\n").decode()

    def _more(self):
        data = self.socket.recv(65536)
        if not data:
            raise EOFError
        self.got += data

    def _until(self, mark):
        while mark not in self.got:
            self._more()
        head, self.got = self.got.split(mark, 1)
        return head

    def _exactly(self, n):
        while len(self.got) < n:
            self._more()
        data, self.got = self.got[:n], self.got[n:]
        return data

    def frame(self, opcode, data, final=True):
        n, mask = len(data), os.urandom(4)
        size = bytes([128 | n]) if n < 126 else b"\xfe" + n.to_bytes(2, "big") if n < 1 << 16 else b"\xff" + n.to_bytes(8, "big")
        self.socket.sendall(bytes([opcode | (128 if final else 0)]) + size + mask + bytes(b ^ mask[i & 3] for i, b in enumerate(data)))

    def send(self, value):
        self.frame(1, value.encode() if isinstance(value, str) else json.dumps(value).encode())

    def receive(self):
        """(opcode, bytes)"""
        first, n = self._exactly(2)
        if n > 125:
            n = int.from_bytes(self._exactly(2 if n == 126 else 8), "big")
        return first & 15, self._exactly(n)

    def ask(self, message):
        self.send(message)
        return json.loads(self.receive()[1])

    def close(self):
        self.socket.close()


class FrontCase(unittest.TestCase):
    """One running front for all tests of a class."""

    program, options = "", ()

    @classmethod
    def setUpClass(cls):
        from sosia import loops
        cls.server = loops.Sosia.start()
        cls.server.drop([cls.server.create(fixture="small")])  # what it is forked from stays
        cls.at_first = len(cls.server.control("GET", "/worlds?limit=1000")["worlds"])
        cls.process = subprocess.Popen([sys.executable, os.path.join(LOOPS, cls.program), "--port", "0", *cls.options],
                                       env={**environment(), "SOSIA_URL": cls.server.url, "SOSIA_CONTROL_KEY": cls.server.key},
                                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        atexit.register(cls.process.kill)  # where the class ends before its tests begin
        line = cls.process.stdout.readline()
        assert line, cls.process.communicate()[1]
        cls.info = json.loads(line)
        cls.url = cls.info.get("client_url", cls.info["url"])

    @classmethod
    def tearDownClass(cls):
        cls.process.send_signal(signal.SIGTERM)
        out, err = cls.process.communicate(timeout=PATIENCE)
        left = len(cls.server.control("GET", "/worlds?limit=1000")["worlds"])
        cls.server.close()
        assert (cls.process.returncode, out, err) == (0, b"", b""), (cls.process.returncode, out, err)
        assert left == cls.at_first, "%d worlds were left, %d were there" % (left, cls.at_first)

    def http(self, method, path, body=None, status=200, **headers):
        at = urlsplit(self.url)
        connection = http.client.HTTPConnection(at.hostname, at.port, timeout=PATIENCE)
        self.addCleanup(connection.close)
        text = body if body is None or isinstance(body, str) else json.dumps(body)
        connection.request(method, at.path + path, body=text, headers={"Content-Type": "application/json", **headers})
        answer = connection.getresponse()
        raw = answer.read()
        self.assertEqual(answer.status, status, raw)
        return json.loads(raw) if raw else None

    def websocket(self, **headers):
        ws = WebSocket(self.url, **headers)
        self.addCleanup(ws.close)
        return ws
