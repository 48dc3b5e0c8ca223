# SPDX-License-Identifier: Apache-2.0
"""What the Python client programs share: a server to talk to, steps that are counted, and the control interface.

A program runs against the server at SOSIA_URL with SOSIA_CONTROL_KEY, or starts one of its own from the `sosia` at SOSIA_BIN.
Its last line is "N passed, M failed".
"""
import atexit
import http.server
import json
import os
import queue
import subprocess
import sys
import threading
import traceback
import urllib.error
import urllib.request

PATIENCE = 180  # seconds; nothing depends on it unless something hangs

url = os.environ.get("SOSIA_URL")
key = os.environ.get("SOSIA_CONTROL_KEY")
_child = None
_passed = _failed = 0


def start(*options):
    """Starts a server if none is given. options: more arguments of `sosia serve`."""
    global url, key, _child
    if url:
        return
    command = [os.environ.get("SOSIA_BIN", "sosia"), "serve", "--port", "0", "--json", *options]
    _child = subprocess.Popen(command, stdout=subprocess.PIPE)
    atexit.register(_stop)
    ready = json.loads(_child.stdout.readline())
    url, key = ready["url"], ready["control_key"]


def _stop():
    _child.terminate()
    _child.wait(PATIENCE)


def control(method, path, body=None):
    """A request to the control interface; gives the parsed answer."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url + "/_sosia/v1" + path, data, method=method,
                                     headers={"Authorization": "Bearer " + key, "Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            text = answer.read()
    except urllib.error.HTTPError as e:
        raise RuntimeError("%s %s: %d %s" % (method, path, e.code, e.read().decode())) from e
    return json.loads(text) if text else None


class World:
    """A world of its own from a seed document, and a token for each person in it."""

    def __init__(self, document, **options):
        made = control("POST", "/worlds", {"seed_document": document, "clock": "frozen", **options})
        self.key = made["world"]
        self.url = "%s/w/%s" % (url, self.key)
        self.tokens = {p["email"]: self._post("/tokens", actor=p["email"])["token"] for p in document.get("people", [])}

    def _post(self, path, **body):
        return control("POST", "/worlds/%s%s" % (self.key, path), body)

    def advance(self, seconds):
        self._post("/clock/advance", seconds=seconds)

    def credential(self, kind, actor):
        return control("GET", "/worlds/%s/credentials?kind=%s&actor=%s" % (self.key, kind, actor))


class Receiver:
    """Takes webhooks on this machine; next() gives the headers of one."""

    def __init__(self):
        messages = self._messages = queue.Queue()

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                messages.put(dict(self.headers))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *unused):
                pass

        self._server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.url = "http://127.0.0.1:%d/hook" % self._server.server_port

    def next(self):
        return self._messages.get(timeout=PATIENCE)


def step(check):
    """Runs one thing that must hold; its name says what. Used as a decorator."""
    global _passed, _failed
    name = check.__name__.replace("_", " ")
    try:
        check()
        _passed += 1
        print("ok     " + name)
    except Exception:  # every failure of a step counts, whatever it is
        _failed += 1
        print("FAILED %s\n%s" % (name, traceback.format_exc()))
    return check


def finish():
    print("%d passed, %d failed" % (_passed, _failed))
    sys.exit(1 if _failed or not _passed else 0)
