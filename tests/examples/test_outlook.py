# SPDX-License-Identifier: Apache-2.0
"""The first errand over Outlook Calendar: of five events one is cancelled by its title and one moved by a day; four remain, and the diff
lists these two changes. Through Microsoft Graph over HTTP, and through the tools of MCP."""
import json
import unittest

import harness  # noqa: F401, for its path
from sosia import loops

BOB = "bob@port.example"
SEED = {
    "sosia": 1, "time": "2026-11-23T08:00:00Z", "organizations": [{"domain": "port.example", "name": "Port"}],
    "people": [{"email": BOB, "name": "Bob Stone"}, {"email": "cyd@port.example", "name": "Cyd Reed"}],
    "accounts": [{"actor": BOB, "vendor": "microsoft"}, {"actor": "cyd@port.example", "vendor": "microsoft"}],
    "calendars": [{"owner": BOB, "primary": True, "events": [
        {"id": "standup001", "summary": "Stand-up", "start": "2026-11-24T09:00:00Z", "end": "2026-11-24T09:15:00Z"},
        {"id": "dentist001", "summary": "Dentist", "start": "2026-11-24T14:00:00Z", "end": "2026-11-24T15:00:00Z"},
        {"id": "planning01", "summary": "Planning", "start": "2026-11-25T10:00:00Z", "end": "2026-11-25T11:30:00Z", "location": "Room 2"},
        {"id": "lunchcyd01", "summary": "Lunch with Cyd", "start": "2026-11-26T12:00:00Z", "end": "2026-11-26T13:00:00Z"},
        {"id": "retro00001", "summary": "Retrospective", "start": "2026-11-27T15:00:00Z", "end": "2026-11-27T16:00:00Z"}]}]}
LEFT = ["Stand-up", "Planning", "Lunch with Cyd", "Retrospective"]
WINDOW = {"startDateTime": "2026-11-23T00:00:00Z", "endDateTime": "2026-11-30T00:00:00Z"}


class Graph:
    """The calls of the errand as Microsoft Graph has them."""

    def __init__(self, test, world):
        self.test, self.world = test, world

    def call(self, method, target, body=None, status=200):
        answer = self.world.call(method, "/v1.0/me/" + target, body)
        self.test.assertEqual(answer.status, status, answer.data)
        return answer.data

    def events(self):
        query = "&".join("%s=%s" % m for m in WINDOW.items())
        return self.call("GET", "calendarView?%s&$orderby=start/dateTime" % query)["value"]

    def get(self, event):
        return self.call("GET", "events/%s" % event)

    def cancel(self, event):
        self.call("DELETE", "events/%s" % event, status=204)

    def change(self, event, body):
        return self.call("PATCH", "events/%s" % event, body)


class Tools:
    """The same as the tools of the world's MCP endpoint."""

    def __init__(self, test, world):
        self.test, self.world = test, world

    def call(self, name, **arguments):
        answer = self.world.call("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": name, "arguments": arguments}}).data
        self.test.assertIs(answer.get("result", {}).get("isError"), False, answer)
        text = answer["result"]["content"][0]["text"]
        return json.loads(text) if text.startswith("{") else text

    def events(self):
        return self.call("outlook_calendarView_list", **WINDOW, **{"$orderby": "start/dateTime"})["value"]

    def get(self, event):
        return self.call("outlook_events_get", **{"event-id": event})

    def cancel(self, event):
        self.call("outlook_events_delete", **{"event-id": event})

    def change(self, event, body):
        return self.call("outlook_events_update", **{"event-id": event, "body": body})


def a_day_later(time):
    day = int(time["dateTime"][8:10]) + 1
    return {**time, "dateTime": "%s%02d%s" % (time["dateTime"][:8], day, time["dateTime"][10:])}


class Errand(unittest.TestCase):
    def run_by(self, kind, **members):
        with loops.Sosia.start() as server:
            world = server.fork(server.create(seed_document=SEED, **members), BOB)
            by = kind(self, world)
            there = {e["subject"]: e for e in by.events()}
            self.assertEqual(list(there), ["Stand-up", "Dentist", *LEFT[1:]])
            self.assertEqual(server.diff(world.key)["changes"], [])
            by.cancel(there["Dentist"]["id"])
            before = by.get(there["Planning"]["id"])
            moved = {member: a_day_later(before[member]) for member in ("start", "end")}
            by.change(before["id"], moved)

            after = {e["subject"]: e for e in by.events()}
            self.assertEqual(sorted(after), sorted(LEFT))
            planning, stamps = by.get(before["id"]), ("@odata.etag", "changeKey", "lastModifiedDateTime")
            for member in stamps[:2]:
                self.assertNotEqual(planning[member], before[member])
            self.assertEqual({k: v for k, v in planning.items() if k not in stamps},
                             {**{k: v for k, v in before.items() if k not in stamps}, **moved})
            changes = server.diff(world.key)["changes"]
            self.assertEqual([(c["change"], c["entity"], c["title"]) for c in changes],
                             [("removed", "event", "Dentist"), ("changed", "event", "Planning")])
            self.assertEqual(changes[1]["fields"], {
                "start.dateTime": {"from": "2026-11-25T10:00:00.0000000", "to": "2026-11-26T10:00:00.0000000"},
                "end.dateTime": {"from": "2026-11-25T11:30:00.0000000", "to": "2026-11-26T11:30:00.0000000"}})

    def test_through_graph_over_http(self):
        self.run_by(Graph)

    def test_through_native_tools_of_mcp(self):
        self.run_by(Tools, tools="native")


if __name__ == "__main__":
    unittest.main()
