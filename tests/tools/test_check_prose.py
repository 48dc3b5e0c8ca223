# SPDX-License-Identifier: Apache-2.0
"""tools/check_prose finds words where they are prose, and leaves quotations and code alone."""
import os, pathlib, subprocess, tempfile, unittest

TOOL = pathlib.Path(os.environ["SOSIA_ROOT"]) / "tools/check_prose"


class CheckProse(unittest.TestCase):
    def found(self, name, text):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / name
            path.write_text(text)
            result = subprocess.run([TOOL, path], capture_output=True, text=True)
            lines = [line[len(str(path)) + 1:] for line in result.stdout.splitlines()]
            self.assertEqual(result.returncode, 1 if lines else 0, result.stderr)
            return lines

    def test_documents(self):
        self.assertEqual(self.found("a.md", "one\nThe event stands there; x is no number.\n"),
                         ['2: "is no": is not a', '2: "stands": is, are; stays'])
        self.assertEqual(self.found("a.md", "`it stands` and \"is no\ngood\"\n```\ntells\n```\nthere is no x, it stands for y\n"), [])

    def test_comments_of_headers(self):
        self.assertEqual(self.found("a.h", '/* One.\n * Two stands\n * here, x is\n * no number. */\nint told; /* is told */\n'),
                         ['3: "is no": is not a', '2: "stands": is, are; stays', '5: "told": says, shows, names; is notified'])
        self.assertEqual(self.found("a.h", 'int told; /* a stand-in; "stands" */ #define X "/* hears */"\n'), [])

    def test_comments_of_code(self):
        self.assertEqual(self.found("a.c", '/* One stands\n * here, whoever\n * asks. */\nint told; /* are no\n * files */\n'),
                         ['1: "stands": is, are; stays', '2: "whoever": the caller, a client that, all who', '4: "are no": are not, was not a'])
        self.assertEqual(self.found("a.c", 'f("whoever noted"); /* there are no files, "whoever noted" */\n'), [])

    def test_messages(self):
        self.assertEqual(self.found("a.c", 'f("x",\n  "must have no blanks");\n'), ['2: "blanks": whitespace, space'])
        self.assertEqual(self.found("a.c", '/* it "stands here" */\nf("stands", "there " /* x */ "y");\ng("there "\n"is no z");\n'), [])


if __name__ == "__main__":
    unittest.main()
