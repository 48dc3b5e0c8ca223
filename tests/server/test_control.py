# SPDX-License-Identifier: Apache-2.0
"""The control interface's operations on worlds, against a server with an engine."""
import json
import unittest

from control_case import EVE, SMALL_TIME, ControlCase, us


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
                target = path.replace("{world}", w["world"]).replace("{seq}", "1").replace("{entry}", "1").replace("{part}", "1")
                a = self.send(method.upper(), target, key=token)
                self.assertEqual(a.status, (400 if "requestBody" in op else 200) if op.get("security") == [] else 403, (method, path))
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
        bodies = {"worlds.seed": EVE, "worlds.ttl": {"seconds": 1}, "worlds.update": {"note": "x"}, "clock.set": {"now": "2026-01-01T00:00:00Z"},
                  "clock.advance": {"us": 1}, "worlds.rates": {"on": True}, "worlds.tools": {"tools": "native"}, "journal.set": {"steps": 1},
                  "outbox.outcome": {"attempt": 1, "status": 200}, "tokens.issue": {"actor": "a@b.example"}, "consents.link": {"actor": "a@b.example"},
                  "tokens.revoke": {"token": "x"}, "workspace.put": {"x": 1}, "transfer.import": {"x": 1},
                  "policies.set": {"x": 1}, "policies.simulate": {"x": 1}, "approvals.decide": {"decision": "approve"},
                  "worlds.reportJudged": {"suite": {"version": "1"}}, "worlds.setFaults": {"x": 1}, "worlds.setBudgets": {"x": 1},
                  "actors.act": {"actor": "a@b.example", "service": "x", "do": {"see": {}}},
                  "consents.link": {"actor": "a@b.example"},
                  "worlds.calls": {"calls": [{"method": "GET", "target": "/x"}]}}
        for path, methods in api["paths"].items():
            for method, op in methods.items():
                if "{world}" in path:
                    query = "&".join(p["name"] + ("=2026-01-01T00:00:00Z" if p["schema"].get("format") == "date-time" else "=x") for p in op["parameters"]
                                     if p["in"] == "query" and p.get("required"))
                    self.refused(404, "worldNotFound", method.upper(),
                                 path.replace("{world}", "0123456789abcdef").replace("{seq}", "1").replace("{entry}", "1").replace("{part}", "1")
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
        w = self.ok("POST", "/worlds", {"seed_document": '{"sosia": 1, "seed": 18446744073709551615}'}, 201)
        self.assertEqual(w["seed"], 2**64 - 1)

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

    def test_faults_of_a_document_inside_of_the_body_have_the_bodys_lines(self):
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

    def test_a_world_says_how_it_is_used(self):
        parent = self.make(name="used")
        forks = [self.ok("POST", "/worlds/used/fork", {}, status=201)["world"] for _ in range(2)]
        said = self.ok("GET", "/worlds/used")
        self.assertRegex(said["made"], r"^20\d\d-\d\d-\d\dT")
        self.assertEqual((said["calls"], "used" in said, "children" in said, "parent_name" in said), (0, False, False, "parent_name" in parent))
        self.note(parent, self.token(parent))
        self.assertEqual(self.ok("GET", "/worlds/used")["calls"], 1)
        again = self.ok("GET", "/worlds/used")
        self.assertLessEqual(again["made"], again["used"])
        found = self.ok("GET", "/worlds?limit=1000&children=true")["worlds"]
        of = {w["world"]: w for w in found}
        self.assertEqual([of[k]["children"] for k in (parent["world"], *forks)], [2, 0, 0])
        self.assertEqual([(of[k]["parent_name"], of[k]["calls"]) for k in forks], [("used", 0)] * 2)
        for w in found:
            self.assertEqual(w["children"], sum(v["parent"] == w["world"] for v in found))
        self.ok("DELETE", "/worlds/used", status=204)
        self.assertNotIn("parent_name", self.ok("GET", "/worlds/" + forks[0]))

    def test_what_a_list_refuses(self):
        self.refused(400, "invalid", "GET", "/worlds?limit=0", field="limit")
        self.refused(400, "invalid", "GET", "/worlds?limit=1001", field="limit")
        self.refused(400, "invalid", "GET", "/worlds?limit=ten", field="limit")
        self.refused(400, "invalid", "GET", "/worlds?limit=1&limit=2", field="limit")
        self.refused(400, "invalid", "GET", "/worlds?after=xyz", field="after")
        self.refused(400, "invalid", "GET", "/worlds?size=1", field="size")
        self.refused(400, "invalid", "GET", "/worlds?limit=%zz", field="limit")
        self.refused(400, "invalid", "GET", "/worlds?limit=%00", field="limit")
        self.assertEqual(len(self.ok("GET", "/worlds?%6Cimit=%31")["worlds"]), 1)
        self.refused(400, "invalid", "GET", "/worlds?%ff=1", text="the query must be percent-encoded UTF-8")
        self.refused(400, "invalid", "GET", "/worlds?after=%ff", field="after")
        self.refused(400, "invalid", "GET", "/worlds", b"{}")

    def test_a_refusal_says_what_was_expected_and_what_came(self):
        w = self.path(self.make())
        whole = "must be a whole number from"
        for method, path, body, message in [
                ("GET", "/worlds?limit=ten", None, 'limit: %s 1 to 1000, not "ten"' % whole),
                ("GET", "/worlds?limit=1&limit=2", None, "limit: must be given once, is given twice"),
                ("GET", "/worlds?size=1", None, "size: must be a parameter of worlds.list"),
                ("GET", "/worlds?after=" + "x" * 17, None, "after: must be a string of at most 16 bytes, not of 17"),
                ("GET", "/diff?from=x", None, "to: must be given, is missing"),
                ("GET", w + "/journal?bodies=yes", None, 'bodies: must be true or false, not "yes"'),
                ("GET", w + "/journal/0", None, 'seq: %s 1 on, not "0"' % whole),
                ("GET", "/worlds", b"{}", "the body must be absent, not 2 bytes"),
                ("POST", w + "/fork", b"[]", "the body must be a JSON object, not []"),
                ("POST", w + "/fork", {"count": 0}, "count: %s 1 to 1000, not 0" % whole),
                ("POST", w + "/fork", {"count": "2"}, 'count: %s 1 to 1000, not "2"' % whole),
                ("POST", w + "/fork", {"clock": "real"}, "clock: must be a member of ForkWorld"),
                ("POST", w + "/fork", {"actors": [1]}, "actors: must be a string or a list of strings, not [1]"),
                ("POST", w + "/fork", {"actors": ["a b"]},
                 'actors: must be a list of strings without spaces, not "a b"'),
                ("POST", w + "/fork", {"deliveries": "all"}, 'deliveries: must be one of drop, inherit, not "all"'),
                ("POST", w + "/fork", {"name": "x" * 64}, "name: must be a string of at most 63 bytes, not of 64"),
                ("POST", w + "/fork", {"now": "today"}, "now: must be an RFC 3339 time with an offset, such as "
                 '2026-11-23T08:00:00Z, not "today"'),
                ("PUT", w + "/rates", {"on": 1}, "on: must be true or false, not 1"),
                ("PUT", w + "/rates", None, "on: must be given, is missing"),
                ("PUT", w + "/clock", {"clock": "step", "step_ms": -1},
                 "step_ms: must be a number from 0 to 1000000000000, not -1"),
                ("POST", "/worlds", {"seed_document": 1}, "seed_document: must be an object or a string, not 1")]:
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

    def test_an_evaluation_is_one_for_good(self):
        w = self.make()
        self.assertEqual((w["evaluation"], w["journal"]), (False, "writes"))
        e = self.ok("POST", self.path(w, "/fork"), {"evaluation": True}, 201)
        self.assertEqual((e["evaluation"], e["journal"]), (True, "all"))
        for body in ({}, {"evaluation": False}):
            f = self.ok("POST", self.path(e, "/fork"), body, 201)
            self.assertEqual((f["evaluation"], f["journal"]), (True, "all"))
        self.assertEqual(self.ok("POST", self.path(e, "/reset"))["evaluation"], True)
        self.refused(400, "evaluation", "PUT", self.path(e, "/journal"), {"mode": "writes"}, field="mode")
        made = self.ok("POST", "/worlds", {"evaluation": True, "journal": "all"}, 201)
        self.assertEqual((made["evaluation"], made["journal"]), (True, "all"))
        self.refused(400, "invalid", "POST", "/worlds", {"evaluation": True, "journal": "writes"}, field="journal")

    def test_what_a_grade_forks_is_an_evaluation(self):
        w, suite = self.make(), {"version": "1", "closed": False, "assertions": [{"sql": "select count(*) from people", "is": 2}]}
        r = self.ok("POST", "/worlds/grade", {"suite": suite, "worlds": [w["world"]], "fork": w["world"]})
        self.assertEqual(self.ok("GET", "/worlds/" + r["forks"]["worlds"][0])["evaluation"], True)

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

    def test_a_fork_has_a_token_for_a_first_actor_without_an_address(self):
        doc = {"sosia": 1, "people": [{"handle": "robot", "kind": "bot"}]}
        w = self.ok("POST", "/worlds", {"seed_document": doc}, 201)
        f = self.ok("POST", self.path(w, "/fork"), status=201)
        self.assertEqual([(t["world"], t["actor"]) for t in f["tokens"]], [(f["world"], "robot")])

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


if __name__ == "__main__":
    unittest.main()
