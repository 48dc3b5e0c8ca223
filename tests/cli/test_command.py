# SPDX-License-Identifier: Apache-2.0
"""The command against a running server: what it prints, and how it ends."""
import base64
import collections
import datetime
import http.server
import json
import os
import re
import signal
import sqlite3
import subprocess
import tempfile
import threading
import time
import unittest

import harness

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
LIST = "/calendar/v3/calendars/primary/events"


class Commands(harness.ServerCase):
    def run_ok(self, *words, stdin=None, env=None):
        done = self.server.command(*words, stdin=stdin, env=env)
        self.assertEqual((done.returncode, done.stderr), (0, ""), words)
        return done.stdout

    def run_bad(self, code, *words, stdin=None, env=None):
        done = self.server.command(*words, stdin=stdin, env=env)
        self.assertEqual((done.returncode, done.stdout), (code, ""), (words, done.stderr))
        self.assertNotEqual(done.stderr, "")
        return done.stderr

    def make(self, **options):
        """A world of the test's own."""
        words = [w for name, value in options.items() for w in ("--" + name, value)]
        return self.run_ok("world", "create", "--fixture", "small", "--clock", "frozen", *words).strip()

    def ada(self, world):
        return self.run_ok("token", "issue", "--world", world, "--actor", "ada@small.example").strip()

    def test_a_world_is_made_listed_shown_and_dropped(self):
        key = self.make(name="mine", now="2027-01-02T03:04:05Z", seed="77")
        self.assertRegex(key, "^[0-9a-f]{16}$")
        line = self.run_ok("world", "show", "mine")
        self.assertEqual(line.split()[:3], [key, "mine", "2027-01-02T03:04:05.000000Z"])
        self.assertIn(line, self.run_ok("world", "list"))
        listed = json.loads(self.run_ok("world", "list", "--json"))["worlds"]
        self.assertEqual([w["seed"] for w in listed if w["world"] == key], [77])
        self.assertEqual(self.run_ok("world", "drop", "mine"), "")
        self.assertIn('there is no world "mine"', self.run_bad(1, "world", "show", "mine"))

    def test_all_worlds_are_listed_however_many_there_are(self):
        base = self.make()
        forks = {json.loads(self.run_ok("fork", base, "--count", "900", "--json"))["worlds"][0]}
        for _ in range(2):
            forks |= {line.split()[0] for line in self.run_ok("fork", base, "--count", "900").splitlines()}
        listed = {w["world"] for w in json.loads(self.run_ok("world", "list", "--json"))["worlds"]}
        self.assertGreaterEqual(len(forks), 1800)
        self.assertLessEqual(forks, listed)
        self.assertLessEqual(forks, {line.split()[0] for line in self.run_ok("world", "list").splitlines()})

    def test_a_world_can_be_made_from_a_document_of_standard_input(self):
        document = "sosia: 1\npeople:\n  - email: only@here.example\n"
        key = self.run_ok("world", "create", "--file", "-", stdin=document).strip()
        self.assertEqual(json.loads(self.run_ok("dump", key))["people"][0]["email"], "only@here.example")

    def test_the_office_comes_back_from_its_dump(self):
        office = self.run_ok("world", "create", "--fixture", "office", "--clock", "frozen").strip()
        told = self.run_ok("dump", office)
        again = self.run_ok("world", "create", "--file", "-", "--clock", "frozen", stdin=told).strip()
        self.assertEqual(self.run_ok("dump", again), told)
        boxes = {box["person"]: box for box in json.loads(told)["mailboxes"]}
        self.assertGreaterEqual(sum(len(box["messages"]) for box in boxes.values()), 75)
        doubled = [m.get("messageId") for m in boxes["chiara.neri@tidewater.example"]["messages"]]
        self.assertEqual(doubled.count("<inv-2291@bluecrane.example>"), 2)

    def test_the_talk_of_the_office_hangs_together(self):
        office = self.run_ok("world", "create", "--fixture", "office", "--clock", "frozen").strip()
        told = json.loads(self.run_ok("dump", office))
        now = datetime.datetime.fromisoformat(told["time"].replace("Z", "+00:00")).timestamp()
        members = {c["id"]: {m["user"] for m in c["members"]} for c in told["channels"]}
        kinds = collections.Counter(c.get("kind", "public") for c in told["channels"])
        self.assertGreaterEqual(min(kinds[k] for k in ("public", "private", "direct", "group")), 2)
        self.assertGreaterEqual(len(told["messages"]), 290)
        for m in told["messages"]:
            self.assertLess(float(m["ts"]), now, m)
            self.assertLess(float(m.get("thread", 0)), float(m["ts"]), m)
            reacted = {u for r in m.get("reactions", []) for u in r["by"]}
            self.assertLessEqual({m["from"], *reacted}, members[m["channel"]], m)
        weeks = {int((now - float(m["ts"])) / 604800) for m in told["messages"]}
        self.assertGreaterEqual(len(weeks), 12)
        people = {m["id"] for m in told["workspaces"][0]["members"]}
        named = {n for m in told["messages"] for n in re.findall(r"<@(U\w+)>", m["text"])}
        self.assertTrue(named)
        self.assertLessEqual(named, people)
        self.assertLessEqual({n for m in told["messages"] for n in re.findall(r"<#(C\w+)", m["text"])}, set(members))

    def test_a_faulty_document_is_reported_with_file_line_and_field(self):
        with tempfile.TemporaryDirectory() as dir:
            for name, text in (("bad.yaml", "sosia: 1\npeople:\n  - email: a@b.example\n    zone: Mars/Base\n"),
                               ("bad.json", '{"sosia": 1,\n "people": [{"email": "a@b.example",\n\n "zone": "Mars/Base"}]}')):
                path = os.path.join(dir, name)
                with open(path, "w", encoding="utf-8") as f:
                    f.write(text)
                wanted = 'sosia: %s:4: people[0].zone: unknown time zone "Mars/Base"\n' % name
                self.assertEqual(self.run_bad(1, "seed", self.server.world, path), wanted)
                self.assertEqual(self.run_bad(1, "world", "create", "--file", path), wanted)
            with open(os.path.join(dir, "nobody.yaml"), "w", encoding="utf-8") as f:
                f.write("sosia: 1\npeople:\n  - name: Bo\n")
            self.assertEqual(self.run_bad(1, "world", "create", "--file", f.name),
                             "sosia: nobody.yaml:3: people[0].email: is missing\n")
            self.run_bad(1, "seed", self.server.world, os.path.join(dir, "nowhere.yaml"))

    def test_what_a_program_did_is_shown_compared_and_undone(self):
        world = self.make()
        before = self.run_ok("snapshot", world).strip()
        clean = self.run_ok("dump", world)
        token = self.ada(world)
        self.assertEqual(self.server.call(token, "DELETE", LIST + "/smallcoffee01", world=world).status, 204)
        self.assertEqual(self.server.call(token, "PATCH", LIST + "/smallreviev01", {"summary": "Another name"},
                                          world=world).status, 200)
        lines = self.run_ok("diff", before, world).splitlines()
        self.assertIn("  - event ada@small.example smallcoffee01  Coffee with Bo", lines)
        self.assertIn("  ~ event ada@small.example smallreviev01  Another name", lines)
        self.assertIn("      summary: Review of the draft -> Another name", lines)
        changes = json.loads(self.run_ok("diff", before, world, "--json"))["changes"]
        self.assertEqual(lines, self.run_ok("diff", before, env={"SOSIA_WORLD": world}).splitlines())
        self.assertTrue(all(c["entity"] == "event" for c in changes), changes)
        journal = self.run_ok("journal", world).splitlines()
        self.assertEqual([line.split()[3:6] for line in journal],
                         [["calendar.events.delete", "204", "DELETE"], ["calendar.events.patch", "200", "PATCH"]])
        bodies = json.loads(self.run_ok("journal", world, "--bodies", "--after", "1"))["entries"]
        self.assertEqual(json.loads(bodies[0]["request"]["body"]), {"summary": "Another name"})
        self.assertRegex(self.run_ok("reset", world), r"^\S+ is back at the state that it resets to; its journal is empty, its clock at 2\S+Z\n$")
        self.assertEqual(self.run_ok("dump", world), clean)
        self.assertEqual(self.run_ok("diff", before, world), "")
        self.assertEqual(self.run_ok("journal", world), "")

    def test_what_a_journal_keeps_is_set_one_by_one(self):
        world = self.make()

        def kept(*words):
            info = json.loads(self.run_ok("journal", "set", *words, world))
            return info["keep"], info["steps"]["most"]

        self.assertEqual(kept("--keep", "full"), ("full", 1000))
        self.assertEqual(kept("--steps", "10"), ("full", 10))
        self.assertEqual(kept("--keep", "hashes"), ("hashes", 10))
        self.assertEqual(kept("--mode", "all"), ("hashes", 10))
        self.assertEqual(self.server.call(self.ada(world), "DELETE", LIST + "/smallcoffee01", world=world).status, 204)
        self.assertIn("smallcoffee01", self.run_ok("journal", "changes", "1", world))
        self.assertIn("0 to 1, not 2\n", self.run_bad(1, "journal", "changes", "2", world))

    def test_an_exported_journal_runs_again_in_another_world(self):
        world, other = self.make(), self.make()
        self.assertEqual(self.server.call(self.ada(world), "DELETE", LIST + "/smallcoffee01", world=world).status, 204)
        text = self.run_ok("journal", "export", world)
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "run.jsonl")

            def write(content):
                with open(path, "wb") as f:
                    f.write(content)

            write(text.encode())
            clean = self.run_ok("dump", other)
            self.assertIn("ran 1, taken 0, left_out 0, different 0; equal\n", self.run_ok("replay", "--journal", path, other))
            self.assertIn("ran 0, taken 0, left_out 1, different 0; not equal\n",
                          self.run_ok("replay", "--journal", path, "--edits", "-", other, stdin='[{"step":1,"skip":true}]'))
            third = self.run_ok("world", "create", "--fixture", "office", "--clock", "frozen").strip()
            for options, said in (([], "; not equal\n"), (["--json"], '"equal": false')):
                done = self.server.command("replay", "--journal", path, *options, third)
                self.assertEqual(done.returncode, 1)
                self.assertIn(said, done.stdout)
            for bad, line in ((text[:-20].encode(), 3), (text.replace("DELETE", "GET").encode(), 2), (b"\xff\n", 1), (b"", 1)):
                write(bad)
                self.assertIn("run.jsonl:%d: " % line, self.run_bad(1, "replay", "--journal", path, other))
                self.assertIn("run.jsonl:%d: " % line, self.run_bad(1, "journal", "verify", path))
            self.assertEqual(self.run_ok("dump", other), clean)

    def test_an_exported_journal_runs_where_its_world_is_not_known(self):
        world = self.make()
        self.assertEqual(self.server.call(self.ada(world), "DELETE", LIST + "/smallcoffee01", world=world).status, 204)
        self.assertEqual(self.server.call(self.ada(world), "POST", LIST + "/quickAdd?text=Lunch", world=world).status, 200)
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "run.jsonl")
            text = self.run_ok("journal", "export", world)
            with open(path, "w") as f:
                f.write(text)
            self.assertNotIn(self.ada(world), text)
            # no server, no world
            done = harness.command("replay", "--journal", path)
            self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
            self.assertIn("ran 2, taken 0, left_out 0, different 0; equal\n", done.stdout)
            done = harness.command("replay", "--journal", path, "--edits", "-", stdin='[{"step":1,"skip":true}]')
            self.assertIn("ran 1, taken 0, left_out 1", done.stdout)
            with open(path, "w") as f:
                f.write(text.replace('"DELETE"', '"PATCH"'))
            self.assertEqual(harness.command("replay", "--journal", path).returncode, 1)

    def test_a_replay_of_an_imported_world_says_why_nothing_ran(self):
        world = self.make()
        self.assertEqual(self.server.call(self.ada(world), "DELETE", LIST + "/smallcoffee01", world=world).status, 204)
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "world.db")
            self.run_ok("export", world, path)
            other = self.run_ok("import", path).strip().split()[0]
        done = self.server.command("replay", other)
        self.assertEqual(done.returncode, 1)
        self.assertIn("nothing ran: the world began behind entry 1", done.stdout)

    def test_what_a_journal_may_have_is_set_and_labels_are_found(self):
        world, token = self.make(), None
        token = self.ada(world)
        info = json.loads(self.run_ok("journal", "set", "--step-bytes", "2M", "--bytes", "1M", world))
        self.assertEqual((info["steps"]["most_bytes"], info["most_bytes"]), (2 << 20, 1 << 20))
        self.assertIn("--bytes must be a number of bytes", self.run_bad(2, "journal", "set", "--bytes", "much", world))
        for value in ("seven", "eight"):
            self.assertEqual(self.server.call(token, "POST", LIST + "/quickAdd?text=Lunch", world=world,
                                              headers={"X-Sosia-Label-Run": value}).status, 200)
        self.assertEqual(len(self.run_ok("journal", "--label", "run:seven", world).splitlines()), 1)
        self.assertEqual(len(self.run_ok("journal", "--label", "run", world).splitlines()), 2)
        # 60 KB each, refused: the oldest go, and the world can still be written
        for _ in range(40):
            self.server.call(token, "PATCH", LIST + "/nobody", {"summary": "x" * 60000}, world=world)
        info = json.loads(self.run_ok("journal", "info", world))
        self.assertGreater(info["first"], 1)
        self.assertLessEqual(info["bytes"], 1 << 20)
        self.assertIn("is the first that is left", self.run_bad(1, "journal", "export", "--after", "1", world))
        # calls of nobody are no entries
        for _ in range(40):
            self.assertEqual(self.server.call("nothing", "PATCH", LIST + "/nobody", {"summary": "x" * 60000}, world=world).status, 401)
        again = json.loads(self.run_ok("journal", "info", world))
        self.assertEqual((again["entries"], again["bytes"], again["refused"]["calls"]), (info["entries"], info["bytes"], 40))

    def test_mail_that_was_sent_and_starred_is_named_by_subject_and_nothing_else(self):
        world = self.make()
        token, mail = self.ada(world), "/gmail/v1/users/me/messages"

        def letter(to, subject):
            return {"raw": base64.urlsafe_b64encode(("To: %s\r\nSubject: %s\r\n\r\nText.\r\n" % (to, subject)).encode()).decode()}

        old = self.server.call(token, "POST", mail, letter("ada@small.example", "Old"), world=world).json()["id"]
        before = self.run_ok("snapshot", world).strip()
        new = self.server.call(token, "POST", mail + "/send", letter("bo@small.example, guest@far.example", "=?utf-8?q?Caff=C3=A8?="),
                               world=world).json()["id"]
        self.server.call(token, "POST", mail + "/" + old + "/modify", {"addLabelIds": ["STARRED"]}, world=world)
        lines = self.run_ok("diff", before, world).splitlines()
        self.assertEqual(len(lines), 6, lines)
        self.assertEqual(lines[0], "ada@small.example  gmail")
        self.assertIn("  ~ message ada@small.example %s  Old" % old, lines)
        self.assertIn("      labels: +STARRED ", lines)
        self.assertIn("  + message ada@small.example %s  Caff\u00e8" % new, lines)
        self.assertEqual(lines[-2:], ["      so: + sent of ada@small.example  Caff\u00e8",
                                      "      so: + message of bo@small.example  Caff\u00e8"])

    def test_a_dump_makes_the_same_world_again(self):
        world = self.make()
        dump = self.run_ok("dump", world)
        with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as f:
            f.write(dump)
            f.flush()
            again = self.run_ok("world", "create", "--file", f.name).strip()
        self.assertEqual(self.run_ok("dump", again), dump)

    def test_a_fork_has_a_name_a_seed_and_a_time_if_asked_and_reset_may_go_elsewhere(self):
        world = self.make()
        fork = self.run_ok("fork", world, "--name", "branch", "--seed", "5", "--now", "2030-01-01T00:00:00Z").split()[0]
        info = json.loads(self.run_ok("world", "show", "branch", "--json"))
        self.assertEqual([info[n] for n in ("world", "parent", "seed", "now")],
                         [fork, world, 5, "2030-01-01T00:00:00.000000Z"])
        self.run_ok("seed", "branch", "-", stdin="sosia: 1\npeople: [{email: new@small.example}]\n")
        self.run_ok("snapshot", "branch", "--name", "with-new")
        self.run_ok("reset", "branch")
        self.assertNotIn("new@small.example", self.run_ok("dump", "branch"))
        self.run_ok("reset", "branch", "--to", "with-new")
        self.assertIn("new@small.example", self.run_ok("dump", "branch"))
        self.assertIn("snapshot", self.run_bad(1, "clock", "advance", "1h", "--world", "with-new"))

    def test_the_line_after_a_fork_can_be_a_curl(self):
        script = '''read -r world url actor token < <("$SOSIA" fork "$1" --name after-the-fork)
            curl -sS -H "Authorization: Bearer $token" "$url/calendar/v3/users/me/calendarList"; echo; echo $world $actor'''
        done = subprocess.run(["bash", "-c", script, "bash", self.make()], capture_output=True, text=True, check=True,
                              timeout=harness.PATIENCE, stdin=subprocess.DEVNULL,
                              env={**os.environ, "SOSIA_URL": self.server.url, "SOSIA_CONTROL_KEY": self.server.key})
        listed, told = done.stdout.strip().rsplit("\n", 1)
        key, actor = told.split()
        self.assertEqual(json.loads(listed)["items"][0]["id"], actor)
        self.assertEqual(self.run_ok("world", "show", "after-the-fork").split()[0], key)

    def test_a_fork_gives_a_token_to_each_who_is_named(self):
        base, people = self.make(), ["bo@small.example", "ada@small.example"]
        lines = [line.split() for line in self.run_ok("fork", base, "--count", "2", "--actor", people[0],
                                                      "--actor", people[1]).splitlines()]
        self.assertEqual([line[2] for line in lines], 2 * people)
        self.assertEqual(len({line[0] for line in lines}), 2)
        for key, url, actor, token in lines:
            self.assertEqual(url, "%s/w/%s" % (self.server.url, key))
            answer = self.server.call(token, "GET", "/calendar/v3/users/me/calendarList", world=key)
            self.assertEqual(answer.json()["items"][0]["id"], actor)
        self.assertIn("nobody@small.example", self.run_bad(1, "fork", base, "--actor", "nobody@small.example"))
        empty = self.run_ok("world", "create").strip()
        self.assertRegex(self.run_ok("fork", empty), "^[0-9a-f]{16}  http://[^ ]*/w/[0-9a-f]{16}\n$")

    def test_a_world_is_named_by_the_same_option_everywhere_and_as_an_argument(self):
        world = self.make()
        with tempfile.TemporaryDirectory() as dir:
            seed, image = os.path.join(dir, "seed.yaml"), os.path.join(dir, "world.db")
            with open(seed, "w", encoding="utf-8") as f:
                f.write("sosia: 1\n")
            token = self.ada(world)
            for words in (("world", "show"), ("world", "ttl", "--ttl", "1h"), ("seed", seed), ("dump",), ("diff", world),
                          ("fork",), ("reset",), ("snapshot",), ("token", "issue", "--actor", "ada@small.example"),
                          ("token", "revoke", token), ("clock",), ("clock", "get"), ("clock", "advance", "1s"), ("journal",),
                          ("outbox",), ("export", image), ("world", "drop")):
                both = [*words, world] if words not in (("clock",), ("seed", seed), ("export", image)) else None
                if words in (("seed", seed), ("export", image)):
                    both = [words[0], world, words[1]]
                self.run_ok(*words, "--world", world, env={"SOSIA_WORLD": "no-such-world"})
                if both:
                    self.assertIn("the world must be given once", self.run_bad(2, *both, "--world", world))
        world = self.make()
        for words in (("world", "show"), ("clock", "get"), ("clock", "advance", "1s"), ("token", "issue", "--actor",
                      "ada@small.example"), ("token", "revoke", self.ada(world))):
            self.run_ok(*words, world, env={"SOSIA_WORLD": "no-such-world"})

    def test_a_clock_is_read_set_advanced_and_changed_in_its_way(self):
        world = self.make()
        clock = lambda *words: self.run_ok("clock", *words, "--world", world).strip()
        self.assertEqual(clock(), "2026-11-23T08:00:00.000000Z  (frozen)")
        self.assertEqual(clock("advance", "90m"), "2026-11-23T09:30:00.000000Z  (frozen)")
        self.assertEqual(clock("set", "2026-12-24T18:00:00+01:00"), "2026-12-24T17:00:00.000000Z  (frozen)")
        self.assertEqual(clock("mode", "step", "--step", "5"), "2026-12-24T17:00:00.000000Z  (step)")
        self.assertEqual(json.loads(clock("get", "--json"))["step_ms"], 5)
        self.assertIn("(real)", clock("mode", "real"))
        self.assertRegex(self.run_ok("journal", world), r"(?m)^1  2\S+Z  control  \w+$")
        self.run_bad(1, "clock", "set", "yesterday", "--world", world)
        self.run_bad(1, "clock", "mode", "slow", "--world", world)
        self.run_bad(2, "clock", "advance", "-1h", "--world", world)
        self.run_bad(2, "clock", "advance", "soon", "--world", world)

    def test_people_act(self):
        world = self.run_ok("world", "create", "--fixture", "office", "--clock", "frozen").strip()
        people = json.loads(self.run_ok("dump", world))["workspaces"][0]["members"]
        ada = next(m["actor"] for m in people if "@" in m["actor"])
        post = json.dumps({"channel": "general", "text": "hello there"})
        said = json.loads(self.run_ok("act", ada, "post", post, world))
        self.assertEqual((said["ok"], said["message"]["text"]), (True, "hello there"))
        self.assertEqual(json.loads(self.run_ok("act", ada, "see", "-", "--world", world, stdin="{}"))["views"], [])
        refused = json.loads(self.run_ok("act", ada, "post", '{"channel": "nowhere", "text": "x"}', world))
        self.assertEqual(refused["error"], "channel_not_found")
        self.run_bad(1, "act", "nobody@acme.example", "see", "{}", world)
        for words in ((ada,), (ada, "see"), (ada, "see", "[]", world), (ada, "see", "{", world)):
            self.assertIn("must be", self.run_bad(2, "act", *words))

    def test_a_dump_is_a_seed_of_an_equal_world(self):
        for fixture in ("small", "small-365"):
            told = self.run_ok("dump", self.run_ok("world", "create", "--fixture", fixture, "--clock", "frozen").strip())
            again = self.run_ok("world", "create", "--file", "-", "--clock", "frozen", stdin=told).strip()
            self.assertEqual(json.loads(self.run_ok("dump", again)), json.loads(told))

    def test_people_act_in_teams(self):
        world = self.run_ok("world", "create", "--fixture", "small-365", "--clock", "frozen").strip()
        act = lambda name, members: self.run_ok("act", "--service", "teams", "nora@quay.example", name, json.dumps(members), world)
        said = json.loads(act("post", {"to": "olaf@quay.example", "text": "there?"}))
        self.assertEqual((said["body"]["content"], said["messageType"]), ("there?", "message"))
        again = json.loads(act("react", {"to": "olaf@quay.example", "timestamp": said["id"], "name": "heart"}))
        self.assertEqual((again["id"], len(again["reactions"])), (said["id"], 1))
        words = ("act", "--service", "teams", "nora@quay.example", "post", '{"channel": "nowhere", "text": "x"}', world)
        self.assertIn("channel_not_found", self.run_bad(1, *words))

    def test_tokens_are_issued_with_scopes_and_a_life_and_are_revoked(self):
        world = self.make()
        issue = lambda *words: self.run_ok("token", "issue", "--world", world, "--actor", "ada@small.example", *words).strip()
        ask = lambda token: self.server.call(token, "GET", LIST, world=world).status
        plain, fixed = issue(), issue("--value", "a-token-of-mine")
        self.assertEqual((fixed, ask(plain), ask(fixed)), ("a-token-of-mine", 200, 200))
        self.assertEqual(ask(issue("--scopes", "https://www.googleapis.com/auth/drive")), 403)
        short = issue("--ttl", "10m")
        self.assertEqual(ask(short), 200)
        self.run_ok("clock", "advance", "11m", "--world", world)
        self.assertEqual(ask(short), 401)
        for token in plain, fixed:
            self.assertEqual(self.run_ok("token", "revoke", token, "--world", world), "")
            self.assertEqual(ask(token), 401)
        self.run_bad(1, "token", "revoke", fixed, "--world", world)
        self.run_bad(1, "token", "issue", "--actor", "nobody@small.example", "--world", world)
        self.run_bad(2, "token", "issue", "--world", world)

    def test_a_world_ends_when_its_time_is_over(self):
        world = self.make()
        self.run_ok("world", "ttl", world, "--ttl", "1h")
        self.assertRegex(json.loads(self.run_ok("world", "show", world, "--json"))["expires"], "^20..-..-..T")
        self.run_ok("world", "ttl", world, "--ttl", "0")
        self.assertIsNone(json.loads(self.run_ok("world", "show", world, "--json"))["expires"])
        self.run_bad(2, "world", "ttl", world)
        brief = self.run_ok("world", "create", "--ttl", "1h").strip()
        self.assertTrue(json.loads(self.run_ok("world", "show", brief, "--json"))["expires"])
        self.run_bad(2, "world", "create", "--ttl", "soon")

    def test_an_export_is_a_sqlite_file_and_an_import_the_world_again(self):
        world = self.make()
        with tempfile.TemporaryDirectory() as dir:
            path = os.path.join(dir, "world.db")
            self.assertEqual(self.run_ok("export", world, path), "")
            with sqlite3.connect(path) as db:
                self.assertEqual(db.execute("select count(*) from ident_actor").fetchone(), (2,))
                self.assertEqual(db.execute("pragma integrity_check").fetchone(), ("ok",))
            db.close()
            self.run_ok("import", path, "--name", "back")
            self.assertEqual(self.run_ok("diff", world, "back"), "")
            self.assertEqual(self.run_bad(1, "import", path, "--name", "back"),
                             'sosia: there is a world "back" already\n')
            with open(path, "wb") as f:
                f.write(b"SQLite format 3\0" + bytes(5000))
            self.run_bad(1, "import", path)

    def test_files_are_put_into_a_workspace_listed_got_and_compared(self):
        world = self.make()
        with tempfile.TemporaryDirectory() as tmp:
            tree = os.path.join(tmp, "tree")
            os.makedirs(os.path.join(tree, "sub"))
            with open(os.path.join(tree, "sub", "f.txt"), "w", encoding="utf-8") as f:
                f.write("one\ntwo\n")
            os.symlink("sub/f.txt", os.path.join(tree, "link"))
            os.mkfifo(os.path.join(tree, "pipe"))
            self.assertEqual(self.run_ok("workspace", "put", tree, "in/here", "--world", world),
                             "1 files, 1 directories, 1 links, 0 skipped\n")
            file = os.path.join(tree, "sub", "f.txt")
            self.run_ok("workspace", "put", file, "--world", world)
            self.run_ok("workspace", "put", file, "other.txt", "--world", world)
            self.run_ok("workspace", "put", file, "below/", "--world", world)
            listed = self.run_ok("workspace", "ls", "--recursive", "--world", world)
            self.assertEqual([line.split("Z  ")[1] for line in listed.splitlines()],
                             ["below", "below/f.txt", "f.txt", "in", "in/here", "in/here/link -> sub/f.txt", "in/here/sub",
                              "in/here/sub/f.txt", "other.txt"])
            self.assertEqual(self.run_ok("workspace", "get", "in/here/link", "--world", world), "one\ntwo\n")
            archive = os.path.join(tmp, "got.tar.gz")
            self.run_ok("workspace", "get", "in", archive, "--world", world)
            self.run_ok("workspace", "put", archive, "again", "--tar", "--world", world)
            self.assertEqual(self.run_ok("workspace", "get", "/data/again/here/sub/f.txt", "--world", world), "one\ntwo\n")
            before = self.run_ok("fork", world).split()[0]
            with open(file, "w", encoding="utf-8") as f:
                f.write("one\n2\n")
            self.run_ok("workspace", "put", file, "--world", world)
            self.assertRegex(self.run_ok("workspace", "diff", before, "--world", world),
                             r"^workspace\n  ~ workspaceFile f.txt\n      size: 8 -> 6\n      sha256: .*\n      @@ -1,2 \+1,2 @@\n"
                             r"       one\n      -two\n      \+2\n$")
            with open(archive, "wb") as f:
                f.write(b"no archive")
            self.assertIn("the archive cannot be read", self.run_bad(1, "workspace", "put", archive, "--tar", "--world", world))
            self.assertIn("No such file", self.run_bad(1, "workspace", "put", os.path.join(tmp, "none"), "--world", world))
        self.assertIn("ENOENT", self.run_bad(1, "workspace", "get", "none", "--world", world))
        self.assertIn("EACCES", self.run_bad(1, "workspace", "get", "../etc/passwd", "--world", world))
        for words in ((), ("put",), ("ls", "a", "b"), ("paint",)):
            self.run_bad(2, "workspace", *words)
        # What was put is in the journal as a document is: it runs again.
        self.assertIn("different 0; equal\n", self.run_ok("replay", world))

    def test_agents_tokens_do_not_open_the_control_interface(self):
        token = self.ada(self.make())
        self.run_bad(1, "world", "list", "--key", token)
        for method, path in (("GET", "/worlds"), ("POST", "/worlds/small/reset"), ("POST", "/worlds/small/seed"),
                             ("GET", "/worlds/small/dump"), ("POST", "/worlds/small/clock/advance"),
                             ("POST", "/worlds/small/tokens"), ("DELETE", "/worlds/small"), ("GET", "/limits")):
            self.assertEqual(self.server.control(method, path, b"{}", key=token).status, 403, path)

    def test_it_ends_with_1_when_refused_2_when_misused_and_3_when_nobody_answers(self):
        self.run_bad(1, "world", "show", "no-such-world")
        self.assertIn("SOSIA_CONTROL_KEY", self.run_bad(1, "world", "list", env={"SOSIA_CONTROL_KEY": ""}))
        for words in (("world",), ("world", "paint"), ("seed",), ("diff",), ("dump", "a", "b"), ("token",), ("token", "issue"),
                      ("clock", "get", "x", "y"), ("world", "show", "a", "b"), ("fork", "--count", "0"), ("fork", "--count", "1001"), ("dump", "--nonsense"),
                      ("dump", "--url"), ("import",), ("export",), ("paint",), ("routes", "x"), ("ca",), ("help", "paint"),
                      ("help", "conformance", "record", "x"), ("version", "x"), ("world", "create", "mine"), ("world", "list", "x"),
                      ("world", "create", "--world", "x"), ("clock", "advance", "soon"), ("journal", "changes", "x"), ("mcp",), ("mcp", "x"),
                      ("mcp", "--fixture", "small", "--token", "x"), ("mcp", "--fixture", "small", "--risk", "x"), ("mcp", "--fixture", "small", "--tools", "x"), ("mcp", "--url", "http://localhost:1/mcp", "--token", "x", "--actor", "a@b"),
                      ("conformance", "replay", "--rate", "0"), ("conformance", "record", "--target", "http://localhost:1", "--out", "/nowhere", "--max-body", "0")):
            self.run_bad(2, *words)
        for words, word in (("seed", "-xh"), "-x"), (("clock", "advance", "-5s"), "-5"), (("seed", "--no"), "--no"), (("seed", "--json=x"), "--json=x"):
            self.assertIn("unknown option %s\n" % word, self.run_bad(2, *words))
        self.assertIn("usage: sosia version\n", self.run_bad(2, "version", "x"))
        ping = '{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n'
        self.run_bad(3, "mcp", "--url", "http://127.0.0.1:9/mcp", "--token", "x", stdin=ping)
        self.assertIn("a world must be named", self.run_bad(2, "dump", env={"SOSIA_WORLD": ""}))
        self.assertIn("no response", self.run_bad(3, "world", "list", "--url", "http://127.0.0.1:9"))
        self.assertIn("no response", self.run_bad(3, "world", "list", "--url", "not a url"))
        self.assertIn(self.server.world, self.run_ok("world", "list", "--url", self.server.url + "//"))

    def test_names_need_no_care_of_their_letters(self):
        self.assertIn('there is no world "../limits"', self.run_bad(1, "dump", "../limits"))
        self.assertIn('there is no world "a&to=small"', self.run_bad(1, "diff", "a&to=small", "b c"))
        self.assertIn('there is no world "caffè?x=1"', self.run_bad(1, "dump", "caffè?x=1"))

    def test_output_that_gets_lost_is_a_failure(self):
        world = self.make()
        for words in (["version"], ["help"], ["serve", "--help"], ["routes"], ["routes", "--json"], ["world", "list"], ["world", "list", "--json"],
                      ["dump", world], ["fork", world], ["generate", "--people", "3", "--messages", "1"],
                      ["suite", "list", os.path.join(ROOT, "suites/office.yaml")], ["diff", "--origin", world, "--html", "-"]):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([harness.SOSIA, *words], stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE, timeout=harness.PATIENCE,
                                      env={**os.environ, "SOSIA_URL": self.server.url, "SOSIA_CONTROL_KEY": self.server.key})
            self.assertEqual(done.returncode, 1, words)
            self.assertRegex(done.stderr.decode(), r"^sosia: standard output: .*\n$", words)

    def test_files_that_can_not_be_what_they_should_are_named(self):
        with tempfile.TemporaryDirectory() as dir:
            def write(name, content):
                with open(os.path.join(dir, name), "wb") as f:
                    f.write(content)
                return f.name

            nul, latin, empty = write("nul", b"sosia: 1\n\0"), write("latin", b"\xe9t\xe9"), write("empty", b"")
            takes = (["seed"], ["world", "create", "--file"], ["suite", "list"], ["suite", "lint"], ["grade"], ["journal", "verify"],
                     ["replay", "--edits"], ["replay", "--journal"], ["import"], ["conformance", "report"], ["conformance", "replay", "--resume"])
            for words in takes:
                self.assertEqual(self.run_bad(1, *words, dir), "sosia: %s: Is a directory\n" % dir)
            for words in takes[1], takes[4], takes[6]:
                self.assertEqual(self.run_bad(1, *words, nul), "sosia: %s:2: must be text in UTF-8, has bytes that are not\n" % nul)
                self.assertEqual(self.run_bad(1, *words, latin), "sosia: %s:1: must be text in UTF-8, has bytes that are not\n" % latin)
            self.assertEqual(self.run_bad(1, "seed", empty), "sosia: empty: must be a seed document, not empty\n")
            self.assertEqual(self.run_bad(1, "import", empty), "sosia: %s: must be an exported world, not empty\n" % empty)
            self.assertEqual(self.run_bad(1, "replay", "--edits", write("edits", b"[\n{")),
                             "sosia: edits:2: unexpected end where a key was expected\n")
            foreign = write("foreign", b"precious")
            self.assertEqual(self.run_bad(1, "conformance", "replay", "--resume", foreign), "sosia: %s: must be the state of a replay\n" % foreign)
            with open(foreign, "rb") as f:
                self.assertEqual(f.read(), b"precious")
            self.assertEqual(self.run_bad(1, "conformance", "record", "--target", self.server.url, "--out", dir + "/made", "--ca", dir + "/no"),
                             "sosia: %s/no: No such file or directory\n" % dir)
            self.assertFalse(os.path.exists(dir + "/made"))
            suite = os.path.join(ROOT, "suites/office.yaml")
            self.assertRegex(self.run_bad(1, "grade", suite, "--task", "move-budget", "--rows", empty), "^sosia: empty:1: must be an object")
            self.assertIn('the task must be one of the suite\'s, not "nothing"', self.run_bad(1, "suite", "lint", suite, "--task", "nothing"))
            for name in "é" * 39 + "abé.yaml", "x" * 100 + ".yaml":
                path = write(name, b"sosia: 1\npeople:\n  - name: Bo\n")
                for words in ("seed", path), ("world", "create", "--file", path):
                    self.assertRegex(self.run_bad(1, *words), r"^sosia: \w{41,80}:3: people\[0\]\.email: is missing\n$")
            for words in (["replay"], ["compare", dir]):
                self.assertIn("there is none in " + dir, self.run_bad(1, "conformance", *words, dir))

    def test_a_file_without_an_end_is_not_read_for_ever(self):
        self.assertRegex(self.run_bad(1, "conformance", "coverage", "--rules", "/dev/zero"), "^sosia: /dev/zero:? (is too large|must have at most)")

    def test_a_file_is_written_whole_or_not_at_all(self):
        world = self.make()
        with tempfile.TemporaryDirectory() as dir:
            made, link = os.path.join(dir, "made"), os.path.join(dir, "link")
            commands = (["export", world], ["diff", "--origin", world, "--html"], ["generate", "--people", "3", "--messages", "20", "--out"])
            for words in commands:
                with open(made, "wb") as f:
                    f.write(b"what was there")
                os.chmod(made, 0o600)
                # All that fits into such a file is less than what is written.
                done = subprocess.run(["sh", "-c", 'trap "" XFSZ; ulimit -f 1; exec "$@"', "sh", harness.SOSIA, *words, made], capture_output=True,
                                      text=True, timeout=harness.PATIENCE, stdin=subprocess.DEVNULL,
                                      env={**os.environ, "SOSIA_URL": self.server.url, "SOSIA_CONTROL_KEY": self.server.key})
                self.assertEqual((done.returncode, done.stderr), (1, "sosia: %s: File too large\n" % made), words)
                with open(made, "rb") as f:
                    self.assertEqual(f.read(), b"what was there")
                os.symlink(made, link)
                self.run_ok(*words, link)
                self.assertTrue(os.path.islink(link))
                os.unlink(link)
                self.assertEqual((os.listdir(dir), os.stat(made).st_mode & 0o777), (["made"], 0o600))
                self.assertGreater(os.stat(made).st_size, 512)
                self.assertEqual(self.run_bad(1, *words, "/dev/full"), "sosia: /dev/full: No space left on device\n")
                self.assertEqual(self.run_bad(1, *words, dir), "sosia: %s: Is a directory\n" % dir)
            process = subprocess.Popen([harness.SOSIA, "generate", "--people", "50", "--messages", "1000000", "--out", made + "2"])
            self.addCleanup(process.kill)
            while not any(f.name != "made" and f.stat().st_size for f in list(os.scandir(dir))) and process.poll() is None:
                time.sleep(0.01)
            process.terminate()
            self.assertEqual((process.wait(harness.PATIENCE), os.listdir(dir)), (-signal.SIGTERM, ["made"]))

    def test_streams_that_the_caller_has_closed_are_not_other_files(self):
        with tempfile.TemporaryDirectory() as dir:
            made = os.path.join(dir, "made.json")
            done = subprocess.run(["sh", "-c", 'exec "$@" 2>&-', "sh", harness.SOSIA, "generate", "--people", "3", "--messages", "50", "--progress",
                                   "--out", made], check=False, timeout=harness.PATIENCE, stdin=subprocess.DEVNULL)
            self.assertEqual(done.returncode, 0)
            with open(made, encoding="utf-8") as f:
                self.assertEqual(json.load(f)["name"], "large")
        done = subprocess.run(["sh", "-c", 'exec "$@" >&-', "sh", harness.SOSIA, "version"], capture_output=True, check=False, text=True,
                              timeout=harness.PATIENCE)
        self.assertEqual((done.returncode, done.stderr), (1, "sosia: standard output: Bad file descriptor\n"))

    def test_a_directory_is_not_made_by_asking_for_what_is_in_it(self):
        with tempfile.TemporaryDirectory() as dir:
            path = os.path.join(dir, "nowhere")
            for words in (["world", "list"], ["dump", "small"], ["fork", "small"]):
                self.assertEqual(self.run_bad(1, *words, "--data", path), "sosia: %s: No such file or directory\n" % path)
            self.assertEqual(os.listdir(dir), [])
            key = self.run_ok("world", "create", "--fixture", "small", "--data", path).strip()
            self.assertIn(key, self.run_ok("world", "list", "--data", path))

    def test_what_actors_wrote_does_not_command_the_terminal(self):
        world = self.make()
        token = self.ada(world)
        for text, shown in ("\x1b[2Jgone", '"\\u001b[2Jgone"'), ("a\x7fb", '"a\\u007fb"'), ("\x9b2J", '"\\u009b2J"'), ("\u202egpj", '"\\u202egpj"'), ('"é" <b>', '"é" <b>'):
            self.control("POST", "/worlds/%s/reset" % world)
            event = {"summary": text, "start": {"date": "2026-12-01"}, "end": {"date": "2026-12-02"}}
            self.assertEqual(self.server.call(token, "POST", LIST, event, world=world).status, 200)
            line = self.run_ok("diff", "fixture.small.frozen", world).splitlines()[1]
            self.assertTrue(line.endswith("  " + shown), line)
        # Names of members are theirs too.
        for name, shown in ("first", "extendedProperties: "), ("\x1b[2J", r'"extendedProperties.private.\u001b[2J": '), ("\u202ex", r'"extendedProperties.private.\u202ex": '):
            before = self.run_ok("snapshot", world).strip()
            change = {"extendedProperties": {"private": {name: "x"}}}
            self.assertEqual(self.server.call(token, "PATCH", LIST + "/smallcoffee01", change, world=world).status, 200)
            self.assertIn("\n      " + shown, self.run_ok("diff", before, world))

    def test_another_server_is_no_sosia_server(self):
        class Other(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.rfile.read(int(self.headers.get("Content-Length") or 0))  # what is left unread resets the connection, at times before the answer is read
                self.send_response(200)
                self.send_header("Content-Type", self.server.kind)
                self.send_header("Content-Length", len(self.server.body))
                self.end_headers()
                self.wfile.write(self.server.body)

            do_POST = do_GET

            def log_message(self, *unused):
                pass

        other = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Other)
        self.addCleanup(other.server_close)
        self.addCleanup(other.shutdown)
        threading.Thread(target=other.serve_forever).start()
        env = {"SOSIA_URL": "http://127.0.0.1:%d" % other.server_port, "SOSIA_CONTROL_KEY": "", "SOSIA_WORLD": "w"}
        commands = (["world", "list"], ["world", "list", "--json"], ["world", "show"], ["fork"], ["dump"], ["diff", "a", "b"], ["journal"], ["outbox"],
                    ["clock"], ["reset"], ["export", os.devnull])
        other.kind, other.body = "text/html", b"<p>Welcome"
        for words in commands:
            done = harness.command(*words, env=env)
            self.assertEqual((done.returncode, done.stdout), (3, ""), words)
            self.assertIn("must be a sosia server, which responds with JSON; it responds with text/html", done.stderr)
        # and a hostile one: whatever comes, the command ends by an exit code
        other.kind = "application/json"
        for other.body in (b"", b"[]", b"{}", b'{"worlds":"abc","changes":{"a":1},"entries":"xyz"}', b'{"worlds":[1,{"world":5}],"next":{}}',
                           b'{"worlds":{"a":1},"changes":[1,{"key":"abc","fields":"abcd"},{"fields":[1,2]}],"entries":[1,{"request":5}]}'):
            for words in commands:
                self.assertIn(harness.command(*words, env=env).returncode, (0, 3), (words, other.body))


class Help(unittest.TestCase):
    """What the program says of itself, and what is made of it."""

    def commands(self):
        return re.findall(r"(?m)^  ([a-z][a-z-]*) ", harness.command("help").stdout)

    def test_every_command_has_help_with_its_options(self):
        names = self.commands()
        wanted = "serve world seed dump diff fork reset snapshot token clock journal export import routes ca version"
        self.assertLessEqual(set(wanted.split()), set(names))
        for name in names:
            for words in ((name, "--help"), ("help", name)):
                done = harness.command(*words)
                self.assertEqual((done.returncode, done.stderr), (0, ""), words)
                self.assertTrue(done.stdout.startswith("usage: sosia " + name), done.stdout)
                self.assertIn("  --help ", done.stdout)
        for name in re.findall(r"(?m)^  conformance ([a-z]+) ", harness.command("help", "conformance").stdout):
            done = harness.command("help", "conformance", name)
            self.assertEqual(done.stdout, harness.command("conformance", name, "--help").stdout)
            self.assertTrue(done.stdout.startswith("usage: sosia conformance " + name), done.stdout)
        for words in (), ("--help",):
            done = harness.command(*words)
            self.assertEqual((done.returncode, "usage: sosia COMMAND" in done.stdout + done.stderr), (0 if words else 2, True))

    def test_the_manual_page_names_every_command_and_option(self):
        with open(os.environ["SOSIA_MAN"], encoding="utf-8") as f:
            page = f.read().replace("\\-", "-")
        below = re.findall(r"(?m)^  (conformance [a-z]+) ", harness.command("conformance", "--help").stdout)
        self.assertLessEqual({"conformance record", "conformance replay"}, set(below))
        for name in self.commands() + below:
            self.assertIn(".SS sosia " + name, page)
            for option in re.findall(r"(?m)^  (--[a-z-]+)", harness.command(*name.split(), "--help").stdout):
                if option != "--help":
                    self.assertIn("\\fB" + option + "\\fR", page)
        self.assertNotIn("@", re.sub(r"[\w.]+@[\w.]+", "", page))

    def complete(self, *words):
        script = """source cli/completion.bash; compopt() { :; }
            COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _sosia; printf '%s\\n' "${COMPREPLY[@]}" """
        done = subprocess.run(["bash", "-c", script, "_", *words], cwd=ROOT, capture_output=True, text=True, check=True)
        return done.stdout.split()

    def test_bash_completes_commands_words_and_options(self):
        sosia = harness.SOSIA
        self.assertEqual(self.complete(sosia, "sn"), ["snapshot"])
        self.assertEqual(self.complete(sosia, "help", "jo"), ["journal"])
        self.assertEqual(self.complete(sosia, "world", "cr"), ["create"])
        self.assertEqual(self.complete(sosia, "clock", "ad"), ["advance"])
        self.assertEqual(self.complete(sosia, "fork", "--co"), ["--count"])
        self.assertEqual(self.complete(sosia, "serve", "--clock", "fr"), ["frozen"])
        self.assertEqual(self.complete(sosia, "fork", "--count", ""), [])
        self.assertEqual(self.complete(sosia, "conformance", "rec"), ["record"])
        self.assertEqual(self.complete(sosia, "conformance", "record", "--tar"), ["--target"])
        self.assertEqual(self.complete(sosia, "conformance", "record", "--keep", "em"), ["email"])
        self.assertEqual(self.complete(sosia, "journal", "set", "--keep", ""), ["redacted", "full", "hashes"])
        self.assertEqual(self.complete(sosia, "journal", "export", "--format", "o"), ["otlp"])
        self.assertEqual(self.complete(sosia, "conformance", "replay", "--format", "j"), ["json", "junit"])
        self.assertIn("README.md", self.complete(sosia, "conformance", "export", "--har", "READ"))
        self.assertIn("tests/cli", self.complete(sosia, "serve", "--data", "tests/c"))
        self.assertIn("README.md", self.complete(sosia, "seed", "READ"))

    def test_version_shows_that_of_the_zones_too(self):
        self.assertRegex(harness.command("version").stdout, r"^sosia \d+\.\d+\.\d+ \(time zones \d{4}[a-z]\)\n$")


class Routes(unittest.TestCase):
    def routes(self):
        return json.loads(harness.command("routes", "--json").stdout)

    def test_every_method_is_listed_in_all_forms(self):
        routes, text, page = self.routes(), harness.command("routes").stdout, harness.command("routes", "--markdown").stdout
        self.assertIn("calendar.events.insert", [r["id"] for r in routes])
        self.assertEqual([r["id"] for r in routes], list(dict.fromkeys(line.split()[0] for line in text.splitlines())))
        for r in routes:
            self.assertRegex(page, r"(?m)^\| `%s` \| `%s %s`.* \| %s(?: or more)? \|" % (re.escape(r["id"]), r["verb"], re.escape(r["path"]), r["risk"]))
            self.assertRegex(text, r"(?m)^%s +%s +%s +" % (re.escape(r["id"]), r["verb"], r["risk"]))
            for p in re.findall(r"\{(\w+)\}", r["path"]):
                self.assertIn(p, [q["name"] for q in r["parameters"] if q["in"] == "path"], r["id"])

    def test_differences_are_counted_and_printed_by_method(self):
        known = json.loads(harness.command("conformance", "differences", "--json").stdout)
        self.assertEqual(len({d["id"] for d in known}), len(known))
        page = harness.command("routes", "--markdown").stdout
        rows = {r["id"]: r["differences"] for r in self.routes()}
        for method in ("calendar.events.quickAdd", "users.setPhoto"):
            lines = harness.command("conformance", "differences", method).stdout.splitlines()
            self.assertEqual((rows[method], len(lines)), (len(lines), rows[method]))
            self.assertIn("[%d](fidelity.md#%s)" % (len(lines), method), page)
            self.assertTrue(any(method in d["methods"] and lines[-1].startswith(d["id"] + " ") for d in known), lines)
        for words in (("calendar.events.none",), ("calendar.events.list", "--json"), ("calendar.events.list", "calendar.events.get")):
            refused = harness.command("conformance", "differences", *words)
            self.assertEqual((refused.returncode, refused.stdout), (2, ""), words)
            self.assertNotEqual(refused.stderr, "")

    def test_every_dialect_is_an_openapi_document(self):
        rows = self.routes()
        for dialect in sorted({r["dialect"] for r in rows}):
            doc = json.loads(harness.command("routes", "--openapi", dialect).stdout)
            self.assertEqual(doc["openapi"], "3.1.0")
            self.assertEqual(set(doc), {"openapi", "info", "paths", "components"})
            ids = []
            for path, operations in doc["paths"].items():
                for verb, op in operations.items():
                    self.assertIn(verb, ("get", "post", "put", "patch", "delete"))
                    ids.append(op["operationId"])
                    self.assertIn("default", op["responses"])
                    places = {p["name"]: p for p in op["parameters"]}
                    self.assertEqual(set(re.findall(r"{([\w-]+)}", path)),
                                     {n for n, p in places.items() if p["in"] == "path"})
                    self.assertTrue(all("type" in p["schema"] for p in places.values()))
            self.assertEqual(len(ids), len(set(ids)))
            self.assertLessEqual({r["id"] for r in rows if r["dialect"] == dialect}, set(ids))
            text = json.dumps(doc)
            for name in re.findall(r"#/components/schemas/([\w.-]+)", text):
                self.assertIn(name, doc["components"]["schemas"])

    def test_the_control_interface_is_an_openapi_document(self):
        doc = json.loads(harness.command("routes", "--openapi", "sosia.control").stdout)
        self.assertEqual(doc["servers"], [{"url": "/_sosia/v1"}])
        self.assertEqual(doc["paths"]["/worlds/{world}/fork"]["post"]["operationId"], "worlds.fork")
        refused = harness.command("routes", "--openapi", "none")
        self.assertEqual((refused.returncode, refused.stdout), (2, ""))
        self.assertIn(", sosia.control, sosia.hosted, sosia.e2b, not \"none\"", refused.stderr)

    def test_the_page_of_entities_has_what_suites_may_name(self):
        page = harness.command("routes", "--entities").stdout
        for entity, member in (("event", "attendees.*.email"), ("file", "permissions.*.type"), ("message", "labels.*"),
                               ("chatMessage", "thread_ts"), ("sent", "subject")):
            line = re.search(r"^\| `%s` \| .*$" % entity, page, re.M)
            self.assertIsNotNone(line, entity)
            self.assertIn("`%s`" % member, line.group(0))
        self.assertIn("| `optional` | true or false | The guest need not come |", page)

    def test_methods_of_a_vendors_api_are_counted_against_the_vendors_list(self):
        with open(os.path.join(ROOT, "services/calendar/google/methods.txt"), encoding="utf-8") as f:
            vendor = f.read().split()
        ours = [r["id"] for r in self.routes() if r["dialect"] == "calendar.google"]
        self.assertEqual((len(vendor), sorted(vendor)), (38, vendor))
        self.assertLessEqual(set(ours), set(vendor))
        page = harness.command("routes", "--markdown").stdout
        self.assertIn("%d of the vendor's 38 methods." % len(ours), page)
        missing = re.search(r"38 methods\. Missing: (.*)\.\n", page)
        self.assertEqual(set(re.findall("`(.*?)`", missing.group(1)) if missing else []), set(vendor) - set(ours))


if __name__ == "__main__":
    unittest.main()
