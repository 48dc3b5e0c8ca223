# SPDX-License-Identifier: Apache-2.0
"""Data directories: what is answered is kept, and commands work without a server."""
import http.client
import json
import os
import re
import resource
import select
import signal
import sqlite3
import tempfile
import time
import unittest
from urllib.parse import urlsplit

import harness

LIST = "/calendar/v3/calendars/primary/events"
EVENT = {"id": "kept0", "summary": "Kept", "start": {"date": "2026-12-01"}, "end": {"date": "2026-12-02"}}


def runs(words):
    """Whether a process with this command line is there."""
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open("/proc/%s/cmdline" % name, "rb") as f:
                    if f.read().split(b"\0")[:-1] == [w.encode() for w in words]:
                        return True
            except OSError:
                pass
    return False


class Data(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.dir = os.path.join(place.name, "data")

    def start(self, *options, **more):
        server = harness.Server("--data", self.dir, "--fixture", "small", "--clock", "frozen", *options, **more)
        self.addCleanup(lambda: server.process.poll() is None and server.process.kill())
        return server

    def local(self, *words, code=0):
        done = harness.command(*words, "--data", self.dir)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout if code == 0 else done.stderr

    def test_a_held_program_that_is_killed_with_its_server_leaves_nothing_that_can_be_written(self):
        """Where it asked the services stays a snapshot, and ends by itself."""
        server = self.start()
        token = server.info["actors"]["ada@small.example"]["token"]
        if server.call(token, "POST", "/workspace/v1/programs/run", {"argv": ["true"]}).status != 200:
            self.skipTest("no programs here")
        rules = {"policy": 1, "name": "p", "otherwise": "allow", "rules": [{"effect": "approve", "call": {"method": "programs.run"}}]}
        self.assertEqual(server.control("POST", "/worlds/small/policies", rules).status, 200)
        listed = server.control("GET", "/worlds").body
        words = ["sleep", str(10 ** 8 + os.getpid())]
        body = json.dumps({"argv": words}).encode()
        call = http.client.HTTPConnection(urlsplit(server.url).hostname, urlsplit(server.url).port, timeout=harness.PATIENCE)
        self.addCleanup(call.close)
        call.request("POST", "/workspace/v1/programs/run", body, {"Authorization": "Bearer " + token, "Content-Type": "application/json"})
        end = time.monotonic() + harness.PATIENCE
        while not runs(words):
            self.assertLess(time.monotonic(), end, "the program did not begin")
            select.select([call.sock], [], [], 0.05)
        there = [[w["world"] for w in json.loads(text)["worlds"]] for text in (listed, server.control("GET", "/worlds").body)]
        self.assertEqual(there[0], there[1])  # it is not listed
        server.stop(signal.SIGKILL)
        server = self.start()
        left = [w for w in server.control("GET", "/worlds").json()["worlds"] if w.get("parent") == server.world]
        self.assertEqual([(w["snapshot"], "expires" in w) for w in left], [(True, True)])
        server.stop()

    def test_what_was_answered_is_there_after_a_kill_and_tokens_are_still_good(self):
        server = self.start()
        token, world = server.info["actors"]["ada@small.example"]["token"], server.world
        fork = server.control("POST", "/worlds/small/fork", {"name": "branch"}).json()["world"]
        for at in "small", "branch":
            self.assertEqual(server.call(token, "POST", LIST, EVENT, world=at).status, 200 if at == "small" else 401)
        other = server.control("POST", "/worlds/branch/tokens", {"actor": "ada@small.example"}).json()["token"]
        self.assertEqual(server.call(other, "DELETE", LIST + "/smallcoffee01").status, 204)
        dumps = [server.control("GET", "/worlds/%s/dump" % key).body for key in (world, fork)]
        self.assertEqual(server.stop(signal.SIGKILL)[0], -signal.SIGKILL)
        server = self.start()
        self.assertEqual(server.world, world)
        self.assertEqual([server.control("GET", "/worlds/%s/dump" % key).body for key in (world, fork)], dumps)
        self.assertEqual(server.call(token, "GET", LIST + "/kept0").json()["summary"], "Kept")
        self.assertEqual(server.call(other, "GET", LIST + "/smallcoffee01").json()["status"], "cancelled")
        self.assertEqual(len(server.control("GET", "/worlds/small/journal").json()["entries"]), 1)
        self.assertEqual(server.control("POST", "/worlds/small/reset").status, 200)
        self.assertEqual(server.call(token, "GET", LIST + "/kept0").status, 404)
        self.assertEqual(server.stop(), (0, b"", b""))

    def test_a_world_that_nobody_uses_leaves_memory_and_is_read_again(self):
        server = self.start("--park-after", "1")
        token = server.info["actors"]["ada@small.example"]["token"]

        def held():
            return int(re.search(r"(?m)^sosia_world_bytes (\d+)$", server.control("GET", "/metrics").body.decode()).group(1))

        self.assertEqual(server.call(token, "POST", LIST, EVENT).status, 200)
        used = held()
        for _ in range(600):
            if held() < used / 2:
                break
            time.sleep(0.1)
        self.assertLess(held(), used / 2)
        for _ in range(60):  # a slow machine may have let it go again before it is asked
            self.assertEqual(server.call(token, "GET", LIST + "/kept0").json()["summary"], "Kept")
            if held() > used / 2:
                break
        else:
            self.fail("a world that is used is not in memory")
        self.assertEqual(server.stop()[0], 0)

    def test_fixed_tokens_can_be_given_again_and_to_somebody_else(self):
        for actor in "ada@small.example", "ada@small.example", "bo@small.example":
            server = self.start("--token", "a-fixed-token=" + actor)
            answer = server.call("a-fixed-token", "GET", "/calendar/v3/users/me/calendarList")
            self.assertEqual(answer.json()["items"][0]["id"], actor)
            self.assertEqual(server.stop()[0], 0)

    def test_commands_work_on_a_directory_that_no_server_has_open(self):
        key = self.local("world", "create", "--fixture", "small", "--clock", "frozen", "--name", "mine").strip()
        self.local("snapshot", "mine", "--name", "before")
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as f:
            f.write("sosia: 1\npeople: [{email: new@small.example}]\n")
            f.flush()
            self.local("seed", "mine", f.name)
        self.assertIn("  + person new@small.example", self.local("diff", "before", "mine"))
        self.assertIn("new@small.example", self.local("dump", key))
        self.local("reset", "mine")
        self.assertEqual(self.local("diff", "before", "mine"), "")
        self.assertEqual(self.local("clock", "advance", "1h", "--world", "mine"), "2026-11-23T09:00:00.000000Z  (frozen)\n")
        self.local("world", "drop", "mine")
        self.assertEqual({line.split()[1] for line in self.local("world", "list").splitlines()},
                         {"before", "fixture.small.frozen"})

    def begin_upload(self, server, world):
        token = server.control("POST", "/worlds/%s/tokens" % world, {"actor": "ada@small.example"}).json()["token"]
        begun = server.call(token, "POST", "/upload/drive/v3/files?uploadType=resumable", {"name": "plan"}, world=world)
        self.assertEqual(begun.status, 200)
        return begun.headers["Location"].split("upload_id=")[1]

    def test_worlds_have_secrets_that_nobody_can_compute_and_that_a_kill_leaves(self):
        def next_upload(*options, data=None):
            server = harness.Server("--fixture", "small", "--clock", "frozen", *options)
            self.addCleanup(server.process.kill)
            found = self.begin_upload(server, "small")
            self.assertEqual(server.stop()[0], 0)
            return found
        self.assertNotEqual(next_upload(), next_upload())
        chosen = next_upload("--world-secret", "of my own")
        self.assertEqual(next_upload("--world-secret", "of my own"), chosen)
        self.assertNotEqual(next_upload("--world-secret", "another"), chosen)
        server = self.start()
        first = self.begin_upload(server, "small")
        self.assertNotEqual(first, chosen)
        server.control("POST", "/worlds/small/fork", {"name": "branch"})
        second = self.begin_upload(server, "branch")
        self.assertEqual(server.stop(signal.SIGKILL)[0], -signal.SIGKILL)
        server = self.start("--world-secret", "of my own")  # of new worlds only
        for world, wanted in ("small", first), ("branch", second):
            self.assertEqual(server.control("POST", "/worlds/%s/reset" % world).status, 200)
            self.assertEqual(self.begin_upload(server, world), wanted)
        self.assertEqual(server.stop()[0], 0)

    def test_exports_have_the_secret_when_they_are_asked_for_it(self):
        path = os.path.join(self.dir, "..", "world.db")
        first = self.start()
        first.control("POST", "/worlds/small/snapshot", {"name": "before"})
        wanted = self.begin_upload(first, "small")
        self.assertEqual(first.stop()[0], 0)

        def secret():
            with sqlite3.connect(path) as db:
                found = db.execute("select value from meta where key = 'world.secret'").fetchone()
            db.close()
            return found and found[0]
        self.local("reset", "small")
        self.local("export", "small", path)
        self.assertIsNone(secret())
        self.local("export", "small", path, "--secrets")
        self.assertRegex(secret(), "^own [0-9a-f]{32}$")
        for name, options in ("new", ()), ("same", ("--secrets",)):
            self.local("import", path, "--name", name, *options)
        self.assertNotIn("secret", self.local("journal", "export", "same").split("\n")[0])
        head = json.loads(self.local("journal", "export", "same", "--secrets").split("\n")[0])
        self.assertEqual(head["secret"], secret())
        self.local("journal", "export", "same", "--secrets", "--format", "har", code=1)
        server = self.start()
        self.assertNotEqual(self.begin_upload(server, "new"), wanted)
        self.assertEqual(self.begin_upload(server, "same"), wanted)
        self.assertEqual(server.stop()[0], 0)

    def test_one_process_at_a_time_has_a_directory_open(self):
        server = self.start()
        message = self.local("world", "list", code=1)
        self.assertTrue(message.startswith("sosia: "), message)
        self.assertIn(self.dir, message)
        self.assertEqual(server.stop()[0], 0)
        self.assertIn("small", self.local("world", "list"))

    def test_a_disk_that_takes_no_more_fails_changes_and_is_reported_to_the_operator(self):
        server = self.start()
        token = server.info["actors"]["ada@small.example"]["token"]
        failed = "\nsosia_failed_writes_total %d\n"
        self.assertIn(failed % 0, server.control("GET", "/metrics").body.decode())
        soft, hard = resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (0, hard))
        refused = server.call(token, "POST", LIST, EVENT)
        self.assertEqual(refused.status, 503)
        self.assertRegex(refused.json()["error"]["message"], r"^No answer could be made: the change could not be written: .+\.$")
        self.assertEqual(server.call(token, "GET", LIST + "/kept0").status, 404)
        self.assertIn(failed % 1, server.control("GET", "/metrics").body.decode())
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (soft, hard))
        self.assertEqual(server.call(token, "POST", LIST, EVENT).status, 200)
        code, _, err = server.stop()
        self.assertEqual(code, 0)
        self.assertRegex(err.decode(), r'level=error event="changes were not written and are undone" times=1 why="[^"]+"\n$')

    def test_a_directory_on_a_full_disk_opens_for_reading(self):
        self.start().stop()
        # No byte can be written to any file.
        server = self.start(preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY)))
        token = server.info["actors"]["ada@small.example"]["token"]
        self.assertEqual(server.call(token, "GET", LIST).status, 200)
        self.assertEqual(server.call(token, "POST", LIST, EVENT).status, 503)
        refused = server.control("POST", "/worlds/small/fork")
        self.assertEqual(refused.status, 500)
        self.assertIn("the change could not be written", refused.json()["error"]["message"])
        self.assertEqual(server.stop()[0], 0)

    def test_a_check_says_what_is_damaged_and_takes_out_what_is_whole(self):
        good = self.local("world", "create", "--fixture", "small", "--clock", "frozen", "--name", "good").strip()
        bad = self.local("world", "create", "--fixture", "small", "--clock", "frozen", "--name", "bad").strip()
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as f:
            f.write("sosia: 1\npeople: [{email: new@small.example}]\n")
            f.flush()
            self.local("seed", "bad", f.name)
        found = json.loads(self.local("check", "--json"))
        self.assertEqual((found["whole"], found["format"], found["damage"]), (True, 8, []))
        self.assertIn("%s  good                 whole\n" % good, self.local("check"))
        with sqlite3.connect(os.path.join(self.dir, "sosia.db")) as db:
            db.execute("update page set data = zeroblob(length(data)) where id = (select max(id) from page)")
        db.close()
        self.assertIn(bad, self.local("world", "list"))
        refused = self.local("dump", "bad", code=1)
        self.assertRegex(refused, r'damaged: page \d+: is not what was written; "sosia check --data DIR" says')
        rescued = os.path.join(self.dir, "rescued")
        done = harness.command("check", "--data", self.dir, "--rescue", rescued)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"(?m)^damage: page \d+: is not what was written$")
        self.assertIn("%s  good                 whole\n" % good, done.stdout)
        self.assertIn("%s  bad                  damaged: lacks pages\n" % bad, done.stdout)
        self.assertFalse(os.path.exists(os.path.join(rescued, bad + ".db")))
        new = harness.command("import", os.path.join(rescued, good + ".db"), "--name", "again",
                              "--data", os.path.join(self.dir, "new"))
        self.assertEqual(new.returncode, 0, new.stderr)

    def test_a_fixture_leaves_one_snapshot_however_often_it_is_used(self):
        for _ in range(3):
            self.local("world", "create", "--fixture", "small", "--clock", "frozen")
        worlds = json.loads(self.local("world", "list", "--json"))["worlds"]
        self.assertEqual([w["name"] for w in worlds if w["snapshot"]], ["fixture.small.frozen"])
        self.assertEqual(len(worlds), 4)


if __name__ == "__main__":
    unittest.main()
