# SPDX-License-Identifier: Apache-2.0
"""tools/new-method in a copy of the tree: three files, with which the programs build, and which fail until somebody fills
them in. What is filled in is the example of docs/adding.md."""
import json, os, pathlib, re, shlex, shutil, subprocess, tempfile, textwrap, unittest

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
        self.assertLessEqual(len(names), 4, names)
        return names

    def compiles(self, name, output=None):
        """As the build compiles the file that the copy was made from."""
        for entry in json.loads((BUILD / "compile_commands.json").read_text()):
            if (pathlib.Path(entry["directory"]) / entry["file"]).resolve() == (ROOT / name).resolve():
                args = shlex.split(entry["command"])
                args = [a for a in args if a != entry["file"] and not os.path.basename(a) == "ccache"]
                at = args.index("-o")
                args[at:at + 2] = ["-o", output] if output else ["-fsyntax-only"]
                for made in ("-MF", "-MQ"):
                    if made in args:
                        del args[args.index(made):args.index(made) + 2]
                if "-MD" in args:
                    args.remove("-MD")
                result = subprocess.run([*args, self.root / name], cwd=entry["directory"], capture_output=True, text=True)
                self.assertEqual(result.returncode, 0, result.stderr)
                return
        self.fail(f"the build does not compile {name}")

    def links(self, program, output, code, test=None):
        """As the build links a program, with the new file before the library that has the old one."""
        result = subprocess.run(["ninja", "-t", "commands", "-s", program], cwd=BUILD, capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stderr)
        args = shlex.split(result.stdout.strip().splitlines()[-1])
        first = next(i for i, a in enumerate(args) if a.endswith(".o"))
        if test:
            args[next(i for i, a in enumerate(args) if a.endswith(f"{test[0]}.o"))] = test[1]
        args.insert(first, code)
        args[args.index("-o") + 1] = output
        result = subprocess.run(args, cwd=BUILD, capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stderr)

    def build_and_run(self, code, test, cassette):
        """What the test program and the replay of the cassette say: their status and output."""
        out = self.root / "out"
        out.mkdir(exist_ok=True)
        self.compiles(code, out / "code.o")
        self.compiles(test, out / "test.o")
        name = pathlib.Path(test).stem
        self.links(f"tests/test-{name}", out / "test", out / "code.o", (f"{name}.c", out / "test.o"))
        self.links("cli/sosia", out / "sosia", out / "code.o")
        return [subprocess.run(args, cwd=self.root, capture_output=True, text=True)
                for args in ([out / "test"], [out / "sosia", "conformance", "replay", self.root / cassette])]

    def check(self, id, *where):
        names = self.changed(id, *where)
        code = [n for n in names if n.endswith(".c") and not n.startswith("tests/")]
        tests = [n for n in names if n.startswith("tests/")]
        cassettes = [n for n in names if n.startswith("conformance/cassettes/")]
        self.assertEqual((len(code), len(tests), len(cassettes)), (1, 1, 1), names)
        self.compiles(code[0])
        self.compiles(tests[0])
        text = (self.root / code[0]).read_text()
        self.assertEqual(text.count(f'{{ROUTE("{id}"'), 1)
        self.assertIn("has no test yet", (self.root / tests[0]).read_text())
        return text, json.loads((self.root / cassettes[0]).read_text())

    def test_a_method_is_three_files(self):
        text, cassette = self.check("calendar.settings.reset", "POST", "/calendar/v3/users/me/settings/{setting}/reset")
        row = text.index('{ROUTE("calendar.settings.reset"')
        self.assertLess(text.index('{ROUTE("calendar.settings.list"'), row)
        self.assertLess(row, text.index('{ROUTE("calendar.settings.watch"'))
        self.assertIn('{.name = "setting", .place = IN_PATH, .required = true}', text)
        self.assertEqual(cassette["steps"][0]["call"], "POST /users/me/settings/setting/reset")

    def rewrite(self, name, old, new):
        text = (self.root / name).read_text()
        self.assertEqual(text.count(old), 1, f"{old} in {name}")
        (self.root / name).write_text(text.replace(old, new))

    @unittest.skipUnless("SOSIA_FULL" in os.environ, "it builds two programs; script/test --all does")
    def test_the_example_is_built_fails_and_passes_when_it_is_filled_in(self):
        page = (ROOT / "docs/adding.md").read_text()
        page = re.split(r"^## ", page[page.index("## A method") + 3:], flags=re.M)[0]
        command, step, row, handler, test = (
            textwrap.dedent(block) for block in re.findall(r"^ *```\w+\n(.*?)^ *```$", page, re.M | re.S))
        names = self.changed(*shlex.split(command)[1:])
        self.assertEqual(names, ["conformance/cassettes/google-calendar/settings-update.json",
                                 "services/calendar/google/settings.c",
                                 "tests/services/calendar/google/gcal_calendars.c"])
        cassette, code, program = names
        unit, replay = self.build_and_run(code, program, cassette)
        said = unit.stdout + unit.stderr
        self.assertEqual(unit.returncode, 1, said)
        self.assertIn("calendar.settings.update has no test yet", said)
        self.assertIn("1 FAILED TEST(S)", said)
        self.assertNotEqual(replay.returncode, 0, replay.stdout)
        self.assertIn("calendar.settings.update is not written yet", replay.stdout)

        text = (self.root / code).read_text()
        self.rewrite(code, re.search(r"^static int settings_update\(.*?^}\n", text, re.M | re.S).group(0), handler)
        self.rewrite(code, re.search(r"^    \{ROUTE\(\"calendar\.settings\.update\",.*?\},\n", text, re.M | re.S).group(0),
                     textwrap.indent(row, "    "))
        text = (self.root / program).read_text()
        name = "calendar_settings_update_does_what_the_service_does"
        self.rewrite(program, re.search(rf"^static void {name}\(.*?^}}\n", text, re.M | re.S).group(0), test)
        doc = json.loads((self.root / cassette).read_text())
        doc["steps"] = [json.loads(step)]
        (self.root / cassette).write_text(json.dumps(doc))
        for result in self.build_and_run(code, program, cassette):
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_so_it_is_with_another_service(self):
        text, cassette = self.check("gmail.users.labels.count", "GET", "/gmail/v1/users/{userId}/labels/{id}/count")
        self.assertEqual(cassette["steps"][0]["call"], "GET /labels/id/count")

    def test_a_method_of_slack_has_its_name_as_its_path_and_a_shape(self):
        names = self.changed("chat.pinMessage")
        self.assertEqual(names, ["conformance/cassettes/slack/chat-pin-message.json", "services/chat/slack/schemas.json",
                                 "services/chat/slack/web/chat.c", "tests/services/chat/slack/slack_chat.c"])
        cassette, shapes, code, program = names
        self.compiles(code)
        self.compiles(program)
        text = (self.root / code).read_text()
        row = text.index('{SL_METHOD("chat.pinMessage")')
        self.assertLess(text.index('{SL_METHOD("chat.meMessage")'), row)
        self.assertLess(row, text.index('{SL_METHOD("chat.postEphemeral")'))
        self.assertIn('.scopes = "', text[row:row + 200])
        self.assertEqual(json.loads((self.root / shapes).read_text())["chat.pinMessage"], {})
        self.assertEqual(json.loads((self.root / cassette).read_text())["steps"][0]["call"], "POST /chat.pinMessage")
        self.assertIn("chat.pinMessage has no test yet", (self.root / program).read_text())
        result = self.run_tool("chat.unpin", "POST", "/api/chat.unpin")
        self.assertIn("VERB and PATH must be left out", result.stderr)

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
