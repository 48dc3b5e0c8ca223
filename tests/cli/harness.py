# SPDX-License-Identifier: Apache-2.0
"""Starts the real `sosia serve` on a free port and speaks to it: over HTTP, and through the command."""
import atexit
import http.client
import json
import os
import signal
import subprocess
import time
import unittest
from urllib.parse import quote, urlsplit

SOSIA = os.environ["SOSIA"]
FULL = "SOSIA_FULL" in os.environ  # goes over all cases, as `script/test --all` does
PATIENCE = 500  # seconds; nothing here depends on it unless something hangs
IDLE = 20  # seconds; a connection that was not used for longer is not used again, since the server closes it some time


class Answer:
    def __init__(self, response):
        self.status = response.status
        self.headers = response.headers
        self.body = response.read()

    def json(self):
        return json.loads(self.body)


class Server:
    """A running server; its one line of JSON is in .info."""

    def __init__(self, *options, env=None, preexec_fn=None):
        clean = {k: v for k, v in os.environ.items() if not k.startswith("SOSIA_")}
        self.process = subprocess.Popen(
            [SOSIA, "serve", "--port", "0", "--json", *options], env={**clean, **(env or {})},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=preexec_fn)
        atexit.register(self.process.kill)  # where a class ends before its tests begin
        self.line = self.process.stdout.readline()
        if not self.line:
            raise AssertionError("the server did not start: %r" % self.process.communicate()[1])
        self.info = json.loads(self.line)
        self.url, self.key, self.world = self.info["url"], self.info["control_key"], self.info["world"]
        self.connection, self.used = None, 0

    def ask(self, method, target, body=None, headers=()):
        """One request on the kept connection."""
        if self.connection and time.monotonic() - self.used > IDLE:
            self.connection.close()
            self.connection = None
        self.used = time.monotonic()
        if self.connection is None:
            at = urlsplit(self.url)
            self.connection = http.client.HTTPConnection(at.hostname, at.port, timeout=PATIENCE)
        try:
            self.connection.request(method, target, body=body, headers=dict(headers))
            return Answer(self.connection.getresponse())
        except (http.client.HTTPException, OSError):
            self.connection.close()
            self.connection = None
            raise

    def control(self, method, path, body=None, key=None):
        if body is not None and not isinstance(body, (bytes, str)):
            body = json.dumps(body)
        return self.ask(method, "/_sosia/v1" + path, body.encode() if isinstance(body, str) else body,
                        {"Authorization": "Bearer " + (key or self.key), "Content-Type": "application/json"})

    def call(self, token, method, target, body=None, world=None, headers=()):
        """A call of a person in a world to a vendor's API."""
        fields = {"Authorization": "Bearer " + token, **dict(headers)}
        if body is not None:
            fields["Content-Type"] = "application/json"
            body = json.dumps(body).encode()
        return self.ask(method, ("/w/" + quote(world) if world else "") + target, body, fields)

    def command(self, *words, stdin=None, env=None):
        """`sosia WORDS` against this server."""
        return command(*words, stdin=stdin, env={"SOSIA_URL": self.url, "SOSIA_CONTROL_KEY": self.key,
                                                 "SOSIA_WORLD": self.world, **(env or {})})

    def stop(self, number=signal.SIGTERM):
        """Gives the exit status, what else was on standard output, and standard error."""
        if self.connection:
            self.connection.close()
        if self.process.poll() is None:
            self.process.send_signal(number)
        try:
            out, err = self.process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise AssertionError("the server did not stop: %r" % (self.process.communicate(),))
        return self.process.returncode, out, err


def has_sanitizer():
    """Whether the command is built with the address sanitizer, which keeps what is freed for a while."""
    with open(SOSIA, "rb") as f:
        return b"__asan_init" in f.read()


def command(*words, stdin=None, env=None):
    clean = {k: v for k, v in os.environ.items() if not k.startswith("SOSIA_")}
    return subprocess.run([SOSIA, *words], input=stdin, capture_output=True, text=True, timeout=PATIENCE,
                          env={**clean, **(env or {})}, stdin=None if stdin is not None else subprocess.DEVNULL)


class ServerCase(unittest.TestCase):
    """One server for all tests of a class."""

    options = ("--fixture", "small", "--clock", "frozen")

    @classmethod
    def setUpClass(cls):
        cls.server = Server(*cls.options)

    @classmethod
    def tearDownClass(cls):
        code, out, err = cls.server.stop()
        assert (code, out, err) == (0, b"", b""), (code, out, err)

    def control(self, method, path, body=None, status=200):
        answer = self.server.control(method, path, body)
        self.assertEqual(answer.status, status, answer.body)
        return answer.json() if answer.body else None

    def refused(self, method, path, body=None, status=400):
        """The error of a refusal."""
        return self.control(method, path, body, status)["error"]

    def fork(self, of=None, **body):
        return self.control("POST", "/worlds/%s/fork" % (of or self.server.world), body, 201)["world"]

    def create(self, **body):
        return self.control("POST", "/worlds", body, 201)["world"]

    def token(self, world, actor, **more):
        return self.control("POST", "/worlds/%s/tokens" % world, {"actor": actor, **more}, 201)["token"]
