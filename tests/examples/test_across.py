# SPDX-License-Identifier: Apache-2.0
"""Tasks that two suites have in the same words, done in both worlds and compared; the page that has what came of them."""
import json
import os
import re
import subprocess
import unittest

import harness
import across
from sosia import loops

WRITE = os.environ.get("SOSIA_REPORT") == "write"  # the page is written anew
PAGE = os.path.join(harness.ROOT, "docs/across.md")


class Across(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server, cls.bases = loops.Sosia.start(), {}
        cls.suites = {n: loops.Suite(os.path.join(harness.SUITES, n)) for n in os.listdir(harness.SUITES)}

    @classmethod
    def tearDownClass(cls):
        cls.server.close()

    def rows(self, left, right):
        return [across.compare(self.server, self.bases, *pair) for pair in across.pairs(self.suites[left], self.suites[right])]

    def test_the_page_has_what_comes_of_each_shared_task(self):
        with open(PAGE, encoding="utf-8") as f:
            page = f.read()
        found = re.findall(r"<!-- (\S+) (\S+) -->\n((?:\|.*\n)+)", page)
        self.assertEqual([len(self.rows(a, b)) for a, b, _ in found], [10, 7, 6])
        for left, right, table in found:
            rows = self.rows(left, right)
            self.assertEqual({tuple(r["passed"]) for r in rows}, {(True, True)})
            made = across.markdown(rows, self.suites[left].name, self.suites[right].name)
            if WRITE:
                page = page.replace(table, made)
            else:
                self.assertEqual(made, table)
        if WRITE:
            with open(PAGE, "w", encoding="utf-8") as f:
                f.write(page)

    def test_most_of_what_is_asked_for_in_the_same_words_comes_to_the_same(self):
        rows = {r["task"]: r for r in self.rows("workspace.yaml", "teams.yaml")}
        self.assertGreaterEqual(sum(r["equal"] for r in rows.values()), 8)
        self.assertEqual([d["fields"]["kind"] for d in rows["roster-december"]["differences"]], [{"left": "document", "right": "file"}])

    def test_an_agent_that_does_less_on_one_side_is_seen(self):
        left, right = ({t.id: t for t in self.suites[n].tasks}["word-to-ida"] for n in ("workspace.yaml", "teams.yaml"))
        one, other = (self.server.fork(t.base(self.server, self.bases), t.actor) for t in (left, right))
        loops.perform_all(one, left.reference, {})
        found = self.server.diff(other.key, one.key, "across")
        self.assertEqual((found["equal"], found["same"]), (False, []))
        self.assertEqual([(d["entity"], d["left"], d["right"]) for d in found["differences"]],
                         [("channel", "added", None), ("chatMessage", "added", None)])
        said = next(d for d in found["differences"] if d["entity"] == "chatMessage")
        self.assertEqual(said["fields"]["text"], {"left": "The keys of Birch are in cabinet 5."})
        self.assertEqual(said["fields"]["with"], {"left": ["ida@quay.example", "lea@quay.example"]})
        # The other way round it says the same of the other side, and of a world with itself nothing.
        back = self.server.diff(one.key, other.key, "across")
        self.assertEqual([(d["entity"], d["left"], d["right"]) for d in back["differences"]],
                         [("channel", None, "added"), ("chatMessage", None, "added")])
        self.assertTrue(self.server.diff(one.key, one.key, "across")["equal"])
        self.server.drop([one.key, other.key])

    def test_what_is_seeded_into_two_worlds_is_compared_whatever_their_vendors(self):
        event = {"id": "review01", "summary": "Review", "start": "2026-11-24T09:00:00Z", "end": "2026-11-24T10:00:00Z"}

        def put(world, event):
            self.server.control("POST", "/worlds/%s/seed" % world, {"sosia": 1, "calendars": [
                {"owner": "ada@acme.example", "primary": True, "events": [event]}]})

        def ask(query):
            return self.server.control("GET", "/diff?from=%s&to=%s&form=across%s" % (left, right, query))
        left, right = (self.server.create(seed_document=json.dumps({
            "sosia": 1, "time": "2026-11-23T08:00:00Z", "organizations": [{"domain": "acme.example", "name": "Acme"}],
            "people": [{"email": "ada@acme.example", "name": "Ada"}],
            "accounts": [{"actor": "ada@acme.example", "vendor": v}]})) for v in ("google", "microsoft"))
        put(left, event)
        put(right, event)
        found = ask("")
        self.assertEqual(found["same"], [{"entity": "event", "person": "ada@acme.example", "title": "Review", "change": "added"}])
        self.assertEqual((found["equal"], found["differences"]), (True, []))
        put(right, {**event, "id": "other01", "summary": "Plan"})
        self.assertEqual([(d["title"], d["left"], d["right"]) for d in ask("")["differences"]], [("Plan", None, "added")])
        for query in ("&all=true", "&causes=true"):
            with self.assertRaises(loops.Refused) as refused:
                ask(query)
            self.assertEqual((refused.exception.status, refused.exception.error["field"]), (400, query[1:-5]))
        for query, status, field in (("to=" + right, 400, "from"), ("from=nobody&to=" + right, 404, "from")):
            with self.assertRaises(loops.Refused) as refused:
                self.server.control("GET", "/diff?form=across&" + query)
            self.assertEqual((refused.exception.status, refused.exception.error["field"]), (status, field))

    def test_the_program_takes_two_suites_and_an_agent(self):
        done = harness.run("across.py", "--agent", "idle")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("10 of 10 equal", done.stdout)  # nothing was done on either side
        done = harness.run("across.py", PAGE)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("there must be two suites, there are 1", done.stderr)

    def test_the_command_prints_what_differs(self):
        left, right = ({t.id: t for t in self.suites[n].tasks}["roster-december"] for n in ("workspace.yaml", "teams.yaml"))
        one, other = (self.server.fork(t.base(self.server, self.bases), t.actor) for t in (left, right))
        for world, task in ((one, left), (other, right)):
            loops.perform_all(world, task.reference, {})
        env = {**harness.environment(), "SOSIA_URL": self.server.url, "SOSIA_CONTROL_KEY": self.server.key}

        def command(*words):
            return subprocess.run([loops.BINARY, "diff", *words], env=env, capture_output=True, text=True, stdin=subprocess.DEVNULL,
                                  timeout=harness.PATIENCE)
        done = command("--across", one.key, other.key)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout.splitlines()[0], "~ file lea@quay.example  Roster December")
        self.assertIn("      kind: document | file", done.stdout.splitlines())
        self.assertEqual(done.stdout.splitlines()[-1], "0 same, 1 different")
        for words in (("--across", "--patch", one.key, other.key), ("--across", "--all", one.key, other.key), ("--across", one.key)):
            done = command(*words)
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)
        self.server.drop([one.key, other.key])


if __name__ == "__main__":
    unittest.main()
