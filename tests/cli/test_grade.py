# SPDX-License-Identifier: Apache-2.0
"""`sosia grade` and `sosia suite`: the first graded run of the documentation, bad suites, and the suites of our own."""
import json
import os
import re
import tempfile
import unittest

import harness

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EVENT = "/calendar/v3/calendars/primary/events/smallreviev01"


def first_suite():
    """The suite in docs/grading.md."""
    with open(os.path.join(ROOT, "docs/grading.md"), encoding="utf-8") as f:
        return re.search(r"```yaml\n(# first.yaml\n.*?)```", f.read(), re.S)[1]


class Grade(harness.ServerCase):
    def setUp(self):
        self.dir = tempfile.TemporaryDirectory()
        self.addCleanup(self.dir.cleanup)

    def write(self, name, text):
        path = os.path.join(self.dir.name, name)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        return path

    def run_it(self, code, *words):
        done = self.server.command(*words)
        self.assertEqual(done.returncode, code, done)
        return (done.stdout if code in (0, 1) and done.stdout else done.stderr)

    def text(self, code, *words):
        out = self.run_it(code, *words)
        return out.decode() if isinstance(out, bytes) else out

    def test_the_first_graded_run_of_the_documentation(self):
        suite = self.write("first.yaml", first_suite())
        self.assertIn("mutants that are not passed", self.text(0, "suite", "lint", suite))
        line = self.text(0, "fork", self.server.world, "--actor", "ada@small.example").split()
        world, token = line[0], line[3]
        self.assertIn("not passed, reward 0", self.text(1, "grade", suite, world))
        self.assertEqual(self.server.call(token, "PATCH", EVENT, {"summary": "Review of the final draft"}, world=world).status, 200)
        out = self.text(0, "grade", suite, world)
        self.assertIn("first rename-review: passed, reward 1", out)
        result = json.loads(self.text(0, "grade", suite, world, "--json"))["results"][0]
        self.assertEqual((result["passed"], result["reward"]), (True, 1))
        self.server.call(token, "PATCH", EVENT, {"location": "Bar"}, world=world)
        out = self.text(1, "grade", suite, world)
        self.assertIn("location: changed too", out)

    def test_what_was_undone_and_said_is_in_the_report(self):
        suite = self.write("said.yaml", """version: "1.1"
name: said
tests:
  - id: say
    actor: ada@small.example
    assertions:
      - {answer: {mentions: three}}
      - {never: "4711"}
      - {judge: {name: tone, question: "Is it friendly?"}}
      - {calls: {method: calendar.events.list}, expected_count: 0}
""")
        fork = ("fork", self.server.world, "--actor", "ada@small.example")
        self.assertIn('must be "all"', self.text(1, *fork, "--suite", suite, "--journal", "writes"))
        line = self.text(0, *fork, "--suite", suite, "--task", "say").split()
        world, token = line[0], line[3]
        self.assertEqual(self.control("GET", "/worlds/" + world)["journal"], "all")
        judged = self.write("judged.json", '{"tone": true}')
        answer = self.write("answer.txt", "There are three.\n")
        for words in (("--answer", "There are three."), ("--answer-file", answer)):
            self.text(0, "grade", suite, world, "--judgements", judged, *words)
        self.assertIn('no judgement of "tone" was given', self.text(1, "grade", suite, world, "--answer", "three"))
        self.assertIn("never", self.text(1, "grade", suite, world, "--answer", "three 4711", "--judgements", judged))
        made = self.server.call(token, "POST", "/drive/v3/files", {"name": "x"}, world=world)
        self.server.call(token, "DELETE", "/drive/v3/files/" + json.loads(made.body)["id"], world=world)
        self.server.call(token, "PATCH", EVENT, {"location": "Bar"}, world=world)
        out = self.text(1, "grade", suite, world, "--answer", "three", "--judgements", judged)
        self.assertIn("unexpected: changed event/ada@small.example/smallreviev01", out)
        self.assertIn(" by call 3 calendar.events.patch\n", out)
        self.assertIn("unexpected: call 1 drive.files.create  /drive/v3/files\n", out)
        line = self.text(0, *fork).split()
        self.server.call(line[3], "GET", "/calendar/v3/calendars/primary/events", world=line[0])
        out = self.text(1, "grade", suite, line[0], "--answer", "three", "--judgements", judged)
        self.assertIn("journalWithoutReads: the journal must have calls that only read, which tests[0].assertions[3] (line 10)", out)
        self.assertEqual(self.server.command("grade", suite, world, "--answer", "x", "--answer-file", answer).returncode, 2)
        self.assertIn("judged.json: must be JSON", self.run_it(1, "grade", suite, world, "--judgements", self.write("judged.json", "{")))

    def test_bad_suites_are_named_with_file_and_line(self):
        suite = self.write("bad.yaml", 'version: "1"\ntests:\n  - id: a\n    colour: red\n')
        self.assertIn("bad.yaml:4: tests[0].colour", self.text(1, "grade", suite, self.server.world))
        self.assertIn("bad.yaml:4: tests[0].colour", self.text(1, "suite", "lint", suite))
        suite = self.write("bad.yaml", 'version: "1"\nname: mine\ntests:\n  - id: a\n    assertions: [{state: nothing}]\n')
        self.assertIn("bad.yaml:5: tests[0].assertions[0]", self.text(1, "grade", suite, self.server.world))

    def test_a_diff_in_a_file_is_judged_without_a_server(self):
        suite = self.write("s.json", json.dumps({"version": "0.1", "assertions": [{"diff_type": "added", "entity": "m"}]}))
        rows = self.write("d.json", json.dumps({"inserts": [{"__table__": "m"}]}))
        self.assertIn("passed, reward 1", self.text(0, "grade", suite, "--rows", rows))

    def test_a_page_of_a_diff_shows_odd_texts_as_texts(self):
        world, _, _, token = self.text(0, "fork", self.server.world, "--actor", "ada@small.example").split()
        title = "</script><img src=x> \u202eexe.doc \x1b[31m \u2066\u05e9 caf\u00e9"
        self.assertEqual(self.server.call(token, "PATCH", EVENT, {"summary": title}, world=world).status, 200)
        page = os.path.join(self.dir.name, "d.html")
        self.run_it(0, "diff", "--origin", world, "--html", page)
        with open(page, encoding="utf-8") as f:
            text = f.read()
        self.assertIn("&lt;/script&gt;&lt;img src=x&gt; \\u202eexe.doc \\u001b[31m \\u2066\u05e9 caf\u00e9", text)
        for odd in ("<img", "\u202e", "\u2066", "\x1b"):
            self.assertNotIn(odd, text)

    def test_worlds_are_handled_many_at_once(self):
        keys = self.control("POST", "/worlds/%s/fork" % self.server.world, {"count": 50}, 201)["worlds"]
        suite = first_suite()
        results = self.control("POST", "/worlds/grade", {"suite": suite, "worlds": keys})["results"]
        self.assertEqual([r["reward"] for r in results], [0] * 50)
        self.control("POST", "/worlds/reset", {"worlds": keys}, 204)
        self.control("POST", "/worlds/drop", {"worlds": keys + [keys[0]]}, 400)
        self.control("POST", "/worlds/drop", {"worlds": keys + ["nobody"]}, 404)
        self.control("POST", "/worlds/drop", {"worlds": keys}, 204)
        self.control("GET", "/worlds/" + keys[0], None, 404)

    def test_a_grade_can_reset_or_drop_what_it_has_graded(self):
        suite = first_suite()
        made = self.control("POST", "/worlds/%s/fork" % self.server.world, {"count": 2, "actors": ["ada@small.example"]}, 201)
        first, second = made["worlds"]
        tokens = [t["token"] for t in made["tokens"]]

        def rename(world, token):
            self.assertEqual(self.server.call(token, "PATCH", EVENT, {"summary": "Review of the final draft"}, world=world).status, 200)

        def grade(worlds, status=200, **more):
            return self.control("POST", "/worlds/grade", {"suite": suite, "worlds": worlds, **more}, status)

        for i in range(3):  # the suite is read once, and each verdict is the world's own
            rename(first, tokens[0])
            answer = grade([first], diff=True, then="reset")
            self.assertEqual([r["reward"] for r in answer["results"]], [1])
            self.assertEqual(answer["diffs"][0]["changes"][0]["fields"]["summary"]["to"], "Review of the final draft")
            self.assertEqual([r["reward"] for r in grade([first], then="keep")["results"]], [0])
        rename(second, tokens[1])
        grade([first, second], 400, then="forget")
        grade([first, second], 404, then="drop", task="nobody")
        self.assertEqual([r["reward"] for r in grade([first, second], then="drop")["results"]], [0, 1])
        for world in (first, second):
            grade([world], 404)

    def test_suites_that_differ_are_distinguished(self):
        """They are kept by their text; a look at a state, and many of them at once, go another way."""
        world = self.control("POST", "/worlds/%s/fork" % self.server.world, {"count": 1}, 201)["worlds"][0]
        for n in range(40):
            state = {"state": "event", "where": {"id": "smallreviev01"}, "expected_count": 1 + n % 3}
            guard = {"diff_type": "unchanged", "entity": "event", "where": {"summary": {"ne": str(n)}}}
            suite = json.dumps({"version": "1", "assertions": [state, guard]})
            parts = self.control("POST", "/worlds/grade", {"suite": suite, "worlds": [world]})["results"][0]["parts"]
            self.assertEqual([part["passed"] for part in parts], [n % 3 == 0, True])
        wrong = self.control("POST", "/worlds/grade", {"suite": "version: \"1\"\ntests: 3\n", "suite_name": "mine", "worlds": [world]}, 400)
        self.assertIn("mine:2: tests", wrong["error"]["message"])

    def test_our_suites_are_good(self):
        for name in sorted(os.listdir(os.path.join(ROOT, "suites"))):
            report = json.loads(self.text(0, "suite", "lint", os.path.join(ROOT, "suites", name), "--json"))
            self.assertTrue(report["good"], report)
            for task in report["tasks"]:
                self.assertEqual((task["empty"], task["reference"], task["never_fail"]), (0, 1, []), task)


if __name__ == "__main__":
    unittest.main()
