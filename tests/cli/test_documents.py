# SPDX-License-Identifier: Apache-2.0
"""What is in the drives, the mail and the channels of a generated company: documents that open, in a company's mix."""
import base64
import collections
import csv
import glob
import io
import json
import os
import re
import shutil
import statistics
import subprocess
import tempfile
import unittest

import formats
import harness

OFFICE_TYPE = "application/vnd.openxmlformats-officedocument."
ENDINGS = {"application/pdf": "pdf", "image/jpeg": "jpg", "image/png": "png", "application/zip": "zip", "text/csv": "csv",
           "text/plain": "txt", "text/markdown": "md", "text/html": "html", "text/calendar": "ics", "text/vcard": "vcf",
           OFFICE_TYPE + "wordprocessingml.document": "docx", OFFICE_TYPE + "spreadsheetml.sheet": "xlsx",
           OFFICE_TYPE + "presentationml.presentation": "pptx"}
FONTS = os.path.exists("/usr/share/poppler/cMap")  # package poppler-data


def generate(*options):
    done = harness.command("generate", *options)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return json.loads(done.stdout)


def content(v, text="content"):
    return base64.b64decode(v["base64"]) if "base64" in v else v.get(text, "").encode()


def check(kind, data, decode=False):
    """By its structure."""
    if kind in formats.OFFICE:
        return formats.office(data, kind)
    if kind == "zip":
        z = formats.archive(data)
        for name in z.namelist():
            check(name.rsplit(".", 1)[1].lower().replace("jpeg", "jpg"), z.read(name))
        return z.namelist()
    if kind in ("pdf", "png"):
        return getattr(formats, kind)(data)
    if kind == "jpg":
        return formats.jpeg(data, decode)
    text = data.decode()
    if kind == "csv":
        rows = list(csv.reader(io.StringIO(text)))
        assert len(rows) > 1 and {len(row) for row in rows} == {5}, rows[:3]
    elif kind == "ics":
        assert text.startswith("BEGIN:VCALENDAR\r\n") and text.endswith("END:VCALENDAR\r\n")
        assert text.count("BEGIN:VEVENT") == text.count("END:VEVENT") > 0
    elif kind == "vcf":
        assert text.startswith("BEGIN:VCARD\r\n") and text.endswith("END:VCARD\r\n")
    elif kind == "html":
        assert "</html>" in text
    return len(text)


class Drives(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.doc = generate("--messages", "0", "--events", "0", "--files", "700", "--people", "12")
        cls.files = cls.doc["files"]
        cls.uploads = [f for f in cls.files if "mime" in f]

    def test_every_kind_of_document_is_there_and_whole(self):
        seen = collections.Counter()
        for f in self.uploads:
            kind = ENDINGS[f["mime"]]
            seen[kind] += 1
            check(kind, content(f), decode=kind == "jpg" and len(content(f)) < 20000)
            for revision in f.get("revisions", []):
                check(kind, content(revision))
                self.assertNotEqual(content(revision), content(f))
        self.assertEqual(set(seen), set(ENDINGS.values()))
        self.assertGreater(seen["pdf"], 0.3 * len(self.uploads))
        native = collections.Counter(f.get("type") for f in self.files)
        self.assertGreater(min(native[k] for k in ("document", "spreadsheet", "presentation", "folder", "shortcut")), 15)

    def test_sizes_are_spread_as_those_of_companies_are(self):
        sizes = collections.defaultdict(list)
        for f in self.uploads:
            sizes[ENDINGS[f["mime"]]].append(len(content(f)))
        medians = {k: statistics.median(v) for k, v in sizes.items()}
        self.assertLess(medians["txt"], medians["docx"])
        self.assertLess(medians["docx"], medians["jpg"])
        self.assertLess(medians["pdf"], medians["pptx"])
        of_all = sorted(s for v in sizes.values() for s in v)
        self.assertGreater(of_all[-1], 12 * statistics.median(of_all))
        self.assertGreater(of_all[len(of_all) * 9 // 10], 3 * statistics.median(of_all))
        large = generate("--messages", "0", "--events", "0", "--files", "120", "--people", "5", "--bytes", "60000")
        there = sorted(len(content(f)) for f in large["files"] if "mime" in f)
        self.assertGreater(there[-1], 1 << 20)
        self.assertGreater(statistics.median(there), 5 * statistics.median(of_all))

    def test_names_are_as_people_and_devices_give_them(self):
        names = [f["name"] for f in self.files]
        for pattern in (r"^Scan \d{4}-\d\d-\d\d", r"^IMG_", r"^Screenshot", r"\(copy\)", r"_v2|_final", r"^Copy of ",
                        r"[\u4e00-\u9fff]", r"[\uac00-\ud7af]", r"[\u0600-\u06ff]", r"[\u0590-\u05ff]", r"[\u0400-\u04ff]",
                        r"[äöüÄÖÜé]", r"[\U0001f300-\U0001faff✅]", r"\.PDF$|\.JPG$"):
            self.assertTrue(any(re.search(pattern, n) for n in names), pattern)
        for f in self.uploads:
            ending = f["name"].rsplit(".", 1)[1].lower().replace("jpeg", "jpg")
            self.assertEqual(ending, ENDINGS[f["mime"]], f["name"])

    def test_texts_of_many_languages_are_in_documents(self):
        texts = "".join(check("docx", content(f)) for f in self.uploads if ENDINGS[f["mime"]] == "docx")
        native = "".join(f["content"] for f in self.files if f.get("type") in ("document", "presentation"))
        for word in ("Nächste Schritte|Überblick|Kosten|Datum", "費用|日付", "Résumé|Référence|Coûts|réunion|Merci", "Riassunto|Riferimento|Costi", "الملخص|المرجع|التاريخ", "תאריך", "날짜", "Дата"):
            self.assertTrue(re.search(word, texts + native), word)
        self.assertTrue(any(len(f["content"]) > 10000 for f in self.files if f.get("type") == "document"))

    def test_people_star_share_comment_and_upload_again(self):
        files = self.files
        people = {p["email"] for p in self.doc["people"]}
        self.assertGreater(sum(p.get("starred", False) for f in files for p in f.get("people", [])), 20)
        comments = [c for f in files for c in f.get("comments", [])]
        replies = [r for c in comments for r in c.get("replies", [])]
        self.assertGreater(len(comments), 60)
        self.assertGreater(len(replies), 40)
        resolved = sum(c["replies"][-1].get("action") == "resolve" for c in comments if c.get("replies"))
        self.assertTrue(20 < resolved < len(comments) - 20, resolved)
        self.assertLessEqual({c["author"] for c in comments + replies}, people)
        self.assertTrue(all("content" in r or r.get("action") for r in replies))
        self.assertGreater(sum("revisions" in f for f in files), 8)
        self.assertTrue(any("expires" in p for f in files for p in f.get("permissions", [])))
        self.assertTrue(any(p.get("anyone") for f in files for p in f.get("permissions", [])))

    def test_copies_have_the_same_bytes(self):
        copies = [f for f in self.uploads if f["name"].startswith("Copy of ")]
        self.assertGreater(len(copies), 10)
        several = collections.Counter(content(f) for f in self.uploads)
        for f in copies:
            self.assertGreater(several[content(f)], 1, f["name"])
        self.assertGreater(len(several), len(self.uploads) * 0.85)

    def test_one_folder_has_very_many_children(self):
        children = collections.Counter(f.get("parent") for f in self.files)
        names = {f["id"]: f for f in self.files}
        parent, n = max(((p, n) for p, n in children.items() if p), key=lambda x: x[1])
        self.assertEqual(names[parent]["name"], "Scanner inbox")
        self.assertGreater(n, 0.08 * len(self.files))  # of 30,000 files more than 2,400
        self.assertEqual(names[parent]["permissions"], [{"domain": "haldencrewe.example", "role": "reader"}])
        if harness.FULL:
            files = generate("--messages", "0", "--events", "0", "--files", "20000", "--people", "40", "--bytes", "500")["files"]
            self.assertGreater(max(collections.Counter(f["parent"] for f in files if "parent" in f).values()), 2000)


class Elsewhere(unittest.TestCase):
    def test_mail_has_documents_and_pictures(self):
        mail = generate("--messages", "6000", "--events", "0", "--files", "0", "--people", "12")["mail"]
        kinds = collections.Counter()
        for m in mail:
            for f in m.get("attachments", []):
                kinds[f["type"]] += 1
                if f.get("inline"):
                    self.assertIn('src="cid:%s"' % f["cid"], m["html"])
                if f["type"] in ENDINGS:
                    check(ENDINGS[f["type"]], content(f, "text"))
        self.assertGreaterEqual(len(set(kinds) & set(ENDINGS)), 10)
        self.assertTrue(any(f.get("cid") == "image001" for m in mail for f in m.get("attachments", [])))

    def test_some_mail_says_another_total_than_its_document(self):
        mail = generate("--messages", "12000", "--events", "0", "--files", "0", "--people", "12", "--bytes", "500")["mail"]
        same = other = 0
        for m in mail:
            for f in m.get("attachments", []):
                if f["type"] != "application/pdf":
                    continue
                said = re.search(r"^(?:Total|Totale|Summe) \(%s\): (EUR [\d,.]+)$" % re.escape(f["filename"][:-4]),
                                 m.get("text", ""), re.M)
                shown = re.search(rb"\((?:Total|Totale|Summe): (EUR [\d,.]+)\)", b"".join(formats.pdf_streams(content(f))))
                if said and shown:
                    same += said.group(1) == shown.group(1).decode()
                    other += said.group(1) != shown.group(1).decode()
        self.assertGreater(same, 25)
        self.assertTrue(1 < other < same / 2, (same, other))

    def test_people_sign_their_mail_alike_and_answer_in_their_own_language(self):
        mail = generate("--messages", "4000", "--events", "0", "--files", "0", "--people", "12", "--bytes", "500")["mail"]
        signed, languages = collections.defaultdict(set), collections.Counter()
        for m in mail:
            text = m.get("text", "")
            own = re.split(r"\n(?:On \w+day, .*wrote:|-----Original Message)", text)[0]
            if "\n-- \n" in own:
                signed[m["from"]].add(own.split("\n-- \n", 1)[1].strip())
            quoted = text[len(own):]
            languages[bool(re.search("[а-яぁ-んא-תع一-龥가-힣]", own)) != bool(re.search("[а-яぁ-んא-תع一-龥가-힣]", quoted))] += 1
        self.assertGreater(len(signed), 5)
        self.assertEqual({len(v) for v in signed.values()}, {1})
        self.assertGreater(languages[True], 10)

    def test_channels_share_documents(self):
        files = generate("--messages", "0", "--events", "0", "--files", "0", "--people", "12", "--chat", "4000")["chatFiles"]
        kinds = collections.Counter(f["mimetype"] for f in files)
        self.assertGreater(len(kinds), 6)
        for f in files:
            if f.get("mode") != "snippet":
                check(ENDINGS[f["mimetype"]], content(f))
                self.assertEqual(f["filetype"], ENDINGS[f["mimetype"]])

    def test_series_have_exceptions_and_events_have_files(self):
        doc = generate("--messages", "0", "--events", "600", "--files", "300", "--people", "12")
        events = [e for c in doc["calendars"] for e in c["events"]]
        self.assertEqual(len(events), 600)
        changed = [i for e in events for i in e.get("instances", [])]
        self.assertTrue(all("recurrence" in e for e in events if "instances" in e))
        self.assertTrue(any(i.get("status") == "cancelled" for i in changed))
        self.assertTrue(any("start" in i for i in changed))
        ids = {f["id"]: f["name"] for f in doc["files"]}
        attached = [a for e in events for a in e.get("extra", {}).get("attachments", [])]
        self.assertGreater(len(attached), 20)
        for a in attached:
            self.assertEqual(ids[a["fileId"]], a["title"])


class InAWorld(harness.ServerCase):
    options = ("--fixture", "large:messages=300,people=6,events=60,files=250,chat=400,seed=3", "--clock", "frozen")

    def test_it_dumps_and_seeds_back_equal(self):
        dump = self.control("GET", "/worlds/%s/dump" % self.server.world)
        world = self.create(seed_document=json.dumps(dump), clock="frozen")
        self.assertEqual(self.control("GET", "/worlds/%s/dump" % world), dump)

    def test_the_api_has_it_all(self):
        token = self.server.info["actors"]["robin.ward@haldencrewe.example"]["token"]

        def get(path):
            return self.server.call(token, "GET", path)

        def count(question):
            return len(get("/drive/v3/files?pageSize=1000&q=" + harness.quote(question)).json()["files"])

        self.assertGreater(count("starred = true"), 1)
        folder = get("/drive/v3/files?q=" + harness.quote("name = 'Scanner inbox'")).json()["files"][0]["id"]
        self.assertGreater(count("'%s' in parents" % folder), 15)
        doc = generate("--messages", "300", "--people", "6", "--events", "60", "--files", "250", "--chat", "400", "--seed", "3")
        mine = [f for f in doc["files"] if f.get("owner") == "robin.ward@haldencrewe.example" and not f.get("trashed")]
        f = next(f for f in mine if f.get("mime") == "application/pdf")
        answer = get("/drive/v3/files/%s?alt=media" % f["id"])
        self.assertEqual((answer.status, answer.body), (200, content(f)))
        f = next(f for f in mine if "revisions" in f)
        revisions = get("/drive/v3/files/%s/revisions?fields=*" % f["id"]).json()["revisions"]
        self.assertEqual(len(revisions), len(f["revisions"]) + 1)
        f = next(f for f in mine if any("replies" in c for c in f.get("comments", [])))
        comments = get("/drive/v3/files/%s/comments?fields=*" % f["id"]).json()["comments"]
        self.assertEqual(sum(len(c["replies"]) for c in comments), sum(len(c.get("replies", [])) for c in f["comments"]))


class OtherPrograms(unittest.TestCase):
    """Programs of Debian open the documents; where they are not installed the test is skipped."""

    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.place.cleanup)
        doc = generate("--messages", "0", "--events", "0", "--files", "700", "--people", "30", "--seed", "11")
        cls.files = {}
        for f in doc["files"]:
            if f.get("mime") in ENDINGS:
                name = "%04d.%s" % (len(cls.files), ENDINGS[f["mime"]])
                cls.files[name] = f
                with open(os.path.join(cls.place.name, name), "wb") as out:
                    out.write(content(f))

    def some(self, ending, n):
        return sorted(glob.glob(os.path.join(self.place.name, "*." + ending)))[:n]

    @unittest.skipUnless(shutil.which("pdftotext") and shutil.which("pdfinfo"), "poppler-utils is not installed")
    @unittest.skipUnless(FONTS, "poppler-data is not installed")
    def test_poppler_reads_every_pdf(self):
        scans = 0
        for path in self.some("pdf", 400 if harness.FULL else 60):
            info = subprocess.run(["pdfinfo", path], capture_output=True, text=True, check=True)
            self.assertEqual(info.stderr, "", path)
            with open(path, "rb") as f:
                data = f.read()
            self.assertEqual(int(re.search(r"Pages: +(\d+)", info.stdout).group(1)), formats.pdf(data))
            text = subprocess.run(["pdftotext", path, "-"], capture_output=True, text=True, check=True)
            self.assertEqual(text.stderr, "", path)
            name = self.files[os.path.basename(path)]["name"].rsplit(".", 1)[0]
            if b"Scanner HC-220" in data:
                scans += 1
                self.assertEqual(text.stdout.strip(), "")
            elif name.isascii() and "Copy of" not in name:
                self.assertIn(name.split()[0], text.stdout)
        self.assertGreater(scans, 3)

    @unittest.skipUnless(shutil.which("pdfimages"), "poppler-utils is not installed")
    def test_pictures_in_a_pdf_are_decoded(self):
        path = next(p for p in self.some("pdf", 400) if b"Scanner" in content(self.files[os.path.basename(p)]))
        done = subprocess.run(["pdfimages", "-png", path, os.path.join(self.place.name, "page")], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        with open(self.some("png", 1000)[-1], "rb") as f:
            self.assertGreater(min(formats.png(f.read())), 300)

    @unittest.skipUnless(shutil.which("soffice"), "LibreOffice is not installed")
    def test_libreoffice_opens_office_files(self):
        paths = [p for kind in ("docx", "xlsx", "pptx") for p in self.some(kind, 12 if harness.FULL else 2)]
        out = os.path.join(self.place.name, "out")
        done = subprocess.run(["soffice", "--headless", "-env:UserInstallation=file://" + out + "/user", "--convert-to", "pdf",
                               "--outdir", out, *paths], capture_output=True, text=True, timeout=2 * harness.PATIENCE)
        self.assertEqual(done.returncode, 0, done.stderr)
        for path in paths:
            made = os.path.join(out, os.path.basename(path).rsplit(".", 1)[0] + ".pdf")
            self.assertGreater(os.path.getsize(made), 3000, path)


if __name__ == "__main__":
    unittest.main()
