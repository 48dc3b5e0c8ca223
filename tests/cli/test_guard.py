# SPDX-License-Identifier: Apache-2.0
"""Policies and approvals by the command and by the control interface."""
import json
import os
import tempfile
import unittest

import harness

ADA = "ada@small.example"
EVENT = "/calendar/v3/calendars/primary/events/smallreviev01"
POLICY = """
policy: 1
name: p
otherwise: allow
rules:
  - {id: hold, effect: approve, call: {method: calendar.events.delete}}
  - {id: never, effect: deny, call: {method: calendar.events.patch, arguments: {body.summary: no}}}
"""


class Guard(harness.ServerCase):
    def setUp(self):
        self.dir = tempfile.TemporaryDirectory()
        self.addCleanup(self.dir.cleanup)
        self.world = self.create(fixture="small", journal="all")
        self.agent = self.token(self.world, ADA)

    def write(self, name, text):
        path = os.path.join(self.dir.name, name)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        return path

    def run_it(self, code, *words):
        done = self.server.command(*words)
        self.assertEqual(done.returncode, code, (words, done.stdout, done.stderr))
        return done.stdout

    def call(self, method, target, body=None):
        return self.server.call(self.agent, method, target, body, self.world)

    def test_a_policy_is_checked_tested_and_explained(self):
        policy = self.write("p.yaml", POLICY)
        cases = self.write("c.yaml", "fixture: small\nactor: %s\ncases:\n"
                           "  - {id: gone, call: 'DELETE %s', decision: approve, rule: hold}\n"
                           "  - {id: named, call: 'PATCH %s', body: {summary: no}, decision: deny}\n" % (ADA, EVENT, EVENT))
        self.assertIn("rules 2", self.run_it(0, "policy", "check", policy))
        self.assertIn("good    gone", self.run_it(0, "policy", "test", policy, cases))
        self.assertIn("the policy is p", self.run_it(0, "policy", "explain", policy, cases))
        wrong = self.write("w.yaml", POLICY.replace("hold", "hold, when: 1"))
        done = self.server.command("policy", "check", wrong)
        self.assertEqual(done.returncode, 1)
        self.assertIn("w.yaml:6: rules[0].when", done.stderr)
        cases = self.write("c.yaml", "fixture: small\nactor: %s\ncases:\n  - {call: 'GET %s', decision: deny}\n" % (ADA, EVENT))
        self.assertIn("WRONG", self.run_it(1, "policy", "test", policy, cases))

    def test_a_run_says_what_was_decided(self):
        self.run_it(0, "policy", "set", self.write("p.yaml", POLICY), "--world", self.world)
        self.call("GET", EVENT)
        self.call("DELETE", EVENT)
        self.call("PATCH", EVENT, {"summary": "no"})
        run = json.loads(self.run_it(0, "journal", "export", "--format", "run", "--world", self.world))
        steps = [(s["tool"], s["risk"], s["status"]) for s in run["steps"]]
        self.assertEqual(steps, [("calendar.events.get", "read", "ok"), ("calendar.events.delete", "destructive", "pending_approval"),
                                 ("calendar.events.patch", "write", "blocked_by_policy")])
        self.assertRegex(run["steps"][1]["approval_id"], "^act_")
        self.assertEqual((run["actor_id"], run["result"]), (ADA, "completed"))

    def test_a_held_call_is_decided_by_the_command(self):
        self.run_it(0, "policy", "set", self.write("p.yaml", POLICY), "--world", self.world)
        self.assertIn("p", self.run_it(0, "policy", "list", "--world", self.world))
        held = self.call("DELETE", EVENT)
        self.assertEqual(held.status, 403)
        action = held.json()["error"]["message"].split()[-1].rstrip(".")
        self.assertIn("held", self.run_it(0, "approvals", "--world", self.world))
        self.assertIn("- event", self.run_it(0, "approvals", "show", action, "--world", self.world))
        self.run_it(0, "approvals", "approve", action, "--by", "boss", "--world", self.world)
        self.run_it(1, "approvals", "approve", action, "--world", self.world)
        self.assertEqual(self.call("DELETE", EVENT).status, 204)
        self.assertIn("executed", self.run_it(0, "approvals", "list", "--world", self.world))
        self.run_it(0, "policy", "remove", "p", "--world", self.world)
        self.run_it(1, "policy", "remove", "p", "--world", self.world)

    def test_the_control_interface_has_them_and_no_agent_does(self):
        path = "/worlds/%s/policies" % self.world
        made = self.server.ask("POST", "/_sosia/v1" + path, POLICY.encode(),
                               [("Authorization", "Bearer " + self.server.key), ("Content-Type", "application/yaml")])
        self.assertEqual(made.status, 200, made.body)
        self.assertEqual(self.control("GET", path)["policies"][0]["rules"], 2)
        self.assertIn("otherwise: allow", self.control("GET", path + "/p")["policies"][0]["document"])
        action = self.call("DELETE", EVENT).json()["error"]["message"].split()[-1].rstrip(".")
        approval = "/worlds/%s/approvals/%s" % (self.world, action)
        self.assertEqual(self.control("GET", approval)["approvals"][0]["outcome"]["changes"][0]["change"], "removed")
        agent = self.server.ask("POST", "/_sosia/v1" + approval, json.dumps({"decision": "approve"}).encode(),
                                [("Authorization", "Bearer " + self.agent), ("Content-Type", "application/json")])
        self.assertEqual(agent.status, 403)
        self.refused("POST", approval, {"decision": "maybe"})
        self.assertEqual(self.control("POST", approval, {"decision": "reject", "comment": "no"})["approvals"][0]["state"], "rejected")
        self.refused("POST", approval, {"decision": "approve"}, 409)
        self.assertEqual(self.call("DELETE", EVENT).status, 403)

    def test_a_run_is_held_against_a_policy_and_gives_one(self):
        self.assertEqual(self.call("PATCH", EVENT, {"summary": "no"}).status, 200)
        out = self.run_it(0, "policy", "simulate", self.write("p.yaml", POLICY), "--world", self.world)
        self.assertIn("1 denied", out)
        derived = json.loads(self.run_it(0, "policy", "derive", "--world", self.world))
        self.assertEqual([r["call"]["method"] for r in derived["rules"]], ["calendar.events.patch"])


if __name__ == "__main__":
    unittest.main()
