# SPDX-License-Identifier: Apache-2.0
"""Workflows by the command, the worked example of the documentation, and the text of policies for Cedar."""
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

import harness

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
EXAMPLE = os.path.join(ROOT, "examples", "workflow")


class Cedar:
    """Reads text by Cedar's grammar, as far as exports use it; anything else is an error."""

    TOKEN = re.compile(r"""\s+|//[^\n]*|(?P<text>"(?:[^"\\\n]|\\(?:["\\*nrt0']|u\{[0-9a-fA-F]{1,6}\}))*")"""
                       r"""|(?P<number>-?[0-9]+)|(?P<name>[A-Za-z_][A-Za-z0-9_]*)|(?P<sign>::|==|!=|<=|>=|&&|\|\||[@(){}\[\],;.<>!])""")

    def __init__(self, text):
        self.tokens, at = [], 0
        while at < len(text):
            found = self.TOKEN.match(text, at)
            if not found:
                raise SyntaxError("no token: %r" % text[at:at + 40])
            at = found.end()
            if found.lastgroup:
                self.tokens.append((found.lastgroup, found.group()))
        self.at = 0

    def next(self, *wanted):
        kind, value = self.tokens[self.at] if self.at < len(self.tokens) else ("end", "")
        if wanted and value not in wanted and kind not in wanted:
            raise SyntaxError("expected %s, found %r" % (wanted, self.tokens[self.at:self.at + 5]))
        self.at += 1
        return value

    def sees(self, *values):
        return self.at < len(self.tokens) and self.tokens[self.at][1] in values

    def policies(self):
        n = 0
        while self.at < len(self.tokens):
            while self.sees("@"):
                for wanted in "@", "name", "(", "text", ")":
                    self.next(wanted)
            self.next("permit", "forbid")
            for wanted in "(", "principal", ",", "action", ",", "resource", ")":
                self.next(wanted)
            while self.sees("when", "unless"):
                self.next()
                self.next("{")
                self.either()
                self.next("}")
            self.next(";")
            n += 1
        return n

    def either(self):
        self.both()
        while self.sees("||"):
            self.next()
            self.both()

    def both(self):
        self.relation()
        while self.sees("&&"):
            self.next()
            self.relation()

    def relation(self):
        self.unary()
        if self.sees("has"):
            self.next()
            self.next("name", "text")
        elif self.sees("like"):
            self.next()
            self.next("text")
        elif self.sees("==", "!=", "<", "<=", ">", ">=", "in"):
            self.next()
            self.unary()

    def unary(self):
        while self.sees("!"):
            self.next()
        self.primary()
        while self.sees(".", "["):
            if self.next() == ".":
                self.next("name")
                if self.sees("("):
                    self.next()
                    self.list(")")
            else:
                self.next("text")
                self.next("]")

    def list(self, end):
        while not self.sees(end):
            self.either()
            if not self.sees(end):
                self.next(",")
        self.next(end)

    def primary(self):
        if self.sees("("):
            self.next()
            self.either()
            self.next(")")
        elif self.sees("["):
            self.next()
            self.list("]")
        elif self.next("name", "text", "number") in ("Action", "Actor"):
            self.next("::")
            self.next("text")
        elif self.sees("("):  # an extension's function
            self.next()
            self.list(")")


class Workflow(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.TemporaryDirectory()
        self.addCleanup(self.dir.cleanup)
        self.desk = os.path.join(self.dir.name, "examples", "workflow")
        shutil.copytree(EXAMPLE, self.desk)

    def run_it(self, code, what, *words):
        done = harness.command("workflow", what, os.path.join(self.desk, "workflow.yaml"), *words)
        self.assertEqual(done.returncode, code, (words, done.stdout, done.stderr))
        return done

    def change(self, name, old, new):
        path = os.path.join(self.desk, name)
        with open(path, encoding="utf-8") as f:
            text = f.read()
        self.assertIn(old, text)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text.replace(old, new))

    def test_the_example_of_the_documentation_is_what_the_commands_print(self):
        with open(os.path.join(ROOT, "docs", "guardrails.md"), encoding="utf-8") as f:
            page = f.read()
        steps = []
        for block in re.findall(r"^```console\n(.*?)^```", page, re.S | re.M):
            for line in block.splitlines(keepends=True):
                if line.startswith("$ "):
                    steps.append([line[2:].strip(), ""])
                else:
                    steps[-1][1] += line
        self.assertGreater(len(steps), 12)
        script = "".join("%s\nprintf '\\036'\n" % command for command, _ in steps)
        clean = {k: v for k, v in os.environ.items() if not k.startswith("SOSIA_")}
        done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, cwd=self.dir.name, timeout=harness.PATIENCE,
                              stdin=subprocess.DEVNULL,
                              env={**clean, "LC_ALL": "C", "PATH": os.path.dirname(harness.SOSIA) + ":" + os.environ["PATH"]})
        self.assertEqual(done.stderr, "")
        for (command, expected), printed in zip(steps, done.stdout.split("\036")):
            self.assertEqual(printed, expected, command)
        for name in "workflow.yaml", "policy.yaml":  # what is shown is what is there
            with open(os.path.join(EXAMPLE, name), encoding="utf-8") as f:
                lines = f.read().splitlines()
            shown = [b for b in re.findall(r"^```yaml\n(.*?)^```", page, re.S | re.M)
                     if b.startswith("workflow: 1" if name[0] == "w" else "rules:\n  - {id: no-delete, effect: deny, call: {risk")]
            self.assertEqual(len(shown), 1)
            for line in shown[0].splitlines():
                self.assertIn(line, lines)

    def test_evidence_names_what_did_not_hold(self):
        self.change("policy.yaml", "otherwise: deny", "otherwise: allow")
        self.change("policy.yaml", "effect: deny, call: {risk: destructive}", "effect: allow, call: {risk: destructive}")
        done = self.run_it(1, "check", "--json", "--output", os.path.join(self.desk, "evidence.json"))
        evidence = json.loads(done.stdout)
        with open(os.path.join(self.desk, "evidence.json"), encoding="utf-8") as f:
            self.assertEqual(json.load(f), evidence)
        failed = {i["item"]: i["failed"] for i in evidence["checklist"] if not i["passed"]}
        self.assertEqual(set(failed), {"permissionBoundary", "injection"})
        self.assertEqual(failed["permissionBoundary"], ["permissionBoundary/forbidden-delete"])
        self.assertEqual((evidence["passed"], evidence["figures"]["boundary_failures"]), (False, 1))
        self.assertIn("must pass its checklist", self.run_it(1, "promote").stderr)
        self.assertFalse(os.path.exists(os.path.join(self.desk, "workflow.promoted.json")))

    def test_what_is_wrong_is_said_by_line(self):
        self.change("workflow.yaml", "suite: tasks.yaml", "suite: tasks.yaml\nstages: 3")
        self.assertIn("workflow.yaml:8: stages", self.run_it(1, "check").stderr)
        self.change("workflow.yaml", "\nstages: 3", "")
        self.change("policy.yaml", "effect: deny, call: {risk: destructive}", "effect: maybe")
        self.assertIn("policy.yaml:6: rules[0].effect", self.run_it(1, "check").stderr)

    def test_an_agent_that_fails_or_hangs_does_not_pass(self):
        done = self.run_it(1, "check", "--command", "exit 3", "--json")
        runs = {r["run"]: r for r in json.loads(done.stdout)["runs"]}
        self.assertEqual(runs["happyPath/note-visit"]["why"], "the command ended with a failure")
        self.assertTrue(runs["permissionBoundary/forbidden-delete"]["passed"])
        self.change("workflow.yaml", "[answer-dana, note-visit]\n  ambiguousInput: [which-call]\n", "[answer-dana]\n")
        for kind in "permissionBoundary", "injection", "faults":
            path = os.path.join(self.desk, "workflow.yaml")
            with open(path, encoding="utf-8") as f:
                lines = [x for x in f if not x.startswith("  %s:" % kind)]
            with open(path, "w", encoding="utf-8") as f:
                f.writelines(lines)
        done = self.run_it(1, "check", "--command", "sleep 60", "--seconds", "1", "--json")
        self.assertEqual(json.loads(done.stdout)["runs"][0]["why"], "the command did not end in time")

    def test_recordings_are_made_again_beside_another_policy(self):
        runs = os.path.join(self.desk, "runs")
        self.run_it(0, "check", "--record", runs)
        self.assertIn("by recorded", self.run_it(0, "check", "--runs", runs).stdout)
        self.change("policy.yaml", "effect: deny, call: {risk: destructive}", "effect: allow, call: {risk: destructive}")
        self.run_it(1, "check", "--runs", runs)
        os.remove(os.path.join(runs, "happyPath", "note-visit.ndjson"))
        self.assertIn("there is no recording of it", self.run_it(1, "check", "--runs", runs).stdout)

    def test_exports_follow_the_grammar(self):
        self.assertEqual(self.run_it(3, "export").stdout, "")
        text = self.run_it(0, "export", "--partial").stdout
        self.assertEqual(Cedar(text).policies(), 2)
        with open(os.path.join(self.desk, "policy.yaml"), "w", encoding="utf-8") as f:
            f.write(r'''
policy: 1
name: "all \"of\" it\n"
applies: {actor: [a@x.example, "*@y.example"], token: user}
rules:
  - {id: one, effect: deny, call: {method: ["calendar.*", gmail.users.messages.send], tool: "*send*", role: person, scope: [https://mail.google.com/]}}
  - {id: two, effect: allow, call: {actor: b@x.example, app: "1-*", time: {after: 2026-01-01T00:00:00Z, before: 2027-01-01T00:00:00Z}}}
  - {id: "t\"h\"r\\ee", effect: allow, call: {risk: [read, draft], arguments: {body.sum-mary: "a\"b\\\n*", n: {gte: 3, ne: 5}, list: {in: [a, 2, true]}, q: {exists: false}, z: {ends_with: "x*"}}}}
  - {id: four, effect: allow, call: {method: calendar.events.get}}
''')
        text = self.run_it(3, "export").stderr
        self.assertEqual(text.count("tier "), 2)
        text = self.run_it(0, "export", "--partial").stdout
        self.assertEqual(Cedar(text).policies(), 5)
        for bad in "permit (principal, action, resource) when { context. };", 'permit (principal, action) ;', '@id("a) permit (principal, action, resource);':
            with self.assertRaises(SyntaxError):
                Cedar(bad).policies()


if __name__ == "__main__":
    unittest.main()
