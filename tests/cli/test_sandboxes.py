# SPDX-License-Identifier: Apache-2.0
"""The hosted sandbox service's API: the requests of its OpenAPI document and of its published clients, over HTTP."""
import base64
import http.server
import io
import json
import os
import re
import tarfile
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

# Mail of two people, as the server's tools export it.
POSTE = {"users": {
    PERSON: {"emails": [
        {"email_id": "1", "subject": "With a file", "from_addr": "Eve <eve@far.example>", "to_addr": "%s, x@y.example" % PERSON, "cc_addr": "c@d.example",
         "bcc_addr": None, "date": "Sat, 21 Nov 2026 10:00:00 +0000", "message_id": "<one@far.example>", "body_text": "Twelve\n", "body_html": "", "is_read": False,
         "is_important": False, "folder": "INBOX", "attachments": [{"filename": "figures.csv", "content_type": "text/csv", "size": 4, "content": "YSxiCg=="}]},
        {"email_id": "2", "subject": "Later", "from_addr": "eve@far.example", "to_addr": PERSON, "date": "2026-11-22T10:00:00Z", "message_id": "<two@far.example>",
         "body_html": "<p>Two</p>", "is_read": True, "is_important": True},
        {"email_id": "1", "subject": "Sent one", "from_addr": PERSON, "to_addr": "eve@far.example", "date": "Sun, 22 Nov 2026 11:00:00 +0000",
         "message_id": "<three@sandbox.example>", "body_text": "Three", "is_read": True, "folder": "Sent"}]},
    "Bob@MCP.example": {"emails": [
        {"email_id": "1", "subject": "For Bob", "from_addr": PERSON, "to_addr": "bob@mcp.example", "date": "Fri, 20 Nov 2026 10:00:00 +0000",
         "message_id": "<four@sandbox.example>", "body_text": "Four", "is_read": False},
        {"email_id": "1", "subject": "Kept", "from_addr": "eve@far.example", "to_addr": "bob@mcp.example", "date": "Fri, 20 Nov 2026 11:00:00 +0000",
         "message_id": "<five@far.example>", "body_text": "Five", "is_read": True, "folder": "Plans"}]}}}


def posted(payload):
    """What of such a payload must come back: by person and subject."""
    return {(person.lower(), e["subject"]): (
        e["from_addr"].split("<")[-1].strip(">"), e["to_addr"], e.get("cc_addr"), e["message_id"], e.get("body_text") or "", e.get("body_html") or "", e["is_read"],
        bool(e.get("is_important")), e.get("folder", "INBOX"), e.get("attachments") or [])
            for person, user in payload["users"].items() for e in user["emails"]}


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
        with _connection(self.server) as c:
            c.request("POST", "/sandbox/gmail/%s/initialize" % sandbox, headers={"Content-Length": "30000000", "Authorization": "Bearer wrong-key", "Expect": "100-continue"})
            self.assertEqual(c.getresponse().status, 403)

    def test_doubled_and_crossed_calls_leave_nothing_behind(self):
        before = self.ask("GET", "/sandbox")["total_count"]
        sandboxes = [self.acquire("slack")["sandbox_id"] for _ in range(8)]
        statuses = {}

        def ask(of):
            name, method, rest, body = of
            with _connection(self.server) as c:
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


class _connection:
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


def archive(files):
    """A tar.gz of names with contents; None: a link out of the tree."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            if content is None:
                info.type, info.linkname = tarfile.SYMTYPE, "/etc/passwd"
                tar.addfile(info)
            else:
                info.size = len(content)
                tar.addfile(info, io.BytesIO(content))
    return out.getvalue()


class Local(Case):
    def path(self, url):
        self.assertTrue(url.startswith(self.server.url))
        return url[len(self.server.url):]

    def send(self, url, data, status=200):
        answer = self.server.ask("PUT", self.path(url), data, {"Content-Type": "application/gzip"})
        self.assertEqual(answer.status, status, answer.body)

    def files(self, target):
        got = self.ask("GET", target)
        self.assertEqual(got["expires_in_minutes"], 30)
        return self.fetch(got["download_url"])

    def fetch(self, url):
        answer = self.server.ask("GET", self.path(url))
        self.assertEqual((answer.status, answer.headers["Content-Type"]), (200, "application/gzip"))
        with tarfile.open(fileobj=io.BytesIO(answer.body)) as tar:
            return {m.name: tar.extractfile(m).read() for m in tar if m.isfile()}

    def test_what_a_dump_holds_is_its_tenants(self):
        target = "/local-sandbox/" + self.ask("POST", "/local-sandbox", {"server_names": "ALL"}, 201, key=OTHER)["local_sandbox_id"]
        statuses = []
        while len(statuses) < 6 and 429 not in statuses:
            url = self.ask("POST", target + "/upload-url", key=OTHER)["upload_url"]
            sent = self.server.ask("PUT", self.path(url), archive({"a": os.urandom(60000)}), {"Content-Type": "application/gzip"})
            statuses.append(sent.status)
            if sent.status == 200:
                self.ask("POST", target + "/initialize", key=OTHER)
                self.ask("GET", target + "/dump", key=OTHER)  # has this content, as long as its address is good
                self.ask("POST", target + "/reset", key=OTHER)
                time.sleep(1.1)  # after which it is counted again
        self.assertEqual((statuses[0], statuses[-1]), (200, 429))
        self.ask("DELETE", target, key=OTHER)

    def test_files_come_and_go_as_archives(self):
        got = self.ask("POST", "/local-sandbox", {"server_names": "ALL"}, 201)
        target = "/local-sandbox/" + got["local_sandbox_id"]
        names = [s["server_name"] for s in got["servers"]]
        self.assertLessEqual({"gmail", "slack"}, set(names))
        ids = {s["id"] for s in got["servers"]}
        self.assertEqual(len(ids), len(names))
        for server in got["servers"]:
            self.assertRegex(server["id"], "^%s$" % UUID)
            self.assertTrue(self.message(server["mcp_server_url"], "tools/list")["result"]["tools"])
        self.assertEqual(self.files(target + "/dump"), {})
        self.ask("POST", target + "/initialize", status=400)
        upload = self.ask("POST", target + "/upload-url?region=asia")
        self.assertEqual(upload["expires_in_minutes"], 30)
        self.send(upload["upload_url"], archive({"./config.json": b"{}", "sub/hello.txt": b"hello", "link": None}))
        self.assertEqual(self.files(target + "/dump"), {})  # not before it is asked for
        self.assertEqual(self.ask("POST", target + "/initialize")["message"], "Extracted archive to workspace")
        files = {"./config.json": b"{}", "./sub/hello.txt": b"hello"}
        self.assertEqual(self.files(target + "/dump"), files)
        later = self.ask("GET", target + "/dump")["download_url"]
        # A second one comes over what is there; what was asked for before shows what was there then.
        self.send(upload["upload_url"], archive({"config.json": b"[]", "new": b"n"}))
        self.ask("POST", target + "/initialize")
        self.assertEqual(self.files(target + "/dump"), {**files, "./config.json": b"[]", "./new": b"n"})
        self.assertEqual(self.fetch(later), files)
        self.assertEqual(self.ask("GET", target)["local_sandbox_id"], got["local_sandbox_id"])
        self.assertIn(got["local_sandbox_id"], [s["local_sandbox_id"] for s in self.ask("GET", "/local-sandbox")["local_sandboxes"]])
        self.ask("POST", target + "/reset")
        self.assertEqual(self.files(target + "/dump"), {})
        self.assertIn("release started", self.ask("DELETE", target)["message"])
        self.ask("DELETE", target, status=404)
        self.send(upload["upload_url"], archive({}), 403)
        self.message(got["servers"][0]["mcp_server_url"], "tools/list", status=403)

    def test_tools_of_files_and_of_vendors_are_of_one_world(self):
        got = self.ask("POST", "/local-sandbox", {"server_names": ["filesystem", "google_drive", "localmemory"]}, 201)
        urls = {s["server_name"]: s["mcp_server_url"] for s in got["servers"]}
        self.assertEqual(set(urls), {"filesystem", "google_drive", "localmemory"})
        done = self.message(urls["filesystem"], "tools/call", {"name": "filesystem_write_file", "arguments": {"path": "/data/plan.txt", "content": "Ten"}})
        self.assertFalse(done["result"].get("isError"), done)
        self.assertEqual(self.files("/local-sandbox/%s/dump" % got["local_sandbox_id"]), {"./plan.txt": b"Ten"})
        self.message(urls["filesystem"].replace("/filesystem/", "/gmail/"), "tools/list", status=403)  # one that was not asked for

    def test_mail_and_files_are_of_one_world(self):
        got = self.ask("POST", "/local-sandbox", {"server_names": ["filesystem", "poste_email_toolathlon"]}, 201)
        urls = {s["server_name"]: s["mcp_server_url"] for s in got["servers"]}
        self.assertIn("/poste_email_toolathlon/mcp/?", urls["poste_email_toolathlon"])
        self.assertEqual(len(self.message(urls["poste_email_toolathlon"], "tools/list")["result"]["tools"]), 25)
        self.message(urls["filesystem"], "tools/call", {"name": "filesystem_write_file", "arguments": {"path": "a.txt", "content": "Ten"}})
        done = self.message(urls["poste_email_toolathlon"], "tools/call", {"name": "send_email", "arguments": {
            "to": "eve@far.example", "subject": "Ten", "body": "See", "attachments": ["/data/a.txt"]}})
        self.assertEqual(done["result"]["content"][0]["text"], "Email sent successfully to eve@far.example with 1 attachments")
        done = self.message(urls["poste_email_toolathlon"], "tools/call", {"name": "download_attachment", "arguments": {
            "email_id": "1", "folder": "Sent", "attachment_filename": "a.txt"}})
        self.assertEqual(self.files("/local-sandbox/%s/dump" % got["local_sandbox_id"])["./emails_download/a.txt"], b"Ten", done)

    def seed(self, server, sandbox, payload, **more):
        return self.ask("POST", "/local-sandbox/%s/%s/initialize" % (server, sandbox), payload, **more)

    def dumped(self, server, sandbox, **more):
        return self.ask("GET", "/local-sandbox/%s/%s/dump" % (server, sandbox), **more).get("data")

    def acquire_local(self, *names):
        got = self.ask("POST", "/local-sandbox", {"server_names": list(names)}, 201)
        return got["local_sandbox_id"], {s["server_name"]: s for s in got["servers"]}

    def test_both_vendors_services_are_of_one_world(self):
        for names in (("outlook_calendar", "outlook_mail"), ("google_calendar", "gmail", "outlook_calendar", "outlook_mail")):
            sandbox, servers = self.acquire_local(*names, "google_drive", "slack")
            self.assertLessEqual(set(names), set(servers))
            for name in names:  # by the sandbox's id, or the server's
                self.seed(name, servers[name]["id"] if "mail" in name else sandbox, PAYLOADS[name])
            for name in names:
                self.assertEqual(filled(self.dumped(name, sandbox)), filled(PAYLOADS[name]))
                self.assertTrue(self.message(servers[name]["mcp_server_url"], "tools/list")["result"]["tools"])
            mail = self.message(servers["outlook_mail"]["mcp_server_url"], "tools/call", {"name": "outlookMail_list_messages", "arguments": {}})["result"]
            self.assertIn("Old", mail["content"][0]["text"])
        self.ask("POST", "/local-sandbox/%s/reset" % sandbox)
        self.assertEqual(self.dumped("outlook_mail", sandbox), {"messages": []})
        self.seed("gmail", sandbox, {"messages": [{"subject": "x"}]}, status=422)
        for name, ident in (("slack", sandbox[:-1] + "x"), ("excel", sandbox), ("filesystem", sandbox), ("gmail", servers["outlook_mail"]["id"])):
            self.seed(name, ident, {}, status=404)
            self.dumped(name, ident, status=404)
        self.dumped("gmail", sandbox, status=404, key=OTHER)

    def test_mail_of_people_comes_and_goes_as_a_payload(self):
        sandbox, servers = self.acquire_local("poste_email_toolathlon", "gmail", "filesystem")
        server = servers["poste_email_toolathlon"]
        self.assertEqual(server["auth_data"], {"ip": "127.0.0.1", "smtp_port": None, "imap_port": None})
        self.assertIsNone(servers["filesystem"]["auth_data"])
        done = self.seed("poste_email_toolathlon", server["id"], POSTE)
        self.assertEqual(done["records_created"], {"users": 2, "emails": 5})
        data = self.dumped("poste_email_toolathlon", sandbox)
        self.assertEqual(list(data["users"]), ["agent@sandbox.example", "bob@mcp.example"])
        self.assertEqual(data["users"]["agent@sandbox.example"]["emails"][0], {
            "email_id": "2", "subject": "Later", "from_addr": "eve@far.example", "to_addr": "agent@sandbox.example", "cc_addr": None, "bcc_addr": None,
            "date": "Sun, 22 Nov 2026 10:00:00 +0000", "message_id": "<two@far.example>", "body_text": "", "body_html": "<p>Two</p>", "is_read": True,
            "is_important": True, "folder": "INBOX", "attachments": []})
        self.assertEqual(posted(data), posted(POSTE))
        # It is the mailbox that gmail shows, and another sandbox takes the dump.
        self.assertEqual(sorted(m["subject"] for m in self.dumped("gmail", sandbox)["messages"]), ["Later", "Sent one", "With a file"])
        for names in (("poste_email_toolathlon",), ("poste_email_toolathlon", "outlook_mail")):
            other, _ = self.acquire_local(*names)
            self.seed("poste_email_toolathlon", other, data)
            self.assertEqual(posted(self.dumped("poste_email_toolathlon", other)), posted(POSTE))
        self.assertEqual(len(self.dumped("outlook_mail", other)["messages"]), 3)
        # A second payload adds; folders that are there stay.
        self.seed("poste_email_toolathlon", sandbox, {"users": {PERSON: {"emails": [{"subject": "More", "from_addr": "x@y.example", "to_addr": PERSON, "folder": "Work"}]}}})
        self.assertEqual(len(self.dumped("poste_email_toolathlon", sandbox)["users"][PERSON]["emails"]), 4)
        self.ask("POST", "/local-sandbox/%s/reset" % sandbox)
        self.assertEqual(self.dumped("poste_email_toolathlon", sandbox), {"users": {PERSON: {"emails": []}}})
        self.ask("POST", "/local-sandbox/poste_email_toolathlon/%s/initialize?init_default_data=true" % sandbox, POSTE)
        self.assertEqual([e["subject"] for e in self.dumped("poste_email_toolathlon", sandbox)["users"][PERSON]["emails"] if e["folder"] == "INBOX"],
                         ["Welcome", "Later", "With a file"])

    def test_a_payload_of_mail_with_faults_changes_nothing(self):
        sandbox, _ = self.acquire_local("poste_email_toolathlon")
        good = POSTE["users"][PERSON]["emails"][0]
        for payload, place, kind in (
                ({"users": []}, ["users"], "dict_type"), ({"user": {}}, ["user"], "extra_forbidden"), ({"users": {"x": {}}}, ["users", "x"], "value_error"),
                ({"users": {PERSON: {"mails": []}}}, ["users", PERSON, "mails"], "extra_forbidden"),
                ({"users": {PERSON: {"emails": [{**good, "folders": "x"}]}}}, ["users", PERSON, "emails", 0, "folders"], "extra_forbidden"),
                ({"users": {PERSON: {"emails": [good, {"subject": "x"}]}}}, ["users", PERSON, "emails", 1, "from_addr"], "missing"),
                ({"users": {PERSON: {"emails": [{**good, "date": "soon"}]}}}, ["users", PERSON, "emails", 0, "date"], "value_error"),
                ({"users": {PERSON: {"emails": [{**good, "subject": "a\r\nBcc: x@y.example"}]}}}, [], "value_error"),
                ({"users": {PERSON: {"emails": [{**good, "attachments": [{"filename": "a", "content": "!"}]}]}}}, [], "value_error")):
            faults = self.seed("poste_email_toolathlon", sandbox, payload, status=422)["detail"]
            self.assertIn((["body"] + place, kind), [(f["loc"], f["type"]) for f in faults])
            self.assertEqual(self.dumped("poste_email_toolathlon", sandbox), {"users": {PERSON: {"emails": []}}})

    def mail_tool(self, url, tool, config=None, want=200, **arguments):
        fields = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        if config is not None:
            fields["x-email-config"] = config if isinstance(config, str) else base64.b64encode(json.dumps(config).encode()).decode()
        answer = self.server.ask("POST", self.path(url), json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": tool, "arguments": arguments}}).encode(), fields)
        self.assertEqual(answer.status, want, answer.body)
        return answer.json()["result"]["content"][0]["text"] if want == 200 else answer.json()

    def test_the_head_of_a_request_says_whose_mail_it_is(self):
        sandbox, servers = self.acquire_local("poste_email_toolathlon", "filesystem")
        self.seed("poste_email_toolathlon", sandbox, POSTE)
        url = servers["poste_email_toolathlon"]["mcp_server_url"]
        bob = {"email": "bob@mcp.example", "password": "any", "name": "Bob"}
        self.assertIn("Total emails: 2", self.mail_tool(url, "get_emails"))
        self.assertIn("For Bob", self.mail_tool(url, "get_emails", bob))
        self.assertIn("For Bob", self.mail_tool(url, "get_emails", {"email": "Bob@MCP.example"}))
        self.assertEqual(self.mail_tool(url, "send_email", bob, to=PERSON, subject="Hello", body="Hi"), "Email sent successfully to %s" % PERSON)
        self.assertIn("From: bob@mcp.example", self.mail_tool(url, "get_emails"))
        self.assertEqual(self.mail_tool(url, "get_emails", {"email": "eve@far.example"}, 403), {"detail": "IMAP login failed: eve@far.example has no mailbox here"})
        for bad in ("%", "", base64.b64encode(b"[1]").decode(), base64.b64encode(b"{}").decode()):
            self.assertIn("x-email-config", self.mail_tool(url, "get_emails", bad, 403)["detail"])
        # Helpers take the field in their body; other servers have no use for it.
        body = {"serverUrl": url, "toolName": "get_emails", "toolArgs": {}, "headers": {"X-Email-Config": base64.b64encode(json.dumps(bob).encode()).decode()}}
        self.assertIn("For Bob", self.ask("POST", "/mcp-server/call-tool", body)["result"]["content"][0]["text"])
        self.assertFalse(self.ask("POST", "/mcp-server/call-tool", {**body, "headers": {"x-email-config": "%"}})["success"])
        self.assertFalse(self.ask("POST", "/mcp-server/list-tools", {"serverUrl": url, "headers": {"x-email-config": 1}})["success"])
        self.mail_tool(servers["filesystem"]["mcp_server_url"], "filesystem_list_directory", "%", path="/data")

    def test_all_tools_of_mail_by_requests(self):
        """A client's walk through the 25 tools, with the texts that the service publishes; what its copy does wrong is right here."""
        sandbox, servers = self.acquire_local("poste_email_toolathlon", "filesystem")
        self.seed("poste_email_toolathlon", sandbox, POSTE)
        url, bob = servers["poste_email_toolathlon"]["mcp_server_url"], {"email": "bob@mcp.example"}
        walk = (
            ("check_connection", {}, "IMAP: \u2713 Connected"), ("get_folders", {}, "1. INBOX (2 total, 1 unread)"),
            ("get_mailbox_stats", {}, "3"), ("get_unread_count", {}, "Total unread messages: 1"),
            ("get_emails", {"page_size": 1}, "Folder: INBOX\nPage: 1/2\nTotal emails: 2\n\n1. ID: 2\n   Subject: Later\n   From: eve@far.example\n"),
            ("search_emails", {"query": "TWELVE"}, "With a file"), ("search_emails", {"query": "nothing here"}, "No emails found matching query: nothing here"),
            ("read_email", {"email_id": "1"}, "Attachments:\n1. figures.csv (text/csv, 4 bytes)"), ("get_unread_count", {}, "Total unread messages: 0"),
            ("get_email_headers", {"email_id": "1"}, "Subject"), ("mark_emails", {"email_ids": ["1", "2"], "status": "unread"}, "Successfully marked 2/2 emails as unread"),
            ("download_attachment", {"email_id": "1", "attachment_filename": "figures.csv"}, "/data/emails_download/figures.csv"),
            ("reply_email", {"email_id": "1", "body": "Thanks"}, "Reply sent successfully to sender"),
            ("forward_email", {"email_id": "1", "to": "bob@mcp.example", "body": "See"}, "Email forwarded successfully to bob@mcp.example"),
            ("send_email", {"to": "not an address", "subject": "x", "body": "y"}, "Error sending email: Failed to send email: Invalid TO addresses: Invalid email addresses: not an address"),
            ("create_folder", {"folder_name": "Plans"}, "Plans"), ("move_email", {"email_id": "1", "target_folder": "Plans"}, "Email 1 moved to Plans successfully"),
            ("move_emails", {"email_ids": ["1"], "target_folder": "Plans"}, "1/1"),  # the service's copy says 0/1
            ("get_emails", {"folder": "Plans"}, "Total emails: 2"),
            ("delete_folder", {"folder_name": "Sent"}, "Cannot delete system folder: Sent"),
            ("save_draft", {"subject": "Draft", "body": "b", "to": "x@y.example"}, "draft_"), ("get_drafts", {}, "Draft"),  # and forgets drafts
            ("update_draft", {"draft_id": "DRAFT", "subject": "Other"}, "draft_"), ("get_drafts", {}, "Other"), ("delete_draft", {"draft_id": "DRAFT"}, "draft_"),
            ("export_emails", {"folder": "Plans"}, "Successfully exported 2 emails to /data/emails_export/"),
            ("import_emails", {"json_string": json.dumps({"emails": POSTE["users"][PERSON]["emails"][:1]})}, "Successfully imported 1/1 emails to INBOX"),
            ("delete_emails", {"email_ids": ["1", "9"]}, "Successfully deleted 1/2 emails (1 failed: 9)"), ("delete_email", {"email_id": "1", "folder": "Plans"}, "Email 1 deleted successfully"),
            ("delete_folder", {"folder_name": "Plans"}, "Plans"))
        self.assertEqual(len({name for name, _, _ in walk}), 25)
        draft = None
        for name, arguments, said in walk:
            if arguments.get("draft_id"):
                arguments = {**arguments, "draft_id": draft}
            text = self.mail_tool(url, name, **arguments)
            self.assertIn(said, text, (name, arguments))
            draft = draft or (re.findall(r"draft_\d+", text) or [None])[0]
        inbox = self.mail_tool(url, "get_emails", bob)
        self.assertIn("Fwd: With a file", inbox)
        sent = self.dumped("poste_email_toolathlon", sandbox)["users"][PERSON]["emails"]
        reply = next(e for e in sent if e["subject"] == "Re: With a file")
        self.assertRegex(reply["message_id"], "^<.+>$")  # copies in Sent have neither id nor date there
        self.assertTrue(reply["date"])

    def test_an_archive_that_is_not_one_changes_nothing(self):
        got = self.ask("POST", "/local-sandbox", {"server_names": ["gmail"]}, 201)
        self.assertEqual([s["server_name"] for s in got["servers"]], ["gmail"])
        target = "/local-sandbox/" + got["local_sandbox_id"]
        url = self.ask("POST", target + "/upload-url")["upload_url"]
        good = archive({"a": b"a"})
        for bad in (b"", b"text", good[:-20], archive({"../up": b"x"}), archive({"l": None, "l/x": b"x"})):
            self.send(url, bad, 400)
        self.ask("POST", target + "/initialize", status=400)
        self.assertEqual(self.files(target + "/dump"), {})

    def test_an_address_of_an_archive_opens_nothing_else(self):
        got = self.ask("POST", "/local-sandbox", {"server_names": ["gmail"]}, 201)
        target = "/local-sandbox/" + got["local_sandbox_id"]
        up, down = self.ask("POST", target + "/upload-url")["upload_url"], self.ask("GET", target + "/dump")["download_url"]
        self.assertRegex(up, "/local-sandbox/archive/[0-9a-f]{48}$")
        for method, url in (("GET", up), ("PUT", down), ("GET", down[:-1]), ("PUT", up + "0"), ("GET", up.replace(up.split("/")[-1], got["local_sandbox_id"]))):
            answer = self.server.ask(method, self.path(url), b"x" if method == "PUT" else None)
            self.assertEqual(answer.status, 403, answer.body)
        for method, rest in (("GET", ""), ("POST", "/reset"), ("POST", "/upload-url"), ("POST", "/initialize"), ("GET", "/dump"), ("DELETE", "")):
            self.ask(method, target + rest, status=404, key=OTHER)
            self.ask(method, target + rest, status=401, key=None)
            self.ask(method, target + rest, status=403, key=up.split("/")[-1])

    def at_once(self, tasks):
        """The statuses of requests, each over a connection of its own."""
        def use(task):
            method, path, body = task
            with _connection(self.server) as c:
                c.request(method, path, body, {"Authorization": "Bearer " + KEY, "Content-Type": "application/json"})
                answer = c.getresponse()
                answer.read()
                return answer.status
        with ThreadPoolExecutor(8) as pool:
            return list(pool.map(use, tasks))

    def test_an_address_that_is_used_twice_or_crossed(self):
        one, _ = self.acquire_local("filesystem")
        two, _ = self.acquire_local("filesystem")
        urls = [self.ask("POST", "/local-sandbox/%s/upload-url" % s)["upload_url"] for s in (one, two)]
        # The last one that was sent counts, and for its own sandbox alone.
        for n in range(3):
            self.send(urls[0], archive({"n": b"%d" % n}))
        self.ask("POST", "/local-sandbox/%s/initialize" % two, status=400)
        statuses = self.at_once([("POST", "/local-sandbox/%s/initialize" % one, None)] * 4)
        self.assertEqual(sorted(statuses), [200, 400, 400, 400])
        self.assertEqual(self.files("/local-sandbox/%s/dump" % one), {"./n": b"2"})
        self.assertEqual(self.files("/local-sandbox/%s/dump" % two), {})
        # What is at the end of an address, or behind it, is no other address.
        for more in ("?ticket=" + urls[1].split("/")[-1], "?x=1&x=2"):
            self.send(urls[0] + more, archive({"n": b"3"}))
            self.ask("POST", "/local-sandbox/%s/initialize" % two, status=400)
            self.ask("POST", "/local-sandbox/%s/initialize" % one)
        for more in ("/", "/" + urls[1].split("/")[-1], "%00", "%2f.."):
            answer = self.server.ask("PUT", self.path(urls[0]) + more, archive({"n": b"4"}), {"Content-Type": "application/gzip"})
            self.assertIn(answer.status, (401, 403, 404, 405), (more, answer.body))
        self.assertEqual(self.files("/local-sandbox/%s/dump" % one), {"./n": b"3"})
        for sandbox in (one, two):
            self.ask("DELETE", "/local-sandbox/" + sandbox)

    def test_a_sandbox_that_is_released_while_it_is_used(self):
        before = len(self.ask("GET", "/local-sandbox")["local_sandboxes"])
        for _ in range(6):
            sandbox, servers = self.acquire_local("poste_email_toolathlon", "outlook_mail", "filesystem")
            path = "/local-sandbox/" + sandbox
            self.send(self.ask("POST", path + "/upload-url")["upload_url"], archive({"a": b"a"}))
            tasks = [("POST", "/local-sandbox/poste_email_toolathlon/%s/initialize" % sandbox, json.dumps(POSTE).encode()), ("POST", path + "/initialize", None),
                     ("DELETE", path, None), ("GET", "/local-sandbox/poste_email_toolathlon/%s/dump" % sandbox, None), ("DELETE", path, None),
                     ("POST", "/local-sandbox", json.dumps({"server_names": ["gmail", "outlook_mail"]}).encode()), ("GET", path + "/dump", None), ("POST", path + "/reset", None)]
            statuses = self.at_once(tasks)
            self.assertLessEqual(set(statuses), {200, 201, 404}, statuses)
            self.assertEqual(sorted((statuses[2], statuses[4])), [200, 404])
            self.ask("GET", path, status=404)
            self.message(servers["filesystem"]["mcp_server_url"], "tools/list", status=403)
        left = self.ask("GET", "/local-sandbox")["local_sandboxes"]
        self.assertEqual(len(left), before + 6)
        for one in left[before:]:
            self.ask("DELETE", "/local-sandbox/" + one["local_sandbox_id"])

    def test_what_is_asked_for_wrongly(self):
        for body, place in (({}, ["body", "server_names"]), ({"server_names": []}, ["body", "server_names"]), ({"server_names": "SOME"}, ["body", "server_names"]),
                            ({"server_names": ["gmail", "excel"]}, ["body", "server_names", 1]), ({"server_names": "ALL", "ttl_seconds": 1}, ["body", "ttl_seconds"])):
            self.assertEqual(self.ask("POST", "/local-sandbox", body, 422)["detail"][0]["loc"], place)
        sandbox = self.acquire()["sandbox_id"]
        self.ask("GET", "/local-sandbox/" + sandbox, status=404)

    def test_older_clients(self):
        got = self.ask("POST", "/sandbox/local_dev", None, 201)
        self.assertEqual((got["server_name"], got["status"]), ("local_dev", "occupied"))
        self.message(got["server_urls"]["gmail"], "tools/list")
        target = "/sandbox/local_dev/" + got["sandbox_id"]
        form = b"".join(b'--b\r\nContent-Disposition: form-data; name="files"; filename="%s"\r\n\r\n%s\r\n' % f
                        for f in ((b"a.txt", b"one"), (b"b.bin", b"\x00\xff"))) + b"--b--\r\n"
        answer = self.server.ask("POST", target + "/initialize", form, {"Authorization": "Bearer " + KEY, "Content-Type": "multipart/form-data; boundary=b"})
        self.assertEqual(answer.status, 200, answer.body)
        self.assertEqual(self.files(target + "/dump"), {"./a.txt": b"one", "./b.bin": b"\x00\xff"})
        self.send(self.ask("POST", target + "/upload-url")["upload_url"], archive({"c": b"c"}))
        self.ask("POST", target + "/initialize")
        self.assertEqual(set(self.files(target + "/dump")), {"./a.txt", "./b.bin", "./c"})
        self.assertEqual(self.ask("GET", target)["sandbox_id"], got["sandbox_id"])
        self.ask("POST", target + "/reset")
        self.assertEqual(self.ask("DELETE", target)["status"], "idle")


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
