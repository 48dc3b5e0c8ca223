# SPDX-License-Identifier: Apache-2.0
"""Sandboxes by E2B's protocol, as its SDK asks for them, over HTTP: credentials, refusals, limits, a restart."""
import base64
import hashlib
import http.client
import json
import re
import tempfile
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from urllib.parse import quote, urlsplit

import harness

KEY, OTHER = "key-of-the-usual-tenant", "key-of-another-tenant"
UUID = "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"


def signature(token, path, operation, until=None):
    text = ":".join([path, operation, "", token] + ([str(until)] if until is not None else []))
    return "v1_" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode().rstrip("=")


class Case(unittest.TestCase):
    options = ("--fixture", "small", "--api-key", KEY, "--tenant", "other=%s,sandboxes=3,bytes=300000" % OTHER)

    @classmethod
    def setUpClass(cls):
        cls.server = harness.Server(*cls.options)

    @classmethod
    def tearDownClass(cls):
        code, out, err = cls.server.stop()
        assert (code, out, err) == (0, b"", b""), (code, out, err)

    def ask(self, method, target, body=None, status=200, key=KEY):
        fields = {"X-API-Key": key} if key else {}
        if body is not None:
            fields["Content-Type"] = "application/json"
            body = body if isinstance(body, bytes) else json.dumps(body).encode()
        answer = self.server.ask(method, target, body, fields)
        self.assertEqual(answer.status, status, answer.body)
        return answer.json() if answer.body else None

    def create(self, body=None, **more):
        return self.ask("POST", "/v2/sandboxes", {"templateID": "base", "timeout": 60, **(body or {})}, more.pop("status", 201), **more)

    def inside(self, sandbox, method, target, body=None, status=200, fields=None, **more):
        head = {"E2b-Sandbox-Id": sandbox["sandboxID"], "E2b-Sandbox-Port": "49983", "X-Access-Token": sandbox["envdAccessToken"], **(fields or {})}
        head = {k: v for k, v in head.items() if v is not None}
        answer = self.server.ask(method, target, body, head)
        if status is not None:
            self.assertEqual(answer.status, status, answer.body)
        return answer

    def rpc(self, sandbox, name, message, status=200, **more):
        answer = self.inside(sandbox, "POST", "/filesystem.Filesystem/" + name, json.dumps(message).encode(), status,
                             {"Content-Type": "application/json", "Connect-Protocol-Version": "1", **more})
        self.assertEqual(answer.headers["Content-Type"], "application/json")
        return answer.json()

    def write(self, sandbox, path, data, status=200):
        return self.inside(sandbox, "POST", "/files?path=" + quote(path), data, status, {"Content-Type": "application/octet-stream"}).json()

    def read(self, sandbox, path, status=200):
        return self.inside(sandbox, "GET", "/files?path=" + quote(path), None, status).body


class Sandboxes(Case):
    def test_what_is_asked_for_wrongly(self):
        for body, said in (({"templateID": None}, "templateID"), ({"timeout": -1}, "timeout"), ({"timeout": 86401}, "timeout"),
                           ({"metadata": {"a": 1}}, "texts"), ({"metadata": 7}, "metadata"), ({"autoPause": "maybe"}, "autoPause")):
            got = self.create(body, status=400)
            self.assertEqual(got["code"], 400)
            self.assertIn(said, got["message"])
        self.assertEqual(self.ask("POST", "/v2/sandboxes", b"{", 400)["code"], 400)
        for template in ("nothing", "../../etc/passwd", "/etc/passwd", "small.yaml", "x" * 128):
            self.assertEqual(self.create({"templateID": template}, status=404), {"code": 404, "message": "template '%s' not found" % template[:80]})
        self.assertIn("metadata.actor", self.create({"templateID": "small", "metadata": {"actor": "nobody@small.example"}}, status=400)["message"])
        for method, path in (("GET", "/sandboxes/x"), ("DELETE", "/sandboxes/x"), ("POST", "/sandboxes/x/pause"), ("POST", "/v2/sandboxes/x/connect"),
                             ("POST", "/sandboxes/x/fork"), ("POST", "/sandboxes/x/snapshots"), ("GET", "/sandboxes/x/metrics")):
            self.assertEqual(self.ask(method, path, status=404), {"code": 404, "message": "Sandbox \"x\" doesn't exist or you don't have access to it"})
        self.assertEqual(self.ask("PUT", "/sandboxes/x/network", {}, 404)["code"], 404)
        self.assertEqual(self.ask("GET", "/templates/x", status=405)["code"], 405)
        sandbox = self.create()
        for count in (0, 101, "many"):
            self.ask("POST", "/sandboxes/%s/fork" % sandbox["sandboxID"], {"count": count}, 400)
        # Nor is one of another kind one of E2B's, or the other way round.
        hosted = self.server.ask("POST", "/sandbox/gmail", None, {"Authorization": "Bearer " + KEY}).json()["sandbox_id"]
        self.ask("GET", "/sandboxes/" + hosted, status=404)
        for path in ("/sandbox/gmail/", "/local-sandbox/"):
            self.assertEqual(self.server.ask("GET", path + sandbox["sandboxID"], None, {"Authorization": "Bearer " + KEY}).status, 404)

    def test_a_snapshot_is_no_sandbox(self):
        sandbox = self.create()
        made = self.ask("POST", "/sandboxes/%s/snapshots" % sandbox["sandboxID"], {}, 201)
        self.ask("GET", "/sandboxes/" + made["snapshotID"], status=404)
        self.assertNotIn(made["snapshotID"], [s["sandboxID"] for s in self.ask("GET", "/v2/sandboxes")])
        self.create({"templateID": made["snapshotID"]}, key=OTHER, status=404)  # another key's
        self.ask("DELETE", "/templates/" + made["snapshotID"], status=404, key=OTHER)
        self.ask("DELETE", "/templates/" + made["snapshotID"], status=204)

    def test_limits_are_the_tenants(self):
        ids = [self.create(key=OTHER)["sandboxID"] for _ in range(2)]
        self.ask("POST", "/sandboxes/%s/snapshots" % ids[0], {}, 201, key=OTHER)
        self.assertEqual(self.create(key=OTHER, status=429)["code"], 429)
        forks = self.ask("POST", "/sandboxes/%s/fork" % ids[0], {"count": 2}, 201, key=OTHER)
        self.assertEqual([f["error"]["code"] for f in forks], [429, 429])
        # Bytes: what is beyond them is refused, what takes some away is not.
        sandbox = self.ask("POST", "/v2/sandboxes/%s/connect" % ids[1], {"timeout": 60}, key=OTHER)
        for i in range(6):
            answer = self.server.ask("POST", "/files?path=f%d" % i, b"x%d" % i * 40000,
                                     {"E2b-Sandbox-Id": ids[1], "X-Access-Token": sandbox["envdAccessToken"], "Content-Type": "application/octet-stream"})
            if answer.status == 507:
                break
            time.sleep(1.1)
        self.assertEqual((answer.status, answer.json()["code"]), (507, 507))
        self.rpc(sandbox, "Remove", {"path": "."})
        for path in ids:
            self.ask("DELETE", "/sandboxes/" + path, status=204, key=OTHER)


class Inside(Case):
    def test_paths_lead_nowhere_else(self):
        sandbox = self.create()
        self.write(sandbox, "a/b.txt", b"one")
        for path in ("/home/user/a/b.txt", "/data/a/b.txt", "~/a/b.txt", "./a/../a/b.txt", "../user/a/b.txt"):
            self.assertEqual(self.read(sandbox, path), b"one")
        for path in ("/etc/passwd", "/home/user/../../etc/passwd", "../../../etc/passwd", "/proc/self/environ", "a/b.txt/c", "/home/username/a"):
            status = 400 if "b.txt" in path else 404
            self.assertEqual(json.loads(self.read(sandbox, path, status))["code"], status)
        for path in ("/etc/x", "/home/user2/x", "/tmp/x"):
            got = self.write(sandbox, path, b"y", 403)
            self.assertEqual(got["code"], 403)
            self.assertEqual(self.rpc(sandbox, "MakeDir", {"path": path}, 403)["code"], "permission_denied")
            self.assertEqual(self.rpc(sandbox, "Move", {"source": "a", "destination": path + "/y"}, 403)["code"], "permission_denied")
            self.assertEqual(self.rpc(sandbox, "Stat", {"path": path}, 404)["code"], "not_found")
        self.assertIn("user-specific", self.rpc(sandbox, "Stat", {"path": "~root/x"}, 400)["message"])
        # A link that leads out is no way out.
        world = self.world_of(sandbox)
        done = self.server.control("POST", "/worlds/%s/seed" % world, {"sosia": 1, "workspace": [
            {"path": "out", "link": "/etc"}, {"path": "in", "link": "a/b.txt"}, {"path": "round", "link": "round"}]})
        self.assertEqual(done.status, 200, done.body)
        self.read(sandbox, "out/passwd", 404)
        self.write(sandbox, "out/x", b"y", 400)
        self.write(sandbox, "round", b"y", 400)
        self.write(sandbox, "in", b"two")
        self.assertEqual(self.read(sandbox, "a/b.txt"), b"two")
        entries = {e["name"]: e for e in self.rpc(sandbox, "ListDir", {"path": ""})["entries"]}
        self.assertEqual((entries["in"]["type"], entries["in"]["symlinkTarget"], entries["in"]["permissions"]),
                         ("FILE_TYPE_FILE", "/home/user/a/b.txt", "Lrwxrwxrwx"))
        self.assertEqual(("type" in entries["out"], entries["out"]["symlinkTarget"]), (False, "/home/user/out"))
        self.rpc(sandbox, "Remove", {"path": "in"})  # the link alone
        self.assertEqual(self.read(sandbox, "a/b.txt"), b"two")

    def world_of(self, sandbox):
        return sandbox["authData"]["base_url"].split("/w/")[1]

    def test_messages_and_refusals(self):
        sandbox = self.create()
        self.assertEqual(self.rpc(sandbox, "MakeDir", {"path": "d", "unknown": 1})["entry"]["type"], "FILE_TYPE_DIRECTORY")
        self.assertEqual(self.rpc(sandbox, "MakeDir", {"path": "d"}, 409), {"code": "already_exists", "message": "directory already exists: /home/user/d"})
        self.write(sandbox, "d/f", b"")
        self.assertNotIn("size", self.rpc(sandbox, "Stat", {"path": "d/f"})["entry"])
        self.assertEqual(self.rpc(sandbox, "MakeDir", {"path": "d/f"}, 400)["code"], "invalid_argument")
        self.assertEqual(self.rpc(sandbox, "ListDir", {"path": "d/f"}, 400), {"code": "invalid_argument", "message": "path is not a directory: /home/user/d/f"})
        self.assertEqual(self.rpc(sandbox, "Move", {"source": "none", "destination": "e"}, 404)["code"], "not_found")
        self.assertEqual(self.rpc(sandbox, "Move", {"source": "d", "destination": "d/g"}, 400)["code"], "invalid_argument")
        for bad in ({"path": 7}, {"path": ["d"]}, [], "d", {"path": "a\0b"}):
            self.assertEqual(self.rpc(sandbox, "Stat", bad, 400)["code"], "invalid_argument")
        self.assertEqual(self.inside(sandbox, "POST", "/filesystem.Filesystem/Stat", b"{", 400, {"Content-Type": "application/json"}).json()["code"], "invalid_argument")
        self.assertEqual(self.inside(sandbox, "POST", "/filesystem.Filesystem/Nothing", b"{}", 404, {"Content-Type": "application/json"}).json()["code"], "not_found")
        got = self.inside(sandbox, "POST", "/files?path=x", b"y", 400, {"Content-Type": "text/plain"}).json()
        self.assertEqual(got["code"], 400)
        form = b"\r\n".join([b"--b", b'Content-Disposition: form-data; name="file"; filename="one"', b"", b"1", b"--b",
                             b'Content-Disposition: form-data; name="file"; filename="./one"', b"", b"2", b"--b--", b""])
        self.inside(sandbox, "POST", "/files", form, 400, {"Content-Type": "multipart/form-data; boundary=b"})
        self.read(sandbox, "one", 404)  # all of it or nothing
        self.inside(sandbox, "POST", "/files", form[:60], 400, {"Content-Type": "multipart/form-data; boundary=b"})

    def test_what_is_done_inside_is_in_the_journal(self):
        sandbox = self.create()
        self.write(sandbox, "a.txt", b"one")
        world = self.world_of(sandbox)
        text = self.server.control("GET", "/worlds/%s/journal?bodies=true" % world).body.decode()
        self.assertIn("e2b.files.write", text)
        for secret in (sandbox["envdAccessToken"], sandbox["sandboxID"], KEY):
            self.assertNotIn(secret, text)


def frame(message, flags=0):
    data = message if isinstance(message, bytes) else json.dumps(message).encode()
    return bytes([flags]) + len(data).to_bytes(4, "big") + data


def frames(data):
    while data:
        n = int.from_bytes(data[1:5], "big")
        yield data[0], json.loads(data[5:5 + n])
        data = data[5 + n:]


class Programs(Case):
    def setUp(self):
        sandbox = self.create()
        failed = self.start(sandbox, "true")[-1][1].get("error", {})
        self.ask("DELETE", "/sandboxes/" + sandbox["sandboxID"], status=204)
        if failed.get("code") == "internal":
            self.skipTest("this machine does not keep programs in: %s" % failed["message"])

    def stream(self, sandbox, name, body, **fields):
        answer = self.inside(sandbox, "POST", "/process.Process/" + name, body, 200, {"Content-Type": "application/connect+json", **fields})
        self.assertEqual(answer.headers["Content-Type"], "application/connect+json")
        return list(frames(answer.body))

    def start(self, sandbox, command, **fields):
        return self.stream(sandbox, "Start", frame({"process": {"cmd": "/bin/bash", "args": ["-l", "-c", command]}}), **fields)

    def world(self, sandbox, name, message, query="", kind="application/connect+json"):
        """As the server asks the world: each call has its own time to wait."""
        at = sandbox["authData"]["base_url"]
        answer = self.server.ask("POST", at[at.index("/w/"):] + "/e2b/process.Process/" + name + query, frame(message) if "connect" in kind else json.dumps(message).encode(),
                                 {"Authorization": "Bearer " + sandbox["authData"]["access_token"], "Content-Type": kind})
        if kind == "application/json":
            return answer.status, answer.json()
        self.assertEqual(answer.status, 200, answer.body)
        return list(frames(answer.body))

    def begin(self, sandbox, *argv, **more):
        """The number of a process that nobody reads."""
        return self.world(sandbox, "Start", {"process": {"cmd": argv[0], "args": argv[1:], **more}}, "?waitMs=0")[0][1]["event"]["start"]["pid"]

    def test_a_program_is_a_stream_of_events(self):
        sandbox = self.create({"envVars": {"A": "b c"}})
        got = self.start(sandbox, "echo $A; echo said >&2; exit 3")
        self.assertGreater(got.pop(0)[1]["event"]["start"]["pid"], 1)
        self.assertEqual(got, [
            (0, {"event": {"data": {"stdout": base64.b64encode(b"b c\n").decode()}}}),
            (0, {"event": {"data": {"stderr": base64.b64encode(b"said\n").decode()}}}),
            (0, {"event": {"end": {"exitCode": 3, "exited": True, "status": "exit status 3", "error": "exit status 3"}}}), (2, {})])
        self.assertEqual(self.start(sandbox, "exit 0")[1:], [(0, {"event": {"end": {"exited": True, "status": "exit status 0"}}}), (2, {})])
        late = self.start(sandbox, "echo one; sleep 20", **{"Connect-Timeout-Ms": "3000"})
        self.assertEqual(late[-1], (2, {"error": {"code": "deadline_exceeded", "message": "context deadline exceeded"}}))
        self.assertEqual(late[1], (0, {"event": {"data": {"stdout": "b25lCg=="}}}))

    def test_frames_that_are_none(self):
        sandbox = self.create()
        good = frame({"process": {"cmd": "true"}})
        bad = (b"", b"\0", good[:-1], good + b"\0", good + good, frame({"process": {"cmd": "true"}}, 1), b"\0\xff\xff\xff\xff" + good[5:], frame(b"[]"), frame(b"{"),
               frame({}), frame({"process": 7}), frame({"process": {"cmd": ""}}), frame({"process": {"cmd": "a\0b"}}), frame({"process": {"cmd": "true", "args": [1]}}),
               frame({"process": {"cmd": "true", "envs": {"A=": "b"}}}), frame({"process": {"cmd": "true", "envs": {"A": 7}}}),
               frame({"process": {"cmd": "true", "cwd": "none"}}), frame({"process": {"cmd": "true", "cwd": 7}}), frame({"process": {"cmd": "x" * 200000}}))
        for body in bad:
            got = self.stream(sandbox, "Start", body)
            self.assertEqual([f for f, _ in got], [2], body[:40])
            self.assertIn(got[0][1]["error"]["code"], ("invalid_argument", "resource_exhausted"), body[:40])
        shown = self.stream(sandbox, "Start", frame({"process": {"cmd": "stty", "args": ["size"]}, "pty": {"size": {"cols": 7, "rows": 99999999}}}))
        self.assertEqual(shown[1], (0, {"event": {"data": {"pty": base64.b64encode(b"24 7\r\n").decode()}}}))
        self.assertEqual(self.stream(sandbox, "Connect", frame({"process": {"pid": 7}})),
                         [(2, {"error": {"code": "not_found", "message": "process with pid 7 not found"}})])
        for name in ("SendInput", "SendSignal", "CloseStdin", "Update"):
            got = self.inside(sandbox, "POST", "/process.Process/" + name, b'{"process":{"tag":"x"}}', 404, {"Content-Type": "application/json"}).json()
            self.assertEqual(got, {"code": "not_found", "message": "process with tag x not found"})
        self.create({"envVars": {"A": "x" * 8000}}, status=400)

    def test_a_replay_makes_the_same_files_again(self):
        sandbox = self.create()
        self.write(sandbox, "a", b"one")
        self.rpc(sandbox, "MakeDir", {"path": "d"})
        self.rpc(sandbox, "Move", {"source": "a", "destination": "d/a"})
        self.start(sandbox, "echo $RANDOM >b; date +%N >c; rm d/a")
        world = sandbox["authData"]["base_url"].split("/w/")[1]
        done = self.server.command("replay", world)
        self.assertRegex(done.stdout, "ran [4-9], taken 0, left_out 0, different 0; equal\n")

    def test_a_process_that_nobody_reads_is_stopped_and_goes_on(self):
        sandbox = self.create()
        rpc = lambda name, message, status=200: self.inside(sandbox, "POST", "/process.Process/" + name, json.dumps(message).encode(), status,
                                                            {"Content-Type": "application/json"}).json()
        self.assertEqual(rpc("List", {}), {})
        # A stream whose reader goes.
        at = urlsplit(self.server.info["url"])
        with closing(http.client.HTTPConnection(at.hostname, at.port, timeout=harness.PATIENCE)) as connection:
            body = frame({"process": {"cmd": "/bin/sh", "args": ["-c", "echo begun; read line; echo \"$line\" >note; sleep 100"]}, "stdin": True})
            connection.request("POST", "/process.Process/Start", body, {
                "E2b-Sandbox-Id": sandbox["sandboxID"], "X-Access-Token": sandbox["envdAccessToken"], "Content-Type": "application/connect+json"})
            answer = connection.getresponse()
            head = answer.read(5)
            pid = json.loads(answer.read(int.from_bytes(head[1:], "big")))["event"]["start"]["pid"]
        listed = rpc("List", {})["processes"]
        self.assertEqual([(p["pid"], p["config"]["cmd"]) for p in listed], [(pid, "/bin/sh")])
        rpc("SendInput", {"process": {"pid": pid}, "input": {"stdin": base64.b64encode(b"written\n").decode()}})
        self.start(sandbox, "while ! [ -s note ]; do sleep 0.02; done")
        self.assertEqual(self.read(sandbox, "note"), b"written\n")
        rpc("SendSignal", {"process": {"pid": pid}, "signal": "SIGNAL_UNSPECIFIED"}, 501)
        rpc("Update", {"process": {"pid": pid}})
        rpc("CloseStdin", {"process": {"pid": pid}})
        rpc("SendSignal", {"process": {"pid": pid}, "signal": "SIGNAL_SIGTERM"})
        self.start(sandbox, "while kill -0 %d 2>/dev/null; do sleep 0.02; done" % pid)
        self.assertEqual(rpc("List", {}), {})
        rpc("SendSignal", {"process": {"pid": pid}, "signal": "SIGNAL_SIGKILL"}, 404)
        world = sandbox["authData"]["base_url"].split("/w/")[1]
        self.assertIn("different 0; equal\n", self.server.command("replay", world).stdout)

    def test_what_nobody_has_read_is_there_to_the_end(self):
        sandbox = self.create()
        pid = self.begin(sandbox, "/bin/sh", "-c", "head -c 4200000 /dev/zero | tr '\\0' x; echo end")
        self.start(sandbox, "while kill -0 %d 2>/dev/null; do sleep 0.02; done" % pid)
        got = self.world(sandbox, "Connect", {"process": {"pid": pid}}, "?waitMs=0&from=4190000,0")
        text = b"".join(base64.b64decode(m["event"]["data"]["stdout"]) for f, m in got if "data" in m.get("event", {}))
        self.assertEqual(text, b"x" * 10000 + b"end\n")
        self.assertEqual(got[-2][1]["event"]["end"]["status"], "exit status 0")

    def test_too_much_input_is_refused(self):
        sandbox = self.create()
        rpc = lambda name, message, status=200: self.inside(sandbox, "POST", "/process.Process/" + name, json.dumps(message).encode(), status,
                                                            {"Content-Type": "application/json"}).json()
        deaf = self.begin(sandbox, "sleep", "1000", stdin=True)
        send = lambda pid, n, status=200: rpc("SendInput", {"process": {"pid": pid}, "input": {"stdin": base64.b64encode(b"x" * n).decode()}}, status)
        self.assertEqual(send(deaf, 40 << 20, 429)["code"], "resource_exhausted")
        for _ in range(4):
            send(deaf, 1 << 20)
        self.assertEqual(send(deaf, 1 << 20, 429), {"code": "resource_exhausted", "message": "there is too much input that the process has not read"})
        self.assertEqual([p["pid"] for p in rpc("List", {})["processes"]], [deaf])
        counts = self.begin(sandbox, "/bin/sh", "-c", "wc -c >n")
        send(counts, 3 << 20)
        rpc("CloseStdin", {"process": {"pid": counts}})
        self.start(sandbox, "while ! [ -s n ]; do sleep 0.02; done")
        self.assertEqual(self.read(sandbox, "n"), b"3145728\n")

    def test_what_runs_can_be_listed(self):
        sandbox = self.create()
        rpc = lambda name, message: self.inside(sandbox, "POST", "/process.Process/" + name, json.dumps(message).encode(), 200, {"Content-Type": "application/json"}).json()
        pids = []
        for i in range(20): # each is six bytes of JSON for one of its own
            got = self.world(sandbox, "Start", {"process": {"cmd": "sh", "args": ["-c", "sleep 1000", "\1" * 90000]}}, "?waitMs=0")
            if got[-1][0] == 2:
                break
            pids.append(got[0][1]["event"]["start"]["pid"])
        self.assertEqual((len(pids), got[0][1]["error"]["code"]), (11, "resource_exhausted"))
        self.assertEqual([p["pid"] for p in rpc("List", {})["processes"]], pids)
        for pid in pids[1:]:
            rpc("SendSignal", {"process": {"pid": pid}, "signal": "SIGNAL_SIGKILL"})
        pids[1:] = [self.begin(sandbox, "sleep", "1000")]
        self.assertEqual([p["pid"] for p in rpc("List", {})["processes"]], pids)

    def test_a_start_that_fails_leaves_nothing_open(self):
        sandbox = self.create()
        # As many processes as there may be, and the session's own can't make another one.
        pid = self.begin(sandbox, "python3", "-c", "import os, time\nwhile True:\n try:\n  if not os.fork(): time.sleep(1000)\n except OSError: time.sleep(0.01)")
        start = lambda: self.world(sandbox, "Start", {"process": {"cmd": "true"}}, "?waitMs=0")[-1][1].get("error", {}).get("message")
        while not start():
            pass
        failed = 0
        while failed < 250: # each would leave six open, of 1024
            failed += start() == "Resource temporarily unavailable"
        self.inside(sandbox, "POST", "/process.Process/SendSignal", json.dumps({"process": {"pid": pid}, "signal": "SIGNAL_SIGKILL"}).encode(), 200,
                    {"Content-Type": "application/json"})
        while (got := start()) == "Resource temporarily unavailable": # until those that it has started have ended too
            pass
        self.assertIsNone(got)

    def test_a_refused_call_does_not_end_a_stream(self):
        sandbox = self.create()
        at = urlsplit(self.server.info["url"])
        with closing(http.client.HTTPConnection(at.hostname, at.port, timeout=harness.PATIENCE)) as connection:
            connection.request("POST", "/process.Process/Start", frame({"process": {"cmd": "/bin/sh", "args": ["-c", "while ! [ -e go ]; do sleep 0.02; done; echo gone"]}}),
                               {"E2b-Sandbox-Id": sandbox["sandboxID"], "X-Access-Token": sandbox["envdAccessToken"], "Content-Type": "application/connect+json"})
            answer = connection.getresponse()
            self.assertEqual(answer.read(1), b"\0")
            rules = {"faults": 1, "rules": [{"name": "down", "fault": "server-error", "methods": ["e2b.process.Connect"]}]}
            world = "/worlds/" + sandbox["authData"]["base_url"].split("/w/")[1]
            self.assertIn(self.server.control("PUT", world + "/faults", rules).status, (200, 204))
            while not any("fault" in e for e in self.server.control("GET", world + "/journal").json()["entries"]):
                pass
            self.server.control("DELETE", world + "/faults")
            self.write(sandbox, "go", b"1")
            rest = list(frames(b"\0" + answer.read()))
        self.assertEqual(rest[1:], [(0, {"event": {"data": {"stdout": base64.b64encode(b"gone\n").decode()}}}),
                                    (0, {"event": {"end": {"exited": True, "status": "exit status 0"}}}), (2, {})])

    def test_a_budget_counts_a_stream_once_however_long_it_is_open(self):
        sandbox = self.create()
        key = sandbox["authData"]["base_url"].split("/w/")[1]
        world = "/worlds/" + key
        budgets = {"budgets": 1, "limits": [{"name": "few", "per": "token", "calls": 4}]}
        self.assertIn(self.server.control("PUT", world + "/budgets", budgets).status, (200, 204))
        got = self.start(sandbox, "for i in $(seq 12); do echo $i; sleep 0.1; done") # each line is asked for by itself
        self.assertEqual(got[-2:], [(0, {"event": {"end": {"exited": True, "status": "exit status 0"}}}), (2, {})])
        first = [e for e in self.server.control("GET", world + "/journal?bodies=true").json()["entries"] if e.get("method", "").startswith("e2b.") and "resumed" not in e]
        polls = [e for e in first if e.get("poll")]
        self.assertGreater(len(polls), 4)
        self.assertEqual([e["method"] for e in first if not e.get("poll")], ["e2b.process.Start"])
        self.assertEqual({e["method"] for e in polls}, {"e2b.process.Connect"})
        # What a client asks for itself counts, also where it is the same.
        for _ in range(3):
            self.world(sandbox, "Connect", {"process": {"pid": 77}}, "?waitMs=0&from=0,0")
        entries = self.server.control("GET", world + "/journal").json()["entries"]
        self.assertEqual([e["stop"] for e in entries if "stop" in e], [])
        self.assertEqual([e["budget"]["tool_calls_used"] for e in entries if "budget" in e], [3, 4]) # one to start it, and these three
        self.assertIn("different 0; equal\n", self.server.command("replay", key).stdout)

    def test_the_oldest_output_goes_where_there_is_much(self):
        sandbox = self.create()
        pids = []
        for i in range(40):
            pids.append(self.begin(sandbox, "/bin/sh", "-c", "head -c 4000000 /dev/zero; echo >done%d" % i))
            self.start(sandbox, "while ! [ -e done%d ]; do sleep 0.01; done" % i)

        def length(pid):
            got = self.world(sandbox, "Connect", {"process": {"pid": pid}}, "?waitMs=0&from=3999000,0")
            return sum(len(base64.b64decode(m["event"]["data"]["stdout"])) for f, m in got if "data" in m.get("event", {})), got[-1]

        self.assertEqual([length(pid) for pid in (pids[0], pids[-1])], [(0, (2, {})), (1000, (2, {}))])

    def test_a_process_outlives_its_token(self):
        sandbox = self.create()
        pid = self.begin(sandbox, "sleep", "1000")
        world = "/worlds/" + sandbox["authData"]["base_url"].split("/w/")[1]
        self.assertEqual(self.server.control("POST", world + "/clock/advance", {"seconds": 7200}).status, 200)
        got = self.inside(sandbox, "POST", "/process.Process/List", b"{}", 200, {"Content-Type": "application/json"}).json()
        self.assertEqual([p["pid"] for p in got.get("processes", [])], [pid])

    def test_what_ends_all_processes_ends_all(self):
        sandbox = self.create()
        self.start(sandbox, "sleep 1000 & echo there >/tmp/there")
        self.assertEqual(self.start(sandbox, "sleep 0.1; kill -9 -1; sleep 1000")[-1][0], 2)
        got = self.inside(sandbox, "POST", "/process.Process/List", b"{}", 200, {"Content-Type": "application/json"})
        self.assertEqual(got.json(), {})
        self.assertEqual(self.start(sandbox, "cat /tmp/there")[-2][1]["event"]["end"]["exitCode"], 1)

    def test_a_server_ends_with_a_stream_that_is_read(self):
        server = harness.Server("--api-key", KEY)
        case = Sandboxes()
        case.server = server
        sandbox = case.create()
        at = urlsplit(server.info["url"])
        head = {"E2b-Sandbox-Id": sandbox["sandboxID"], "X-Access-Token": sandbox["envdAccessToken"], "Content-Type": "application/connect+json"}
        streams = []
        for path, message in (("/process.Process/Start", {"process": {"cmd": "sleep", "args": ["1000"]}}), ("/filesystem.Filesystem/WatchDir", {"path": ""})):
            streams.append(http.client.HTTPConnection(at.hostname, at.port, timeout=harness.PATIENCE))
            streams[-1].request("POST", path, frame(message), head)
            self.assertEqual(streams[-1].getresponse().read(1), b"\0")
        self.assertEqual(server.stop(), (0, b"", b""))
        for stream in streams:
            stream.close()

    def test_a_fork_has_no_processes(self):
        sandbox = self.create()
        self.start(sandbox, "sleep 1000 & echo there $! >/tmp/there")
        said = self.start(sandbox, "read -r word pid </tmp/there; echo $word; kill -0 $pid && echo sleeps")
        self.assertEqual(b"".join(base64.b64decode(m["event"].get("data", {}).get("stdout", "")) for _, m in said if "event" in m), b"there\nsleeps\n")
        [fork] = self.ask("POST", "/sandboxes/%s/fork" % sandbox["sandboxID"], {"count": 1, "timeout": 60}, 201)
        other = self.ask("POST", "/v2/sandboxes/%s/connect" % fork["sandbox"]["sandboxID"], {"timeout": 60})
        self.assertEqual(self.start(other, "ls /tmp/there 2>/dev/null")[1][1]["event"]["end"]["exitCode"], 2)


class Watching(Case):
    def watch(self, sandbox, name, message, status=200):
        return self.rpc(sandbox, name, message, status)

    def test_a_watcher_is_asked_again_and_again(self):
        sandbox = self.create()
        self.write(sandbox, "d/a", b"1")
        watcher = self.watch(sandbox, "CreateWatcher", {"path": "d"})
        deep = self.watch(sandbox, "CreateWatcher", {"path": "/home/user", "recursive": True})
        events = lambda of: [(e["type"][11:].lower(), e["name"]) for e in self.watch(sandbox, "GetWatcherEvents", of)["events"]]
        self.assertEqual(events(watcher), [])
        self.write(sandbox, "d/b", b"2")
        self.write(sandbox, "d/empty", b"")
        self.write(sandbox, "d/a", b"3")
        self.rpc(sandbox, "MakeDir", {"path": "d/e"})
        self.write(sandbox, "d/e/f", b"4")
        self.assertEqual(events(watcher), [("write", "a"), ("create", "b"), ("write", "b"), ("create", "e"), ("create", "empty")])
        self.rpc(sandbox, "Move", {"source": "d/b", "destination": "d/c"})
        self.rpc(sandbox, "Move", {"source": "d/e/f", "destination": "f"})
        self.rpc(sandbox, "Remove", {"path": "d/empty"})
        self.assertEqual(events(watcher), [("rename", "b"), ("remove", "empty"), ("create", "c")])
        self.assertEqual(events(deep), [("write", "d/a"), ("create", "d/c"), ("write", "d/c"), ("create", "d/e"), ("create", "f"), ("write", "f")])
        self.rpc(sandbox, "Move", {"source": "d", "destination": "g"})
        self.assertEqual(events(deep), [("rename", "d"), ("create", "g")])
        self.assertEqual(events(watcher), [("rename", "a"), ("rename", "c"), ("rename", "e")])
        journal = self.server.control("GET", "/worlds/%s/journal" % sandbox["authData"]["base_url"].split("/w/")[1]).json()["entries"]
        self.assertNotIn("Watcher", json.dumps(journal))
        self.assertEqual(self.watch(sandbox, "RemoveWatcher", watcher), {})
        for name in ("RemoveWatcher", "GetWatcherEvents"):
            self.assertEqual(self.watch(sandbox, name, watcher, 404)["code"], "not_found")

    def test_a_watcher_is_asked_by_many_at_once(self):
        sandbox = self.create()
        for i in range(60):
            self.write(sandbox, "d%d/a" % i, b"1")
        watcher = self.watch(sandbox, "CreateWatcher", {"path": "", "recursive": True})
        at = urlsplit(self.server.info["url"])

        def post(name):
            with closing(http.client.HTTPConnection(at.hostname, at.port, timeout=harness.PATIENCE)) as connection:
                connection.request("POST", "/filesystem.Filesystem/" + name, json.dumps(watcher), {
                    "E2b-Sandbox-Id": sandbox["sandboxID"], "X-Access-Token": sandbox["envdAccessToken"], "Content-Type": "application/json"})
                return connection.getresponse().status

        with ThreadPoolExecutor(6) as pool:
            self.assertEqual(set(pool.map(post, ["GetWatcherEvents"] * 200)), {200})
            statuses = list(pool.map(post, ["GetWatcherEvents"] * 30 + ["RemoveWatcher"] + ["GetWatcherEvents"] * 30))
        self.assertEqual(statuses[30], 200)
        self.assertEqual(post("GetWatcherEvents"), 404)

    def test_streams_are_bound_for_each_tenant(self):
        mine, other = self.create(), self.create(key=OTHER)
        at = urlsplit(self.server.info["url"])

        def open_one(sandbox, path, message):
            streams.append(http.client.HTTPConnection(at.hostname, at.port, timeout=harness.PATIENCE))
            streams[-1].request("POST", path, frame(message), {
                "E2b-Sandbox-Id": sandbox["sandboxID"], "X-Access-Token": sandbox["envdAccessToken"], "Content-Type": "application/connect+json"})
            return streams[-1].getresponse().status

        streams = []
        statuses = [open_one(other, "/filesystem.Filesystem/WatchDir", {"path": ""}) for _ in range(257)]
        self.assertEqual(statuses, [200] * 256 + [429])
        self.assertEqual(open_one(other, "/process.Process/Start", {"process": {"cmd": "true"}}), 429)
        got = self.inside(other, "POST", "/process.Process/List", b"{}", 200, {"Content-Type": "application/json"}).json()
        self.assertEqual(got, {})  # nothing was started
        self.assertEqual(open_one(mine, "/filesystem.Filesystem/WatchDir", {"path": ""}), 200)
        for stream in streams:
            stream.close()

    def test_what_can_not_be_watched(self):
        sandbox, other = self.create(), self.create()
        self.write(sandbox, "a", b"1")
        for path, status, code in (("none", 404, "not_found"), ("a", 400, "invalid_argument"), ("/etc", 404, "not_found"), ("../..", 404, "not_found")):
            self.assertEqual(self.watch(sandbox, "CreateWatcher", {"path": path}, status)["code"], code)
        for body in (b"", b"[]", b"{"):
            self.inside(sandbox, "POST", "/filesystem.Filesystem/CreateWatcher", body, 400, {"Content-Type": "application/json"})
        watcher = self.watch(sandbox, "CreateWatcher", {})
        self.assertEqual(self.watch(other, "GetWatcherEvents", watcher, 404)["message"], "watcher with id %s not found" % watcher["watcherId"])
        answer = self.inside(sandbox, "POST", "/filesystem.Filesystem/WatchDir", frame({"path": "a"}), 200, {"Content-Type": "application/connect+json"})
        self.assertEqual([(f, m["error"]["code"]) for f, m in frames(answer.body)], [(2, "invalid_argument")])
        statuses = [self.inside(sandbox, "POST", "/filesystem.Filesystem/CreateWatcher", b"{}", None, {"Content-Type": "application/json"}).status for _ in range(101)]
        self.assertEqual(sorted(set(statuses)), [200, 429])
        self.assertEqual(self.watch(sandbox, "CreateWatcher", {}, 429)["code"], "resource_exhausted")
        self.watch(other, "CreateWatcher", {})  # another sandbox has its own
        for s in (sandbox, other):
            self.ask("DELETE", "/sandboxes/" + s["sandboxID"], status=204)
        self.watch(self.create(), "CreateWatcher", {}) # those of sandboxes that are gone have gone


class Credentials(Case):
    ROUTES = (("POST", "/v2/sandboxes"), ("GET", "/v2/sandboxes"), ("GET", "/sandboxes/%s"), ("DELETE", "/sandboxes/%s"), ("POST", "/sandboxes/%s/pause"),
              ("POST", "/v2/sandboxes/%s/connect"), ("POST", "/sandboxes/%s/timeout"), ("POST", "/sandboxes/%s/fork"), ("POST", "/sandboxes/%s/snapshots"),
              ("GET", "/sandboxes/%s/metrics"), ("GET", "/snapshots"), ("DELETE", "/templates/%s"))

    def test_nothing_but_an_api_key_opens_it(self):
        sandbox = self.create()
        actor = self.server.info["actors"]["ada@small.example"]["token"]
        for method, path in self.ROUTES:
            target = path % sandbox["sandboxID"] if "%" in path else path
            self.assertEqual(self.ask(method, target, status=401, key=None)["code"], 401)
            for key in (self.server.key, actor, sandbox["envdAccessToken"], sandbox["sandboxID"], sandbox["authData"]["access_token"], KEY[:-1], KEY + "x"):
                self.assertEqual(self.ask(method, target, status=401, key=key), {"code": 401, "message": "Invalid API key"})
            if "%" in path and "templates" not in path:
                self.ask(method, target, {"timeout": 1} if method == "POST" else None, 404, key=OTHER)
        self.ask("GET", "/sandboxes/" + sandbox["sandboxID"])

    def test_nothing_but_its_token_opens_a_sandbox(self):
        sandbox, other = self.create(), self.create()
        self.write(sandbox, "a", b"1")
        calls = (("GET", "/files?path=a", None), ("POST", "/files?path=a", b"2"), ("POST", "/filesystem.Filesystem/Stat", b'{"path":"a"}'),
                 ("POST", "/filesystem.Filesystem/Remove", b'{"path":"a"}'), ("POST", "/process.Process/Start", frame({"process": {"cmd": "true"}})))
        wrong = (None, other["envdAccessToken"], sandbox["sandboxID"], KEY, self.server.key, sandbox["envdAccessToken"][:-1], sandbox["authData"]["access_token"], "")
        for method, target, body in calls:
            for token in wrong:
                got = self.inside(sandbox, method, target, body, 401, {"X-Access-Token": token, "Content-Type": "application/json", "Authorization": "Bearer " + KEY})
                self.assertEqual(got.json()["code"], 401)
            for name in ("x", other["sandboxID"][:-1] + "z"):
                self.inside(sandbox, method, target, body, 502, {"E2b-Sandbox-Id": name, "Content-Type": "application/json"})
        self.assertEqual(self.read(sandbox, "a"), b"1")
        # By its host, as addresses of the original have it.
        host = "49983-%s.localhost" % sandbox["sandboxID"]
        answer = self.server.ask("GET", "/files?path=a", None, {"Host": host, "X-Access-Token": sandbox["envdAccessToken"]})
        self.assertEqual((answer.status, answer.body), (200, b"1"))
        # A large body needs the token first.
        at = harness.urlsplit(self.server.url)
        c = harness.http.client.HTTPConnection(at.hostname, at.port, timeout=harness.PATIENCE)
        c.request("POST", "/files?path=a", headers={"Content-Length": "30000000", "E2b-Sandbox-Id": sandbox["sandboxID"], "Expect": "100-continue",
                                                    "Content-Type": "application/octet-stream"})
        self.assertEqual(c.getresponse().status, 401)
        c.close()

    def test_a_range_is_of_small_files_and_of_large_ones(self):
        sandbox = self.create()
        for content in (b"0123456789", b"0123456789" * 100):
            self.write(sandbox, "f", content)
            target = "/files?path=f&signature=%s" % quote(signature(sandbox["envdAccessToken"], "f", "read"))
            for asked, status, body, told in (
                    (None, 200, content, None), ("bytes=2-4", 206, b"234", "bytes 2-4/%d" % len(content)),
                    ("bytes=-3", 206, b"789", "bytes %d-%d/%d" % (len(content) - 3, len(content) - 1, len(content))),
                    ("bytes=5000-", 416, b"", "bytes */%d" % len(content))):
                answer = self.server.ask("GET", target, None, {"Range": asked} if asked else {})
                self.assertEqual((answer.status, answer.body, answer.headers.get("Content-Range")), (status, body, told), asked)
                self.assertEqual(answer.headers.get("Content-Length"), str(len(body)))
                self.assertEqual(answer.headers.get("Accept-Ranges"), "bytes")
                self.assertEqual(answer.headers.get_all("Content-Type"), ["application/octet-stream"])

    def test_a_signature_opens_one_file_for_one_thing(self):
        sandbox, other = self.create(), self.create()
        self.write(sandbox, "a", b"1")
        self.write(sandbox, "b", b"2")
        token, now = sandbox["envdAccessToken"], int(time.time())

        def get(path, sign, until=None, method="GET", **fields):
            target = "/files?path=%s&signature=%s" % (quote(path), quote(sign)) + ("&signature_expiration=%s" % until if until is not None else "")
            return self.server.ask(method, target, b"x" if method == "POST" else None, {"Content-Type": "application/octet-stream", **fields})
        self.assertEqual(get("a", signature(token, "a", "read")).body, b"1")
        self.assertEqual(get("a", signature(token, "a", "read", now + 60), now + 60).body, b"1")
        self.assertEqual(get("c", signature(token, "c", "write"), method="POST").status, 200)
        self.assertEqual(self.read(sandbox, "c"), b"x")
        for path, sign, until, method in (
                ("b", signature(token, "a", "read"), None, "GET"), ("a", signature(token, "a", "write"), None, "GET"),
                ("a", signature(token, "a", "read"), None, "POST"), ("a", signature(other["envdAccessToken"], "a", "read")[:-1], None, "GET"),
                ("a", signature(token, "a", "read", now + 60), now + 61, "GET"), ("a", signature(token, "a", "read", now - 60), now - 60, "GET"),
                ("a", signature(token, "a", "read", now + 60), None, "GET"), ("a", signature(KEY, "a", "read"), None, "GET"),
                ("a", signature(token, "a", "read", "x"), "x", "GET"), ("a", "", None, "GET"), ("a", "v1_", None, "GET")):
            answer = get(path, sign, until, method)
            self.assertEqual((answer.status, answer.json()["code"]), (401, 401), (path, sign))
        # A path that is given twice is one path: the signature's.
        for twice in ("path=b&path=a", "path=a&path=b", "p%61th=b&path=a"):
            target = "/files?%s&signature=%s" % (twice, quote(signature(token, "a", "read")))
            self.assertNotEqual(self.server.ask("GET", target, None, {}).body, b"2", twice)
            target = "/files?%s&signature=%s" % (twice, quote(signature(token, "a", "write")))
            self.server.ask("POST", target, b"3", {"Content-Type": "application/octet-stream"})
            self.assertEqual(self.read(sandbox, "b"), b"2", twice)
        self.write(sandbox, "a", b"1")
        # One that is named must be the one whose token it was made with.
        self.assertEqual(get("a", signature(token, "a", "read"), **{"E2b-Sandbox-Id": other["sandboxID"]}).status, 401)
        self.assertEqual(self.read(sandbox, "a"), b"1")
        self.ask("POST", "/sandboxes/%s/pause" % sandbox["sandboxID"], status=204)
        self.assertEqual(get("a", signature(token, "a", "read"), **{"E2b-Sandbox-Id": sandbox["sandboxID"]}).status, 502)

    def test_what_opens_a_sandbox_is_not_made_of_its_world(self):
        """With fixture, seed and secret known, and the same requests, ids and tokens differ."""
        seen = []
        for _ in range(2):
            server = harness.Server("--fixture", "small", "--clock", "frozen", "--seed", "7", "--world-secret", "known", "--api-key", KEY)
            try:
                made = server.ask("POST", "/v2/sandboxes", b'{"templateID":"small"}', {"X-API-Key": KEY, "Content-Type": "application/json"}).json()
                opens = [made["sandboxID"], made["envdAccessToken"], made["authData"]["access_token"]]
                for text in opens[:2]:
                    self.assertRegex(text, "^%s$" % UUID)
                world = made["authData"]["base_url"].split("/w/")[1]
                text = server.control("GET", "/worlds/%s/dump" % world).body.decode()
                for secret in opens:
                    self.assertNotIn(secret, text)
                seen.append(set(opens))
                self.assertEqual(len(seen[-1]), 3)
            finally:
                server.stop()
        self.assertFalse(seen[0] & seen[1])


class Kept(Case):
    """On a data directory."""

    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        cls.options = ("--data", cls.directory.name, "--api-key", KEY)
        cls.server = harness.Server(*cls.options)

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()
        cls.directory.cleanup()

    def test_sandboxes_are_there_after_a_restart_as_they_were(self):
        kept = self.create({"metadata": {"a": "b"}, "timeout": 600})
        paused, later = self.create(), self.create({"autoPause": True, "timeout": 1})
        short = self.create({"timeout": 2})
        self.write(kept, "a", b"1")
        snapshot = self.ask("POST", "/sandboxes/%s/snapshots" % kept["sandboxID"], {"name": "one"}, 201)["snapshotID"]
        self.write(kept, "a", b"2")
        self.ask("POST", "/sandboxes/%s/pause" % paused["sandboxID"], status=204)
        before = self.ask("GET", "/sandboxes/" + kept["sandboxID"])
        self.server.stop(harness.signal.SIGKILL)
        time.sleep(2)  # its life goes on to end while no server is there
        type(self).server = harness.Server(*self.options)
        after = self.ask("GET", "/sandboxes/" + kept["sandboxID"])
        same = ("sandboxID", "templateID", "envdAccessToken", "metadata", "state", "startedAt", "endAt")
        self.assertEqual({k: after[k] for k in same}, {k: before[k] for k in same})
        self.assertEqual(self.read(kept, "a"), b"2")
        self.ask("GET", "/sandboxes/" + short["sandboxID"], status=404)
        for one in (paused, later):
            self.assertEqual(self.ask("GET", "/sandboxes/" + one["sandboxID"])["state"], "paused")
        self.assertEqual([s["snapshotID"] for s in self.ask("GET", "/snapshots")], [snapshot])
        self.assertEqual(self.read(self.create({"templateID": "one"}), "a"), b"1")
        answer = self.ask("POST", "/v2/sandboxes/%s/connect" % later["sandboxID"], {"timeout": 60}, 201)
        self.assertEqual(answer["envdAccessToken"], later["envdAccessToken"])
        self.write(later, "b", b"3")


if __name__ == "__main__":
    unittest.main()
