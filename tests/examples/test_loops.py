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


if __name__ == "__main__":
    unittest.main()
