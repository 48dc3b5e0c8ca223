# SPDX-License-Identifier: Apache-2.0
"""Every link in what Drive says of files, revisions, shared drives and people leads to something that this server serves: links are followed as a
program under `sosia run` would, on the hosts that they name, with their person's token."""
import unittest
from urllib.parse import urlsplit

import harness

API = "/drive/v3"
PNG = ("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk-A8AAQUBAScY42YAAAAASUVORK5CYII=")
NATIVE = "application/vnd.google-apps."


def links(value, path=""):
    """(path, link) of all links in an answer."""
    if isinstance(value, dict):
        for key, one in value.items():
            yield from links(one, path + "." + key)
    elif isinstance(value, list):
        for one in value:
            yield from links(one, path + "[]")
    elif isinstance(value, str) and value.startswith("https://"):
        yield path, value


class Links(harness.ServerCase):
    options = ("--fixture", "office", "--clock", "frozen")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.dump = cls.server.control("GET", "/worlds/%s/dump" % cls.server.world).json()
        cls.tokens = {}
        cls.followed = {}

    def of(self, who):
        if who not in self.tokens:
            self.tokens[who] = self.token(self.server.world, who)
        return self.tokens[who]

    def call(self, who, method, target, body=None, status=200):
        answer = self.server.call(self.of(who), method, API + target, body)
        self.assertEqual(answer.status, status, (target, answer.body))
        return answer.json()

    def follow(self, who, value, what):
        """One link of each sort: of a member, and a kind of file."""
        for path, link in links(value):
            sort = (path, what)
            if sort in self.followed:
                continue
            at = urlsplit(link)
            target = "/@" + at.netloc + at.path + ("?" + at.query if at.query else "")
            answer = self.server.ask("GET", target, headers={"Authorization": "Bearer " + self.of(who)})
            self.followed[sort] = answer.status
            # A format that is not made here, and what the service does not export.
            refused = "exportLinks" in path and (answer.status == 400 or what == "vid" and b"fileNotExportable" in answer.body)
            self.assertTrue(answer.status == 200 or refused, (answer.status, sort, link, answer.body[:200]))

    def test_links_of_files(self):
        for f in self.dump["files"]:
            if not f.get("owner"):
                continue
            file = self.call(f["owner"], "GET", "/files/%s?fields=*" % f["id"])
            self.follow(f["owner"], file, file["mimeType"])
        sorts = {path.split(".")[1] for path, _ in self.followed}
        self.assertLessEqual({"webViewLink", "webContentLink", "iconLink", "thumbnailLink", "exportLinks", "owners[]", "permissions[]"}, sorts)

    def test_links_of_all_kinds(self):
        who = "marta.ferri@tidewater.example"
        for kind in ("document", "spreadsheet", "presentation", "drawing", "form", "script", "site", "jam", "vid", "map", "folder"):
            file = self.call(who, "POST", "/files?fields=*", {"name": kind, "mimeType": NATIVE + kind})
            self.follow(who, file, kind)
        file = self.call(who, "POST", "/files?fields=*", {"name": "t", "contentHints": {"thumbnail": {"mimeType": "image/png", "image": PNG}}})
        self.follow(who, file, "thumbnail")

    def test_links_of_revisions_drives_and_people(self):
        who = "marta.ferri@tidewater.example"
        doc = self.call(who, "POST", "/files", {"name": "Shown", "mimeType": NATIVE + "document"})["id"]
        revision = self.call(who, "GET", "/files/%s/revisions" % doc)["revisions"][0]["id"]
        shown = self.call(who, "PATCH", "/files/%s/revisions/%s?fields=*" % (doc, revision), {"published": True, "publishedOutsideDomain": True})
        self.assertIn("publishedLink", shown)
        self.follow(who, shown, "revision")
        self.follow(who, self.call(who, "GET", "/about?fields=user,driveThemes"), "about")
        self.follow(who, self.call(who, "GET", "/drives?fields=*"), "drives")
        self.follow(who, self.call(who, "POST", "/files/%s/comments?fields=*" % doc, {"content": "x"}), "comment")

    def test_what_is_not_published_is_not_shown(self):
        who = "marta.ferri@tidewater.example"
        doc = self.call(who, "POST", "/files", {"name": "Kept", "mimeType": NATIVE + "document"})["id"]
        page = "/@docs.google.com/document/d/e/%s/pub" % doc
        self.assertEqual(self.server.ask("GET", page).status, 404)
        self.call(who, "PATCH", "/files/%s/revisions/1" % doc, {"published": True})
        self.assertEqual(self.server.ask("GET", page).status, 404)
        self.assertEqual(self.server.ask("GET", page, headers={"Authorization": "Bearer " + self.of(who)}).status, 200)


if __name__ == "__main__":
    unittest.main()
