# SPDX-License-Identifier: Apache-2.0
"""Office documents that we write, opened by other readers of archives and XML: what standards ask of them."""
import hashlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ET
import zipfile
from pathlib import Path

PROGRAM = sys.argv.pop(1)


class Documents(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        for name in ("one", "two"):
            (Path(cls.folder.name) / name).mkdir()
            subprocess.run([PROGRAM, str(Path(cls.folder.name) / name)], check=True)
        cls.made = Path(cls.folder.name) / "one"

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def open(self, name):
        z = zipfile.ZipFile(self.made / name)
        self.assertIsNone(z.testzip())
        return z

    def test_two_runs_give_the_same_bytes(self):
        names = sorted(p.name for p in self.made.iterdir())
        self.assertEqual(len(names), 19)
        for name in names:
            self.assertEqual(hashlib.sha256((self.made / name).read_bytes()).digest(),
                             hashlib.sha256((self.made.parent / "two" / name).read_bytes()).digest(), name)

    def test_every_part_is_well_formed_and_has_no_time(self):
        for name in ("text.docx", "sheet.xlsx", "slides.pptx", "text.odt", "sheet.ods", "slides.odp", "text.epub"):
            with self.open(name) as z:
                for i in z.infolist():
                    self.assertEqual(i.date_time, (1980, 1, 1, 0, 0, 0), i.filename)
                    if i.filename.endswith((".xml", ".rels", ".opf", ".xhtml")):
                        ET.fromstring(z.read(i))

    def test_parts_of_office_open_xml_are_all_there(self):
        types = "{http://schemas.openxmlformats.org/package/2006/content-types}"
        rels = "{http://schemas.openxmlformats.org/package/2006/relationships}"
        for name in ("text.docx", "sheet.xlsx", "slides.pptx"):
            with self.open(name) as z:
                names = set(z.namelist())
                content = ET.fromstring(z.read("[Content_Types].xml"))
                for o in content.iter(types + "Override"):
                    self.assertIn(o.get("PartName")[1:], names)
                for part in [n for n in names if n.endswith(".rels")]:
                    base = Path(part).parent.parent
                    for r in ET.fromstring(z.read(part)).iter(rels + "Relationship"):
                        if r.get("TargetMode") != "External":
                            target = (Path("/") / base / r.get("Target")).resolve()
                            self.assertIn(str(target)[1:], names, part)

    def test_the_type_of_an_opendocument_comes_first_and_plain(self):
        for name, kind in (("text.odt", "vnd.oasis.opendocument.text"), ("sheet.ods", "vnd.oasis.opendocument.spreadsheet"),
                           ("slides.odp", "vnd.oasis.opendocument.presentation"), ("text.epub", "epub+zip")):
            with self.open(name) as z:
                first = z.infolist()[0]
                self.assertEqual((first.filename, first.compress_type), ("mimetype", zipfile.ZIP_STORED))
                self.assertEqual(z.read(first), b"application/" + kind.encode())

    def test_a_sheet_has_its_cells(self):
        main = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
        with self.open("sheet.xlsx") as z:
            sheet = ET.fromstring(z.read("xl/worksheets/sheet1.xml"))
        cells = {c.get("r"): "".join(c.itertext()) for c in sheet.iter(main + "c")}
        self.assertEqual(cells, {"A1": "tea & milk", "B1": "2.5", "A3": "=SUM(B1)"[1:] + "2.5"})

    def test_a_pdf_ends_where_it_says(self):
        for name in ("text.pdf", "sheet.pdf", "slides.pdf"):
            data = (self.made / name).read_bytes()
            at = int(data.rsplit(b"startxref", 1)[1].split()[0])
            self.assertTrue(data[at:].startswith(b"xref"), name)
            self.assertTrue(data.rstrip().endswith(b"%%EOF"))


if __name__ == "__main__":
    unittest.main()
