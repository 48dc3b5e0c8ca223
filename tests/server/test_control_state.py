# SPDX-License-Identifier: Apache-2.0
"""The control interface's operations on what is in a world: its state, clock and tokens."""
import hashlib
import json
import re
import socket
import sqlite3
import tempfile
import unittest

from control_case import EVE, SMALL_TIME, ControlCase, us
from harness import PATIENCE


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

    def test_a_diff_shows_what_was_added(self):
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

    def test_a_journal_keeps_what_it_was_set_to(self):
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
        self.assertEqual(self.ok("GET", self.path(w, "/outbox?order=newest"))["entries"], entries[::-1])
        self.assertEqual(self.ok("GET", self.path(w, "/outbox?order=newest&before=2&limit=5"))["entries"], entries[:1])
        for query, field in (("before=2", "before"), ("order=newest&after=1", "after"), ("order=x", "order"), ("order=newest&before=0", "before")):
            self.refused(400, "invalid", "GET", self.path(w, "/outbox?" + query), field=field)

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

    def test_the_outcome_of_a_delivery_is_given(self):
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

    def test_a_fork_inherits_deliveries_when_it_is_asked_to(self):
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
                     text='must be one of drop, inherit, not "all"')

    def test_rate_limits_hold_when_they_are_on(self):
        w = self.make()
        token = self.token(w)
        self.assertEqual([self.whoami(w, token) for _ in range(4)], ["ada@acme.example"] * 4)
        self.ok("PUT", self.path(w, "/rates"), {"on": True})
        self.assertEqual([self.whoami(w, token) for _ in range(3)], ["ada@acme.example"] * 2 + [429])
        self.ok("PUT", self.path(w, "/rates"), {"on": False})
        self.assertEqual(self.whoami(w, token), "ada@acme.example")
        self.refused(400, "invalid", "PUT", self.path(w, "/rates"), {"on": "yes"}, field="on",
                     text='must be true or false, not "yes"')
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
        self.ok("PUT", self.path(w, "/tools"), {"tools": "common"})
        self.assertNotIn("tools", self.ok("GET", dump))
        self.assertEqual(self.ok("GET", self.path(fork, "/dump"))["tools"], "hosted")
        self.refused(400, "invalid", "PUT", self.path(w, "/tools"), {"tools": "some"}, field="tools",
                     text='must be one of common, native, hosted, reference, community, workspace, softeria, agent365, not "some"')
        self.refused(400, "invalid", "PUT", self.path(w, "/tools"), {}, field="tools", text="is missing")
        made = self.make(tools="reference")
        self.assertEqual(self.ok("GET", self.path(made, "/dump"))["tools"], "reference")
        self.refused(400, "invalid", "POST", "/worlds", {"fixture": "small", "tools": ""}, field="tools",
                     text="must be one of common")

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


if __name__ == "__main__":
    unittest.main()
