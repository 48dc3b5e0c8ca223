#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Several calls of a world in one request of the control interface: the same as alone, and what is asked for wrongly."""
import unittest

from control_case import ControlCase

WHOAMI = {"method": "GET", "target": "/notes/whoami"}


class Calls(ControlCase):
    def calls(self, world, calls, **more):
        return self.ok("POST", self.path(world, "/calls"), {"calls": calls, **more})["responses"]

    def journal(self, world):
        entries = self.ok("GET", self.path(world, "/journal"))["entries"]
        for e in entries:
            e.pop("seq")
            if "request" in e:
                self.assertEqual(e["request"].pop("via"), "/w/" + world["world"])
        return entries

    def test_each_is_as_if_it_were_sent_alone(self):
        w = self.make(journal="all")
        alone, together = [{"world": k} for k in self.ok("POST", self.path(w, "/fork"), {"count": 2, "actors": []}, 201)["worlds"]]
        may = [self.token(f, value="may" + "x" * 20) and "may" + "x" * 20 for f in (alone, together)]
        less = [self.token(f, scopes="other", value="less" + "x" * 20) and "less" + "x" * 20 for f in (alone, together)]
        asked = [("GET", "/notes/whoami", may[0]), ("GET", "/notes/whoami", less[0]), ("GET", "/notes/none", may[0]),
                 ("GET", "/notes/whoami", may[0])]
        one = [self.send(m, "/w/%s%s" % (alone["world"], t), key=k, prefix="") for m, t, k in asked]
        many = self.calls(together, [{"method": m, "target": t, "token": k} for m, t, k in asked[:3]] + [WHOAMI], token=may[1])
        self.assertEqual([a.status for a in one], [200, 403, 404, 200])
        self.assertEqual([r["status"] for r in many], [a.status for a in one])
        self.assertEqual([r["text"].encode() for r in many], [a.body for a in one])
        for r, a in zip(many, one):
            self.assertEqual(dict(r["headers"])["Content-Type"], a.field("Content-Type"))
        self.assertEqual(self.journal(together), self.journal(alone))
        self.assertGreaterEqual(len(self.journal(alone)), 3)

    def test_the_control_key_is_nobody_in_a_world(self):
        w = self.make()
        self.assertEqual([r["status"] for r in self.calls(w, [WHOAMI, {**WHOAMI, "token": self.key}])], [401, 401])
        other = self.make()
        self.assertEqual([r["status"] for r in self.calls(w, [WHOAMI], token=self.token(other))], [401])

    def test_a_call_does_not_leave_its_world(self):
        w, other = self.make(), self.make()
        away = "/w/%s/notes/whoami" % other["world"]
        for call in [{**WHOAMI, "target": away}, {**WHOAMI, "headers": {"X-Sosia-World": other["world"]}},
                     {**WHOAMI, "target": "/_sosia/v1/worlds"}]:
            answer = self.calls(w, [call], token=self.token(other))[0]
            self.assertIn(answer["status"], (401, 404), answer)

    def test_what_is_asked_for_wrongly_makes_no_call(self):
        w = self.make(journal="all")
        token = self.token(w)
        wrong = [{}, [], 1, "x", {**WHOAMI, "more": 1}, {"method": "GET"}, {"target": "/notes"}, {**WHOAMI, "method": "get"},
                 {**WHOAMI, "method": ""}, {**WHOAMI, "method": 1}, {**WHOAMI, "target": "notes"}, {**WHOAMI, "target": ""},
                 {**WHOAMI, "target": "/a b"}, {**WHOAMI, "target": "/a\r\nX: y"},
                 {**WHOAMI, "target": "/\u00e9"}, {**WHOAMI, "target": "/" + "x" * 8192}, {**WHOAMI, "token": ""},
                 {**WHOAMI, "token": "a\nb"}, {**WHOAMI, "token": "x" * 5000}, {**WHOAMI, "token": 1},
                 {**WHOAMI, "headers": []}, {**WHOAMI, "headers": {"": "x"}}, {**WHOAMI, "headers": {"A\n": "x"}},
                 {**WHOAMI, "headers": {"A": 1}}, {**WHOAMI, "headers": {"A": "x\r\ny"}},
                 {**WHOAMI, "headers": {"authorization": "x"}}, {**WHOAMI, "headers": {"content-length": "3"}},
                 {**WHOAMI, "headers": {"A%d" % i: "x" for i in range(41)}}, {**WHOAMI, "body": 1, "text": "x"},
                 {**WHOAMI, "text": 1}, {**WHOAMI, "type": 1}, {**WHOAMI, "type": "a\nb"}]
        for call in wrong:
            self.refused(400, "invalid", "POST", self.path(w, "/calls"), {"calls": [WHOAMI, call], "token": token}, field="calls",
                         text="call 1 ")
        for calls in [[], {}, 1, "x", True, [WHOAMI] * 101]:
            self.refused(400, "invalid", "POST", self.path(w, "/calls"), {"calls": calls, "token": token}, field="calls",
                         text="1 to 100")
        self.assertEqual(self.journal(w), [])
        self.assertEqual(len(self.calls(w, [WHOAMI] * 100, token=token)), 100)
        self.assertEqual(len(self.journal(w)), 100)

    def test_forty_fields_are_taken(self):
        w = self.make()
        call = {**WHOAMI, "headers": {"A%d" % i: "x" for i in range(40)}, "type": "text/plain", "text": ""}
        self.assertEqual(self.calls(w, [call], token=self.token(w))[0]["status"], 200)


if __name__ == "__main__":
    unittest.main()
