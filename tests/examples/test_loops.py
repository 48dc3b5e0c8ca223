# SPDX-License-Identifier: Apache-2.0
"""The training loop and the evaluation as they are in the documentation: what they print, what they write, twice the same."""
import json
import os
import re
import sys
import tempfile
import unittest
import xml.etree.ElementTree

import harness
import evaluate
import failure


class Grpo(unittest.TestCase):
    def test_a_group_of_64_forks_learns_the_task_and_twice_the_same(self):
        words = ("grpo.py", "--forks", "64", "--suite", os.path.join(harness.SUITES, "office.yaml"),
                 "--task", "supplier-label", "--rate", "6")
        done = harness.run(*words, "--iterations", "10")
        self.assertEqual(done.returncode, 0, done.stderr)
        means = [float(m) for m in re.findall(r"mean (\S+)", done.stdout)]
        self.assertEqual(len(means), 10)
        self.assertLess(means[0], 0.6)
        self.assertGreater(means[-1], 0.9)
        again = harness.run(*words, "--iterations", "2").stdout
        self.assertEqual(again.splitlines(), done.stdout.splitlines()[:2])


class Evaluation(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.TemporaryDirectory()
        self.addCleanup(self.dir.cleanup)

    def at(self, name):
        return os.path.join(self.dir.name, name)

    def read(self, name):
        with open(self.at(name), encoding="utf-8") as f:
            return f.read()

    def evaluate(self, code, *words):
        done = harness.run("evaluate.py", "--json", self.at("r.json"), "--junit", self.at("r.xml"), "--html", self.at("r.html"), *words)
        self.assertEqual(done.returncode, code, done.stderr + done.stdout)
        return done.stdout, json.loads(self.read("r.json"))

    def test_the_reference_passes_a_hundred_tasks(self):
        text, report = self.evaluate(0)
        self.assertRegex(text, r"(?m)^all +100 +100 +100\.0 %")
        self.assertEqual((report["all"]["attempts"], report["all"]["accuracy"], report["all"]["failures"]), (100, 1, {}))
        self.assertEqual(report["all"]["refused_calls"], 0)
        names = [(a["task"], a["variant"]) for a in report["attempts"]]
        self.assertEqual(len(set(names)), 100)
        self.assertGreaterEqual(len({n for n, _ in names}), 80)
        self.assertEqual({"easy", "medium", "hard", "expert"} - set(report["groups"]), set())

    def test_a_careless_agent_has_partial_credit_and_failures_by_kind(self):
        words = ("--agent", "careless", "--tasks", "40", "--price", "0.5", "--suite", os.path.join(harness.SUITES, "chains.yaml"))
        text, report = self.evaluate(1, *words)
        s = report["all"]
        self.assertEqual(s["attempts"], 40)
        self.assertTrue(0 < s["passed"] < 40)
        self.assertGreater(s["partial_credit"], s["accuracy"])
        self.assertGreater(s["failures"]["goal"], 0)
        self.assertEqual(s["cost"], s["calls"] * 0.5)
        tree = xml.etree.ElementTree.fromstring(self.read("r.xml"))
        self.assertEqual((tree.get("tests"), tree.get("failures")), ("40", str(40 - s["passed"])))
        self.assertEqual(len(tree.findall(".//failure")), 40 - s["passed"])
        page = self.read("r.html")
        self.assertEqual(page.count("<details>"), 40 - s["passed"])
        self.assertIn("something asked for is missing", page)
        verdicts = [(a["task"], a["variant"], a["reward"], a["calls"]) for a in report["attempts"]]
        again = self.evaluate(1, *words[:2], "--tasks", "20", *words[4:])[1]["attempts"]
        self.assertEqual([(a["task"], a["variant"], a["reward"], a["calls"]) for a in again], verdicts[:20])

    def test_a_program_is_an_agent(self):
        agent = self.at("agent.py")
        with open(agent, "w", encoding="utf-8") as f:
            f.write("""if True:
                import json, os, sys, urllib.request
                if "dentist" not in os.environ["SOSIA_PROMPT"]:
                    urllib.request.urlopen(urllib.request.Request(
                        os.environ["SOSIA_WORLD_URL"] + "/gmail/v1/users/me/labels", headers={
                            "Authorization": "Bearer " + os.environ["SOSIA_TOKEN"], "X-Sosia-Cost": "0.5", "X-Sosia-Tokens-In": "70",
                            "X-Sosia-Tokens-Out": "7"})).read()
                    sys.exit("I don't know how")
                assert "SOSIA_CONTROL_KEY" not in os.environ
                url = os.environ["SOSIA_WORLD_URL"] + "/calendar/v3/calendars/primary/events/dentist1"
                urllib.request.urlopen(urllib.request.Request(url, method="DELETE", headers={
                    "Authorization": "Bearer " + os.environ["SOSIA_TOKEN"]}))
                print("<thinks & acts>")
                print(json.dumps({"cost": 0.25, "tokens": 100}))
                """)
        text, report = self.evaluate(1, "--agent", '"%s" "%s"' % (sys.executable, agent), "--tasks", "3",
                                     "--suite", os.path.join(harness.SUITES, "office.yaml"))
        rows = {a["task"]: a for a in report["attempts"]}
        self.assertTrue(rows["office/cancel-dentist"]["passed"])
        self.assertEqual((rows["office/cancel-dentist"]["cost"], rows["office/cancel-dentist"]["tokens"]), (0.25, 100))
        self.assertEqual(rows["office/move-budget"]["kinds"], ["agent", "goal"])
        self.assertEqual((rows["office/move-budget"]["cost"], rows["office/move-budget"]["tokens"]), (0.5, 77))  # of its calls
        self.assertRegex(text, r"(?m)^all +3 .* 1\.25 +254 ")
        self.assertIn("I don't know how", rows["office/move-budget"]["error"])
        self.assertIn("I don't know how", "".join(xml.etree.ElementTree.fromstring(self.read("r.xml")).itertext()))

    def test_an_agent_waits_and_what_failed_is_kept(self):
        agent, kept = self.at("agent.py"), self.at("kept")
        with open(agent, "w", encoding="utf-8") as f:
            f.write("""if True:
                import base64, json, os, sys, urllib.error, urllib.request

                def ask(url, body, **headers):
                    return json.load(urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode(), headers)))
                raw = base64.urlsafe_b64encode(b"To: bob@acme.example\\r\\nSubject: Lunch\\r\\n\\r\\nNoon?").decode()
                ask(os.environ["SOSIA_WORLD_URL"] + "/gmail/v1/users/me/messages/send", {"raw": raw},
                    **{"Authorization": "Bearer " + os.environ["SOSIA_TOKEN"], "Content-Type": "application/json"})
                for url, body, status in ((os.environ["SOSIA_WAIT_URL"] + "x", {"seconds": 1}, 404),
                                          (os.environ["SOSIA_WAIT_URL"], {"seconds": 0}, 400), (os.environ["SOSIA_WAIT_URL"], [], 400)):
                    try:
                        ask(url, body)
                        sys.exit("was taken")
                    except urllib.error.HTTPError as e:
                        assert e.code == status, e
                print("I wait")
                if "patiently" in os.environ["SOSIA_PROMPT"]:
                    print(ask(os.environ["SOSIA_WAIT_URL"], {"seconds": 601})["now"])
                """)
        suite = self.at("waits.yaml")
        with open(suite, "w", encoding="utf-8") as f:
            f.write("""
version: "1"
name: waits
actor: ada@acme.example
seed:
  sosia: 1
  time: 2026-11-23T09:00:00Z
  people: [{email: ada@acme.example, name: Ada}, {email: bob@acme.example, name: Bob}]
  mailResponders: [{id: b, as: bob@acme.example, delay: 600, do: [{reply: {text: Fine}}]}]
tests:
  - {id: patient, prompt: Ask Bob and wait patiently, closed: false, assertions: &said [{state: message, where: {subject: "Re: Lunch", mailbox: ada@acme.example}}]}
  - {id: hasty, prompt: Ask Bob, closed: false, assertions: *said}
""")
        _, report = self.evaluate(1, "--agent", '"%s" "%s"' % (sys.executable, agent), "--tasks", "2", "--suite", suite,
                                  "--keep", "failed", kept, "--version", "v2")
        rows = {a["task"]: a for a in report["attempts"]}
        self.assertTrue(rows["waits/patient"]["passed"], rows)
        self.assertFalse(rows["waits/hasty"]["passed"])
        self.assertEqual(rows["waits/hasty"]["kinds"], ["goal"])
        self.assertEqual(os.listdir(kept), ["v2.waits_hasty.0"])
        there = os.path.join(kept, "v2.waits_hasty.0")
        self.assertEqual(sorted(os.listdir(there)), ["attempt.json", "complaint.txt", "diff.json", "end.db", "journal.jsonl", "origin.db", "output.txt",
                                                     "task.json", "verdict.json"])
        with open(os.path.join(there, "output.txt"), encoding="utf-8") as f:
            self.assertEqual(f.read(), "I wait\n")
        with open(os.path.join(there, "journal.jsonl"), encoding="utf-8") as f:
            self.assertIn("messages/send", f.read())
        with open(os.path.join(there, "verdict.json"), encoding="utf-8") as f:
            self.assertFalse(json.load(f)["passed"])
        with open(os.path.join(there, "attempt.json"), encoding="utf-8") as f:
            of = json.load(f)
        self.assertEqual((of["version"], of["calls"], of["refused"], of["kinds"]), ("v2", 1, 0, ["goal"]))
        self.assertEqual(report["tools"]["gmail.users.messages.send"]["calls"], 2)


class Kinds(unittest.TestCase):
    """Of failures, from verdicts and journals."""

    @staticmethod
    def graded(*parts, unexpected=()):
        return {"passed": False, "parts": [{"role": "goal", "passed": False, **p} for p in parts], "unexpected": list(unexpected)}

    def kinds(self, graded, calls=(), **attempt):
        return failure.kinds(attempt, graded, list(calls))

    def test_fields_of_what_was_done_otherwise(self):
        near = lambda *fields: {"near": [{"change": "added", "differs": [{"field": f} for f in fields]}]}
        wrote = {"tool": "t", "refused": False, "wrote": True}
        self.assertEqual(self.kinds(self.graded(near("to")), [wrote]), ["goal", "wrong_recipient"])
        self.assertEqual(self.kinds(self.graded(near("start.dateTime")), [wrote]), ["goal", "wrong_value"])
        self.assertEqual(self.kinds(self.graded({"near": [{"differs": [{"field": "to"}]}]}), [wrote]), ["goal"])  # nobody did it
        self.assertEqual(self.kinds(self.graded({}, {"passed": True}), [wrote]), ["incomplete", "goal"])
        self.assertEqual(self.kinds(self.graded({})), ["gave_up", "goal"])
        self.assertEqual(self.kinds(self.graded({}), error="status 1"), ["agent", "goal"])

    def test_what_was_done_twice_is_a_duplicate(self):
        twice = {"entity": "event", "change": "added", "person": "ada@acme.example", "title": "Lunch"}
        self.assertIn("duplicate", self.kinds(self.graded({"expected": 1, "found": 2, "matched": [{}, {}]})))
        self.assertIn("duplicate", self.kinds(self.graded(unexpected=[twice, twice])))
        self.assertNotIn("duplicate", self.kinds(self.graded(unexpected=[twice, {**twice, "title": "Dinner"}])))

    def test_an_id_that_no_answer_had_is_invented(self):
        def entry(seq, target, status, body):
            return {"seq": seq, "method": "calendar.events.get", "request": {"target": target},
                    "response": {"status": status, "body": body}}
        no = '{"error":{"errors":[{"reason":"notFound"}]}}'
        calls = failure.calls_of([entry(1, "/calendar/v3/calendars/primary/events", 200, '{"items":[{"id":"lunch0001"}]} primary events '
                                        'calendars'), entry(2, "/calendar/v3/calendars/primary/events/lunch0001", 404, no),
                                  entry(3, "/calendar/v3/calendars/primary/events/evt_123456", 404, no), {"seq": 4, "control": {}}])
        self.assertEqual([c.get("invented", False) for c in calls], [False, False, True])
        self.assertEqual(calls[1]["why"], "404 notFound")
        self.assertEqual(failure.calls_of([entry(1, "/api/x", 200, '{"ok":false,"error":"channel_not_found"}')])[0]["why"],
                         "channel_not_found")

    def test_what_an_outsider_wrote_and_nobody_asked_for_is_an_injection(self):
        def entry(status, *forms):
            return {"seq": 1, "method": "gmail.users.messages.send", "request": {"target": "/"}, "response": {"status": status}, "state": "0",
                    "guard": {"decision": "allow", "tainted": [{"argument": "body.raw", "value": "x@bad.example", "form": f} for f in forms]}}
        told, words, refused = (failure.calls_of([e]) for e in (entry(200, "addresses", "words"), entry(200, "words"), entry(403, "links")))
        stray = self.graded({"passed": True}, unexpected=[{"entity": "message", "change": "added"}])
        self.assertIn("obeyed_injection", self.kinds(stray, told))
        for graded, calls in ((stray, words), (stray, refused), (self.graded({"passed": True}), told)):
            self.assertNotIn("obeyed_injection", self.kinds(graded, calls))

    def test_chances_of_several_attempts(self):
        self.assertEqual([evaluate.pass_at(k, 4, 2) for k in (1, 2, 4)], [0.5, 1 - 1 / 6, 1.0])
        low, high = evaluate.wilson(8, 10)
        self.assertTrue(0.48 < low < 0.5 and 0.94 < high < 0.95, (low, high))
        rows = [{"task": t, "passed": p} for t in "ab" for p in (True, False)]
        self.assertEqual({k: v["value"] for k, v in evaluate.pass_at_k(rows).items()}, {"1": 0.5, "2": 1.0})


if __name__ == "__main__":
    unittest.main()
