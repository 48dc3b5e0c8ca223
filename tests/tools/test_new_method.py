# SPDX-License-Identifier: Apache-2.0
"""tools/new-method in a copy of the tree: three files, which compile and fail until somebody writes them."""
import json, os, pathlib, shlex, shutil, subprocess, tempfile, unittest

ROOT = pathlib.Path(os.environ["SOSIA_ROOT"])
BUILD = pathlib.Path(os.environ["SOSIA_BUILD"])


def contents(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


class NewMethod(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name)
        for part in ("services", "vendors", "tests/services", "tests/vendors", "tests/support", "conformance/cassettes",
                     "tools"):
            shutil.copytree(ROOT / part, self.root / part)

    def tearDown(self):
        self.folder.cleanup()

    def run_tool(self, *args):
        return subprocess.run([self.root / "tools/new-method", *args], capture_output=True, text=True)

    def changed(self, *args):
        before = contents(self.root)
        result = self.run_tool(*args)
        self.assertEqual(result.returncode, 0, result.stderr)
        after = contents(self.root)
        self.assertLessEqual(set(before), set(after))
        names = sorted(name for name in after if before.get(name) != after[name])
        self.assertLessEqual(len(names), 3, names)
        return names

    def compiles(self, name):
        """As the build compiles the file that the copy was made from."""
        for entry in json.loads((BUILD / "compile_commands.json").read_text()):
            if (pathlib.Path(entry["directory"]) / entry["file"]).resolve() == (ROOT / name).resolve():
                args = shlex.split(entry["command"])
                args = [a for a in args if a != entry["file"] and not os.path.basename(a) == "ccache"]
                del args[args.index("-o"):args.index("-o") + 2]
                result = subprocess.run([*args, "-fsyntax-only", self.root / name], cwd=entry["directory"],
                                        capture_output=True, text=True)
                self.assertEqual(result.returncode, 0, result.stderr)
                return
        self.fail(f"the build does not compile {name}")

    def check(self, id, *where):
        names = self.changed(id, *where)
        code = [n for n in names if n.endswith(".c") and not n.startswith("tests/")]
        tests = [n for n in names if n.startswith("tests/")]
        cassettes = [n for n in names if n.startswith("conformance/cassettes/")]
        self.assertEqual((len(code), len(tests), len(cassettes)), (1, 1, 1), names)
        self.compiles(code[0])
        self.compiles(tests[0])
        text = (self.root / code[0]).read_text()
        self.assertEqual(text.count(f'{{.id = "{id}"'), 1)
        self.assertIn("has no test yet", (self.root / tests[0]).read_text())
        return text, json.loads((self.root / cassettes[0]).read_text())

    def test_a_method_is_three_files(self):
        text, cassette = self.check("calendar.settings.reset", "POST", "/calendar/v3/users/me/settings/{setting}/reset")
        row = text.index('{.id = "calendar.settings.reset"')
        self.assertLess(text.index('{.id = "calendar.settings.list"'), row)
        self.assertLess(row, text.index('{.id = "calendar.settings.watch"'))
        self.assertIn('{.name = "setting", .place = IN_PATH, .required = true}', text)
        self.assertEqual(cassette["steps"][0]["call"], "POST /users/me/settings/setting/reset")

    def test_so_it_is_with_another_service(self):
        text, cassette = self.check("gmail.users.labels.count", "GET", "/gmail/v1/users/{userId}/labels/{id}/count")
        self.assertEqual(cassette["steps"][0]["call"], "GET /labels/id/count")

    def test_verb_and_path_are_guessed(self):
        text, cassette = self.check("calendar.events.copy")
        self.assertEqual(cassette["steps"][0]["call"], "POST /calendars/calendarId/events/copy")

    def test_what_is_there_is_refused(self):
        result = self.run_tool("calendar.settings.list")
        self.assertEqual(result.returncode, 1)
        self.assertIn("calendar.settings.list is in services/calendar/google/", result.stderr)

    def test_what_it_cannot_write_is_refused(self):
        before = contents(self.root)
        for args, said in ((["calendar.nothing.list"], 'none begins with "calendar.nothing."'),
                           (["calendar.events.x", "LOOK", "/x"], "VERB must be one of"),
                           (["calendar.events.x", "GET", "x"], "PATH must begin with a slash"),
                           (["../x"], "ID must be names")):
            result = self.run_tool(*args)
            self.assertEqual(result.returncode, 1)
            self.assertIn(said, result.stderr)
        self.assertEqual(contents(self.root), before)


if __name__ == "__main__":
    unittest.main()
