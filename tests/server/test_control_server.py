# SPDX-License-Identifier: Apache-2.0
"""What the control interface says of itself and its server: description, figures, limits, a data directory."""
import os
import re
import tempfile
import unittest

from control_case import EVE, ControlCase
from harness import Wire, start, stop


class Description(ControlCase):
    def setUp(self):
        super().setUp()
        self.api = self.ok("GET", "/openapi.json", key="")

    def refs(self, node):
        if isinstance(node, dict):
            for k, v in node.items():
                if k == "$ref":
                    yield v
                else:
                    yield from self.refs(v)
        elif isinstance(node, list):
            for v in node:
                yield from self.refs(v)

    def test_its_frame(self):
        self.assertEqual(self.api["openapi"], "3.1.0")
        self.assertEqual(self.api["servers"], [{"url": "/_sosia/v1"}])
        self.assertEqual(self.api["components"]["securitySchemes"]["control_key"],
                         {"type": "http", "scheme": "bearer"})
        self.assertEqual(self.api["security"], [{"control_key": []}])

    def test_every_operation_is_there_once(self):
        ids = [op["operationId"] for methods in self.api["paths"].values() for op in methods.values()]
        self.assertEqual(sorted(ids), sorted(set(ids)))
        self.assertEqual(set(ids), {
            "worlds.create", "worlds.list", "worlds.get", "worlds.delete", "worlds.fork", "worlds.reset",
            "worlds.snapshot", "worlds.ttl", "worlds.rates", "worlds.tools", "outbox.outcome", "worlds.seed", "worlds.dump", "worlds.hash", "worlds.export",
            "workspace.list", "workspace.get", "workspace.put", "transfer.import", "transfer.export",
            "policies.list", "policies.get", "policies.set", "policies.remove", "policies.simulate", "policies.derive", "approvals.list",
            "approvals.get", "approvals.decide", "worlds.faults", "worlds.setFaults", "worlds.clearFaults", "worlds.faultsReport",
            "worlds.setBudgets", "worlds.clearBudgets", "worlds.explore",
            "worlds.import", "worlds.update", "worlds.report", "worlds.reportJudged", "people.look", "people.lookPost", "people.post", "people.put", "people.patch", "people.delete", "journal.strip", "events.stream", "console.code", "console.session", "calendar.calendars", "calendar.events", "mail.folders", "mail.messages", "mail.message", "mail.part", "tasks.lists", "tasks.list", "tasks.get", "worlds.history", "worlds.search", "runs.list", "runs.get", "runs.report", "workflows.list", "workflows.get", "clock.due", "worlds.diff", "worlds.grade", "worlds.resetAll", "worlds.dropAll", "credentials.get", "actors.act", "worlds.calls", "consents.link", "clock.get", "clock.set", "clock.advance", "tokens.issue",
            "tokens.revoke", "journal.list", "journal.get", "journal.set", "journal.info", "journal.export",
            "journal.replay", "journal.changes", "outbox.list", "actors.list", "server.limits",
            "server.health", "server.metrics", "server.describe"})

    def test_every_reference_resolves_and_every_schema_is_used(self):
        refs = set(self.refs(self.api))
        names = {"#/components/schemas/" + n for n in self.api["components"]["schemas"]}
        self.assertEqual(refs, names)

    def test_every_path_parameter_is_described(self):
        for path, methods in self.api["paths"].items():
            for method, op in methods.items():
                described = {p["name"] for p in op.get("parameters", []) if p["in"] == "path"}
                self.assertEqual(described, set(re.findall(r"\{(\w+)\}", path)), (method, path))
                self.assertTrue(all(p["required"] for p in op.get("parameters", []) if p["in"] == "path"))

    def test_every_operation_says_what_it_answers(self):
        for path, methods in self.api["paths"].items():
            for method, op in methods.items():
                codes = [c for c in op["responses"] if c != "default"]
                self.assertEqual(len(codes), 1, path)
                self.assertTrue(op["summary"])
                self.assertEqual("content" in op["responses"][codes[0]], codes[0] != "204", path)
                self.assertIn("Error", op["responses"]["default"]["content"]["application/json"]["schema"]["$ref"])
                self.assertFalse(method == "get" and "requestBody" in op)

    def check(self, schema, value, at=""):
        """As much of JSON Schema as the document uses."""
        if "$ref" in schema:
            return self.check(self.api["components"]["schemas"][schema["$ref"].split("/")[-1]], value, at)
        types = schema["type"] if isinstance(schema.get("type"), list) else [schema.get("type")]
        kinds = {"string": str, "integer": int, "number": (int, float), "boolean": bool, "object": dict,
                 "array": list, "null": type(None)}
        self.assertTrue(any(isinstance(value, kinds[t]) and (t == "boolean" or not isinstance(value, bool))
                            for t in types), (at, schema, value))
        if isinstance(value, dict):
            for name in schema.get("required", []):
                self.assertIn(name, value, at)
            for name, v in value.items():
                if name in schema.get("properties", {}):
                    self.check(schema["properties"][name], v, at + "." + name)
                elif "properties" in schema and at != ".SeedDocument":
                    self.fail("%s.%s is not described" % (at, name))
        elif isinstance(value, list):
            for v in value:
                self.check(schema["items"], v, at + "[]")
        elif value is not None:
            if "enum" in schema:
                self.assertIn(value, schema["enum"], at)
            if "minimum" in schema:
                self.assertGreaterEqual(value, schema["minimum"], at)
            if "maximum" in schema:
                self.assertLessEqual(value, schema["maximum"], at)

    def test_answers_are_of_the_shapes_that_are_described(self):
        w = self.make(journal="all", clock="step", step_ms=1, ttl_seconds=1000)
        token = self.token(w)
        self.note(w, token)
        self.whoami(w, self.token(w, scopes="some"))
        fork = self.ok("POST", self.path(w, "/fork"), {"count": 2}, 201)
        self.ok("POST", self.path(fork, "/seed"), EVE)
        schemas = self.api["components"]["schemas"]
        answers = {
            "World": fork, "Worlds": self.ok("GET", "/worlds"), "Clock": self.ok("GET", self.path(w, "/clock")),
            "Hash": self.ok("GET", self.path(w, "/hash")), "SeedDocument": self.ok("GET", self.path(w, "/dump")),
            "Journal": self.ok("GET", self.path(w, "/journal?bodies=true")),
            "JournalEntry": self.ok("GET", self.path(w, "/journal/1")),
            "JournalStrip": self.ok("GET", self.path(w, "/journal/strip")), "History": self.ok("GET", self.path(w, "/history?name=x")),
            "Due": self.ok("GET", self.path(w, "/due")),
            "JournalInfo": self.ok("GET", self.path(w, "/journal/info")),
            "Replay": self.ok("POST", self.path(w, "/journal/replay"), {}),
            "Outbox": self.ok("GET", self.path(w, "/outbox")), "Actors": self.ok("GET", self.path(w, "/actors")),
            "Diff": self.ok("GET", "/diff?from=%s&to=%s" % (w["world"], fork["world"])),
            "Limits": self.ok("GET", "/limits"), "Health": self.ok("GET", "/health"),
            "Token": self.ok("POST", self.path(w, "/tokens"), {"actor": "ada@acme.example"}, 201),
            "Error": self.send("GET", "/worlds?limit=0").json(),
        }
        for name, value in answers.items():
            self.check(schemas[name], value, "." + name)
        self.assertEqual(len(answers["Outbox"]["entries"]), 1)
        self.assertEqual(len(answers["Diff"]["changes"]), 1)
        self.assertTrue(any("as" in e for e in answers["Journal"]["entries"]))

    def test_answers_are_of_the_media_types_that_are_described(self):
        w = self.make(journal="all")
        self.note(w, self.token(w))
        diff = "/diff?to=%s&form=" % w["world"]
        for path, row, type in ((diff + "json", "/diff", "application/json"), (diff + "patch", "/diff", "application/json-patch+json"),
                                (self.path(w, "/journal/export"), "/worlds/{world}/journal/export", "application/jsonl"),
                                (self.path(w, "/journal/export?format=har"), "/worlds/{world}/journal/export", "application/json"),
                                (self.path(w, "/export"), "/worlds/{world}/export", "application/vnd.sqlite3"),
                                ("/metrics", "/metrics", "text/plain")):
            a = self.send("GET", path)
            self.assertEqual((a.status, a.field("Content-Type").split(";")[0]), (200, type), path)
            self.assertIn(type, self.api["paths"][row]["get"]["responses"]["200"]["content"], path)


class Figures(ControlCase):
    LINE = re.compile(r'^([a-z_]+)(\{([a-z]+)="([^"\\\n]*)"\})? ([0-9]+(\.[0-9]+)?)$')

    def read(self):
        a = self.send("GET", "/metrics")
        self.assertEqual((a.status, a.field("Content-Type")), (200, "text/plain; version=0.0.4; charset=utf-8"))
        text = a.body.decode()
        self.assertTrue(text.endswith("\n"))
        types, values = {}, {}
        for line in text.splitlines():
            if line.startswith("# TYPE "):
                name, kind = line[7:].split(" ")
                self.assertNotIn(name, types)
                types[name] = kind
            elif not line.startswith("# HELP "):
                m = self.LINE.match(line)
                self.assertTrue(m, line)
                self.assertNotIn((m[1], m[4]), values)
                values[m[1], m[4]] = float(m[5])
        for name, _ in values:
            base = re.sub(r"_(bucket|sum|count)$", "", name)
            self.assertTrue(name in types or types.get(base) == "histogram", name)
        return types, values

    def test_figures_are_counted(self):
        _, before = self.read()
        self.make()
        self.send("GET", "/nothing")
        _, after = self.read()
        self.assertEqual(after["sosia_requests_total", "201"] - before.get(("sosia_requests_total", "201"), 0), 1)
        self.assertEqual(after["sosia_requests_total", "404"] - before.get(("sosia_requests_total", "404"), 0), 1)
        self.assertGreaterEqual(after["sosia_control_requests_total", None],
                                before["sosia_control_requests_total", None] + 3)
        self.assertEqual(after["sosia_worlds", None], self.ok("GET", "/limits")["worlds"])
        self.assertGreaterEqual(after["sosia_connections", None], 1)

    def test_the_latency_is_a_histogram(self):
        self.make()
        types, values = self.read()
        self.assertEqual(types["sosia_request_seconds"], "histogram")
        buckets = [(float(le), v) for (name, le), v in values.items() if name == "sosia_request_seconds_bucket"]
        self.assertEqual(buckets, sorted(buckets))
        self.assertEqual([v for _, v in buckets], sorted(v for _, v in buckets))
        self.assertEqual(buckets[-1], (float("inf"), values["sosia_request_seconds_count", None]))
        self.assertEqual(buckets[0][0], 1e-6)
        self.assertGreater(values["sosia_request_seconds_count", None], 0)
        self.assertGreater(values["sosia_request_seconds_sum", None], 0)


class Limited(ControlCase):
    options = {"max_worlds": 5, "max_size": 1 << 30, "max_world_size": 1 << 20, "no_fixtures": 1}

    def test_limits_are_shown_and_hold(self):
        limits = self.ok("GET", "/limits")
        self.assertEqual((limits["max_worlds"], limits["max_bytes"], limits["max_world_bytes"]),
                         (5, 1 << 30, 1 << 20))
        w = self.ok("POST", "/worlds", {"seed_document": EVE}, 201)
        there = self.ok("GET", "/limits")["worlds"]
        self.refused(429, "worldLimit", "POST", self.path(w, "/fork"), {"count": 6 - there})
        self.assertEqual(self.ok("GET", "/limits")["worlds"], there)
        self.ok("POST", self.path(w, "/fork"), {"count": 5 - there}, 201)
        self.refused(429, "worldLimit", "POST", self.path(w, "/fork"))

    def test_a_server_without_fixtures_says_so(self):
        self.refused(400, "invalid", "POST", "/worlds", {"fixture": "small"}, field="fixture")


class NoRoom(ControlCase):
    options = {"temp_dir": "/dev/null/none"}

    def test_a_directory_that_is_not_there_fails_the_operation_only(self):
        w = self.make()
        a = self.send("GET", self.path(w, "/export"))
        self.assertEqual(a.status, 500)
        self.assertIn("/dev/null/none/", a.json()["error"]["message"])
        self.assertEqual(self.send("POST", "/worlds/import", b"x").status, 500)
        self.ok("GET", self.path(w))


class Leftovers(ControlCase):
    directory = tempfile.mkdtemp()
    options = {"temp_dir": directory}

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        os.rmdir(cls.directory)  # fails if something is left

    def test_nothing_is_left_of_temporary_files(self):
        w = self.make()
        body = self.send("GET", self.path(w, "/export")).body
        self.ok("POST", "/worlds/import", body, 201)
        self.assertEqual(self.send("POST", "/worlds/import", b"junk").status, 400)
        self.assertEqual(os.listdir(self.directory), [])


class Durable(ControlCase):
    """With a data directory every change waits for the disk, on a worker."""

    def test_what_was_answered_is_there_after_a_restart(self):
        with tempfile.TemporaryDirectory() as directory:
            process, info = start(data_dir=directory)
            self.port, self.key = info["port"], info["key"]
            self.open = Wire(self.port)
            w = self.make(name="kept", journal="all")
            self.ok("POST", self.path(w, "/seed"), EVE)
            self.ok("POST", self.path(w, "/clock/advance"), {"seconds": 60})
            token = self.token(w, value="a-fixed-token")
            self.note(w, token)
            forks = self.ok("POST", self.path(w, "/fork"), {"count": 20}, 201)["worlds"]
            self.ok("DELETE", "/worlds/" + forks[0], status=204)
            told = self.ok("GET", self.path(w)), self.ok("GET", self.path(w, "/hash"))
            self.open.socket.close()
            self.assertEqual(stop(process), (0, b""))
            process, info = start(data_dir=directory)
            self.port, self.key = info["port"], info["key"]
            self.open = Wire(self.port)
            again = self.ok("GET", "/worlds/kept"), self.ok("GET", "/worlds/kept/hash")
            for one in told + again:
                one.pop("url", None)
                one.pop("size", None)
                one.pop("base_size", None)
            self.assertNotIn("used", again[0])  # of calls since the server began
            self.assertLessEqual(told[0]["made"], told[0].pop("used"))
            self.assertEqual(again, told)
            self.assertEqual(self.whoami(w, token), "ada@acme.example")
            self.assertEqual(len(self.ok("GET", "/worlds/kept/journal")["entries"]), 5)
            self.assertTrue(self.ok("POST", "/worlds/kept/journal/replay", {"to": 2})["equal"])
            # The token itself is not kept, and no state is after a restart.
            self.assertEqual(self.ok("POST", "/worlds/kept/journal/replay", {})["stopped"], 3)
            # A name alone says that the end becomes a world.
            self.ok("POST", "/worlds/kept/journal/replay", {"to": 2, "name": "again"})
            self.ok("DELETE", "/worlds/again", status=204)
            self.refused(409, "nameTaken", "POST", "/worlds/kept/journal/replay", {"to": 2, "name": "kept"}, field="name")
            forked = self.ok("GET", self.path(forks[1], "/journal/info"))
            self.assertEqual((forked["entries"], forked["start"]), (4, 4))
            self.refused(404, "worldNotFound", "GET", "/worlds/" + forks[0])
            for key in forks[1:]:
                self.assertEqual(len(self.people(key)), 3)
            self.open.socket.close()
            self.assertEqual(stop(process), (0, b""))


class RealTime(ControlCase):
    options = {"real": 1}

    def test_the_servers_clock_holds_when_the_request_says_nothing(self):
        self.assertEqual(self.ok("POST", "/worlds", {"fixture": "small"}, 201)["clock"], "real")
        self.assertEqual(self.ok("POST", "/worlds", status=201)["clock"], "real")
        self.assertEqual(self.ok("POST", "/worlds", {"clock": "frozen"}, 201)["clock"], "frozen")


if __name__ == "__main__":
    unittest.main()
