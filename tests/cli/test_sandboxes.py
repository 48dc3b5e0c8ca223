# SPDX-License-Identifier: Apache-2.0
"""The hosted sandbox service's API: the requests of its OpenAPI document and of its published clients, over HTTP."""
import http.server
import json
import os
import re
import tempfile
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

import harness

KEY, OTHER = "key-of-the-usual-tenant", "key-of-another-tenant"
UUID = "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
PERSON = "agent@sandbox.example"

# A payload of each service, with all members that are not read-only.
PAYLOADS = {
    "google_calendar": {"events": [
        {"title": "Review", "startTime": "2025-12-01T09:00:00-08:00", "endTime": "2025-12-01T10:30:00-08:00", "timezone": "America/Los_Angeles",
         "description": "Bring notes", "location": "Room 2", "visibility": "private", "recurrence": ["RRULE:FREQ=WEEKLY;COUNT=3"],
         "attendees": [{"email": "x@y.example", "name": "X", "isOptional": True, "comment": "Late", "accepted": "tentative"},
                       {"email": "z@y.example", "accepted": "needsAction"}]},
        {"title": "Holiday", "startDate": "2025-12-10", "endDate": "2025-12-12"},
        {"title": "Call", "startTime": "2025-07-01T09:00:00+02:00", "endTime": "2025-07-01T09:30:00+02:00", "timezone": "Europe/Rome"}]},
    "gmail": {
        "messages": [
            {"subject": "Plans", "to": "a@b.example", "cc": "c@d.example, e@f.example", "body": "Hello\n\nthere", "from": PERSON, "labels": ["SENT"]},
            {"subject": "Bill", "to": PERSON, "body": "Città\n", "from": "Q <q@r.example>", "reply_to": "z@z.example",
             "labels": ["Bills/2025", "INBOX", "UNREAD"]}],
        "drafts": [{"subject": "Reply", "to": "q@r.example", "bcc": "s@s.example", "body": "Soon", "from": PERSON}]},
    "google_drive": {"files": [
        {"name": "Plans", "mimeType": "application/vnd.google-apps.folder", "description": "All of them"},
        {"name": "Notes", "mimeType": "application/vnd.google-apps.document", "content": "# One\n\n*two*\nthree", "parents": ["Plans"]},
        {"name": "Numbers", "mimeType": "application/vnd.google-apps.spreadsheet", "content": "a,b\n1,2"},
        {"name": "Talk", "mimeType": "application/vnd.google-apps.presentation", "content": "one\n\ntwo"},
        {"name": "a.txt", "mimeType": "text/plain", "content": "abc\r\ndef\n", "parents": ["Plans"]}]},
    "google_docs": {"documents": [{"title": "Plan", "content": "One\n\nTwo, città"}, {"title": "Empty", "content": ""}]},
    "google_sheets": {"spreadsheets": [
        {"title": "Budget", "sheets": [
            {"title": "2025", "index": 0, "cells": [{"row": 0, "col": 0, "value": "Item"}, {"row": 0, "col": 2, "value": 7}, {"row": 2, "col": 1, "value": 2.5},
                                                    {"row": 2, "col": 3, "value": True}, {"row": 3, "col": 0, "value": 9.5, "formula": "=C1+B3"}]},
            {"title": "Other", "index": 1, "cells": [{"row": 1, "col": 1, "value": "x"}]}]},
        {"title": "Blank", "sheets": [{"title": "Sheet1", "index": 0}]}]},
    "slack": {"channels": [
        {"name": "zoo", "description": "Animals", "is_private": True, "messages": [
            {"text": "one", "reactions": [{"name": "eyes"}, {"name": "wave"}], "replies": [{"text": "yes"}, {"text": "no", "reactions": [{"name": "eyes"}]}]},
            {"text": "two"}]},
        {"name": "bar", "is_private": False}, {"name": "alpha", "is_private": False, "messages": [{"text": "three"}]}]},
    "outlook_calendar": {"calendar_events": [
        {"title": "Late", "start_time": {"dateTime": "2025-12-03T09:00:00", "timeZone": "Pacific Standard Time"},
         "end_time": {"dateTime": "2025-12-03T10:00:00", "timeZone": "Pacific Standard Time"}, "event_location": "Room", "event_attendees": ["x@y.example"]},
        {"title": "Early", "start_time": {"dateTime": "2025-12-01T09:00:00", "timeZone": "UTC"},
         "end_time": {"dateTime": "2025-12-01T10:00:00", "timeZone": "UTC"}}]},
    "outlook_mail": {"messages": [
        {"title": "Old", "content": {"contentType": "HTML", "content": "<p>Hi <b>there</b></p>"}, "from": {"emailAddress": {"address": "q@r.example", "name": "Q"}},
         "to_addresses": [PERSON], "cc_addresses": ["c@d.example"], "is_read": True, "received_date_time": "2025-12-01T09:00:00Z"},
        {"title": "New", "content": {"contentType": "Text", "content": "Hello\nthere"}, "from": {"emailAddress": {"address": PERSON}},
         "to_addresses": ["a@b.example"], "is_read": False, "received_date_time": "2025-12-02T09:00:00Z"}]},
    "onedrive": {"root": [{"name": "root", "folders": [
        {"name": "Plans", "folders": [{"name": "2025", "files": [{"name": "deep.txt", "content": "deep\r\n"}]}], "files": [{"name": "a & b.md", "content": "# Città"}]},
        {"name": "Void"}],
        "files": [{"name": "data.json", "content": "{\"a\": 1}"}, {"name": "empty.txt", "content": ""}]}]},
    "microsoft_teams": {
        "team_channels": [
            {"name": "Zoo", "channel_description": "Animals", "channel_messages": [{"content": "one & <two>"}, {"content": "three"}]},
            {"name": "Ark", "channel_messages": []}, {"name": "General", "channel_messages": [{"content": "for all"}]}],
        "team_chats": [
            {"chat_members": [{"member_name": "Sandbox Agent", "member_email": PERSON}, {"member_name": "Bob Stone", "member_email": "bob@sandbox.example"}],
             "chat_messages": [{"content": "hi"}, {"content": "there"}]},
            {"chat_members": [{"member_name": "Sandbox Agent", "member_email": PERSON}, {"member_name": "Bob Stone", "member_email": "bob@sandbox.example"},
                              {"member_name": "Far Eve", "member_email": "eve@far.example"}], "chat_messages": [{"content": "all"}]}]},
}
READ_ONLY = {"id", "event_id", "message_id", "channel_id", "chat_id", "member_id"}

def filled(value):
    """A payload without what is null, empty or read-only; a message's labels are a set."""
    if isinstance(value, dict):
        members = {k: sorted(v) if k == "labels" and v else filled(v) for k, v in value.items() if k not in READ_ONLY}
        return {k: v for k, v in members.items() if v is not None and v != []}
    return [filled(v) for v in value] if isinstance(value, list) else value


def entries(payload, name):
    """How many a list of a payload has; of a drive's root what is directly in it."""
    items = payload.get(name) or []
    return sum(len(r.get("folders") or []) + len(r.get("files") or []) for r in items) if name == "root" else len(items)


class Case(unittest.TestCase):
    options = ("--fixture", "small", "--api-key", KEY, "--tenant", "other=%s,sandboxes=3,bytes=300000" % OTHER, "--tenant",
               "slow=key-of-a-slow-one,calls=1", "--universe", os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../suites/office.yaml"))

    @classmethod
    def setUpClass(cls):
        cls.server = harness.Server(*cls.options)

    @classmethod
    def tearDownClass(cls):
        code, out, err = cls.server.stop()
        assert (code, out, err) == (0, b"", b""), (code, out, err)

    def ask(self, method, target, body=None, status=200, key=KEY, server=None):
        fields = {"Authorization": "Bearer " + key} if key else {}
        if body is not None:
            fields["Content-Type"] = "application/json"
            body = body if isinstance(body, bytes) else json.dumps(body).encode()
        answer = (server or self.server).ask(method, target, body, fields)
        self.assertEqual(answer.status, status, answer.body)
        return answer.json()

    def acquire(self, name="gmail", body=None, **more):
        return self.ask("POST", "/sandbox/" + name, body, more.pop("status", 201), **more)

    def dump(self, name, sandbox, **more):
        return self.ask("GET", "/sandbox/%s/%s/dump" % (name, sandbox), **more)["data"]

    def initialize(self, name, sandbox, payload, **more):
        return self.ask("POST", "/sandbox/%s/%s/initialize" % (name, sandbox), payload, **more)

    def message(self, url, method, params=None, status=200):
        """One of the protocol of tools, as clients send it: nothing but the address says who asks."""
        answer = self.server.ask("POST", url[len(self.server.url):], json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}).encode(),
                                 {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"})
        self.assertEqual(answer.status, status, answer.body)
        return answer.json()


class Sandboxes(Case):
    def test_a_walk_through_one(self):
        got = self.acquire()
        self.assertRegex(got["sandbox_id"], "^%s$" % UUID)
        self.assertRegex(got["server_url"], "^%s/hosted/gmail/mcp/[?]instance_id=%s$" % (self.server.url, UUID))
        self.assertEqual(got["server_urls"], {"gmail": got["server_url"]})
        self.assertEqual((got["server_name"], got["status"]), ("gmail", "occupied"))
        sandbox = got["sandbox_id"]
        self.assertEqual(self.dump("gmail", sandbox), {"messages": [], "drafts": []})
        done = self.initialize("gmail", sandbox, PAYLOADS["gmail"])
        self.assertEqual(done, {"sandbox_id": sandbox, "status": "occupied", "message": "Created 3 total records across all object types",
                                "records_created": {"messages": 2, "drafts": 1}})
        sent = self.message(got["server_url"], "tools/call", {"name": "gmail_send_email", "arguments": {"to": ["a@b.example"], "subject": "New", "body": "Text"}})
        self.assertFalse(sent["result"].get("isError"))
        self.assertEqual([m["subject"] for m in self.dump("gmail", sandbox)["messages"]], ["Plans", "Bill", "New"])
        info = self.ask("GET", "/sandbox/gmail/" + sandbox)
        self.assertEqual((info["sandbox_id"], info["server_url"], info["status"], info["tags"]), (sandbox, got["server_url"], "occupied", None))
        self.assertRegex(info["updated_at"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$")
        self.assertEqual(self.ask("POST", "/sandbox/gmail/%s/reset" % sandbox)["status"], "occupied")
        self.assertEqual(self.dump("gmail", sandbox), {"messages": [], "drafts": []})
        self.message(got["server_url"], "tools/list")  # the same address as before
        self.assertEqual(self.ask("DELETE", "/sandbox/gmail/" + sandbox)["status"], "idle")
        for method, rest in (("GET", ""), ("DELETE", ""), ("POST", "/reset"), ("POST", "/initialize"), ("GET", "/dump")):
            self.assertEqual(self.ask(method, "/sandbox/gmail/" + sandbox + rest, status=404), {"detail": "Sandbox not found"})
        self.assertEqual(self.message(got["server_url"], "tools/list", status=403), {"detail": "Invalid instance_id"})

    def test_a_dump_is_what_the_sandbox_was_initialized_with(self):
        for name, payload in PAYLOADS.items():
            with self.subTest(name):
                one, two = self.acquire(name)["sandbox_id"], self.acquire(name)["sandbox_id"]
                self.initialize(name, one, payload)
                dumped = self.ask("GET", "/sandbox/%s/%s/dump" % (name, one))
                self.assertEqual(list(dumped), ["sandbox_id", "server_name", "dumped_at", "data"])
                self.assertEqual(filled(dumped["data"]), filled(payload))
                self.initialize(name, two, dumped["data"])  # and a dump is a payload
                self.assertEqual(filled(self.dump(name, two)), filled(payload))
                for sandbox in (one, two):
                    self.ask("DELETE", "/sandbox/%s/%s" % (name, sandbox))

    def test_initialize_adds_and_may_begin_with_the_default_data(self):
        for name, payload in PAYLOADS.items():
            with self.subTest(name):
                sandbox = self.acquire(name)["sandbox_id"]
                self.assertEqual(self.initialize(name, sandbox, None)["records_created"], {})
                self.ask("POST", "/sandbox/%s/%s/initialize?init_default_data=true" % (name, sandbox))
                before = self.dump(name, sandbox)
                lists = list(before)
                self.assertTrue(any(before[k] for k in lists))
                self.initialize(name, sandbox, payload)
                after = self.dump(name, sandbox)
                for k in lists:
                    self.assertEqual(entries(after, k), entries(before, k) + entries(payload, k))
                both = self.acquire(name)["sandbox_id"]
                self.ask("POST", "/sandbox/%s/%s/initialize?init_default_data=true" % (name, both), payload)
                self.assertEqual({k: entries(self.dump(name, both), k) for k in lists}, {k: entries(after, k) for k in lists})

    def test_labels_that_are_there_and_labels_that_are_not(self):
        sandbox = self.acquire()["sandbox_id"]
        letter = {"subject": "S", "to": "a@b.example", "body": "B", "labels": ["INBOX", "One"]}
        self.initialize("gmail", sandbox, {"messages": [letter]})
        self.initialize("gmail", sandbox, {"messages": [{**letter, "labels": ["One", "Two"]}]})
        self.assertEqual([sorted(m["labels"]) for m in self.dump("gmail", sandbox)["messages"]], [["INBOX", "One"], ["One", "Two"]])

    def test_acquire_takes_its_body_and_does_without_one(self):
        for body in (None, {}, {"benchmark": None, "tag": None, "test_account_email": None}, b"null"):
            self.assertEqual(self.acquire("slack", body)["status"], "occupied")
        got = self.acquire("Google_Calendar", {"benchmark": "Toolathlon", "tag": "blue", "test_account_email": "Bob@ACME.example", "ttl_seconds": "60", "more": 1})
        info = self.ask("GET", "/sandbox/google_calendar/" + got["sandbox_id"])
        self.assertEqual((info["benchmark"], info["tags"], info["metadata"]["test_account_email"]), ("Toolathlon", ["blue"], "bob@acme.example"))
        self.initialize("google_calendar", got["sandbox_id"], PAYLOADS["google_calendar"])
        self.assertEqual(len(self.dump("google_calendar", got["sandbox_id"])["events"]), 3)
        self.ask("POST", "/sandbox/google_calendar/%s/reset" % got["sandbox_id"])
        self.assertEqual(self.dump("google_calendar", got["sandbox_id"])["events"], [])
        listed = self.ask("GET", "/sandbox?tag=blue&server_name=GOOGLE_calendar")
        self.assertEqual([s["sandbox_id"] for s in listed["sandboxes"]], [got["sandbox_id"]])
        self.assertEqual((listed["total_count"], listed["sandboxes"][0]["tags"]), (1, ["blue"]))
        self.assertEqual(self.ask("GET", "/sandbox?tag=blue&server_name=slack")["total_count"], 0)
        # A name that is given twice is what it was first.
        self.assertEqual(self.ask("GET", "/sandbox?tag=blue&server_name=google_calendar&tag=red&server_name=slack"), listed)
        self.assertEqual(self.ask("GET", "/sandbox?tag=red&tag=blue")["total_count"], 0)

    def test_the_credential_of_a_sandbox_is_for_the_services_own_api(self):
        got = self.acquire("google_calendar")
        self.initialize("google_calendar", got["sandbox_id"], PAYLOADS["google_calendar"])
        auth = self.ask("GET", "/sandbox/google_calendar/" + got["sandbox_id"])["auth_data"]
        path = auth["base_url"][len(self.server.url):]
        events = self.server.call(auth["access_token"], "GET", path + "/calendar/v3/calendars/primary/events").json()
        self.assertEqual(len(events["items"]), 3)

    def test_prepare(self):
        for query in ("", "?server_name=slack", "?benchmark=MCP_Mark"):
            self.assertIn("message", self.ask("POST", "/sandbox/prepare" + query))
        fault = self.ask("POST", "/sandbox/prepare?benchmark=x", status=422)["detail"][0]
        self.assertEqual(fault["loc"], ["query", "benchmark"])

    def test_a_client_that_asks_for_one_servers_data_alone_gets_its_own(self):
        sandbox = self.acquire("slack")["sandbox_id"]
        self.ask("POST", "/sandbox/snowflake/%s/initialize" % sandbox, PAYLOADS["slack"])
        self.assertEqual(filled(self.dump("snowflake", sandbox)), filled(PAYLOADS["slack"]))
        self.ask("GET", "/sandbox/snowflake/" + sandbox, status=422)  # and nothing else


class Faults(Case):
    def faults(self, target, body, key=KEY):
        detail = self.ask("POST", target, body, 422, key=key)["detail"]
        for fault in detail:
            self.assertEqual(list(fault)[:4], ["type", "loc", "msg", "input"])
        return [(f["type"], f["loc"]) for f in detail]

    def test_all_faults_of_a_request_come_at_once(self):
        target = "/sandbox/gmail"
        self.assertEqual(self.faults(target, {"ttl_seconds": 59, "benchmark": "x", "tag": 3, "test_account_email": "me"}),
                         [("enum", ["body", "benchmark"]), ("value_error", ["body", "test_account_email"]), ("string_type", ["body", "tag"]),
                          ("greater_than_equal", ["body", "ttl_seconds"])])
        for value, kind in ((86401, "less_than_equal"), (60.5, "int_from_float"), ("1m", "int_parsing"), ([], "int_type")):
            self.assertEqual(self.faults(target, {"ttl_seconds": value}), [(kind, ["body", "ttl_seconds"])])
        self.assertEqual(self.faults(target, []), [("model_attributes_type", ["body"])])
        self.assertEqual(self.faults(target, b"{"), [("json_invalid", ["body"])])
        self.assertEqual(self.faults("/sandbox/jira", None), [("enum", ["path", "server_name"])])
        fault = self.ask("POST", target, {"ttl_seconds": 59}, 422)["detail"][0]
        self.assertEqual((fault["msg"], fault["input"], fault["ctx"]), ("Input should be greater than or equal to 60", 59, {"ge": 60}))

    def test_a_payload_with_faults_changes_nothing(self):
        sandbox = self.acquire("google_calendar")["sandbox_id"]
        target = "/sandbox/google_calendar/%s/initialize" % sandbox
        good = {"title": "Good", "startDate": "2025-12-10"}
        event = ["body", "events", 1]
        for bad, faults in (
                ({"titel": "x"}, [("missing", event + ["title"]), ("extra_forbidden", event + ["titel"])]),
                ({"title": ""}, [("string_too_short", event + ["title"])]),
                ({"title": "x"}, [("value_error", event)]),
                ({"title": "x", "startTime": "soon"}, [("value_error", event + ["startTime"])]),
                ({"title": "x", "startTime": "2025-12-01T09:00:00"}, [("value_error", event + ["startTime"])]),
                ({"title": "x", "startDate": "2025-13-01"}, [("value_error", event + ["startDate"])]),
                ({"title": "x", "startDate": "2025-12-01", "endTime": "2025-12-01T09:00:00Z"}, [("value_error", event)]),
                ({**good, "timezone": "Mars"}, [("value_error", event + ["timezone"])]),
                ({**good, "visibility": "hidden"}, [("value_error", event + ["visibility"])]),
                ({**good, "attendees": [{"email": "nobody", "accepted": "maybe"}]},
                 [("value_error", event + ["attendees", 0, "email"]), ("enum", event + ["attendees", 0, "accepted"])]),
                ({**good, "recurrence": ["RRULE:FREQ=SOMETIMES"]}, [("value_error", ["body"])]),
                ("x", [("model_attributes_type", event)])):
            with self.subTest(bad):
                self.assertEqual(self.faults(target, {"events": [good, bad]}), faults)
        self.assertEqual(self.faults(target, {"events": {}}), [("list_type", ["body", "events"])])
        self.assertEqual(self.faults(target, {"event": []}), [("extra_forbidden", ["body", "event"])])
        self.assertEqual(self.dump("google_calendar", sandbox)["events"], [])

    def test_payloads_of_other_services_with_faults(self):
        for name, payload, place in (
                ("gmail", {"messages": [{"subject": "x" * 256, "to": "a@b.example", "body": ""}]}, ["body", "messages", 0, "subject"]),
                ("gmail", {"messages": [{"subject": "x", "to": ["a@b.example"], "body": ""}]}, ["body", "messages", 0, "to"]),
                ("google_drive", {"files": [{"name": "x", "mimeType": "application/vnd.google-apps.form"}]}, ["body", "files", 0, "mimeType"]),
                ("google_drive", {"files": [{"name": "x", "mimeType": "text/plain", "parents": ["a", "b"]}]}, ["body", "files", 0, "parents"]),
                ("google_drive", {"files": [{"name": "x", "mimeType": "text/plain", "parents": ["nowhere"]}]}, ["body"]),
                ("slack", {"channels": [{"name": "x", "messages": [{"text": "y", "replies": [{"reactions": []}]}]}]},
                 ["body", "channels", 0, "messages", 0, "replies", 0, "text"]),
                ("google_drive", {"files": [{"name": "x", "mimeType": "application/vnd.google-apps.folder"}] * 2 +
                                  [{"name": "y", "mimeType": "text/plain", "parents": ["x"]}]}, ["body", "files", 2, "parents", 0]),
                ("slack", {"channels": [{"name": "x", "messages": [{"text": "y", "reactions": [{"name": "eyes"}] * 101}]}]}, ["body"]),
                ("slack", {"channels": [{"name": "x"}, {"name": "x"}]}, ["body"]),
                ("onedrive", {}, ["body", "root"]), ("onedrive", {"root": []}, ["body", "root"]),
                ("onedrive", {"root": [{"name": "root", "files": [{"name": "a.txt"}, {"name": "A.TXT"}]}]}, ["body"]),
                ("onedrive", {"root": [{"name": "root", "folders": [{"name": "x", "files": [{"name": "a/b"}]}]}]},
                 ["body", "root", 0, "folders", 0, "files", 0, "name"]),
                ("microsoft_teams", {"team_channels": [{"name": "x"}, {"name": "x"}]}, ["body"]),
                ("microsoft_teams", {"team_channels": [{"name": "x", "channel_messages": [{}]}]}, ["body", "team_channels", 0, "channel_messages", 0, "content"]),
                ("microsoft_teams", {"team_chats": [{"chat_messages": [{"content": "x"}]}]}, ["body", "team_chats", 0, "chat_members"]),
                ("microsoft_teams", {"team_chats": [{"chat_members": [{"member_email": "bob"}]}]},
                 ["body", "team_chats", 0, "chat_members", 0, "member_email"]),
                ("outlook_calendar", {"calendar_events": [{"title": "x", "start_time": {"dateTime": "2025-12-01T09:00:00", "timeZone": "Mars"}}]},
                 ["body", "calendar_events", 0, "start_time"]),
                ("outlook_mail", {"messages": [{"title": "x", "received_date_time": "today"}]}, ["body", "messages", 0, "received_date_time"])):
            with self.subTest(name, payload=payload):
                sandbox = self.acquire(name)["sandbox_id"]
                before = self.dump(name, sandbox)
                self.assertEqual(self.faults("/sandbox/%s/%s/initialize" % (name, sandbox), payload)[0][1], place)
                self.assertEqual(self.dump(name, sandbox), before)

    def test_spreadsheets_with_faults(self):
        sandbox = self.acquire("google_sheets")["sandbox_id"]
        cell = {"row": 0, "col": 0}
        for cells in ([{"row": -1, "col": 0}], [{"row": 0, "col": 18278}], [{"row": 1000000, "col": 0}], [cell, cell], [{**cell, "value": []}], [{"col": 0}],
                      [{"row": i, "col": 18000, "value": 1} for i in range(200)]):
            payload = {"spreadsheets": [{"title": "S", "sheets": [{"title": "T", "cells": cells}]}]}
            got = self.initialize("google_sheets", sandbox, payload, status=422)["detail"][0]
            self.assertEqual(got["loc"][:5], ["body", "spreadsheets", 0, "sheets", 0], got)
        self.assertEqual(self.dump("google_sheets", sandbox), {"spreadsheets": []})
        # Sheets come by their index.
        sheets = [{"title": "B", "index": 2}, {"title": "A", "index": 1}]
        self.initialize("google_sheets", sandbox, {"spreadsheets": [{"title": "S", "sheets": sheets}]})
        self.assertEqual([s["title"] for s in self.dump("google_sheets", sandbox)["spreadsheets"][0]["sheets"]], ["A", "B"])

    def test_spreadsheets_of_one_second_come_in_the_order_in_which_they_were_made(self):
        """A document's times have as many digits as they need: 12:00:00Z is before 12:00:00.001Z."""
        server = harness.Server("--fixture", "small", "--clock", "frozen", "--api-key", KEY)
        try:
            sandbox = self.acquire("google_sheets", server=server)["sandbox_id"]
            auth = self.ask("GET", "/sandbox/google_sheets/" + sandbox, server=server)["auth_data"]
            world = auth["base_url"].split("/w/")[1]
            for name, fraction in (("First", ""), ("Second", ".001"), ("Third", ".001001")):
                server.control("PUT", "/worlds/%s/clock" % world, {"now": "2030-01-01T12:00:00%sZ" % fraction})
                made = server.call(auth["access_token"], "POST", "/drive/v3/files", {"name": name, "mimeType": "application/vnd.google-apps.spreadsheet"}, world)
                self.assertEqual(made.status, 200, made.body)
            dumped = self.dump("google_sheets", sandbox, server=server)["spreadsheets"]
            self.assertEqual([s["title"] for s in dumped], ["First", "Second", "Third"])
        finally:
            server.stop()

    def test_requests_of_the_published_python_client(self):
        """create_sandbox(server_name=, test_account_email=), initialize_<service>_sandbox(sandbox_id, init_default_data=, request=), dump, reset, delete."""
        for name, payload in PAYLOADS.items():
            got = self.acquire(name, {"test_account_email": None})
            self.assertEqual(set(got), {"sandbox_id", "server_url", "server_urls", "server_name", "status", "message"})
            target = "/sandbox/%s/%s" % (name, got["sandbox_id"])
            self.assertIn("records_created", self.ask("POST", target + "/initialize?init_default_data=false", payload))
            self.assertEqual(filled(self.ask("GET", target + "/dump")["data"]), filled(payload))
            self.assertEqual(self.ask("GET", target)["server_name"], name)
            self.assertEqual(self.ask("POST", target + "/reset")["status"], "occupied")
            self.ask("POST", target + "/initialize?init_default_data=true")
            self.assertTrue(any(self.dump(name, got["sandbox_id"]).values()))
            self.assertEqual(self.ask("DELETE", target)["status"], "idle")

    def test_a_long_value_is_left_out_of_its_fault(self):
        sandbox = self.acquire("google_calendar")["sandbox_id"]
        detail = self.ask("POST", "/sandbox/google_calendar/%s/initialize" % sandbox, {"events": [{"location": "x" * 20000}] * 200}, 422)["detail"]
        self.assertEqual([f["input"] for f in detail], ["..."] * 100)

    def test_paths_and_verbs(self):
        self.assertEqual(self.ask("GET", "/sandbox/a/b/c/d", status=404), {"detail": "Not Found"})
        answer = self.server.ask("PATCH", "/sandbox", None, {"Authorization": "Bearer " + KEY})
        self.assertEqual((answer.status, answer.headers["Allow"], answer.json()), (405, "GET", {"detail": "Method Not Allowed"}))
        for sandbox in ("x", "%00", "%ff", "../gmail", "0" * 300):
            self.ask("GET", "/sandbox/gmail/" + sandbox, status=404)
        self.ask("GET", "/sandboxing", status=404)  # which is none of the service's

    def test_at_a_services_own_host_the_path_is_the_services(self):
        for path in ("/sandbox", "/universes"):
            answer = self.server.ask("GET", path, None, {"Host": "slack.com", "Authorization": "Bearer " + KEY})
            self.assertEqual(answer.json(), {"ok": False, "error": "unknown_method", "req_method": path[1:]})


class Credentials(Case):
    ROUTES = (("POST", "/sandbox/prepare"), ("GET", "/sandbox"), ("POST", "/sandbox/gmail"), ("GET", "/sandbox/gmail/%s"), ("DELETE", "/sandbox/gmail/%s"),
              ("POST", "/sandbox/gmail/%s/reset"), ("POST", "/sandbox/gmail/%s/initialize"), ("GET", "/sandbox/gmail/%s/dump"),
              ("POST", "/mcp-server/call-tool"), ("POST", "/mcp-server/list-tools"), ("GET", "/mcp-server/tools/gmail"), ("GET", "/universes"),
              ("POST", "/universes/office"), ("GET", "/universes/office/initial_data"), ("GET", "/universes/office/tasks/move-budget"),
              ("POST", "/universes/%s/tasks/move-budget/verify"), ("POST", "/universes/%s/release"))

    def test_nothing_but_an_api_key_opens_it(self):
        got = self.acquire()
        sandbox, instance = got["sandbox_id"], got["server_url"].split("=")[1]
        token = self.ask("GET", "/sandbox/gmail/" + sandbox)["auth_data"]["access_token"]
        actor = self.server.info["actors"]["ada@small.example"]["token"]
        for method, path in self.ROUTES:
            target = path % sandbox if "%" in path else path
            self.assertEqual(self.ask(method, target, status=401, key=None), {"detail": "Not authenticated"})
            for key in (self.server.key, token, actor, instance, sandbox, KEY[:-1], KEY + "x", KEY.upper()):
                self.assertEqual(self.ask(method, target, status=403, key=key), {"detail": "Invalid API key"})
            answer = self.server.ask(method, target, None, {"Authorization": "Basic " + KEY})
            self.assertEqual((answer.status, answer.headers["WWW-Authenticate"]), (401, "Bearer"))
        self.dump("gmail", sandbox)

    def test_a_key_reaches_its_own_sandboxes_alone(self):
        sandbox = self.acquire()["sandbox_id"]
        for method, path in self.ROUTES:
            if path.startswith("/sandbox/gmail/"):
                self.assertEqual(self.ask(method, path % sandbox, status=404, key=OTHER), {"detail": "Sandbox not found"})
        self.assertEqual(self.ask("GET", "/sandbox", key=OTHER)["total_count"], 0)
        self.dump("gmail", sandbox)
        # Nor by another server's name, or as another kind.
        for path in ("/sandbox/slack/%s", "/sandbox/google_calendar/%s/dump"):
            self.ask("GET", path % sandbox, status=404)
        self.ask("POST", "/universes/%s/release" % sandbox, status=404)

    def test_neither_key_nor_token_of_a_sandbox_opens_the_control_interface(self):
        sandbox = self.acquire()["sandbox_id"]
        token = self.ask("GET", "/sandbox/gmail/" + sandbox)["auth_data"]["access_token"]
        for key in (KEY, token, sandbox):
            self.assertIn(self.server.control("GET", "/worlds", key=key).status, (401, 403))
        # A sandbox's token is good in its world alone.
        other = self.ask("GET", "/sandbox/gmail/" + self.acquire()["sandbox_id"])["auth_data"]
        answer = self.server.call(token, "GET", other["base_url"][len(self.server.url):] + "/gmail/v1/users/me/profile")
        self.assertEqual(answer.status, 401)

    def test_an_instance_opens_the_tools_of_its_server_alone(self):
        got = self.acquire()
        url = got["server_url"]
        tools = [t["name"] for t in self.message(url, "tools/list")["result"]["tools"]]
        self.assertIn("gmail_send_email", tools)
        self.assertEqual(len(tools), 9)
        self.message(url.replace("/mcp/?", "/mcp?"), "tools/list")  # with the slash and without
        begun = self.message(url, "initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}})
        self.assertEqual(begun["result"]["protocolVersion"], "2025-06-18")
        for bad in (url.replace("/gmail/", "/slack/"), url[:-1], url.split("?")[0], url.replace(url.split("=")[1], got["sandbox_id"]),
                    url.replace("instance_id", "token")):
            self.message(bad, "tools/list", status=403)
        # Its person can be nobody else by another field.
        answer = self.server.ask("POST", url.split("?")[0][len(self.server.url):], b"{}", {"Authorization": "Bearer " + KEY, "Content-Type": "application/json"})
        self.assertEqual(answer.status, 403)

    def test_what_opens_a_sandbox_is_not_made_of_its_world(self):
        """With fixture, seed and secret known, and the same requests, ids, addresses and tokens differ."""
        seen = []
        for _ in range(2):
            server = harness.Server("--fixture", "small", "--clock", "frozen", "--seed", "7", "--world-secret", "known", "--api-key", KEY)
            try:
                found = set()
                for name in PAYLOADS:
                    got = self.ask("POST", "/sandbox/" + name, None, 201, server=server)
                    self.ask("POST", "/sandbox/%s/%s/initialize" % (name, got["sandbox_id"]), PAYLOADS[name], server=server)
                    info = self.ask("GET", "/sandbox/%s/%s" % (name, got["sandbox_id"]), server=server)
                    opens = [got["sandbox_id"], got["server_url"].split("=")[1], info["auth_data"]["access_token"]]
                    found.update(opens)
                    # Nothing in the world says them, nor does the address by which it is reached.
                    world = info["auth_data"]["base_url"].split("/w/")[1]
                    text = server.control("GET", "/worlds/%s/dump" % world).body.decode() + server.control("GET", "/worlds/%s/journal?bodies=true" % world).body.decode()
                    for secret in opens:
                        self.assertNotIn(secret, text)
                self.assertEqual(len(found), 3 * len(PAYLOADS))
                seen.append(found)
            finally:
                server.stop()
        self.assertFalse(seen[0] & seen[1])

    def test_keys_of_the_command_line(self):
        refused = ((("--api-key", "short"), "must have 8 to 128 characters"), (("--tenant", "a=12345678", "--api-key", "12345678"), "different API keys"),
                   (("--api-key", "k" * 16, "--key", "k" * 16), "another one than the control key"),
                   (("--listen", "0.0.0.0", "--make-key", "--api-key", "12345678"), "must have 16 to 128"),
                   (("--tenant", "Bad=12345678"), "small letters"), (("--tenant", "a=12345678", "--tenant", "a=123456789"), "different names"),
                   (("--universe", "/nowhere.yaml"), "--universe must be"), (("--tenant", "a"), "NAME=KEY"),
                   (("--tenant", "a=12345678,weight=3"), "sandboxes=N"))
        for options, said in refused if harness.FULL else refused[:4]:
            done = harness.command("serve", "--port", "0", *options)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(said, done.stderr)
        keys = set()
        for env in ({}, {"SOSIA_API_KEY": "of-the-environment"}):
            server = harness.Server(env=env)
            keys.add(server.info["api_key"])
            self.ask("GET", "/sandbox", key=server.info["api_key"], server=server)
            server.stop()
        self.assertIn("of-the-environment", keys)
        self.assertEqual(len([k for k in keys if re.fullmatch("key_[0-9a-f]{48}", k)]), 1)


class Limits(Case):
    def test_a_tenant_has_so_many_sandboxes(self):
        ids = [self.acquire(key=OTHER)["sandbox_id"] for _ in range(3)]
        refused = self.acquire(key=OTHER, status=429)
        self.assertIn("3 sandboxes", refused["detail"])
        self.acquire()  # another's are not counted
        self.ask("DELETE", "/sandbox/gmail/" + ids[0], key=OTHER)
        ids[0] = self.acquire(key=OTHER)["sandbox_id"]
        # One whose time is over gives its place back.
        self.assertEqual(self.server.control("PUT", "/worlds/other.%s/ttl" % ids[1], {"seconds": 1}).status, 200)
        time.sleep(1.1)
        ids[1] = self.acquire(key=OTHER)["sandbox_id"]
        # What they hold has a bound of its own.
        large = {"messages": [{"subject": "S", "to": "a@b.example", "body": "x" * 400000}]}
        self.initialize("gmail", ids[0], large, key=OTHER)
        self.assertIn("bytes", self.initialize("gmail", ids[0], large, key=OTHER, status=429)["detail"])
        for sandbox in ids:
            self.ask("DELETE", "/sandbox/gmail/" + sandbox, key=OTHER)

    def test_a_tenant_has_so_many_calls(self):
        key = "key-of-a-slow-one"
        statuses = []
        for _ in range(30):
            answer = self.server.ask("GET", "/sandbox", None, {"Authorization": "Bearer " + key})
            statuses.append(answer.status)
        self.assertEqual(set(statuses[:10]), {200})  # those of ten seconds may come at once
        self.assertIn(429, statuses)
        self.assertRegex(answer.headers["Retry-After"], "^[12]$")
        self.assertIn("Rate limit", answer.json()["detail"])
        self.ask("GET", "/sandbox")

    def test_a_large_body_needs_a_key_first(self):
        sandbox = self.acquire()["sandbox_id"]
        with Connection(self.server) as c:
            c.request("POST", "/sandbox/gmail/%s/initialize" % sandbox, headers={"Content-Length": "30000000", "Authorization": "Bearer wrong-key", "Expect": "100-continue"})
            self.assertEqual(c.getresponse().status, 403)

    def test_doubled_and_crossed_calls_leave_nothing_behind(self):
        before = self.ask("GET", "/sandbox")["total_count"]
        sandboxes = [self.acquire("slack")["sandbox_id"] for _ in range(8)]
        statuses = {}

        def ask(of):
            name, method, rest, body = of
            with Connection(self.server) as c:
                c.request(method, "/sandbox/slack/%s%s" % (name, rest), body=json.dumps(body) if body else None, headers={"Authorization": "Bearer " + KEY})
                statuses.setdefault((name, method, rest), []).append(c.getresponse().status)

        work = []
        for name in sandboxes:
            work += [(name, "POST", "/initialize", PAYLOADS["slack"])] + [(name, "DELETE", "", None)] * 4 + [(name, "POST", "/reset", None), (name, "GET", "/dump", None)]
        with ThreadPoolExecutor(16) as pool:
            list(pool.map(ask, work))
        for (name, method, rest), got in statuses.items():
            self.assertLessEqual(set(got), {200, 404}, (method, rest))
            if method == "DELETE":
                self.assertEqual(sorted(got), [200, 404, 404, 404])
        self.assertEqual(self.ask("GET", "/sandbox")["total_count"], before)
        worlds = self.server.control("GET", "/worlds?limit=1000").json()["worlds"]
        self.assertFalse([w for w in worlds if (w["name"] or "").split(".")[-1] in sandboxes])

    def test_a_release_may_name_its_instance(self):
        got = self.acquire()
        sandbox, instance = got["sandbox_id"], got["server_url"].split("=")[1]
        self.assertEqual(self.ask("DELETE", "/sandbox/gmail/%s?instance_id=%s" % (sandbox, sandbox))["status"], "occupied")
        self.dump("gmail", sandbox)
        self.assertEqual(self.ask("DELETE", "/sandbox/gmail/%s?is_ttl=maybe" % sandbox, status=422)["detail"][0]["loc"], ["query", "is_ttl"])
        self.assertEqual(self.ask("DELETE", "/sandbox/gmail/%s?is_ttl=true&instance_id=%s" % (sandbox, instance))["status"], "idle")


class Connection:
    def __init__(self, server):
        at = harness.urlsplit(server.url)
        self.c = harness.http.client.HTTPConnection(at.hostname, at.port, timeout=harness.PATIENCE)

    def __enter__(self):
        return self.c

    def __exit__(self, *unused):
        self.c.close()


class Tools(Case):
    def test_helpers_list_and_call_the_tools_of_a_sandbox(self):
        url = self.acquire("google_calendar")["server_url"]
        for form, name in (("mcp_native", lambda t: t["name"]), ("anthropic", lambda t: t["name"] if t["input_schema"] else None),
                           ("openai", lambda t: t["function"]["name"] if t["function"]["parameters"] else None)):
            got = self.ask("POST", "/mcp-server/list-tools", {"serverUrl": url, "format": form})
            self.assertEqual((got["success"], got["format"], got["error"]), (True, form, None))
            self.assertIn("google_calendar_create_event", [name(t) for t in got["tools"]])
        got = self.ask("POST", "/mcp-server/list-tools", {"serverUrl": url, "format": "gemini"})
        self.assertIn("google_calendar_create_event", [f["name"] for f in got["tools"][0]["function_declarations"]])
        done = self.ask("POST", "/mcp-server/call-tool", {"serverUrl": url, "toolName": "google_calendar_list_calendars", "toolArgs": {}, "connectionType": "StreamableHttp"})
        self.assertEqual((done["success"], done["error"], done["result"]["isError"]), (True, None, False))
        self.assertIn(PERSON, done["result"]["content"][0]["text"])
        names = [t["name"] for t in self.ask("GET", "/mcp-server/tools/Google%20Calendar")["tools"]]
        self.assertIn("google_calendar_create_event", names)
        self.ask("GET", "/mcp-server/tools/Jira", status=404)

    def test_helpers_ask_no_other_server(self):
        calls = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                calls.append(self.path)
                self.send_response(200)
                self.end_headers()

            def log_message(self, *unused):
                pass

        with http.server.HTTPServer(("127.0.0.1", 0), Handler) as other:
            threading.Thread(target=other.serve_forever, daemon=True).start()
            base = "http://127.0.0.1:%d" % other.server_port
            foreign = self.acquire(key=OTHER)
            for url in (base + "/mcp/", base, "x", "", foreign["server_url"], foreign["server_url"].replace("gmail", "slack"), "file:///hosted/gmail/mcp/"):
                got = self.ask("POST", "/mcp-server/list-tools", {"serverUrl": url})
                self.assertEqual((got["success"], got["tools"]), (False, None))
                self.assertIn("serverUrl must be", got["error"])
                self.assertFalse(self.ask("POST", "/mcp-server/call-tool", {"serverUrl": url, "toolName": "x"})["success"])
            self.ask("DELETE", "/sandbox/gmail/" + foreign["sandbox_id"], key=OTHER)
            other.shutdown()
        self.assertEqual(calls, [])

    def test_a_tool_that_is_not_there_is_said_to_be(self):
        url = self.acquire("slack")["server_url"]
        done = self.ask("POST", "/mcp-server/call-tool", {"serverUrl": url, "toolName": "slack_nothing"})
        self.assertTrue(done["error"] or done["result"]["isError"])
        self.assertEqual(self.ask("POST", "/mcp-server/call-tool", {"toolName": "x"}, 422)["detail"][0]["loc"], ["body", "serverUrl"])


class Universes(Case):
    def test_a_task_is_done_and_verified(self):
        universe, = self.ask("GET", "/universes")["universes"]
        self.assertEqual(list(universe), ["universe_id", "name", "description", "domain", "personas", "task_nums", "created_at"])
        self.assertEqual((universe["universe_id"], universe["domain"], len(universe["task_nums"])), ("office", "pier.example", 20))
        self.assertIn({"name": "Nora Valli", "email": "nora@pier.example"}, universe["personas"])
        data = self.ask("GET", "/universes/office/initial_data")
        self.assertIn("calendars", data)
        task = self.ask("GET", "/universes/office/tasks/cancel-dentist")
        self.assertEqual((task["task_num"], task["universe_id"], task["difficulty"]), ("cancel-dentist", "office", "easy"))
        self.assertTrue(task["prompt"] and task["title"] and task["verification_rationale"])
        one, two = self.ask("POST", "/universes/office"), self.ask("POST", "/universes/office")
        self.assertEqual(sorted(one["mcp_servers"]), ["gmail", "google_calendar", "google_drive"])
        verify = "/universes/%s/tasks/cancel-dentist/verify"
        before = self.ask("POST", verify % one["instance_id"])
        self.assertEqual((before["task_num"], before["passed"]), ("cancel-dentist", False))
        self.assertIn("expected 1, found 0", before["failure_reason"])
        url = one["mcp_servers"]["google_calendar"]
        listed = self.message(url, "tools/call", {"name": "google_calendar_list_events",
                                                "arguments": {"min_end_datetime": "2026-11-24T00:00:00Z", "max_start_datetime": "2026-11-25T00:00:00Z"}})
        dentist, = [e for e in json.loads(listed["result"]["content"][0]["text"])["events"] if e["title"] == "Dentist"]
        self.message(url, "tools/call", {"name": "google_calendar_delete_event", "arguments": {"event_id": dentist["id"]}})
        self.assertEqual(self.ask("POST", verify % one["instance_id"]), {"task_num": "cancel-dentist", "passed": True, "failure_reason": None})
        self.assertFalse(self.ask("POST", verify % two["instance_id"])["passed"])
        self.assertEqual(self.ask("POST", verify % one["instance_id"], status=404, key=OTHER), {"detail": "Universe instance not found"})
        done = self.ask("POST", "/universes/%s/release" % one["instance_id"])
        self.assertEqual(list(done), ["message", "released_at"])
        self.ask("POST", "/universes/%s/release" % one["instance_id"], status=404)
        self.message(url, "tools/list", status=403)
        self.assertFalse([s for s in self.ask("GET", "/sandbox")["sandboxes"] if s["sandbox_id"] == two["instance_id"]])

    def test_what_is_not_there(self):
        for method, path in (("POST", "/universes/x"), ("GET", "/universes/x/initial_data"), ("GET", "/universes/x/tasks/cancel-dentist"),
                             ("GET", "/universes/office/tasks/x"), ("POST", "/universes/office/tasks/cancel-dentist/verify"), ("POST", "/universes/office/release")):
            self.assertIn("not found", self.ask(method, path, status=404)["detail"])


class Kept(unittest.TestCase):
    """On a data directory."""

    ask, acquire, dump, initialize, message = Case.ask, Case.acquire, Case.dump, Case.initialize, Case.message

    def start(self, directory, *options):
        self.server = harness.Server("--data", directory, "--api-key", KEY, "--tenant", "other=" + OTHER, *options)

    def test_sandboxes_are_there_after_a_restart_as_they_were(self):
        with tempfile.TemporaryDirectory() as directory:
            self.start(directory)
            got = self.acquire("google_calendar", {"tag": "blue", "ttl_seconds": 60, "benchmark": "MCP_Mark", "test_account_email": "bob@acme.example"})
            kept, gone, ever = got["sandbox_id"], self.acquire()["sandbox_id"], self.acquire("slack", {"ttl_seconds": None})["sandbox_id"]
            foreign = self.acquire("slack", key=OTHER)["sandbox_id"]
            self.initialize("google_calendar", kept, PAYLOADS["google_calendar"])
            self.ask("DELETE", "/sandbox/gmail/" + gone)
            before = self.ask("GET", "/sandbox/google_calendar/" + kept)
            dump = self.dump("google_calendar", kept)
            self.server.stop(harness.signal.SIGKILL)
            self.start(directory)
            after = self.ask("GET", "/sandbox/google_calendar/" + kept)
            same = ("sandbox_id", "server_name", "status", "benchmark", "updated_at", "metadata", "tags")
            self.assertEqual({k: after[k] for k in same}, {k: before[k] for k in same})
            self.assertEqual(after["server_url"].split("=")[1], before["server_url"].split("=")[1])
            self.assertEqual(self.dump("google_calendar", kept), dump)
            self.ask("GET", "/sandbox/gmail/" + gone, status=404)
            self.assertEqual({s["sandbox_id"] for s in self.ask("GET", "/sandbox")["sandboxes"]}, {kept, ever})
            self.ask("GET", "/sandbox/slack/" + foreign, status=404)
            self.ask("GET", "/sandbox/slack/" + foreign, key=OTHER)
            self.assertIsNotNone(after["metadata"]["expires_at"])
            self.assertIsNone(self.ask("GET", "/sandbox/slack/" + ever)["metadata"]["expires_at"])
            self.message(after["server_url"], "tools/list")
            # Its life goes on to end while no server is there.
            self.assertEqual(self.server.control("PUT", "/worlds/default.%s/ttl" % kept, {"seconds": 1}).status, 200)
            self.server.stop()
            time.sleep(1.1)
            self.start(directory)
            self.ask("GET", "/sandbox/google_calendar/" + kept, status=404)
            self.message(after["server_url"].replace(after["server_url"].split("/hosted")[0], self.server.url), "tools/list", status=403)
            # Of a tenant that is not named any more nothing is served, and nothing is lost.
            self.server.stop()
            self.server = harness.Server("--data", directory, "--api-key", KEY)
            self.ask("GET", "/sandbox/slack/" + foreign, status=404)
            self.ask("POST", "/sandbox/slack/%s/reset" % ever)
            self.server.stop()
            self.start(directory)
            self.ask("DELETE", "/sandbox/slack/" + foreign, key=OTHER)
            self.assertEqual(self.server.stop()[0], 0)

    def test_the_life_that_was_asked_for(self):
        with tempfile.TemporaryDirectory() as directory:
            self.start(directory)
            for body, seconds in ((None, 7200), ({"ttl_seconds": 86400}, 86400)):
                info = self.ask("GET", "/sandbox/gmail/" + self.acquire("gmail", body)["sandbox_id"])["metadata"]
                lives = [time.mktime(time.strptime(info[k][:19], "%Y-%m-%dT%H:%M:%S")) for k in ("created_at", "expires_at")]
                self.assertAlmostEqual(lives[1] - lives[0], seconds, delta=2)
            self.server.stop()


if __name__ == "__main__":
    unittest.main()
