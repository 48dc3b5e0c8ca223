# SPDX-License-Identifier: Apache-2.0
"""The vendor and the service that docs/adding.md shows: its blocks, in order, are a file that compiles as the tests do, and
new_vendor.c calls what it makes."""
import json, os, pathlib, re, shlex, subprocess, tempfile, unittest

ROOT = pathlib.Path(os.environ["SOSIA_ROOT"])
BUILD = pathlib.Path(os.environ["SOSIA_BUILD"])
LIKE = ROOT / "tests/engine/world/events.c"  # compiled and linked as this one


def without(args, *names):
    """Of the options with a value."""
    left, skip = [], False
    for a in args:
        if not skip and a not in names:
            left.append(a)
        skip = not skip and a in names
    return left


class NewVendor(unittest.TestCase):
    def run_in_build(self, args):
        result = subprocess.run(args, cwd=BUILD, capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stderr + result.stdout)

    def test_the_example_is_built_and_works(self):
        page = (ROOT / "docs/adding.md").read_text()
        page = page[page.index("## A vendor"):page.index("An engine is opened with such a list")]
        blocks = re.findall(r"^```(\w+)\n(.*?)^```$", page, re.M | re.S)
        self.assertEqual({kind for kind, _ in blocks}, {"c", "sql"})
        code = "\n".join(text for kind, text in blocks if kind == "c")
        sql, = (text for kind, text in blocks if kind == "sql")
        code += "\nconst char notes_sql[] = %s;\n" % json.dumps(sql)
        code += (ROOT / "tests/tools/new_vendor.c").read_text()
        entry, = (e for e in json.loads((BUILD / "compile_commands.json").read_text())
                  if (pathlib.Path(e["directory"]) / e["file"]).resolve() == LIKE)
        with tempfile.TemporaryDirectory() as folder:
            source, made, program = (os.path.join(folder, name) for name in ("example.c", "example.o", "example"))
            pathlib.Path(source).write_text(code)
            args = [a for a in shlex.split(entry["command"]) if a != entry["file"] and os.path.basename(a) != "ccache"]
            args = [a for a in without(args, "-o", "-MF", "-MQ", "-c") if a != "-MD"]
            self.run_in_build([*args, "-c", source, "-o", made])
            link = subprocess.run(["ninja", "-t", "commands", "-s", "tests/test-events"], cwd=BUILD, capture_output=True,
                                  text=True, check=True)
            args = without(shlex.split(link.stdout.strip().splitlines()[-1]), "-o")
            args = [made if a.endswith("events.c.o") else a for a in args]
            self.assertEqual(args.count(made), 1)
            self.run_in_build([*args, "-o", program])
            self.run_in_build([program])


if __name__ == "__main__":
    unittest.main()
