# SPDX-License-Identifier: Apache-2.0
"""Sandboxes of several servers in one world: archives of their files, payloads of mail, requests of older clients, over HTTP."""
import base64
import io
import json
import os
import re
import tarfile
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

from test_sandboxes import KEY, OTHER, PAYLOADS, PERSON, UUID, Case, Connection, filled


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
            with Connection(self.server) as c:
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


if __name__ == "__main__":
    unittest.main()
