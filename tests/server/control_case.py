# SPDX-License-Identifier: Apache-2.0
"""Operations of the control interface, for tests of them."""
import datetime
import json

from harness import ServerCase, Wire

SMALL_TIME = "2026-11-23T08:00:00.000000Z"
EVE = {"sosia": 1, "people": [{"email": "eve@acme.example", "name": "Eve"}]}


def us(text):
    """A time of an answer, in microseconds since 1970."""
    t = datetime.datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ")
    return (t - datetime.datetime(1970, 1, 1)) // datetime.timedelta(microseconds=1)


class ControlCase(ServerCase):
    def setUp(self):
        """One connection a test: the server sees a client that keeps it."""
        self.open = Wire(self.port)
        self.addCleanup(self.open.socket.close)

    def send(self, method, path, body=None, key=None, prefix="/_sosia/v1"):
        if body is None:
            data = b""
        elif isinstance(body, bytes):
            data = body
        elif isinstance(body, str):
            data = body.encode()
        else:
            data = json.dumps(body).encode()
        lines = ["%s %s%s HTTP/1.1" % (method, prefix, path), "Host: localhost"]
        if key != "":
            lines.append("Authorization: Bearer " + (key or self.key))
        lines.append("Content-Length: %d" % len(data))
        return self.open.ask("\r\n".join(lines + ["", ""]).encode() + data)

    def ok(self, method, path, body=None, status=200, **more):
        a = self.send(method, path, body, **more)
        self.assertEqual(a.status, status, a.body)
        return a.json() if a.body else None

    def refused(self, status, reason, method, path, body=None, field=None, line=None, text=None, **more):
        a = self.send(method, path, body, **more)
        self.assertEqual(a.status, status, a.body)
        error = a.json()["error"]
        self.assertEqual(error["code"], status)
        self.assertEqual(error["reason"], reason, error)
        self.assertEqual(error.get("field"), field, error)
        if line is not None:
            self.assertEqual(error.get("line"), line, error)
        if text is not None:
            self.assertIn(text, error["message"])
        return error

    def make(self, **more):
        """A world of the small fixture with a frozen clock."""
        body = {"fixture": "small", "clock": "frozen"}
        body.update(more)
        return self.ok("POST", "/worlds", body, 201)

    def path(self, world, rest=""):
        return "/worlds/" + (world if isinstance(world, str) else world["world"]) + rest

    def people(self, world):
        return [p["email"] for p in self.ok("GET", self.path(world, "/dump")).get("people", [])]

    def note(self, world, token, body=b'{"text":"hello"}'):
        a = self.send("POST", "/w/%s/notes" % world["world"], body, key=token, prefix="")
        self.assertEqual(a.status, 200, a.body)

    def token(self, world, actor="ada@acme.example", **more):
        return self.ok("POST", self.path(world, "/tokens"), dict(actor=actor, **more), 201)["token"]

    def whoami(self, world, token):
        a = self.send("GET", "/w/%s/notes/whoami" % world["world"], key=token, prefix="")
        return a.json()["email"] if a.status == 200 else a.status
