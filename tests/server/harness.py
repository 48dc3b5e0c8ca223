# SPDX-License-Identifier: Apache-2.0
"""Starts the test server (serve.c) and speaks to it byte by byte."""
import atexit
import json
import os
import re
import signal
import socket
import subprocess
import time
import unittest

SERVER = os.environ["SOSIA_TEST_SERVER"]
PATIENCE = 180  # seconds; nothing here depends on it unless something hangs


def start(**options):
    """The server's process and its JSON line."""
    words = []
    for name, value in options.items():
        for v in value if isinstance(value, list) else [value]:
            words.append("%s=%s" % (name, v))
    # a sanitizer that keeps freed memory would look like a leak to the test of memory
    env = dict(os.environ, ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "quarantine_size_mb=8"))
    env.setdefault("MALLOC_PERTURB_", "165")  # what is read before it is written shows
    process = subprocess.Popen([SERVER] + words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env)
    atexit.register(process.kill)  # where a class ends before its tests begin
    line = process.stdout.readline()
    return process, json.loads(line) if line else {}


class Answer:
    def __init__(self, status, fields, body):
        self.status, self.fields, self.body = status, fields, body

    def field(self, name):
        """All values of a field, joined."""
        found = [v for n, v in self.fields if n.lower() == name.lower()]
        return ", ".join(found) if found else None

    def json(self):
        return json.loads(self.body)


class Wire:
    """A connection on which the test decides every byte."""

    def __init__(self, port, host="127.0.0.1", wrap=None):
        self.socket = socket.create_connection((host, port), timeout=PATIENCE)
        if wrap:
            self.socket = wrap(self.socket)
        self.got = bytearray()

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data if isinstance(data, bytes) else data.encode())

    def half_close(self):
        self.socket.shutdown(socket.SHUT_WR)

    def more(self):
        try:
            data = self.socket.recv(65536)
        except ConnectionResetError:
            data = b""
        self.got += data
        return bool(data)

    def until(self, mark):
        while mark not in self.got:
            if not self.more():
                raise EOFError(bytes(self.got))
        at = self.got.index(mark)
        head = bytes(self.got[:at])
        del self.got[: at + len(mark)]
        return head

    def exactly(self, n):
        while len(self.got) < n:
            if not self.more():
                raise EOFError(bytes(self.got))
        data = bytes(self.got[:n])
        del self.got[:n]
        return data

    def answer(self, head=False):
        """Reads one answer; 100 Continue is passed over."""
        while True:
            lines = self.until(b"\r\n\r\n").decode("latin-1").split("\r\n")
            status = int(re.fullmatch(r"HTTP/1\.1 (\d{3}) [^\r\n]*", lines[0]).group(1))
            if status != 100:
                break
        fields = [tuple(x.strip() for x in line.split(":", 1)) for line in lines[1:]]
        a = Answer(status, fields, b"")
        length = a.field("Content-Length")
        if not head and length is not None and status not in (204, 304):
            a.body = self.exactly(int(length))
        return a

    def is_closed(self):
        """Reads on to the end; gives whether nothing more came."""
        rest = len(self.got)
        while self.more():
            rest += 1
        return rest == 0

    def ask(self, request, head=False):
        self.send(request)
        return self.answer(head)


class ServerCase(unittest.TestCase):
    """One server for all tests of a class, with the class's options."""

    options = {}

    @classmethod
    def setUpClass(cls):
        cls.process, cls.info = start(**cls.options)
        assert "port" in cls.info, cls.info
        cls.port, cls.key = cls.info["port"], cls.info["key"]

    @classmethod
    def tearDownClass(cls):
        code, err = stop(cls.process)
        assert code == 0, (code, err)

    def wire(self):
        w = Wire(self.port)
        self.addCleanup(w.socket.close)
        return w

    def ask(self, request, head=False):
        with Wire(self.port) as w:
            return w.ask(request, head)

    def get(self, target, *fields, method="GET", body=b""):
        lines = ["%s %s HTTP/1.1" % (method, target)]
        if not any(f.lower().startswith("host:") for f in fields):
            lines.append("Host: localhost")
        lines += fields
        if body:
            lines.append("Content-Length: %d" % len(body))
        return self.ask("\r\n".join(lines + ["", ""]).encode("latin-1") + body, method == "HEAD")

    def control(self, path, *fields, **more):
        return self.get("/_sosia/v1/" + path, "Authorization: Bearer " + self.key, *fields, **more)

    def metric(self, name):
        return self.control("metrics").json()[name]

    def eventually(self, condition):
        until, pause = time.monotonic() + PATIENCE, 0.005
        while not condition():
            self.assertLess(time.monotonic(), until)
            time.sleep(pause)
            pause = min(2 * pause, 0.1)

    def assert_alive(self):
        self.assertEqual(self.get("/echo").status, 200)


def cpu(process):
    """Seconds of processor time that a server has used."""
    with open("/proc/%d/stat" % process.pid) as f:
        fields = f.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident(process):
    """Bytes of memory that a server has."""
    with open("/proc/%d/statm" % process.pid) as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def has_own_allocator(process):
    """Sanitizers have one, which keeps memory."""
    with open("/proc/%d/maps" % process.pid, "rb") as f:
        maps = f.read()
    return b"libasan" in maps or b"libtsan" in maps


def stop(process, number=signal.SIGTERM):
    """Ends a server (number None: it is ending already); gives its exit status and what it wrote to stderr."""
    if number is not None and process.poll() is None:
        process.send_signal(number)
    try:
        _, err = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        _, err = process.communicate()
        raise AssertionError("the server did not stop: %r" % err)
    return process.returncode, err
