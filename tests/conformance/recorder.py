# SPDX-License-Identifier: Apache-2.0
"""A service that a test writes line by line, and `sosia conformance record` before it."""
import http.client
import json
import os
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
from urllib.parse import urlsplit

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cli"))
import harness  # noqa: E402

SOSIA, PATIENCE = harness.SOSIA, harness.PATIENCE


class Request:
    """What the target got."""

    def __init__(self, line, fields, body):
        self.method, self.target, self.version = line.split(" ")
        self.fields, self.body = fields, body

    def field(self, name):
        found = [v for n, v in self.fields if n.lower() == name.lower()]
        return found[0] if found else None


class Wire:
    """A connection to the target, from its side."""

    def __init__(self, sock):
        self.sock, self.file = sock, sock.makefile("rb")

    def head(self):
        line = self.file.readline().decode("latin-1").rstrip("\r\n")
        if not line:
            raise EOFError
        fields = []
        while True:
            text = self.file.readline().decode("latin-1").rstrip("\r\n")
            if not text:
                return line, fields
            fields.append(tuple(part.strip() for part in text.split(":", 1)))

    def chunk(self):
        size = int(self.file.readline(), 16)
        data = self.file.read(size)
        self.file.readline()
        return data

    def request(self):
        line, fields = self.head()
        names = {n.lower(): v for n, v in fields}
        body = b""
        if names.get("transfer-encoding") == "chunked":
            body = b"".join(iter(self.chunk, b""))
        elif "content-length" in names:
            body = self.file.read(int(names["content-length"]))
        return Request(line, fields, body)

    def send(self, data):
        self.sock.sendall(data if isinstance(data, bytes) else data.encode("latin-1"))

    def answer(self, status="200 OK", *fields, body=b""):
        lines = ["HTTP/1.1 " + status, *fields]
        if not status.startswith(("204", "304")):
            lines.append("Content-Length: %d" % len(body))
        self.send("\r\n".join(lines + ["", ""]).encode("latin-1") + body)

    def close(self):
        try:
            self.sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.sock.close()


class Target:
    """Calls serve(wire) for each connection, in a thread of its own."""

    def __init__(self, serve, context=None):
        self.serve, self.failure, self.wires = serve, None, []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.context = context
        self.port = self.listener.getsockname()[1]
        self.url = "%s://127.0.0.1:%d" % ("https" if context else "http", self.port)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                sock, _ = self.listener.accept()
                sock.settimeout(PATIENCE)
            except OSError:
                return
            threading.Thread(target=self.run, args=(sock,), daemon=True).start()

    def run(self, sock):
        try:
            wire = Wire(self.context.wrap_socket(sock, server_side=True) if self.context else sock)
            self.wires.append(wire)
            self.serve(wire)
        except (EOFError, ConnectionError, ssl.SSLError, ValueError):
            pass
        except Exception as e:  # noqa: BLE001: the test reports it
            self.failure = e
        finally:
            sock.close()

    def close(self):
        try:
            self.listener.shutdown(socket.SHUT_RDWR)  # or the thread that waits takes one more
        except OSError:
            pass
        self.listener.close()
        for wire in self.wires:
            wire.close()


def each(answer):
    """A target that answers one request after the other: answer(wire, request)."""
    def serve(wire):
        while True:
            answer(wire, wire.request())
    return serve


class Answer:
    def __init__(self, response, body):
        self.status, self.fields, self.body = response.status, response.getheaders(), body

    def field(self, name):
        found = [v for n, v in self.fields if n.lower() == name.lower()]
        return found[0] if found else None

    def json(self):
        return json.loads(self.body)


class Recorder:
    """A running `sosia conformance record`."""

    def __init__(self, target, out, *options, fails=False):
        clean = {k: v for k, v in os.environ.items() if not k.startswith("SOSIA_")}
        self.out = out
        self.process = subprocess.Popen(
            [SOSIA, "conformance", "record", "--target", target, "--out", out, "--listen", "127.0.0.1:0", "--json",
             *options], env=clean, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        line = self.process.stdout.readline()
        if not line:
            self.refusal = self.process.communicate(timeout=PATIENCE)[1].decode()
            if not fails:
                raise AssertionError(self.refusal)
            return
        self.url = json.loads(line)["url"]
        self.host = urlsplit(self.url).netloc
        self.port = urlsplit(self.url).port
        self.connection = None

    def open(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)

    def ask(self, method, target, body=None, headers=()):
        if self.connection is None:
            self.connection = self.open()
        try:
            self.connection.request(method, target, body=body, headers=dict(headers))
            response = self.connection.getresponse()
            return Answer(response, response.read())
        except (http.client.HTTPException, OSError):
            self.connection.close()
            self.connection = None
            raise

    def raw(self, data):
        """Sends bytes on a connection of their own; gives the status line of the answer."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE) as s:
            s.sendall(data)
            return s.makefile("rb").readline().decode("latin-1").strip()

    def stop(self, number=signal.SIGINT):
        """Gives the exit status and standard error."""
        if getattr(self, "connection", None):
            self.connection.close()
        if self.process.poll() is None:
            self.process.send_signal(number)
        try:
            _, err = self.process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise AssertionError("it did not stop: %r" % (self.process.communicate(),))
        return self.process.returncode, err.decode()

    def kill(self):
        """What a test that failed left."""
        if getattr(self, "connection", None):
            self.connection.close()
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()

    def journal(self):
        with open(os.path.join(self.out, "journal.jsonl"), encoding="utf-8") as f:
            return [json.loads(line) for line in f if line.endswith("\n")][1:]


def cassette(out):
    with open(os.path.join(out, os.path.basename(out) + ".json"), encoding="utf-8") as f:
        return json.load(f)


def command(*words):
    return harness.command("conformance", *words)


class Place:
    """A directory for a test."""

    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.place = place.name
        self.out = os.path.join(place.name, "tape")

    def target(self, serve, context=None):
        t = Target(serve, context)
        self.addCleanup(t.close)
        self.addCleanup(lambda: self.assertIsNone(t.failure))
        return t

    def recorder(self, target, *options):
        r = Recorder(target if isinstance(target, str) else target.url, self.out, *options)
        self.addCleanup(r.kill)
        return r

    def stopped(self, recorder):
        """Ends it; gives what it said."""
        code, err = recorder.stop()
        self.assertEqual(code, 0, err)
        return err
