# SPDX-License-Identifier: Apache-2.0
"""The walk-through: a program works in a calendar, and what it did is dumped, compared and undone; and many worlds at
once, none of which sees another."""
import json
import unittest

import harness

EVENTS = [
    {"id": "one00", "summary": "Harbour inspection", "start": "2026-11-24T09:00", "end": "2026-11-24T10:00"},
    {"id": "duo00", "summary": "Gauge calibration", "start": "2026-11-24T14:00", "end": "2026-11-24T15:00"},
    {"id": "three", "summary": "Call with the shipyard", "start": "2026-11-25T11:00", "end": "2026-11-25T11:30"},
    {"id": "four0", "summary": "Budget", "start": "2026-11-26T16:00", "end": "2026-11-26T17:00"},
    {"id": "five0", "summary": "Review", "start": "2026-11-27T10:00", "end": "2026-11-27T11:00"},
]
TOKEN = "a-token-of-the-seed"
EMPTY = {"sosia": 1, "zone": "Europe/Rome", "time": "2026-11-23T09:00:00",
         "organizations": [{"domain": "walk.example", "name": "Walk"}],
         "people": [{"email": "ada@walk.example", "name": "Ada", "zone": "Europe/Rome"}],
         "tokens": [{"token": TOKEN, "actor": "ada@walk.example"}]}
SEED = {"sosia": 1, "zone": "Europe/Rome",
        "calendars": [{"id": "ada@walk.example", "primary": True, "events": EVENTS}]}
SUITE = {"version": "1", "name": "walk", "zone": "Europe/Rome", "tests": [{"id": "two-changes", "assertions": [
    {"diff_type": "removed", "entity": "event", "where": {"id": "duo00"}},
    {"diff_type": "changed", "entity": "event", "where": {"id": "four0"},
     "expected_changes": {"start": {"to": {"same_time": "2026-11-27T16:00"}}, "end": {"to": {"same_time": "2026-11-27T17:00"}}}},
    {"calls": {"ok": False}, "expected_count": 0}]}]}
LIST = "/calendar/v3/calendars/primary/events"


def events_of(dump):
    return [e for c in dump.get("calendars", []) for e in c.get("events", [])]


class WalkThrough(unittest.TestCase):
    def walk(self):
        """Does it all on a server of its own; gives every answer that is promised to be the same again."""
        said = []
        server = harness.Server("--clock", "frozen")
        try:
            def ask(method, path, body=None, status=200):
                answer = server.control(method, path, body)
                self.assertEqual(answer.status, status, answer.body)
                return answer

            def call(method, target, body=None, status=200):
                answer = server.call(TOKEN, method, target, body, world="walk")
                self.assertEqual(answer.status, status, answer.body)
                # Absolute URLs hold the port, which is another each time.
                said.append(answer.body.replace(server.url.encode(), b"http://HOST"))
                return answer

            def dump():
                said.append(ask("GET", "/worlds/walk/dump").body)
                return json.loads(said[-1])

            ask("POST", "/worlds", {"name": "empty", "seed_document": EMPTY, "clock": "frozen"}, 201)
            ask("POST", "/worlds/empty/fork", {"name": "base"}, 201)
            self.assertEqual(events_of(ask("GET", "/worlds/base/dump").json()), [])
            ask("POST", "/worlds/base/seed", SEED)
            ask("POST", "/worlds/base/snapshot", {"name": "clean"}, 201)
            ask("POST", "/worlds/clean/fork", {"name": "walk", "journal": "all"}, 201)

            clean = dump()
            self.assertEqual(sorted(e["id"] for e in events_of(clean)), sorted(e["id"] for e in EVENTS))

            self.assertEqual(len(call("GET", LIST).json()["items"]), 5)
            call("DELETE", LIST + "/duo00", status=204)
            moved = call("PATCH", LIST + "/four0", {
                "start": {"dateTime": "2026-11-27T16:00:00+01:00"}, "end": {"dateTime": "2026-11-27T17:00:00+01:00"}})
            self.assertEqual(moved.json()["start"]["dateTime"][:16], "2026-11-27T16:00")
            self.assertEqual(len(call("GET", LIST).json()["items"]), 4)

            after = {e["id"]: e for e in events_of(dump())}
            self.assertEqual(sorted(after), ["five0", "four0", "one00", "three"])
            self.assertTrue(after["four0"]["start"].startswith("2026-11-27T16:00"), after["four0"])

            said.append(ask("GET", "/diff?from=clean&to=walk").body)
            changes = json.loads(said[-1])["changes"]
            self.assertEqual(sorted((c["entity"], c["change"], c["key"]["id"]) for c in changes),
                             [("event", "changed", "four0"), ("event", "removed", "duo00")], changes)
            fields = next(c for c in changes if c["change"] == "changed")["fields"]
            self.assertEqual(set(fields), {"start.dateTime", "end.dateTime"})
            self.assertEqual(fields["start.dateTime"], {"from": "2026-11-26T16:00:00+01:00",
                                                        "to": "2026-11-27T16:00:00+01:00"})
            self.assertEqual(json.loads(ask("GET", "/diff?to=walk").body)["changes"], changes)

            graded = ask("POST", "/worlds/grade", {"suite": SUITE, "worlds": ["walk", "clean"]})
            said.append(graded.body)
            done, nothing = graded.json()["results"]
            self.assertEqual((done["passed"], done["reward"], done["unexpected"]), (True, 1, []), done)
            self.assertEqual((nothing["passed"], nothing["reward"]), (False, 0))

            ask("POST", "/worlds/reset", {"worlds": ["walk"]}, 204)
            self.assertEqual(dump(), clean)
            self.assertEqual(ask("GET", "/diff?from=clean&to=walk").json()["changes"], [])
        finally:
            code, out, err = server.stop()
        self.assertEqual((code, out, err), (0, b"", b""))
        return said

    def test_two_walks_under_a_frozen_clock_are_the_same_byte_for_byte(self):
        first, second = self.walk(), self.walk()
        self.assertGreater(len(first), 6)
        self.assertEqual(first, second)


class ManyWorlds(harness.ServerCase):
    COUNT = 16384 if harness.FULL else 2048

    def test_thousands_of_forks_are_alive_at_once_and_none_sees_anothers_data(self):
        base = self.create(seed_document=EMPTY, clock="frozen")
        keys = []
        while len(keys) < self.COUNT:
            n = min(1000, self.COUNT - len(keys))
            keys += self.control("POST", "/worlds/%s/fork" % base, {"count": n}, 201)["worlds"]
        self.assertEqual(len(set(keys)), self.COUNT)
        for i, key in enumerate(keys):
            answer = self.server.call(TOKEN, "POST", LIST, {
                "id": "mine%05d" % i, "summary": "of world %d" % i,
                "start": {"date": "2026-12-01"}, "end": {"date": "2026-12-02"}}, world=key)
            self.assertEqual(answer.status, 200, answer.body)
        for i, key in enumerate(keys):
            answer = self.server.call(TOKEN, "GET", LIST + "?fields=items(id,summary)", world=key)
            self.assertEqual(answer.json(), {"items": [{"id": "mine%05d" % i, "summary": "of world %d" % i}]})
        self.assertEqual(self.server.call(TOKEN, "GET", LIST + "?fields=items(id)", world=base).json(), {"items": []})
        self.assertGreaterEqual(self.control("GET", "/limits")["worlds"], self.COUNT)
        with open("/proc/%d/status" % self.server.process.pid, encoding="ascii") as f:
            peak = next(int(line.split()[1]) for line in f if line.startswith("VmHWM:"))
        self.assertLess(peak, 2 * 1024 * 1024, "kB of memory")


if __name__ == "__main__":
    unittest.main()
