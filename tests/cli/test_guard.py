# SPDX-License-Identifier: Apache-2.0
"""Policies and approvals by the command and by the control interface."""
import json
import os
import tempfile
import threading
import time
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
        self.assertEqual([r["call"].get("method") for r in derived["rules"]], [None] * 4 + ["calendar.events.patch"])

    def test_a_dump_shows_what_rules_keep_when_it_is_asked_to(self):
        self.run_it(0, "policy", "set", self.write("p.yaml", POLICY), "--world", self.world)
        self.assertEqual(self.call("DELETE", EVENT).status, 403)
        plain = json.loads(self.run_it(0, "dump", self.world))
        self.assertNotIn("guard", plain)
        whole = json.loads(self.run_it(0, "dump", self.world, "--guard"))
        guard = whole.pop("guard")
        self.assertEqual(whole, plain)
        self.assertEqual([p["name"] for p in guard["policies"]], ["p"])
        self.assertEqual([(a["state"], a["rule"]) for a in guard["actions"]], [("held", "hold")])
        self.assertTrue(guard["actions"][0]["outcome"])
        self.assertEqual([guard["reads"], guard["marks"], guard["limits"]], [[], [], []])
        part = json.loads(self.run_it(0, "dump", self.world, "--guard", "--sections", "mailboxes", "--text", "nothing of the kind"))
        self.assertEqual(part["guard"]["actions"], guard["actions"])

    def test_an_action_is_handed_on_by_the_command(self):
        self.run_it(0, "policy", "set", self.write("p.yaml", POLICY + "approvals: {approvers: {legal: [marta]}}\n"), "--world", self.world)
        action = self.call("DELETE", EVENT).json()["error"]["message"].split()[-1].rstrip(".")
        words = ("approvals", "escalate", action, "--world", self.world, "--by", "boss")
        self.run_it(1, *words)
        self.assertIn("for legal", self.run_it(0, *words, "--to", "legal"))
        self.run_it(1, "approvals", "approve", action, "--by", "boss", "--world", self.world)
        self.run_it(0, "approvals", "approve", action, "--by", "marta", "--world", self.world)
        self.assertEqual(self.call("DELETE", EVENT).status, 204)


WAITS = POLICY + "approvals: {wait_seconds: 170}\n"


class Waiting(unittest.TestCase):
    """Callers wait over HTTP and MCP; a server of its own for each, since they are stopped."""

    def begin(self, *options, env=None):
        self.server = harness.Server("--fixture", "small", "--clock", "frozen", *options, env=env)
        self.addCleanup(self.server.process.kill)

    def use(self, policy):
        made = self.server.ask("POST", "/_sosia/v1/worlds/%s/policies" % self.server.world, policy.encode(),
                               [("Authorization", "Bearer " + self.server.key), ("Content-Type", "application/yaml")])
        self.assertEqual(made.status, 200, made.body)
        made = self.server.control("POST", "/worlds/%s/tokens" % self.server.world, {"actor": ADA})
        self.agent = made.json()["token"]

    def ask(self, method, target, body=None):
        """On a connection of its own, whose answer comes later."""
        at = harness.urlsplit(self.server.url)
        connection = harness.http.client.HTTPConnection(at.hostname, at.port, timeout=harness.PATIENCE)
        self.addCleanup(connection.close)
        fields = {"Authorization": "Bearer " + self.agent, "Content-Type": "application/json",
                  "Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}
        connection.request(method, target, body=json.dumps(body) if body else None, headers=fields)
        return connection

    def actions(self, state=None):
        path = "/worlds/%s/approvals%s" % (self.server.world, "?state=" + state if state else "")
        return [a["action"] for a in self.server.control("GET", path).json()["approvals"]]

    def wait_for(self, n, state="held"):
        until = time.monotonic() + harness.PATIENCE
        while len(self.actions(state)) != n:
            self.assertLess(time.monotonic(), until)
            time.sleep(0.01)
        return self.actions(state)[-1]

    def decide(self, action, decision):
        done = self.server.control("POST", "/worlds/%s/approvals/%s" % (self.server.world, action), {"decision": decision, "by": "boss"})
        self.assertEqual(done.status, 200, done.body)

    def test_a_call_waits_for_its_decision(self):
        self.begin()
        self.use(WAITS)
        waiting = self.ask("DELETE", EVENT)
        self.decide(self.wait_for(1), "approve")
        self.assertEqual(waiting.getresponse().status, 204)
        tool = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "calendar_events_delete", "arguments": {"calendarId": "primary", "eventId": "smallcoffee01"}}}
        waiting = self.ask("POST", "/mcp", tool)
        self.decide(self.wait_for(1), "reject")
        result = json.loads(waiting.getresponse().read())["result"]
        self.assertTrue(result["isError"])
        self.assertEqual(result["structuredContent"]["status"], "rejected")

    def test_who_hangs_up_is_not_asked_twice(self):
        self.begin()
        self.use(WAITS)
        self.ask("DELETE", EVENT).close()
        self.decide(self.wait_for(1), "approve")
        self.wait_for(1, "executed")
        again = self.server.call(self.agent, "DELETE", EVENT)
        self.assertEqual((again.status, self.actions()), (204, self.actions("executed")))

    def tools(self, n):
        """So many calls of tools, which are about three actions."""
        waiting = [self.ask("POST", "/mcp", {"jsonrpc": "2.0", "id": i, "method": "tools/call", "params": {
            "name": "calendar_events_delete", "arguments": {"calendarId": "primary", "eventId": EVENT.split("/")[-1],
                                                            "sendUpdates": ["all", "none", "externalOnly"][i % 3]}}}) for i in range(n)]
        self.wait_for(3)
        return waiting

    def test_tools_that_wait_leave_some_of_few_threads(self):
        self.begin(env={"UV_THREADPOOL_SIZE": "4"})
        self.use(WAITS)
        waiting = self.tools(8)
        self.assertEqual(self.calls(*[{"method": "GET", "target": EVENT}] * 20), [200] * 20)  # a worker makes the last of them
        self.assertEqual(len(self.actions("held")), 3)
        for action in self.actions():
            self.decide(action, "reject")
        answers = [json.loads(w.getresponse().read())["result"]["structuredContent"]["status"] for w in waiting]
        self.assertEqual(set(answers), {"rejected", "pending_approval"})

    def test_tools_that_wait_leave_threads_for_others(self):
        self.begin()
        self.use(WAITS)
        waiting = self.tools(20)
        for action in self.actions():
            self.decide(action, "reject")
        answers = [json.loads(w.getresponse().read())["result"]["structuredContent"]["status"] for w in waiting]
        self.assertIn("rejected", answers)
        self.assertLessEqual(set(answers), {"rejected", "pending_approval"})  # some did not wait

    def calls(self, *calls):
        """In one request of the control interface; the statuses of their answers."""
        made = self.server.control("POST", "/worlds/%s/calls" % self.server.world, {"token": self.agent, "calls": list(calls)})
        self.assertEqual(made.status, 200, made.body)
        return [r["status"] for r in made.json()["responses"]]

    def test_calls_of_one_request_wait_as_they_do_alone(self):
        self.begin()
        self.use(POLICY + "approvals: {wait_seconds: 60, script: [{after_seconds: 30, decide: approve}]}\n")
        read, held = {"method": "GET", "target": EVENT}, {"method": "DELETE", "target": EVENT}
        self.assertEqual(self.calls(held), [204])
        # The last one that a serving thread makes, and one behind it that a worker makes.
        self.server.control("POST", "/worlds/%s/reset" % self.server.world, {})
        self.use(POLICY + "approvals: {wait_seconds: 60, script: [{after_seconds: 30, decide: reject}]}\n")
        self.assertEqual(self.calls(*[read] * 15, held, read), [200] * 15 + [403, 200])
        self.assertEqual(len(self.actions("rejected")), 1)

    def test_what_was_counted_is_there_after_a_restart(self):
        limit = POLICY + "  - {id: few, effect: limit, call: {method: calendar.events.patch}, calls: 3}\n"
        with tempfile.TemporaryDirectory() as data:
            self.begin("--data", data)
            self.use(limit)
            path = "/worlds/%s/budgets" % self.server.world
            budgets = {"budgets": 1, "limits": [{"name": "one", "per": "token", "calls": 6}]}
            done = self.server.control("PUT", path, budgets)
            self.assertEqual(done.status // 100, 2, done.body)
            patch = lambda text: self.server.call(self.agent, "PATCH", EVENT, {"summary": text}, self.server.world)
            self.assertEqual([patch(text).status for text in "ab"], [200, 200])
            self.assertEqual(self.server.stop()[0], 0)
            self.begin("--data", data)
            self.assertEqual([patch(text).status for text in "cd"], [200, 403])
            get = lambda: self.server.call(self.agent, "GET", EVENT, None, self.server.world)
            self.assertEqual([get().status for _ in range(2)], [200, 200])
            stopped = [get() for _ in range(2)][-1]
            self.assertEqual(stopped.status, 403)
            self.assertIn("tool_call_budget_exceeded", str(stopped.headers))

    def test_a_stop_refuses_who_waits_and_the_action_stays(self):
        with tempfile.TemporaryDirectory() as data:
            self.begin("--data", data)
            self.use(WAITS)
            waiting = self.ask("DELETE", EVENT)
            action = self.wait_for(1)
            answers = []
            reader = threading.Thread(target=lambda: answers.append(waiting.getresponse()))
            reader.start()
            began = time.monotonic()
            self.assertEqual(self.server.stop()[0], 0)
            self.assertLess(time.monotonic() - began, 60)
            reader.join()
            self.assertEqual(answers[0].status, 403)
            self.assertIn(action, answers[0].read().decode())
            self.begin("--data", data)
            self.assertEqual(self.actions("held"), [action])
            waiting = self.ask("DELETE", EVENT)
            self.decide(action, "approve")
            self.assertEqual(waiting.getresponse().status, 204)


if __name__ == "__main__":
    unittest.main()
