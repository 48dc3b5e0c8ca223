# SPDX-License-Identifier: Apache-2.0
"""The live page of the console: how its files are served, how large they are, and that its types are those of the control interface."""
import gzip
import http.client
import os
import re
import subprocess
import unittest
from urllib.parse import urlsplit

import harness

WEB = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "console", "web")
NODE = os.path.join(WEB, "node_modules", ".bin", "node")  # the one of the page's own packages
BASE = "/_sosia/ui/"
FIRST_LOAD = 60000  # bytes, packed
ALL = 300000


class Page(harness.ServerCase):
    options = ("--fixture", "small", "--clock", "frozen")

    def get(self, path, method="GET", **headers):
        at = urlsplit(self.server.url)
        connection = http.client.HTTPConnection(at.hostname, at.port, timeout=harness.PATIENCE)
        try:
            connection.request(method, path, headers={k.replace("_", "-"): v for k, v in headers.items()})
            answer = connection.getresponse()
            return answer, answer.read()
        finally:
            connection.close()

    def setUp(self):
        self.page, body = self.get("/")
        if self.page.status == 404:
            self.skipTest("a build without the page")
        self.text = body.decode()

    def test_it_is_at_the_root_and_at_its_own_addresses_for_anybody(self):
        self.assertEqual(self.page.status, 200)
        self.assertIn('<div id="app">', self.text)
        for path in ("/?x=1", BASE, "/_sosia/ui", BASE + "worlds", BASE + "w/small@3/mail/ada@small.example/INBOX?open=1"):
            self.assertEqual(self.get(path)[1].decode(), self.text, path)
        self.assertNotIn("small.example", self.text)

    def test_hosts_of_vendors_keep_their_own_root(self):
        for host in ("www.googleapis.com", "slack.com", "graph.microsoft.com"):
            for path in ("/", "/_sosia/ui", BASE, BASE + "w/small/mail", BASE + "?x=1"):
                for proto in ("http", "https"):
                    answer, body = self.get(path, Host=host, X_Forwarded_Proto=proto)
                    self.assertNotIn(b'id="app"', body, (host, path))
                    self.assertIsNone(answer.getheader("Content-Security-Policy"), (host, path))

    def test_what_is_posted_to_the_root_is_not_the_page_s(self):
        self.assertNotEqual(self.get("/", "POST")[0].status, 200)
        self.assertEqual(self.get(BASE, "POST")[0].status, 405)

    def test_its_policy_lets_nothing_in_from_elsewhere_and_no_script_within(self):
        policy = self.page.headers["Content-Security-Policy"]
        for part in ("default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "base-uri 'none'", "form-action 'none'",
                     "frame-ancestors 'none'", "require-trusted-types-for 'script'"):
            self.assertIn(part, policy)
        self.assertNotIn("unsafe", policy)
        self.assertEqual(self.page.headers["Referrer-Policy"], "no-referrer")
        self.assertEqual(self.page.headers["Cross-Origin-Opener-Policy"], "same-origin")
        self.assertEqual(self.page.headers["X-Content-Type-Options"], "nosniff")
        self.assertNotRegex(self.text, r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son[a-z]+=")

    def files(self):
        """Paths of all files that the page can come to, by the names in them."""
        seen, left = {}, re.findall(r'(?:src|href)="(/_sosia/ui/assets/[^"]+)"', self.text)
        while left:
            path = left.pop()
            if path in seen:
                continue
            answer, body = self.get(path)
            self.assertEqual(answer.status, 200, path)
            seen[path] = body
            if path.endswith(".js"):
                names = re.findall(r'"\./([\w.-]+\.js)"', body.decode()) + re.findall(r'"/_sosia/ui/assets/([\w.-]+\.css)"', body.decode())
                left += [BASE + "assets/" + name for name in names]
        return seen

    def test_files_are_named_by_what_is_in_them_and_never_change(self):
        for path in self.files():
            answer, _ = self.get(path)
            self.assertEqual(answer.headers["Cache-Control"], "public, max-age=31536000, immutable")
            self.assertRegex(answer.headers["Content-Type"], r"^text/(javascript|css); charset=UTF-8$")
        self.assertEqual(self.page.headers["Cache-Control"], "no-cache")
        self.assertEqual(self.get(BASE + "assets/main-00000000.js")[0].status, 404)

    def test_who_has_it_already_gets_no_body(self):
        tag = self.page.headers["ETag"]
        answer, body = self.get("/", If_None_Match='"other", ' + tag)
        self.assertEqual((answer.status, body, answer.headers["ETag"]), (304, b"", tag))
        self.assertIn("Content-Security-Policy", answer.headers)
        self.assertEqual(self.get("/", If_None_Match='"other"')[0].status, 200)

    def test_it_is_packed_for_those_who_take_it(self):
        answer, body = self.get("/", Accept_Encoding="gzip")
        self.assertEqual(answer.headers["Content-Encoding"], "gzip")
        self.assertIn("Accept-Encoding", answer.headers["Vary"])
        self.assertEqual(gzip.decompress(body).decode(), self.text)
        answer, body = self.get("/", "HEAD")
        self.assertEqual((answer.status, body), (200, b""))

    def test_it_is_small(self):
        packed = {path: len(self.get(path, Accept_Encoding="gzip")[1]) for path in self.files()}
        first = len(self.get("/", Accept_Encoding="gzip")[1]) + sum(packed[p] for p in set(re.findall(r'(?:src|href)="(/_sosia/ui/assets/[^"]+)"', self.text)))
        self.assertLessEqual(first, FIRST_LOAD)
        self.assertLessEqual(sum(packed.values()), ALL)

    def test_the_licences_of_what_is_in_it_are_there(self):
        text = self.get(BASE + "licences.txt")[1].decode()
        for name in ("preact", "@preact/signals"):
            self.assertRegex(text, r"(?m)^%s \S+ \(MIT\)$" % name)


class Types(unittest.TestCase):
    def setUp(self):
        if not os.path.exists(NODE):
            self.skipTest("no Node here")

    def test_they_are_what_the_openapi_document_says(self):
        document = subprocess.run([os.environ["SOSIA"], "routes", "--openapi", "sosia.control"], stdout=subprocess.PIPE, check=True).stdout
        done = subprocess.run([NODE, os.path.join(WEB, "types.mjs"), "--check"], input=document, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 0, done.stderr.decode())

    def test_the_page_keeps_to_them(self):
        tsc = os.path.join(WEB, "node_modules", ".bin", "tsc")
        if not os.path.exists(tsc):
            self.skipTest("console/web/install was not run")
        done = subprocess.run([NODE, tsc, "--noEmit"], cwd=WEB, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, 0, done.stdout.decode())

    def test_its_parts_do_what_they_should(self):
        if not os.path.exists(os.path.join(WEB, "node_modules", ".bin", "esbuild")):
            self.skipTest("console/web/install was not run")
        done = subprocess.run([NODE, os.path.join(WEB, "test", "unit.mjs")], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, 0, done.stdout.decode())


if __name__ == "__main__":
    unittest.main()
