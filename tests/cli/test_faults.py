# SPDX-License-Identifier: Apache-2.0
"""Faults over a connection, and the commands faults, budgets and explore."""
import http.client
import json
import os
import socket
import tempfile
import time
import unittest
from urllib.parse import urlsplit

import harness

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EVENTS = "/calendar/v3/calendars/primary/events"
PEOPLE = """sosia: 1
time: 2026-11-23T08:00:00Z
organizations: [{domain: acme.example, name: Acme}]
people:
  - {email: ada@acme.example, name: Ada}
  - {email: eve@acme.example, name: Eve}
"""


class Faults(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = harness.Server("--fixture", "small", "--clock", "frozen")
        cls.people = cls.server.control("POST", "/worlds", {"seed_document": PEOPLE, "name": "people", "clock": "frozen"}).json()["world"]

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def setUp(self):
        self.world = self.server.control("POST", "/worlds/%s/fork" % self.people, {"actors": ["ada@acme.example", "eve@acme.example"]}).json()
        self.tokens = [t["token"] for t in self.world["tokens"]]
        self.world = self.world["world"]

    def faults(self, *rules, **members):
        document = {"faults": 1, "rules": [{"name": "rule %d" % i, **r} for i, r in enumerate(rules)], **members}
        answer = self.server.control("PUT", "/worlds/%s/faults" % self.world, document)
        self.assertEqual(answer.status, 200, answer.body)
        return answer.json()

    def ask(self, method="GET", path=EVENTS, body=None, timeout=30):
        """On a connection of its own."""
        at = urlsplit(self.server.url)
        c = http.client.HTTPConnection(at.hostname, at.port, timeout=timeout)
        try:
            c.request(method, "/w/%s%s" % (self.world, path), body and json.dumps(body),
                      {"Authorization": "Bearer " + self.tokens[0], "Content-Type": "application/json"})
            answer = c.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            c.close()

    def events(self):
        token = self.tokens[0]
        self.server.control("DELETE", "/worlds/%s/faults" % self.world)
        return [e["summary"] for e in self.server.call(token, "GET", EVENTS, world=self.world).json()["items"]]

    def test_a_connection_is_reset(self):
        self.faults({"fault": "reset"})
        with self.assertRaises(ConnectionResetError):
            self.ask("POST", EVENTS + "/quickAdd?text=Lunch")
        self.assertEqual(self.events(), [])

    def test_an_answer_is_lost_when_all_is_done(self):
        self.faults({"fault": "lost-answer"})
        with self.assertRaises(ConnectionResetError):
            self.ask("POST", EVENTS + "/quickAdd?text=Lunch")
        self.assertEqual(self.events(), ["Lunch"])

    def test_no_answer_comes(self):
        self.faults({"fault": "timeout"})
        with self.assertRaises(socket.timeout):
            self.ask(timeout=0.5)
        self.faults({"fault": "timeout", "delay_ms": 300, "clock": "real"})
        began = time.monotonic()
        with self.assertRaises(ConnectionResetError):
            self.ask()
        self.assertGreater(time.monotonic() - began, 0.25)
        # A minute of the world's clock goes by at once.
        self.faults({"fault": "timeout", "delay_ms": 60000})
        with self.assertRaises(ConnectionResetError):
            self.ask(timeout=50)

    def test_an_answer_ends_too_early(self):
        _, headers, whole = self.ask()
        self.faults({"fault": "truncated"})
        with self.assertRaises(http.client.IncompleteRead) as cut:
            self.ask()
        self.assertEqual(cut.exception.partial, whole[:len(whole) * 2 // 3])
        self.faults({"fault": "malformed"})
        status, headers, body = self.ask()
        self.assertEqual((status, int(headers["Content-Length"])), (200, len(body)))
        with self.assertRaises(ValueError):
            json.loads(body)

    def test_an_answer_takes_its_time(self):
        self.faults({"fault": "slow", "delay_ms": 400, "clock": "real"})
        began = time.monotonic()
        self.assertEqual(self.ask()[0], 200)
        self.assertGreater(time.monotonic() - began, 0.35)

    def test_the_server_ends_while_answers_wait(self):
        server = harness.Server("--fixture", "small")
        token = server.control("POST", "/worlds/%s/tokens" % server.world, {"actor": server.control(
            "GET", "/worlds/%s/actors" % server.world).json()["actors"][0]["email"]}).json()["token"]
        server.control("PUT", "/worlds/%s/faults" % server.world, {"faults": 1, "rules": [{"name": "a", "fault": "timeout"}]})
        at = urlsplit(server.url)
        c = http.client.HTTPConnection(at.hostname, at.port, timeout=30)
        c.request("GET", EVENTS, headers={"Authorization": "Bearer " + token})
        time.sleep(0.2)
        began = time.monotonic()
        status, _, err = server.stop()
        self.assertEqual(status, 0, err)
        self.assertLess(time.monotonic() - began, 9)  # of the ten seconds that answers have in which to end
        c.close()

    def test_the_commands(self):
        env = {"SOSIA_WORLD": self.world}
        out = self.server.command("faults", "set", "lost-answers", env=env)
        self.assertEqual(out.returncode, 0, out.stderr)
        self.assertIn("lost-connection", out.stdout)
        self.assertEqual(self.server.command("faults", "sets").returncode, 0)
        self.assertEqual(self.server.command("faults", "check", "flaky").stdout, "5 rules\n")
        self.assertIn("must be sets of faults", self.server.command("faults", "set", "-", env=env, stdin="nothing-such").stderr)
        self.ask()
        self.assertIn("faults, ", self.server.command("faults", "report", env=env).stdout)
        out = self.server.command("budgets", "set", "-", env=env, stdin="{maxToolCalls: 1}")
        self.assertIn("tool_calls_used 0", out.stdout)
        self.ask()
        status, headers, _ = self.ask()
        self.assertEqual((status, json.loads(headers["X-Sosia-Stop"])["reason"]), (403, "tool_call_budget_exceeded"))
        self.assertEqual(self.server.command("budgets", "clear", env=env).returncode, 0)
        self.assertEqual(self.server.command("faults", "clear", env=env).stdout, "there are no faults and no budgets\n")
        self.assertEqual(self.ask()[0], 200)

    def test_a_world_begins_with_a_set(self):
        server = harness.Server("--fixture", "small", "--faults", "rate-limited")
        info = server.control("GET", "/worlds/%s/faults" % server.world).json()
        self.assertEqual([r["name"] for r in info["rules"]], ["rate-limited"])
        server.stop()

    def test_a_recorded_run_is_explored(self):
        self.ask("POST", EVENTS + "/quickAdd?text=Lunch")
        out = self.server.command("explore", "--json", self.world, env={"SOSIA_WORLD": ""})
        found = json.loads(out.stdout)
        self.assertEqual((found["branches"], found["twice"] > 0, found["not_at_all"] > 0), (12, True, True))
        self.assertIn("quickAdd: lost-answer, and the client makes the call again", self.server.command("explore", self.world, env={"SOSIA_WORLD": ""}).stdout)

    def test_an_agent_is_explored(self):
        agent = os.path.join(ROOT, "examples/loops/careless_agent.py")
        out = self.server.command("explore", self.people, "--json", "--actor", "ada@acme.example", "--faults", "server-error,lost-answer",
                                  "--command", "python3 " + agent, env={"SOSIA_WORLD": "", "AGENT_TO": "eve@acme.example"})
        self.assertEqual(out.returncode, 1, out.stderr)
        found = json.loads(out.stdout)
        effects = {(r["call"], r["fault"]): [(e["happened"], e.get("title")) for e in r["effects"]] for r in found["runs"]}
        self.assertEqual(found["calls"], 2)
        self.assertIn(("twice", "Offer"), effects[1, "lost-answer"])
        self.assertIn(("not at all", "Ask about the offer"), effects[2, "server-error"])
        self.assertEqual(effects[1, "server-error"], [])
        self.assertEqual(effects[2, "lost-answer"], [])

    def test_runs_are_judged_by_a_task(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        suite = os.path.join(directory.name, "s.yaml")
        with open(suite, "w", encoding="utf-8") as f:
            f.write("version: '1.1'\nname: s\nactor: ada@acme.example\nseed: {sosia: 1}\ntests:\n"
                    "  - {id: offer, prompt: Send it., closed: false, assertions: [{diff_type: added, entity: message, where: {mailbox: ada@acme.example, subject: Offer}}]}\n"
                    "  - {id: said, prompt: Say it., closed: false, assertions: [{answer: {mentions: done}}]}\n")
        agent = os.path.join(ROOT, "examples/loops/careless_agent.py")
        words = ("--actor", "ada@acme.example", "--faults", "lost-answer", "--suite", suite)
        env = {"SOSIA_WORLD": "", "AGENT_TO": "eve@acme.example"}
        world = self.server.control("POST", "/worlds/%s/fork" % self.people, {"journal": "all", "actors": ["ada@acme.example"]}).json()
        token = world["tokens"][0]["token"]
        self.server.call(token, "POST", EVENTS + "/quickAdd?text=Lunch", world=world["world"])
        self.server.call(token, "POST", EVENTS + "/quickAdd?text=Tea", world=world["world"])
        first = self.server.control("GET", "/worlds/%s/journal" % world["world"]).json()
        step = next(e["seq"] for e in first["entries"] if e.get("method"))
        out = self.server.command("explore", world["world"], "--json", "--command", "python3 %s && echo It is done." % agent, "--task", "offer",
                                  "--step", str(step), *words, env=env)
        found = json.loads(out.stdout)
        self.assertEqual((out.returncode, found["verdict"]), (1, {"passed": True, "others": 1, "ungraded": 0}), out.stderr)
        self.assertEqual({r["call"]: r["passed"] for r in found["runs"]}, {1: False, 2: True})
        out = self.server.command("explore", world["world"], "--json", "--command", "echo It is done.", "--task", "said", *words, env=env)
        self.assertEqual(json.loads(out.stdout)["verdict"]["passed"], True)
        out = self.server.command("explore", world["world"], "--suite", suite, "--task", "offer", env=env)
        self.assertIn("the task is not passed in the run as it was, and otherwise in 0", out.stdout)
        out = self.server.command("explore", world["world"], "--task", "offer", env=env)
        self.assertEqual(out.returncode, 2)


if __name__ == "__main__":
    unittest.main()
