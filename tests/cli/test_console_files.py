# SPDX-License-Identifier: Apache-2.0
"""What the console shows of files that other programs have left: evidence of workflows, runs of loops."""
import json
import os
import shutil
import tempfile
import unittest

import harness
from test_console import ADA
from test_grade import EVENT


class Workflows(harness.ServerCase):
    """Evidence of workflows, as files."""

    @staticmethod
    def evidence(version, passed, **figures):
        return {"evidence": 1, "workflow": "desk", "version": version, "driver": "reference", "policy_version": "1", "hashes": {"policy": version}, "versions": {}, "approvers": [],
                "checklist": [{"item": "happyPath", "passed": passed, "runs": 1, "passed_runs": int(passed), "failed": [] if passed else ["happyPath/a"]}], "passed": passed,
                "figures": {"runs": 1, "calls": 3, **figures},
                "runs": [{"run": "happyPath/a", "passed": passed, "ended": True, "correct": passed, "calls": 3, "why": "<b>no</b>", "stopped": []}]}

    @classmethod
    def write(cls, name, what, at=0):
        path = os.path.join(cls.place, name)
        with open(path, "w", encoding="utf-8") as f:
            f.write(what if isinstance(what, str) else json.dumps(what))
        os.utime(path, (1_700_000_000 + at, 1_700_000_000 + at))

    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.mkdtemp()
        cls.write("desk.promoted.json", cls.evidence("1", True, correct_completion=1), 1)
        cls.write("desk.json", cls.evidence("2", False, correct_completion=0.5), 2)
        cls.write("alone.json", cls.evidence("1", True))
        for name, what in (("broken.json", "{"), ("other.json", {"evidence": 2, "workflow": "x"}), ("nameless.json", {"evidence": 1}), ("list.json", [1]), ("desk.yaml", "workflow: 1"),
                           (".hidden.json", cls.evidence("1", True)), (".json", "{}"), ("large.json", {**cls.evidence("1", True), "why": "x" * (2 << 20)})):
            cls.write(name, what)
        os.symlink("/etc/passwd", os.path.join(cls.place, "link.json"))
        os.mkdir(os.path.join(cls.place, "folder.json"))
        cls.options = ("--fixture", "small", "--workflows", cls.place)
        super().setUpClass()

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        shutil.rmtree(cls.place)

    def test_they_are_listed_newest_first(self):
        self.assertEqual([(w["id"], w["workflow"], w["version"], w["driver"], w["promoted"], w["passed"]) for w in self.control("GET", "/workflows")["workflows"]],
                         [("desk", "desk", "2", "reference", False, False), ("desk.promoted", "desk", "1", "reference", True, True), ("alone", "desk", "1", "reference", False, True)])
        self.assertNotIn("evidence", self.control("GET", "/workflows")["workflows"][0])

    def test_one_is_held_against_what_was_promoted(self):
        desk = self.control("GET", "/workflows/desk")
        self.assertEqual((desk["against"], desk["worse"], desk["at"]), ("desk.promoted", True, "2023-11-14T22:13:22Z"))
        self.assertEqual({k for r in desk["comparison"]["regressions"] for k in r}, {"item", "run", "figure", "how"})
        self.assertEqual(desk["evidence"]["runs"][0]["why"], "<b>no</b>")
        for id in ("desk.promoted", "alone", "large"):
            self.assertNotIn("comparison", self.control("GET", "/workflows/" + id), id)

    def test_what_is_no_evidence_is_not_there(self):
        for id in ("none", "broken", "other", "nameless", "list", "link", ".hidden", "..", "%2e%2e", "..%2f..%2fetc%2fpasswd", "a" * 250, "desk.yaml"):
            answer = self.server.control("GET", "/workflows/" + id)
            self.assertIn(answer.status, (400, 404), id)
        self.assertEqual(self.server.control("GET", "/workflows/folder").json()["error"]["reason"], "tooLarge")

    def test_promotion_by_the_command_is_shown(self):
        here = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, here)
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../examples/workflow")
        for name in os.listdir(source):
            shutil.copy(os.path.join(source, name), here)
        done = harness.command("workflow", "promote", os.path.join(here, "workflow.yaml"), "--output", os.path.join(self.place, "front.json"),
                               "--against", os.path.join(self.place, "front.promoted.json"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.addCleanup(lambda: [os.unlink(os.path.join(self.place, n)) for n in ("front.json", "front.promoted.json")])
        front = self.control("GET", "/workflows/front")
        self.assertEqual((front["passed"], front["worse"], front["comparison"]["regressions"]), (True, False, []))
        self.assertEqual(len(front["evidence"]["checklist"]), 9)

    def test_a_server_without_a_directory_says_so(self):
        done = harness.command("serve", "--port", "0", "--workflows", self.place + "/none")
        self.assertEqual(done.returncode, 1)
        self.assertIn("--workflows must be a directory", done.stderr)


class Runs(harness.ServerCase):
    """What loops have kept, as folders."""

    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.mkdtemp()
        for n, passed in enumerate((True, False)):
            folder = os.path.join(cls.place, "office.move-budget.%d" % n)
            os.mkdir(folder)
            for name, text in (("task.json", json.dumps({"suite": "office", "task": "move-budget", "prompt": "Move <b>it</b>"})),
                               ("verdict.json", json.dumps({"passed": passed, "reward": 1 if passed else 0.25})), ("output.txt", "done <script>"),
                               ("diff.json", json.dumps({"changes": []})), ("journal.jsonl", "")):
                with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
                    f.write(text)
            if n == 0:
                os.symlink("/etc/passwd", os.path.join(folder, "complaint.txt"))
            os.utime(folder, (1_700_000_000 + n, 1_700_000_000 + n))
        os.mkdir(os.path.join(cls.place, ".hidden"))
        os.symlink("/", os.path.join(cls.place, "root"))
        with open(os.path.join(cls.place, "file"), "w", encoding="utf-8") as f:
            f.write("x")
        cls.options = ("--fixture", "small", "--runs", cls.place)
        super().setUpClass()

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        shutil.rmtree(cls.place)

    def test_they_are_listed_newest_first(self):
        self.assertEqual(self.control("GET", "/runs"), {"total": 2, "runs": [
            {"id": "office.move-budget.1", "at": "2023-11-14T22:13:21Z", "suite": "office", "task": "move-budget", "passed": False, "reward": 0.25},
            {"id": "office.move-budget.0", "at": "2023-11-14T22:13:20Z", "suite": "office", "task": "move-budget", "passed": True, "reward": 1}]})
        page = self.control("GET", "/runs?limit=1")
        self.assertEqual((page["next"], [r["id"] for r in page["runs"]]), (1, ["office.move-budget.1"]))
        self.assertEqual([r["id"] for r in self.control("GET", "/runs?offset=1&limit=1")["runs"]], ["office.move-budget.0"])

    def test_a_list_goes_on_over_what_is_too_large_or_odd(self):
        odd = os.path.join(self.place, "odd.0")
        os.mkdir(odd)
        self.addCleanup(shutil.rmtree, odd)
        for name, text in (("task.json", json.dumps({"suite": "x" * 2000, "task": "odd"})), ("verdict.json", json.dumps({"passed": True, "why": "x" * (2 << 20)}))):
            with open(os.path.join(odd, name), "w", encoding="utf-8") as f:
                f.write(text)
        first = self.control("GET", "/runs")["runs"][0]
        del first["at"]
        self.assertEqual(first, {"id": "odd.0", "task": "odd"})
        self.assertEqual(self.control("GET", "/runs")["total"], 3)
        self.assertTrue(self.control("GET", "/runs/odd.0")["verdict"]["passed"])

    def test_what_an_attempt_has_cost_is_in_lists(self):
        odd = os.path.join(self.place, "odd.1")
        os.mkdir(odd)
        self.addCleanup(shutil.rmtree, odd)
        of = {"agent": "python3 a.py", "version": "v2", "calls": 3, "refused": 1, "cost": 0.5, "tokens": "many", "seconds": None, "kinds": ["goal", 7, "x" * 2000, "refused"]}
        with open(os.path.join(odd, "attempt.json"), "w", encoding="utf-8") as f:
            json.dump(of, f)
        first = self.control("GET", "/runs")["runs"][0]
        del first["at"]
        self.assertEqual(first, {"id": "odd.1", "version": "v2", "calls": 3, "refused": 1, "cost": 0.5, "kinds": ["goal", "refused"]})
        self.assertEqual(self.control("GET", "/runs/odd.1")["cost"], 0.5)

    def test_one_is_read_and_is_a_page(self):
        world = self.fork(journal="all")
        self.control("GET", "/worlds/%s/look/%s%s" % (world, ADA, EVENT))
        self.control("PATCH", "/worlds/%s/act/%s%s" % (world, ADA, EVENT), {"summary": "x"})
        lines = self.server.control("GET", "/worlds/%s/journal/export" % world).body
        with open(os.path.join(self.place, "office.move-budget.0", "journal.jsonl"), "wb") as f:
            f.write(lines)
        run = self.control("GET", "/runs/office.move-budget.0")
        self.assertEqual((run["entries"], run["of"]["prompt"], run["verdict"], run["output"]), (1, "Move <b>it</b>", {"passed": True, "reward": 1}, "done <script>"))
        self.assertNotIn("complaint", run)  # a link to elsewhere
        page = self.server.control("GET", "/runs/office.move-budget.0/report")
        self.assertEqual((page.status, page.headers["Content-Type"]), (200, "text/html; charset=UTF-8"))
        self.assertIn(b"done &lt;script&gt;", page.body)
        self.assertIn(b"calendar.events.patch", page.body)

    def test_a_pipe_is_no_file_of_a_run(self):
        folder = os.path.join(self.place, "office.piped.0")
        os.mkdir(folder)
        self.addCleanup(shutil.rmtree, folder)
        os.mkfifo(os.path.join(folder, "verdict.json"))
        answer = self.server.control("GET", "/runs/office.piped.0")  # which waits for nobody who writes
        self.assertEqual((answer.status, answer.json()["error"]["reason"]), (413, "tooLarge"))

    def test_nothing_else_of_the_disk_is_shown(self):
        for id in ("root", "file", ".hidden", "..", ".", "%2e%2e", "..%2f..%2fetc", "office.move-budget.0%2ftask.json", "none", "a" * 255):
            self.assertIn(self.server.control("GET", "/runs/" + id).status, (400, 404), id)
        bare = harness.Server("--fixture", "small")
        self.addCleanup(bare.stop)
        answer = bare.control("GET", "/runs")
        self.assertEqual((answer.status, answer.json()["error"]["reason"]), (404, "noRuns"))
        done = harness.command("serve", "--port", "0", "--runs", self.place + "/none")
        self.assertEqual(done.returncode, 1)
        self.assertIn("--runs must be a directory", done.stderr)


if __name__ == "__main__":
    unittest.main()
