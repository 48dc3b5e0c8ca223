# SPDX-License-Identifier: Apache-2.0
"""The console's way in, and what browsers may make of what services serve on its origin."""
import json
import os
import stat
import tempfile

import harness

ADA = "ada@small.example"
PAGE = b"<!doctype html><script>alert(1)</script>"
POLICY = "sandbox; default-src 'self' data: blob: 'unsafe-inline'"
DOCUMENTS = ("document", "frame", "iframe", "embed", "object")
CODE = ("script", "style", "worker", "sharedworker", "serviceworker")


class WayIn(harness.ServerCase):
    def enter(self, url):
        base, code = url.split("/#code=")
        self.assertEqual(base, self.server.url)
        return self.server.ask("POST", "/_sosia/v1/console/sessions", json.dumps({"code": code}), {"Content-Type": "application/json"})

    def test_what_serve_prints_is_good_once(self):
        url = self.server.info["console_url"]
        session = self.enter(url)
        self.assertEqual((session.status, session.json()["read_only"]), (201, False))
        self.assertEqual(self.server.control("GET", "/worlds", key=session.json()["session"]).status, 200)
        self.assertEqual((self.enter(url).status, self.enter(url).json()["error"]["reason"]), (401, "codeSpent"))

    def test_the_command_makes_another_one(self):
        done = self.server.command("console")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertFalse(self.enter(done.stdout.strip()).json()["read_only"])
        made = json.loads(self.server.command("console", "--read-only", "--json").stdout)
        self.assertEqual(set(made), {"code", "url", "expires"})
        self.assertTrue(self.enter(made["url"]).json()["read_only"])
        for words, status, text in ((("console", "x"), 2, "no arguments"), (("console", "--data", "."), 2, "--data"), (("console", "--key", "k" * 16), 1, "control key")):
            done = self.server.command(*words)
            self.assertEqual(done.returncode, status)
            self.assertIn(text, done.stderr)

    def test_the_command_opens_it(self):
        with tempfile.TemporaryDirectory() as place:
            browser, opened = os.path.join(place, "browser"), os.path.join(place, "opened")
            with open(browser, "w", encoding="utf-8") as f:
                f.write('#!/bin/sh\nprintf %%s "$1" > %s\n' % opened)
            os.chmod(browser, stat.S_IRWXU)
            done = self.server.command("console", "--open", env={"BROWSER": browser})
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
            with open(opened, encoding="utf-8") as f:
                self.assertEqual(self.enter(f.read()).status, 201)
            done = self.server.command("console", "--open", env={"BROWSER": place + "/none"})
            self.assertEqual(done.returncode, 1)
            self.assertIn("/#code=", done.stderr)


class Served(harness.ServerCase):
    """A file that is a page with a script, read as browsers and as programs read it."""
    options = ("--fixture", "small", "--clock", "frozen")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.token = cls.server.info["actors"][ADA]["token"]
        made = cls.server.ask("POST", "/upload/drive/v3/files?uploadType=media", PAGE, {"Authorization": "Bearer " + cls.token, "Content-Type": "text/html"}).json()
        cls.file = "/drive/v3/files/%s?alt=media" % made["id"]

    def get(self, target=None, **fields):
        return self.server.ask("GET", target or self.file, None, {"Authorization": "Bearer " + self.token, **{k.replace("_", "-"): v for k, v in fields.items()}})

    def guards(self, answer):
        return answer.headers["Content-Security-Policy"], answer.headers["X-Content-Type-Options"]

    def test_programs_get_it_as_it_is(self):
        plain = self.get()
        self.assertEqual((plain.status, plain.body), (200, PAGE))
        self.assertIsNone(plain.headers["Content-Security-Policy"])
        for accept in ("*/*", "application/json"):
            names = [set(a.headers.keys()) for a in (plain, self.get(Accept=accept))]
            self.assertEqual(names[0], names[1])
        fetched = self.get(Sec_Fetch_Dest="empty")
        self.assertEqual((fetched.body, fetched.headers["Content-Security-Policy"]), (PAGE, None))
        self.assertIn("Sec-Fetch-Dest", ", ".join(fetched.headers.get_all("Vary")))
        self.assertEqual(self.get(Sec_Fetch_Dest="image").status, 200)

    def test_a_document_runs_nothing(self):
        for dest in DOCUMENTS:
            answer = self.get(Sec_Fetch_Dest=dest)
            self.assertEqual((answer.status, answer.body, self.guards(answer)), (200, PAGE, (POLICY, "nosniff")), dest)
            self.assertEqual(len(answer.headers.get_all("X-Content-Type-Options")), 1)
        answer = self.get(Accept="text/html,application/xhtml+xml,*/*;q=0.8")  # where browsers do not say what for
        self.assertEqual(self.guards(answer), (POLICY, "nosniff"))
        answer = self.get(Accept="text/html", Sec_Fetch_Dest="empty")
        self.assertIsNone(answer.headers["Content-Security-Policy"])
        for target in ("/nothing/here", "/w/%s%s" % (self.server.world, self.file), "/@www.googleapis.com" + self.file):
            answer = self.get(target, Sec_Fetch_Dest="document")
            self.assertEqual(self.guards(answer), (POLICY, "nosniff"), target)

    def test_nothing_of_it_is_a_script_or_a_style(self):
        for dest in CODE:
            for target in (self.file, "/%64rive/v3/files/x", "/w/%s%s" % (self.server.world, self.file), "/nothing"):
                answer = self.get(target, Sec_Fetch_Dest=dest)
                self.assertEqual((answer.status, answer.json()["error"]["reason"]), (403, "notForPages"), (dest, target))

    def test_a_service_s_own_host_is_not_the_console_s(self):
        answer = self.get(Host="www.googleapis.com", Sec_Fetch_Dest="document")
        self.assertEqual((answer.status, answer.headers["Content-Security-Policy"]), (200, None))
        self.assertEqual(self.get(Host="www.googleapis.com", Sec_Fetch_Dest="script").status, 200)

    def test_who_signs_in_can_send_the_form(self):
        page = self.server.ask("GET", "/o/oauth2/v2/auth?client_id=app&response_type=code&scope=openid&redirect_uri=http://localhost:1/", None, {"Sec-Fetch-Dest": "document"})
        self.assertIn("text/html", page.headers["Content-Type"])
        self.assertEqual(len(page.headers.get_all("Content-Security-Policy")), 1)
        self.assertIn("sandbox allow-forms allow-same-origin", page.headers["Content-Security-Policy"])

    def test_other_spellings_of_the_control_interface_are_not_it(self):
        for path in ("/_sosia/v1/worlds", "/_sosia/v1/%77orlds", "/_sosia//v1/worlds", "/_sosia/v1/../v1/worlds", "/_sosia/v1/console%2Fsessions",
                     "/_sosia/v1/health/../worlds", "/_sosia/v1/health%2f..%2fworlds", "/_sosia/%761/worlds"):
            for headers in ({}, {"Authorization": "Bearer " + self.token}):
                self.assertIn(self.server.ask("GET", path, None, headers).status, (401, 403), path)
        for path in ("/%5Fsosia/v1/worlds", "/_sosia%2Fv1/worlds", "//_sosia/v1/worlds", "/./_sosia/v1/worlds"):
            self.assertEqual(self.server.ask("GET", path, None, {"Authorization": "Bearer " + self.server.key}).status // 100, 4, path)
            for origin in ("https://evil.example", "null"):
                self.assertNotEqual(self.server.ask("GET", path, None, {"Authorization": "Bearer " + self.server.key, "Origin": origin}).status, 200, path)
        for host, status in (("evil.example", 421), ("localhost.evil.example", 421), ("127.0.0.1", 200)):
            self.assertEqual(self.server.ask("GET", "/_sosia/v1/health", None, {"Host": host}).status, status, host)


class Beyond(harness.ServerCase):
    """Under a name that is not loopback's."""
    options = ("--fixture", "small", "--host", "console.example")

    def setUp(self):
        if "console_url" not in self.server.info:
            self.skipTest("this build has no console")

    def page(self, path="/", **fields):
        return self.server.ask("GET", path, None, {k.replace("_", "-"): v for k, v in fields.items()})

    def test_the_page_wants_https(self):
        for path in ("/", "/_sosia/ui/", "/_sosia/ui/w/small", "/_sosia/ui/frame"):
            refused = self.page(path, Host="console.example")
            self.assertEqual((refused.status, refused.json()["error"]["reason"]), (403, "httpsNeeded"), path)
            self.assertIn("HTTPS", refused.json()["error"]["message"])
            for fields in ({"Host": "console.example", "X_Forwarded_Proto": "https"}, {"Host": "localhost"}, {"Host": "127.0.0.1:1"}, {"Host": "[::1]"}):
                self.assertEqual(self.page(path, **fields).status, 200, (path, fields))
        self.assertEqual(self.page("/_sosia/v1/health", Host="console.example").status, 200)  # programs go on as they did

    def test_a_service_s_own_host_has_no_console(self):
        self.assertNotIn(b"sosia", self.page("/", Host="www.googleapis.com").body)
        for path in ("/_sosia/ui/", "/_sosia/ui/frame"):
            self.assertNotIn(b"<script", self.page(path, Host="gmail.googleapis.com").body)

    def test_the_page_s_own_files_have_their_own_policy(self):
        page = self.page(Sec_Fetch_Dest="document", Accept="text/html")
        self.assertEqual(len(page.headers.get_all("Content-Security-Policy")), 1)
        self.assertIn("require-trusted-types-for 'script'", page.headers["Content-Security-Policy"])
        self.assertNotIn("unsafe", page.headers["Content-Security-Policy"])
        script = page.body.decode().split('<script type="module" src="')[1].split('"')[0]
        self.assertEqual(self.page(script, Sec_Fetch_Dest="script").status, 200)


if __name__ == "__main__":
    import unittest
    unittest.main()
