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
        self.assertEqual(self.found("a.h", '/* One.\n * Two stands\n * here, x is\n * no number. */\nint one; /* is told */\n'),
                         ['3: "is no": is not a', '2: "stands": is, are; stays', '5: "told": says, shows, names; is notified'])
        self.assertEqual(self.found("a.h", 'int stands_for; /* a stand-in; "stands" */ #define X "/* hears */"\n'), [])

    def test_comments_of_code(self):
        self.assertEqual(self.found("a.c", '/* One stands\n * here, whoever\n * asks. */\nint one; /* are no\n * files */\n'),
                         ['1: "stands": is, are; stays', '2: "whoever": the caller, a client that, all who', '4: "are no": are not, was not a'])
        self.assertEqual(self.found("a.c", 'f("whoever noted"); /* there are no files, "whoever noted" */\n'), [])

    def test_messages(self):
        self.assertEqual(self.found("a.c", 'f("x",\n  "must have no blanks");\n'), ['2: "blanks": whitespace, space'])
        self.assertEqual(self.found("a.c", '/* it "stands here" */\nf("stands", "there " /* x */ "y");\ng("there "\n"is no z");\n'), [])

    def test_names(self):
        self.assertEqual(self.found("a.c", 'int n_told; /* "tells" */\nstatic void tell(void)\n{\n    f("who_tells", outstanding);\n}\n'),
                         ['1: "n_told": a name without it', '2: "tell": a name without it'])
        self.assertEqual(self.found("a.py", 'def test_it_tells(self):\n    x.tell("it stands")\n'), ['1: "test_it_tells": a name without it'])

    def test_sql_steps_and_rules(self):
        self.assertEqual(self.found("a.sql", "create table told ( -- what stands here\n"), ['1: "stands": is, are; stays'])
        self.assertEqual(self.found("a.mjs", "\nawait step('it is told', () => f('who tells'))\n"), ['2: "told": says, shows, names; is notified'])
        self.assertEqual(self.found("a.txt", 'A-1 v It stands there; "stands".\n'), ['1: "stands": is, are; stays'])


if __name__ == "__main__":
    unittest.main()
