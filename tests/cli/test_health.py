# SPDX-License-Identifier: Apache-2.0
"""sosia health, which asks a running server, and sosia doctor, which looks at the machine."""
import http.server
import json
import socket
import tempfile
import threading
import unittest

import harness


class Foreign(http.server.BaseHTTPRequestHandler):
    """A server that is not sosia, and says what the test wants."""

    answer, kind, wait = b"{}", "application/json", None

    def do_GET(self):
        if self.wait:
            self.wait.wait()
        self.send_response(200)
        self.send_header("Content-Type", self.kind)
        self.send_header("Content-Length", str(len(self.answer)))
        self.end_headers()
        try:
            self.wfile.write(self.answer)
        except OSError:
            pass  # nobody waits for it any more

    def log_message(self, *_):
        pass


class Health(harness.ServerCase):
    options = ("--fixture", "small")

    def foreign(self, **what):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), type("Answers", (Foreign,), what))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return "http://127.0.0.1:%d" % server.server_port

    def test_a_server_that_runs_is_well_without_a_control_key(self):
        done = harness.command("health", "--url", self.server.url)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn(self.server.url + " is well: sosia ", done.stdout)
        done = harness.command("health", env={"SOSIA_URL": self.server.url})
        self.assertEqual(done.returncode, 0)
        done = harness.command("health", "--json", "--url", self.server.url + "/")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(json.loads(done.stdout)["status"], "ok")

    def test_what_does_not_respond_or_is_not_sosia_is_not_well(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            nobody = "http://127.0.0.1:%d" % free.getsockname()[1]
        for url in (nobody, self.foreign(), self.foreign(answer=b'{"status":"down","version":"1"}'), self.foreign(answer=b"ok"),
                    self.foreign(answer=b"<html>", kind="text/html")):
            done = harness.command("health", "--url", url)
            self.assertEqual((done.returncode, done.stdout), (1, ""), url)
            self.assertIn(url, done.stderr)

    def test_a_server_that_hangs_is_not_waited_for(self):
        over = threading.Event()  # the server says nothing before the command has ended
        self.addCleanup(over.set)
        done = harness.command("health", "--timeout", "1", "--url", self.foreign(wait=over))
        self.assertEqual(done.returncode, 1)
        self.assertEqual(harness.command("health", "--timeout", "0").returncode, 2)


class Doctor(unittest.TestCase):
    def look(self, *words, **env):
        done = harness.command("doctor", "--json", *words, env=env)
        self.assertEqual(done.stderr, "")
        found = {one["what"]: one for one in json.loads(done.stdout)}
        self.assertEqual(done.returncode, 0 if all(one["there"] for one in found.values()) else 1)
        for one in found.values():
            self.assertEqual("mend" in one, not one["there"], one)
            self.assertTrue(one["feature"] and one["found"])
        return found

    def test_each_thing_is_named_with_its_feature(self):
        found = self.look()
        for what in ("memory", "port 8787", "spool directory", "open files", "certificate authorities", "time zones", "/dev/fuse",
                     "user namespaces", "network namespaces"):
            self.assertIn(what, found)
        self.assertEqual(found["user namespaces"]["feature"], "sosia run")
        self.assertNotIn("data directory", found)

    def test_what_is_missing_says_how_it_is_mended(self):
        with tempfile.TemporaryDirectory() as directory:
            found = self.look("--data", directory + "/none", TMPDIR=directory)
            self.assertTrue(found["spool directory"]["there"])
            self.assertFalse(found["data directory"]["there"])
            self.assertIn("make the directory", found["data directory"]["mend"])
            self.assertTrue(self.look("--data", directory)["data directory"]["there"])
        self.assertFalse(self.look(TMPDIR="/proc/none")["spool directory"]["there"])
        done = harness.command("doctor", env={"TMPDIR": "/proc/none"})
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"(?m)^missing  spool directory: /proc/none: .*\n         for large uploads\n         make ")

    def test_a_port_that_is_taken_is_named(self):
        with socket.socket() as taken:
            taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                taken.bind(("127.0.0.1", 8787))
                taken.listen()
            except OSError:
                pass  # by somebody else
            self.assertFalse(self.look()["port 8787"]["there"])


if __name__ == "__main__":
    unittest.main()
