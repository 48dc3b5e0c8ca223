# SPDX-License-Identifier: Apache-2.0
"""The control interface, operation by operation, against a server with an engine."""
import datetime
import hashlib
import json
import os
import re
import socket
import sqlite3
import tempfile
import unittest

from harness import PATIENCE, ServerCase, Wire, start, stop

SMALL_TIME = "2026-11-23T08:00:00.000000Z"
EVE = {"sosia": 1, "people": [{"email": "eve@acme.example", "name": "Eve"}]}


def us(text):
    """A time of an answer, in microseconds since 1970."""
    t = datetime.datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ")
    return (t - datetime.datetime(1970, 1, 1)) // datetime.timedelta(microseconds=1)


class ControlCase(ServerCase):
    def setUp(self):
        """One connection a test: the server sees a client that keeps it."""
        self.open = Wire(self.port)
        self.addCleanup(self.open.socket.close)

    def send(self, method, path, body=None, key=None, prefix="/_sosia/v1"):
        if body is None:
            data = b""
        elif isinstance(body, bytes):
            data = body
        elif isinstance(body, str):
            data = body.encode()
        else:
            data = json.dumps(body).encode()
        lines = ["%s %s%s HTTP/1.1" % (method, prefix, path), "Host: localhost"]
        if key != "":
            lines.append("Authorization: Bearer " + (key or self.key))
        lines.append("Content-Length: %d" % len(data))
        return self.open.ask("\r\n".join(lines + ["", ""]).encode() + data)

    def ok(self, method, path, body=None, status=200, **more):
        a = self.send(method, path, body, **more)
        self.assertEqual(a.status, status, a.body)
        return a.json() if a.body else None

    def refused(self, status, reason, method, path, body=None, field=None, line=None, text=None, **more):
        a = self.send(method, path, body, **more)
        self.assertEqual(a.status, status, a.body)
        error = a.json()["error"]
        self.assertEqual(error["code"], status)
        self.assertEqual(error["reason"], reason, error)
        self.assertEqual(error.get("field"), field, error)
        if line is not None:
            self.assertEqual(error.get("line"), line, error)
        if text is not None:
            self.assertIn(text, error["message"])
        return error

    def make(self, **more):
        """A world of the small fixture with a clock that stands still."""
        body = {"fixture": "small", "clock": "frozen"}
        body.update(more)
        return self.ok("POST", "/worlds", body, 201)

    def path(self, world, rest=""):
        return "/worlds/" + (world if isinstance(world, str) else world["world"]) + rest

    def people(self, world):
        return [p["email"] for p in self.ok("GET", self.path(world, "/dump")).get("people", [])]

    def note(self, world, token, body=b'{"text":"hello"}'):
        a = self.send("POST", "/w/%s/notes" % world["world"], body, key=token, prefix="")
        self.assertEqual(a.status, 200, a.body)

    def token(self, world, actor="ada@acme.example", **more):
        return self.ok("POST", self.path(world, "/tokens"), dict(actor=actor, **more), 201)["token"]

    def whoami(self, world, token):
        a = self.send("GET", "/w/%s/notes/whoami" % world["world"], key=token, prefix="")
        return a.json()["email"] if a.status == 200 else a.status


class Access(ControlCase):
    def test_without_a_key_it_is_401(self):
        self.refused(401, "unauthenticated", "GET", "/worlds", key="")
        self.refused(401, "unauthenticated", "POST", "/worlds", {}, key="wrong")

    def test_an_agents_token_is_403_for_every_operation_but_the_open_ones(self):
        w = self.make()
        token = self.token(w)
        api = self.ok("GET", "/openapi.json", key="")
        tried = 0
        for path, methods in api["paths"].items():
            for method, op in methods.items():
                target = path.replace("{world}", w["world"]).replace("{seq}", "1").replace("{entry}", "1")
                a = self.send(method.upper(), target, key=token)
                self.assertEqual(a.status, 200 if op.get("security") == [] else 403, (method, path))
                tried += 1
        self.assertGreater(tried, 20)
        self.assertEqual(self.ok("GET", self.path(w))["now"], SMALL_TIME)

    def test_health_is_open_to_all(self):
        health = self.ok("GET", "/health", key="")
        self.assertEqual(health["status"], "ok")
        self.assertRegex(health["version"], r"^\d+\.\d+\.\d+$")

    def test_unknown_paths_are_404_and_wrong_methods_405(self):
        for path in ["/", "/nothing", "/worlds/", "/worlds//fork", "/worlds/a/b", "/worlds/a/clock/advance/x",
                     "/worldsx", "/a/b/c/d/e/f/g/h"]:
            self.refused(404, "notFound", "GET", path)
        a = self.send("DELETE", "/worlds")
        self.assertEqual((a.status, a.field("Allow")), (405, "POST, GET"))
        a = self.send("GET", "/worlds/x/fork")
        self.assertEqual((a.status, a.field("Allow")), (405, "POST"))

    def test_a_world_that_is_not_there_is_404_everywhere(self):
        api = self.ok("GET", "/openapi.json")
        bodies = {"worlds.seed": EVE, "worlds.ttl": {"seconds": 1}, "clock.set": {"now": "2026-01-01T00:00:00Z"},
                  "clock.advance": {"us": 1}, "worlds.rates": {"on": True}, "worlds.tools": {"tools": "native"}, "journal.set": {"steps": 1},
                  "outbox.outcome": {"attempt": 1, "status": 200}, "tokens.issue": {"actor": "a@b.example"},
                  "tokens.revoke": {"token": "x"},
                  "actors.act": {"actor": "a@b.example", "service": "x", "do": {"see": {}}}}
        for path, methods in api["paths"].items():
            for method, op in methods.items():
                if "{world}" in path:
                    query = "&".join(p["name"] + "=x" for p in op["parameters"]
                                     if p["in"] == "query" and p.get("required"))
                    self.refused(404, "worldNotFound", method.upper(),
                                 path.replace("{world}", "0123456789abcdef").replace("{seq}", "1").replace("{entry}", "1")
                                 + ("?" + query if query else ""), bodies.get(op["operationId"]))


class Worlds(ControlCase):
    def test_a_fixture_makes_a_world(self):
        w = self.make(name="office")
        self.assertRegex(w["world"], r"^[0-9a-f]{16}$")
        self.assertEqual(w["name"], "office")
        self.assertEqual(w["url"], "http://localhost/w/" + w["world"])
        self.assertEqual((w["now"], w["clock"], w["snapshot"]), (SMALL_TIME, "frozen", False))
        self.assertEqual((w["journal"], w["seed"], w["expires"]), ("writes", 1, None))
        self.assertEqual(self.people(w), ["ada@acme.example", "bob@acme.example"])
        self.assertEqual(self.ok("GET", "/worlds/office")["world"], w["world"])
        self.assertEqual(self.ok("GET", "/worlds/%6Fffice")["world"], w["world"])

    def test_a_world_takes_what_it_is_given(self):
        w = self.make(clock="step", step_ms=0.25, now="2027-01-02T03:04:05+01:00", seed=99, journal="all",
                      ttl_seconds=1000)
        self.assertEqual((w["clock"], w["step_ms"], w["seed"], w["journal"]), ("step", 0.25, 99, "all"))
        self.assertEqual(w["now"], "2027-01-02T02:04:05.000000Z")
        self.assertEqual(w["expires_by"], "real")
        before = us(self.ok("GET", self.path(w, "/clock"))["now"])
        self.whoami(w, self.token(w))
        self.assertEqual(us(self.ok("GET", self.path(w, "/clock"))["now"]) - before, 250)

    def test_a_reset_gives_back_the_clock_that_was_asked_for(self):
        w = self.make(clock="step", step_ms=2)
        self.ok("PUT", self.path(w, "/clock"), {"clock": "frozen", "now": "2030-01-01T00:00:00Z"})
        r = self.ok("POST", self.path(w, "/reset"))
        self.assertEqual((r["clock"], r["step_ms"], r["now"]), ("step", 2, SMALL_TIME))

    def test_a_real_clock_follows_real_time(self):
        a, b = self.make(clock="real"), self.make(clock="real", now="2001-02-03T00:00:00Z")
        self.assertEqual(a["clock"], "real")
        self.assertGreater(us(a["now"]), us("2023-11-14T00:00:00.000000Z"))
        self.assertTrue(b["now"].startswith("2001-02-03T00:0"))
        self.assertGreater(us(self.ok("GET", self.path(b))["now"]), us(b["now"]))

    def test_an_empty_world(self):
        w = self.ok("POST", "/worlds", status=201)
        self.assertEqual(self.people(w), [])
        self.assertEqual(w["clock"], "frozen")

    def test_a_seed_document_as_object_json_text_and_yaml_text(self):
        yaml = "sosia: 1\npeople:\n  - email: eve@acme.example\n    name: Eve\n"
        for document in [EVE, json.dumps(EVE), yaml]:
            w = self.ok("POST", "/worlds", {"seed_document": document, "seed": 5}, 201)
            self.assertEqual(self.people(w), ["eve@acme.example"])
            self.assertEqual(w["seed"], 5)

    def test_a_document_with_braces_and_quotes_in_its_texts(self):
        doc = {"sosia": 1, "people": [{"email": "eve@acme.example", "name": "}{\"}\\"}]}
        w = self.ok("POST", "/worlds", {"seed_document": doc, "name": "quotes"}, 201)
        self.assertEqual(self.ok("GET", self.path(w, "/dump"))["people"][0]["name"], "}{\"}\\")
        self.assertEqual(w["name"], "quotes")

    def test_seed_errors_name_line_and_field(self):
        e = self.refused(400, "seed", "POST", "/worlds", {"fixture": "broken"}, field="people[0].zone", line=4)
        self.assertIn("broken.yaml:4: people[0].zone", e["message"])
        yaml = "sosia: 1\npeople:\n  - email: eve@acme.example\n    zone: Mars/Base\n"
        e = self.refused(400, "seed", "POST", "/worlds", {"seed_document": yaml, "document_name": "mine.yaml"},
                         field="people[0].zone", line=4)
        self.assertIn("mine.yaml:4:", e["message"])

    def test_faults_of_a_document_inside_of_the_body_tell_the_bodys_lines(self):
        body = ('{"name": "x",\n "clock": "frozen",\n "seed_document":\n  {"sosia": 1, "people": [\n'
                '   {"email": "a@b.example"},\n   {"email": "no address"}]}}')
        self.refused(400, "seed", "POST", "/worlds", body, field="people[1].email", line=6)
        self.refused(404, "worldNotFound", "GET", "/worlds/x")

    def test_worlds_from_a_snapshot_or_a_world(self):
        w = self.make()
        self.ok("POST", self.path(w, "/seed"), EVE)
        snapshot = self.ok("POST", self.path(w, "/snapshot"), {"name": "with-eve"}, 201)
        for source in ["with-eve", snapshot["world"], w["world"]]:
            made = self.ok("POST", "/worlds", {"from": source}, 201)
            self.assertEqual(self.people(made)[-1], "eve@acme.example")
            self.assertEqual((made["clock"], made["now"]), ("frozen", SMALL_TIME))
        self.refused(404, "worldNotFound", "POST", "/worlds", {"from": "nobody"}, field="from")

    def test_what_create_refuses(self):
        bad = self.refused
        bad(400, "invalid", "POST", "/worlds", {"fixture": "small", "from": "x"}, field="from")
        bad(400, "invalid", "POST", "/worlds", {"fixture": "small", "seed_document": EVE}, field="fixture")
        bad(404, "fixtureNotFound", "POST", "/worlds", {"fixture": "nothing"}, field="fixture")
        bad(400, "invalid", "POST", "/worlds", '{"name":"a",\n"colour":"red"}', field="colour", line=2)
        bad(400, "invalid", "POST", "/worlds", {"clock": "fast"}, field="clock", text="frozen, step, real")
        bad(400, "invalid", "POST", "/worlds", {"clock": "step"}, field="step_ms")
        bad(400, "invalid", "POST", "/worlds", {"clock": "real", "step_ms": 1}, field="step_ms")
        bad(400, "invalid", "POST", "/worlds", {"now": "tomorrow"}, field="now")
        bad(400, "invalid", "POST", "/worlds", {"now": "2026-01-01T00:00:00"}, field="now")
        bad(400, "invalid", "POST", "/worlds", {"now": "1970-01-01T00:00:00Z"}, field="now")
        for seed in [0, -1, 1.5, 2**63, "1", True, [1]]:
            bad(400, "invalid", "POST", "/worlds", {"seed": seed}, field="seed")
        bad(400, "invalid", "POST", "/worlds", {"ttl_seconds": 10**13}, field="ttl_seconds")
        bad(400, "name", "POST", "/worlds", {"name": "a b"}, field="name")
        bad(400, "invalid", "POST", "/worlds", {"name": "x" * 64}, field="name")
        bad(400, "invalid", "POST", "/worlds", {"name": 7}, field="name")
        bad(400, "invalid", "POST", "/worlds", {"seed_document": [1]}, field="seed_document")
        bad(400, "parseError", "POST", "/worlds", '{"name":\n}', line=2)
        bad(400, "parseError", "POST", "/worlds", '{"name":"a","name":"b"}')
        bad(400, "parseError", "POST", "/worlds", "[" * 1000)
        bad(400, "invalid", "POST", "/worlds", "[]")
        bad(400, "invalid", "POST", "/worlds", "7")
        bad(400, "invalid", "POST", "/worlds?name=a", {}, field="name")

    def test_names_are_unique_and_a_refused_world_leaves_nothing(self):
        self.make(name="only")
        before = self.ok("GET", "/limits")["worlds"]
        self.refused(409, "nameTaken", "POST", "/worlds", {"name": "only"}, field="name")
        self.refused(409, "nameTaken", "POST", "/worlds", {"fixture": "small", "clock": "frozen", "name": "only"},
                     field="name")
        self.refused(409, "nameTaken", "POST", "/worlds/only/fork", {"name": "only"}, field="name")
        self.refused(409, "nameTaken", "POST", "/worlds/only/snapshot", {"name": "only"}, field="name")
        self.assertEqual(self.ok("GET", "/limits")["worlds"], before)

    def test_null_members_are_as_if_absent(self):
        w = self.make(name=None, seed=None, now=None)
        self.assertEqual((w["name"], w["seed"], w["now"]), (None, 1, SMALL_TIME))

    def test_a_list_comes_in_pages(self):
        made = {self.make()["world"] for _ in range(7)}
        seen, after, pages = [], None, 0
        while True:
            page = self.ok("GET", "/worlds?limit=3" + ("&after=" + after if after else ""))
            self.assertLessEqual(len(page["worlds"]), 3)
            seen += [w["world"] for w in page["worlds"]]
            pages += 1
            after = page["next"]
            if not after:
                break
        self.assertEqual(len(seen), len(set(seen)))
        self.assertLessEqual(made, set(seen))
        self.assertEqual(pages, (len(seen) + 2) // 3)
        self.assertEqual(self.ok("GET", "/worlds?limit=1000")["next"], None)

    def test_what_a_list_refuses(self):
        self.refused(400, "invalid", "GET", "/worlds?limit=0", field="limit")
        self.refused(400, "invalid", "GET", "/worlds?limit=1001", field="limit")
        self.refused(400, "invalid", "GET", "/worlds?limit=ten", field="limit")
        self.refused(400, "invalid", "GET", "/worlds?limit=1&limit=2", field="limit")
        self.refused(400, "invalid", "GET", "/worlds?after=xyz", field="after")
        self.refused(400, "invalid", "GET", "/worlds?size=1", field="size")
        self.refused(400, "invalid", "GET", "/worlds?limit=%zz", field="limit")
        self.refused(400, "invalid", "GET", "/worlds?%ff=1", text="the query must be percent-encoded UTF-8, is not")
        self.refused(400, "invalid", "GET", "/worlds?after=%ff", field="after")
        self.refused(400, "invalid", "GET", "/worlds", b"{}")

    def test_a_refusal_says_what_was_expected_and_what_came(self):
        w = self.path(self.make())
        whole = "must be a whole number from"
        for method, path, body, message in [
                ("GET", "/worlds?limit=ten", None, 'limit: %s 1 to 1000, is "ten"' % whole),
                ("GET", "/worlds?limit=1&limit=2", None, "limit: must be given once, is given twice"),
                ("GET", "/worlds?size=1", None, "size: must be a parameter of worlds.list, is not"),
                ("GET", "/worlds?after=" + "x" * 17, None, "after: must be a string of at most 16 bytes, is of 17"),
                ("GET", "/diff?from=x", None, "to: must be given, is missing"),
                ("GET", w + "/journal?bodies=yes", None, 'bodies: must be true or false, is "yes"'),
                ("GET", w + "/journal/0", None, 'seq: %s 1 on, is "0"' % whole),
                ("GET", "/worlds", b"{}", "the body must be absent, has 2 bytes"),
                ("POST", w + "/fork", b"[]", "the body must be a JSON object, is []"),
                ("POST", w + "/fork", {"count": 0}, "count: %s 1 to 1000, is 0" % whole),
                ("POST", w + "/fork", {"count": "2"}, 'count: %s 1 to 1000, is "2"' % whole),
                ("POST", w + "/fork", {"clock": "real"}, "clock: must be a member of ForkWorld, is not"),
                ("POST", w + "/fork", {"actors": [1]}, "actors: must be a string or a list of strings, is [1]"),
                ("POST", w + "/fork", {"actors": ["a b"]},
                 'actors: must be a list of strings without spaces, has "a b"'),
                ("POST", w + "/fork", {"deliveries": "all"}, 'deliveries: must be one of drop, inherit, is "all"'),
                ("POST", w + "/fork", {"name": "x" * 64}, "name: must be a string of at most 63 bytes, is of 64"),
                ("POST", w + "/fork", {"now": "today"}, "now: must be an RFC 3339 time with an offset, such as "
                 '2026-11-23T08:00:00Z, is "today"'),
                ("PUT", w + "/rates", {"on": 1}, "on: must be true or false, is 1"),
                ("PUT", w + "/rates", None, "on: must be given, is missing"),
                ("PUT", w + "/clock", {"clock": "step", "step_ms": -1},
                 "step_ms: must be a number from 0 to 1000000000000, is -1"),
                ("POST", "/worlds", {"seed_document": 1}, "seed_document: must be an object or a string, is 1")]:
            error = self.send(method, path, body).json()["error"]
            self.assertEqual((error["code"], error["reason"], error["message"]), (400, "invalid", message))

    def test_a_refusal_says_on_which_line(self):
        body = b'{\n "count": 1,\n "clock": "real"\n}'
        self.refused(400, "invalid", "POST", self.path(self.make(), "/fork"), body, field="clock", line=3)

    def test_a_fork_without_a_body(self):
        w = self.make()
        f = self.ok("POST", self.path(w, "/fork"), status=201)
        self.assertEqual((f["parent"], f["now"], f["seed"]), (w["world"], SMALL_TIME, 1))
        self.assertNotIn("worlds", f)
        self.ok("POST", self.path(f, "/seed"), EVE)
        self.assertEqual(len(self.people(f)), 3)
        self.assertEqual(len(self.people(w)), 2)

    def test_a_fork_with_name_seed_and_time(self):
        w = self.make()
        f = self.ok("POST", self.path(w, "/fork"), {"name": "f", "seed": 7, "now": "2027-01-01T00:00:00Z"}, 201)
        self.assertEqual((f["name"], f["seed"], f["now"]), ("f", 7, "2027-01-01T00:00:00.000000Z"))
        r = self.ok("POST", "/worlds/f/reset")
        self.assertEqual((r["seed"], r["now"]), (7, "2027-01-01T00:00:00.000000Z"))

    def test_a_thousand_forks_in_one_request(self):
        w = self.make()
        before = self.ok("GET", "/limits")["worlds"]
        f = self.ok("POST", self.path(w, "/fork"), {"count": 1000}, 201)
        self.assertEqual(len(set(f["worlds"])), 1000)
        self.assertEqual(f["world"], f["worlds"][0])
        self.assertEqual(self.ok("GET", "/limits")["worlds"], before + 1000)
        for key in f["worlds"][::200]:
            one = self.ok("GET", "/worlds/" + key)
            self.assertEqual((one["parent"], one["size"]), (w["world"], 0))
        for key in f["worlds"]:
            self.ok("DELETE", "/worlds/" + key, status=204)
        self.assertEqual(self.ok("GET", "/limits")["worlds"], before)

    def test_what_a_fork_refuses(self):
        w = self.path(self.make(), "/fork")
        self.refused(400, "invalid", "POST", w, {"count": 0}, field="count")
        self.refused(400, "invalid", "POST", w, {"count": 1001}, field="count")
        self.refused(400, "invalid", "POST", w, {"count": 2, "name": "two"}, field="name")
        self.refused(400, "invalid", "POST", w, {"clock": "real"}, field="clock")
        self.assertEqual(len(self.ok("POST", w, {"count": 1}, 201)["worlds"]), 1)

    def test_a_fork_comes_with_a_token_for_the_first_actor_or_for_those_who_are_named(self):
        w = self.path(self.make(), "/fork")
        emails = lambda f: [(t["world"], t["actor"]) for t in f["tokens"]]
        f = self.ok("POST", w, status=201)
        first = self.ok("GET", self.path(f, "/actors"))["actors"][0]["email"]
        self.assertEqual(emails(f), [(f["world"], first)])
        both = ["bob@acme.example", "ada@acme.example"]
        f = self.ok("POST", w, {"count": 2, "actors": both}, 201)
        self.assertEqual(emails(f), [(key, email) for key in f["worlds"] for email in both])
        for t in f["tokens"]:
            self.ok("POST", "/worlds/%s/tokens/revoke" % t["world"], {"token": t["token"]}, 204)
        self.assertEqual(emails(self.ok("POST", w, {"actors": "ada@acme.example"}, 201))[0][1], "ada@acme.example")
        self.assertEqual(self.ok("POST", w, {"actors": []}, 201)["tokens"], [])
        empty = self.ok("POST", "/worlds", {}, 201)
        self.assertEqual(self.ok("POST", self.path(empty, "/fork"), status=201)["tokens"], [])
        rooms = {"sosia": 1, "people": [{"email": "room%d@acme.example" % i, "kind": "resource"} for i in range(20)] +
                 [{"email": "zoe@acme.example"}]}
        rooms = self.ok("POST", "/worlds", {"seed_document": rooms}, 201)
        self.assertEqual(emails(self.ok("POST", self.path(rooms, "/fork"), status=201))[0][1], "zoe@acme.example")

    def test_a_fork_whose_token_is_refused_is_not_made(self):
        w = self.path(self.make(), "/fork")
        before = self.ok("GET", "/limits")["worlds"]
        self.refused(404, "actorNotFound", "POST", w, {"count": 3, "actors": ["nobody@acme.example"]}, field="actors")
        many = " ".join(["ada@acme.example"] * 11)
        self.refused(400, "invalid", "POST", w, {"count": 1000, "actors": many}, field="actors")
        self.refused(400, "invalid", "POST", w, {"actors": 1}, field="actors")
        self.assertEqual(self.ok("GET", "/limits")["worlds"], before)

    def test_reset_to_the_start_and_to_a_snapshot(self):
        w = self.make()
        self.ok("POST", self.path(w, "/seed"), EVE)
        self.ok("POST", self.path(w, "/snapshot"), {"name": "eve-is-here"}, 201)
        self.assertEqual(self.ok("POST", self.path(w, "/reset"))["world"], w["world"])
        self.assertEqual(len(self.people(w)), 2)
        self.ok("POST", self.path(w, "/reset"), {"to": "eve-is-here"})
        self.assertEqual(len(self.people(w)), 3)
        self.ok("POST", self.path(w, "/reset"), {})
        self.assertEqual(len(self.people(w)), 3)
        self.refused(404, "worldNotFound", "POST", self.path(w, "/reset"), {"to": "nobody"}, field="to")

    def test_a_snapshot_can_be_read_and_forked_but_not_changed(self):
        w = self.make()
        s = self.ok("POST", self.path(w, "/snapshot"), status=201)
        self.assertEqual((s["snapshot"], s["parent"], s["name"]), (True, w["world"], None))
        self.assertEqual(len(self.people(s)), 2)
        self.refused(403, "readOnly", "POST", self.path(s, "/seed"), EVE)
        self.refused(403, "readOnly", "PUT", self.path(s, "/clock"), {"now": "2027-01-01T00:00:00Z"})
        self.refused(403, "readOnly", "POST", self.path(s, "/clock/advance"), {"seconds": 1})
        self.assertFalse(self.ok("POST", self.path(s, "/fork"), status=201)["snapshot"])

    def test_a_dropped_world_is_gone_and_its_forks_live_on(self):
        w = self.make(name="short")
        f = self.ok("POST", "/worlds/short/fork", status=201)
        self.assertIsNone(self.ok("DELETE", "/worlds/short", status=204))
        self.refused(404, "worldNotFound", "GET", self.path(w))
        self.refused(404, "worldNotFound", "DELETE", "/worlds/short")
        self.assertEqual(len(self.people(f)), 2)

    def test_a_time_to_live_by_the_worlds_clock(self):
        w = self.make()
        t = self.ok("PUT", self.path(w, "/ttl"), {"seconds": 60, "by": "world"})
        self.assertEqual((t["expires"], t["expires_by"]), ("2026-11-23T08:01:00.000000Z", "world"))
        self.assertIsNone(self.ok("PUT", self.path(w, "/ttl"), {"seconds": 0})["expires"])
        self.ok("PUT", self.path(w, "/ttl"), {"seconds": 60, "by": "world"})
        self.ok("POST", self.path(w, "/clock/advance"), {"seconds": 59})
        self.ok("GET", self.path(w))
        # Its own end: there is no clock left to answer with.
        self.refused(404, "worldNotFound", "POST", self.path(w, "/clock/advance"), {"seconds": 1})
        self.refused(404, "worldNotFound", "GET", self.path(w))

    def test_what_a_time_to_live_refuses(self):
        w = self.path(self.make(), "/ttl")
        self.refused(400, "invalid", "PUT", w, field="seconds", text="is missing")
        self.refused(400, "invalid", "PUT", w, {"seconds": -1}, field="seconds")
        self.refused(400, "invalid", "PUT", w, {"seconds": 1, "by": "moon"}, field="by")

    def test_a_name_called_like_an_operation_is_a_name(self):
        w = self.make(name="import")
        self.assertEqual(self.ok("GET", "/worlds/import")["world"], w["world"])
        self.ok("DELETE", "/worlds/import", status=204)


class State(ControlCase):
    def test_a_seed_is_applied_whole_or_not_at_all(self):
        w = self.make()
        self.assertEqual(self.ok("POST", self.path(w, "/seed"), EVE)["world"], w["world"])
        self.assertEqual(len(self.people(w)), 3)
        bad = ("sosia: 1\npeople:\n  - email: new@acme.example\n  - email: eve@acme.example\n")
        e = self.refused(400, "seed", "POST", self.path(w, "/seed?document_name=more.yaml"), bad,
                         field="people[1].email", line=4)
        self.assertIn("more.yaml:4: people[1].email", e["message"])
        self.assertEqual(len(self.people(w)), 3)
        self.refused(400, "invalid", "POST", self.path(w, "/seed"))
        self.refused(400, "seed", "POST", self.path(w, "/seed"), b"\xff\xfe\x00")

    def test_a_dump_seeds_the_same_world_again(self):
        w = self.make()
        text = self.send("GET", self.path(w, "/dump")).body
        again = self.ok("POST", "/worlds", {"seed_document": text.decode()}, 201)
        self.assertEqual(self.send("GET", self.path(again, "/dump")).body, text)

    def test_equal_states_have_equal_hashes(self):
        w = self.make()
        f = self.ok("POST", self.path(w, "/fork"), {"seed": 8, "now": "2030-01-01T00:00:00Z"}, 201)
        a, b = (self.ok("GET", self.path(x, "/hash"))["sha256"] for x in (w, f))
        self.assertRegex(a, r"^[0-9a-f]{64}$")
        self.assertEqual(a, b)
        text = self.send("GET", self.path(f, "/dump")).body.decode()
        kept = re.sub(r'^  "(time|seed)": .*\n', "", text, flags=re.M)
        self.assertEqual(hashlib.sha256(kept.encode()).hexdigest(), a)
        self.ok("POST", self.path(f, "/seed"), EVE)
        self.assertNotEqual(self.ok("GET", self.path(f, "/hash"))["sha256"], a)

    def test_a_diff_tells_what_was_added(self):
        w = self.make()
        f = self.ok("POST", self.path(w, "/fork"), {"name": "later"}, 201)
        self.assertEqual(self.ok("GET", "/diff?from=%s&to=later" % w["world"]), {"changes": []})
        self.ok("POST", self.path(f, "/seed"), EVE)
        changes = self.ok("GET", "/diff?from=%s&to=later" % w["world"])["changes"]
        self.assertEqual([(c["entity"], c["change"], c["value"]["email"]) for c in changes],
                         [("person", "added", "eve@acme.example")])
        self.refused(404, "worldNotFound", "GET", "/diff?from=nobody&to=later", field="from")
        self.refused(404, "worldNotFound", "GET", "/diff?from=later&to=nobody", field="to")
        self.refused(400, "invalid", "GET", "/diff?from=later", field="to")

    def test_actors_are_listed(self):
        w = self.make()
        actors = self.ok("GET", self.path(w, "/actors"))["actors"]
        self.assertEqual([(a["email"], a["name"], a["kind"], a["zone"]) for a in actors],
                         [("ada@acme.example", "Ada", "person", "Europe/Rome"),
                          ("bob@acme.example", "Bob", "person", "Europe/Berlin")])
        page = self.ok("GET", self.path(w, "/actors?limit=1&after=%d" % actors[0]["id"]))["actors"]
        self.assertEqual(page, actors[1:])

    def test_a_journal_is_listed_and_read(self):
        w = self.make()
        token = self.token(w)
        for _ in range(3):
            self.note(w, token)
        self.whoami(w, token)
        entries = self.ok("GET", self.path(w, "/journal"))["entries"]
        self.assertEqual([(e["seq"], e["actor"], e["method"]) for e in entries],
                         [(i, "ada@acme.example", "notes.add") for i in (1, 2, 3)])
        self.assertNotIn("body", entries[0]["request"])
        page = self.ok("GET", self.path(w, "/journal?after=1&limit=1&bodies=true"))["entries"]
        self.assertEqual([e["seq"] for e in page], [2])
        self.assertEqual(page[0]["request"]["body"], '{"text":"hello"}')
        one = self.ok("GET", self.path(w, "/journal/3"))
        self.assertEqual((one["seq"], one["response"]["status"]), (3, 200))
        self.assertEqual(json.loads(one["response"]["body"]), {"by": "ada@acme.example"})
        self.assertNotIn(token, json.dumps(self.ok("GET", self.path(w, "/journal?bodies=true"))))
        self.refused(404, "entryNotFound", "GET", self.path(w, "/journal/4"), field="seq")
        self.refused(400, "invalid", "GET", self.path(w, "/journal/0"), field="seq")
        self.refused(400, "invalid", "GET", self.path(w, "/journal/one"), field="seq")
        self.refused(400, "invalid", "GET", self.path(w, "/journal?bodies=yes"), field="bodies")

    def test_a_journal_keeps_what_it_was_told_to(self):
        counts = {}
        for mode in ("none", "writes", "all"):
            w = self.make(journal=mode)
            token = self.token(w)
            self.note(w, token)
            self.whoami(w, token)
            counts[mode] = len(self.ok("GET", self.path(w, "/journal"))["entries"])
        self.assertEqual(counts, {"none": 0, "writes": 1, "all": 2})

    def test_an_outbox_is_listed(self):
        w = self.make()
        token = self.token(w)
        self.assertEqual(self.ok("GET", self.path(w, "/outbox")), {"entries": []})
        self.note(w, token)
        self.note(w, token)
        entries = self.ok("GET", self.path(w, "/outbox"))["entries"]
        self.assertEqual([e["id"] for e in entries], [1, 2])
        self.assertEqual((entries[0]["kind"], entries[0]["from"], entries[0]["to"], entries[0]["payload"]),
                         ("mail", "ada@acme.example", "eve@other.example", {"subject": "a note"}))
        self.assertEqual(self.ok("GET", self.path(w, "/outbox?after=1&limit=5"))["entries"], entries[1:])

    def push(self, world):
        """Puts a message into the outbox whose receiver takes the connection and says nothing."""
        receiver = socket.socket()
        self.addCleanup(receiver.close)
        receiver.bind(("127.0.0.1", 0))
        receiver.listen(8)
        url = "http://127.0.0.1:%d/" % receiver.getsockname()[1]
        a = self.send("POST", "/w/%s/notes/push" % world["world"], {"url": url}, key=self.token(world), prefix="")
        self.assertEqual(a.status, 200, a.body)
        return receiver

    def test_the_outcome_of_a_delivery_is_told(self):
        w = self.make(journal="all")
        self.push(w)
        path = self.path(w, "/outbox/1/outcome")
        self.refused(400, "invalid", "POST", path, {"attempt": 1}, field="status", text="neither is given")
        self.refused(400, "invalid", "POST", path, {"attempt": 1, "status": 200, "error": "x"}, field="status")
        self.refused(400, "invalid", "POST", path, {"attempt": 1, "error": "x", "body": "y"}, field="body")
        self.refused(400, "invalid", "POST", path, {"attempt": 1, "status": 99}, field="status")
        self.refused(404, "deliveryNotFound", "POST", path, {"attempt": 2, "status": 200})
        self.refused(404, "deliveryNotFound", "POST", self.path(w, "/outbox/2/outcome"), {"attempt": 1, "status": 200})
        told = self.ok("POST", path, {"attempt": 1, "status": 503, "content_type": "text/plain", "body": "later"})
        self.assertEqual(told, {"again": "2026-11-23T08:01:00.000000Z"})
        entry = self.ok("GET", self.path(w, "/outbox"))["entries"][0]
        self.assertEqual((entry["delivery"]["attempts"], entry["delivery"]["status"]), (1, 503))
        w = self.make()
        self.push(w)
        self.assertEqual(self.ok("POST", self.path(w, "/outbox/1/outcome"), {"attempt": 1, "status": 200}),
                         {"again": None})

    def test_a_fork_inherits_deliveries_when_it_is_told_to(self):
        w = self.make()
        receiver = self.push(w)
        receiver.settimeout(PATIENCE)
        self.addCleanup(receiver.accept()[0].close)  # the parent's own
        self.ok("POST", self.path(w, "/outbox/1/outcome"), {"attempt": 1, "status": 503})
        for body in ({}, {"deliveries": "drop"}, {"deliveries": "inherit"}):
            f = self.ok("POST", self.path(w, "/fork"), body, 201)
            self.ok("POST", self.path(f, "/clock/advance"), {"seconds": 60})
        self.addCleanup(receiver.accept()[0].close)
        receiver.setblocking(False)
        self.assertRaises(BlockingIOError, receiver.accept)
        self.refused(400, "invalid", "POST", self.path(w, "/fork"), {"deliveries": "all"}, field="deliveries",
                     text='must be one of drop, inherit, is "all"')

    def test_rate_limits_hold_when_they_are_on(self):
        w = self.make()
        token = self.token(w)
        self.assertEqual([self.whoami(w, token) for _ in range(4)], ["ada@acme.example"] * 4)
        self.ok("PUT", self.path(w, "/rates"), {"on": True})
        self.assertEqual([self.whoami(w, token) for _ in range(3)], ["ada@acme.example"] * 2 + [429])
        self.ok("PUT", self.path(w, "/rates"), {"on": False})
        self.assertEqual(self.whoami(w, token), "ada@acme.example")
        self.refused(400, "invalid", "PUT", self.path(w, "/rates"), {"on": "yes"}, field="on",
                     text='must be true or false, is "yes"')
        w = self.make(rates=True)
        token = self.token(w)
        self.assertEqual([self.whoami(w, token) for _ in range(3)], ["ada@acme.example"] * 2 + [429])

    def test_a_world_has_the_set_of_tools_that_is_said(self):
        w = self.make()
        dump = self.path(w, "/dump")
        self.assertNotIn("tools", self.ok("GET", dump))
        self.ok("PUT", self.path(w, "/tools"), {"tools": "hosted"})
        self.assertEqual(self.ok("GET", dump)["tools"], "hosted")
        fork = self.ok("POST", self.path(w, "/fork"), {}, 201)
        self.assertEqual(self.ok("GET", self.path(fork, "/dump"))["tools"], "hosted")
        self.ok("PUT", self.path(w, "/tools"), {"tools": "native"})
        self.assertNotIn("tools", self.ok("GET", dump))
        self.assertEqual(self.ok("GET", self.path(fork, "/dump"))["tools"], "hosted")
        self.refused(400, "invalid", "PUT", self.path(w, "/tools"), {"tools": "some"}, field="tools",
                     text='must be one of native, hosted, reference, community, is "some"')
        self.refused(400, "invalid", "PUT", self.path(w, "/tools"), {}, field="tools", text="is missing")
        made = self.make(tools="reference")
        self.assertEqual(self.ok("GET", self.path(made, "/dump"))["tools"], "reference")
        self.refused(400, "invalid", "POST", "/worlds", {"fixture": "small", "tools": ""}, field="tools",
                     text="must be one of native")

    def test_a_world_leaves_as_a_sqlite_file_and_comes_back(self):
        w = self.make()
        self.ok("POST", self.path(w, "/seed"), EVE)
        a = self.send("GET", self.path(w, "/export"))
        self.assertEqual((a.status, a.field("Content-Type")), (200, "application/vnd.sqlite3"))
        self.assertEqual(a.field("Content-Disposition"), 'attachment; filename="%s.sqlite"' % w["world"])
        with tempfile.NamedTemporaryFile(suffix=".sqlite") as f:
            f.write(a.body)
            f.flush()
            db = sqlite3.connect(f.name)
            self.assertEqual(db.execute("select count(*) from ident_actor").fetchone(), (3,))
            self.assertEqual(db.execute("pragma integrity_check").fetchone(), ("ok",))
            db.close()
        back = self.ok("POST", "/worlds/import?name=back", a.body, 201)
        self.assertEqual(back["name"], "back")
        self.assertEqual(len(self.people(back)), 3)
        self.assertEqual(self.ok("GET", self.path(back, "/hash")), self.ok("GET", self.path(w, "/hash")))

    def test_what_is_no_world_is_not_imported(self):
        before = self.ok("GET", "/limits")["worlds"]
        for body in [b"SQLite format 3\0" + bytes(84), b"hello", bytes(4096)]:
            a = self.send("POST", "/worlds/import", body)
            self.assertEqual(a.status, 400, a.body)
        self.refused(400, "invalid", "POST", "/worlds/import")
        self.assertEqual(self.ok("GET", "/limits")["worlds"], before)


class Clock(ControlCase):
    def test_a_clock_is_set_and_advanced(self):
        w = self.make()
        self.assertEqual(self.ok("GET", self.path(w, "/clock")), {"now": SMALL_TIME, "clock": "frozen"})
        c = self.ok("PUT", self.path(w, "/clock"), {"now": "2026-12-24T18:00:00+01:00"})
        self.assertEqual(c, {"now": "2026-12-24T17:00:00.000000Z", "clock": "frozen"})
        c = self.ok("POST", self.path(w, "/clock/advance"), {"seconds": 3600})
        self.assertEqual(c["now"], "2026-12-24T18:00:00.000000Z")
        c = self.ok("POST", self.path(w, "/clock/advance"), {"us": 1})
        self.assertEqual(c["now"], "2026-12-24T18:00:00.000001Z")

    def test_a_clocks_mode_is_set(self):
        w = self.make()
        c = self.ok("PUT", self.path(w, "/clock"), {"clock": "step", "step_ms": 1500})
        self.assertEqual((c["clock"], c["step_ms"], c["now"]), ("step", 1500, SMALL_TIME))
        c = self.ok("PUT", self.path(w, "/clock"), {"step_ms": 0.001})
        self.assertEqual((c["clock"], c["step_ms"]), ("step", 0.001))
        self.assertNotIn("step_ms", self.ok("PUT", self.path(w, "/clock"), {"clock": "real"}))
        c = self.ok("PUT", self.path(w, "/clock"), {"clock": "frozen", "now": "2026-01-01T00:00:00Z"})
        self.assertEqual(c, {"now": "2026-01-01T00:00:00.000000Z", "clock": "frozen"})

    def test_what_a_clock_refuses(self):
        w = self.path(self.make(), "/clock")
        self.refused(400, "invalid", "PUT", w, {})
        self.refused(400, "invalid", "PUT", w, {"clock": "step"}, field="step_ms")
        self.refused(400, "invalid", "PUT", w, {"step_ms": 5}, field="step_ms")
        self.refused(400, "invalid", "PUT", w, {"clock": "step", "step_ms": -1}, field="step_ms")
        self.refused(400, "invalid", "PUT", w, {"clock": "step", "step_ms": "1"}, field="step_ms")
        self.refused(400, "invalid", "PUT", w, {"now": 1795420800}, field="now")
        self.refused(400, "invalid", "POST", w + "/advance", {}, field="seconds")
        self.refused(400, "invalid", "POST", w + "/advance", {"seconds": 1, "us": 1}, field="seconds")
        self.refused(400, "invalid", "POST", w + "/advance", {"seconds": -1}, field="seconds")
        self.refused(400, "time", "POST", w + "/advance", {"us": 10**18}, field="now")
        self.assertEqual(self.ok("GET", w)["now"], SMALL_TIME)


class Tokens(ControlCase):
    def test_a_token_lets_somebody_act(self):
        w = self.make()
        t = self.ok("POST", self.path(w, "/tokens"), {"actor": "Bob@acme.example"}, 201)
        self.assertEqual(t["world"], w["world"])
        self.assertEqual(self.whoami(w, t["token"]), "bob@acme.example")

    def test_scopes_as_a_text_or_a_list(self):
        w = self.make()
        for scopes, may in [("notes.read", 200), (["notes.read", "other"], 200), ("other", 403), ([], 403)]:
            token = self.token(w, scopes=scopes)
            a = self.send("GET", "/w/%s/notes/whoami" % w["world"], key=token, prefix="")
            self.assertEqual(a.status, may, scopes)

    def test_a_fixed_token_and_its_end(self):
        w = self.make()
        self.assertEqual(self.token(w, value="my-own-token"), "my-own-token")
        self.assertEqual(self.whoami(w, "my-own-token"), "ada@acme.example")
        self.ok("POST", self.path(w, "/tokens/revoke"), {"token": "my-own-token"}, 204)
        self.assertEqual(self.whoami(w, "my-own-token"), 401)
        self.refused(404, "notFound", "POST", self.path(w, "/tokens/revoke"), {"token": "my-own-token"},
                     field="token")

    def test_a_signed_token_and_its_end(self):
        w = self.make()
        token = self.token(w)
        self.ok("POST", self.path(w, "/tokens/revoke"), {"token": token}, 204)
        self.assertEqual(self.whoami(w, token), 401)

    def test_a_token_expires_by_the_worlds_clock(self):
        w = self.make()
        token = self.token(w, ttl_seconds=10)
        self.assertEqual(self.whoami(w, token), "ada@acme.example")
        self.ok("POST", self.path(w, "/clock/advance"), {"seconds": 10})
        self.assertEqual(self.whoami(w, token), 401)

    def test_what_tokens_refuse(self):
        w = self.path(self.make(), "/tokens")
        self.refused(400, "invalid", "POST", w, {}, field="actor")
        self.refused(404, "actorNotFound", "POST", w, {"actor": "nobody@acme.example"}, field="actor")
        self.refused(400, "invalid", "POST", w, {"actor": "ada@acme.example", "scopes": ["a b"]}, field="scopes")
        self.refused(400, "invalid", "POST", w, {"actor": "ada@acme.example", "scopes": [7]}, field="scopes")
        self.refused(400, "invalid", "POST", w, {"actor": "ada@acme.example", "scopes": {}}, field="scopes")
        a = self.send("POST", w, {"actor": "ada@acme.example", "value": "short"})
        self.assertEqual((a.status, a.json()["error"]["field"]), (400, "value"))
        self.refused(400, "invalid", "POST", w + "/revoke", {}, field="token")


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
            "worlds.import", "worlds.diff", "worlds.grade", "worlds.resetAll", "worlds.dropAll", "credentials.get", "actors.act", "clock.get", "clock.set", "clock.advance", "tokens.issue",
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
        fork = self.ok("POST", self.path(w, "/fork"), {"count": 2}, 201)
        self.ok("POST", self.path(fork, "/seed"), EVE)
        schemas = self.api["components"]["schemas"]
        answers = {
            "World": fork, "Worlds": self.ok("GET", "/worlds"), "Clock": self.ok("GET", self.path(w, "/clock")),
            "Hash": self.ok("GET", self.path(w, "/hash")), "SeedDocument": self.ok("GET", self.path(w, "/dump")),
            "Journal": self.ok("GET", self.path(w, "/journal?bodies=true")),
            "JournalEntry": self.ok("GET", self.path(w, "/journal/1")),
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

    def test_limits_are_told_and_hold(self):
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
        self.assertIn("temporary", a.json()["error"]["message"])
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
            self.assertEqual(again, told)
            self.assertEqual(self.whoami(w, token), "ada@acme.example")
            self.assertEqual(len(self.ok("GET", "/worlds/kept/journal")["entries"]), 5)
            self.assertTrue(self.ok("POST", "/worlds/kept/journal/replay", {"to": 2})["equal"])
            # The token itself is not kept, and no state is after a restart.
            self.assertEqual(self.ok("POST", "/worlds/kept/journal/replay", {})["stopped"], 3)
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
