# SPDX-License-Identifier: Apache-2.0
"""What the documentation shows is taken as it stands there."""
import functools
import glob
import os
import re
import subprocess
import tempfile
import unittest

import harness

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
DOCS = os.path.join(ROOT, "docs")

# Who and what the examples name without having it.
NAMED = """
organizations: [{domain: beta.example, name: Beta}]
people:
  - {email: carl@far.example, name: Carl}
  - {email: dora@beta.example, name: Dora}
  - {email: eve@other.example, name: Eve}
  - {email: robot@acme.example, name: Robot, kind: service}
  - {email: helper@acme.example, handle: helper, name: Helper, kind: bot}
  - {handle: deploybot, name: Deploy, kind: bot}
groups:
  - {email: everyone@acme.example, name: Everyone, members: [ada@acme.example, bob@acme.example]}
  - {email: sales@acme.example, name: Sales, members: [ada@acme.example]}
files:
  - {id: plan, name: Plan, type: document, owner: ada@acme.example, content: Plan}
  - {id: 1SomeId, name: Some, type: document, owner: bob@acme.example, content: Some}
"""


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


@functools.cache
def help_of(*words):
    done = harness.command(*words, "--help")
    assert done.returncode == 0, (words, done.stderr)
    return done.stdout


# What examples make, what is made elsewhere, and methods of a protocol.
NO_FILES = {"conformance/cassettes/google-calendar/settings-update.json", "conformance/cassettes/google-calendar/no-length.json", "conformance/cassettes/acme-notes",
            "vendors/acme", "services/notes", "tests/releases/VERSION.tar.xz", "releases/N.sql", "bindings/node/sosia.node", "console/web/node_modules/.bin/node",
            "console/codes", "console/sessions", "tools/list", "tools/call"}


def anchors(text):
    """What links into a page may name: its headings as GitHub makes them, and `<a id>`."""
    heads = [re.sub(r"[^\w\- ]", "", head).strip().lower().replace(" ", "-") for head in re.findall(r"^#+ (.*)$", text, re.M)]
    return set(heads) | set(re.findall(r'<a id="([^"]+)"', text))


class Paths(unittest.TestCase):
    """Files, folders and headings that the pages name."""

    PAGES = [*sorted(glob.glob(os.path.join(DOCS, "*.md"))), os.path.join(ROOT, "README.md")]

    def test_every_path_of_the_tree_that_is_named_is_there(self):
        tops = {name for name in os.listdir(ROOT) if os.path.isdir(os.path.join(ROOT, name)) and not name.startswith((".", "build"))}
        seen, gone = 0, []
        for page in self.PAGES:
            for word in " ".join(re.findall(r"`([^`\n]+)`", read(page))).split():
                path = word.strip(".,;:()").rstrip("/")
                if not re.fullmatch(r"[\w.-]+(/[\w.*-]+)+", path) or path.split("/")[0] not in tops or path in NO_FILES:
                    continue
                seen += 1
                if not glob.glob(os.path.join(ROOT, path)) and not glob.glob(os.path.join(ROOT, path + ".*")):
                    gone.append((os.path.basename(page), word))
        self.assertEqual(gone, [])
        self.assertGreater(seen, 300)

    def test_every_link_leads_to_a_page_and_a_place_in_it(self):
        seen, gone = 0, []
        known = functools.cache(lambda path: anchors(read(path)))
        for page in self.PAGES:
            for link in re.findall(r'\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)"', read(page)):
                link = link[0] or link[1]
                if re.match(r"[a-z]+:", link):
                    continue
                seen += 1
                path, _, place = link.partition("#")
                to = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
                lines = re.fullmatch(r"L(\d+)", place)
                if not os.path.exists(to) or (lines and int(lines[1]) > read(to).count("\n")) or (place and not lines and place not in known(to)):
                    gone.append((os.path.basename(page), link))
        self.assertEqual(gone, [])
        self.assertGreater(seen, 2000)


class Commands(unittest.TestCase):
    def test_every_command_and_option_that_is_named_is_there(self):
        seen = 0
        for path in [*glob.glob(os.path.join(DOCS, "*.md")), os.path.join(ROOT, "README.md")]:
            text = read(path)
            code = re.findall(r"^```sh\n(.*?)^```", text, re.S | re.M) + re.findall(r"`(sosia [^`\n]+)`", text)
            for line in "\n".join(code).replace("\\\n", " ").splitlines():
                for words in re.findall(r"(?:^|[`\"(]|&& |\| |\$\(|-- )sosia ([a-z][^|&;#)]*)", line):
                    command = words.split()[: 2 if words.startswith("conformance ") else 1]
                    given = re.findall(r"(?:^| )(--[a-z][a-z-]*)", words.split(" -- ")[0])
                    known = help_of(*command) + (help_of("serve") if command == ["run"] else "")
                    for option in given:
                        self.assertIn("  %s " % option, known, (os.path.basename(path), line))
                    seen += 1
        self.assertGreater(seen, 100)

    def test_the_first_suite_is_any_good(self):
        suite = re.search(r"^```yaml\n(# first.yaml\n.*?)^```", read(os.path.join(DOCS, "grading.md")), re.S | re.M)[1]
        with tempfile.TemporaryDirectory() as dir:
            with open(dir + "/first.yaml", "w", encoding="utf-8") as f:
                f.write(suite)
            done = harness.command("suite", "lint", dir + "/first.yaml")
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)


class Examples(harness.ServerCase):
    options = ("--fixture", "small", "--clock", "frozen")

    def test_every_seed_document_is_taken(self):
        blocks = re.findall(r"^```yaml\n(.*?)^```", read(os.path.join(DOCS, "seed.md")), re.S | re.M)
        self.assertGreater(len(blocks), 18)
        done = self.server.command("world", "create", "--file", "-", "--name", "docs", "--clock", "frozen", stdin=blocks[0])
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for block in NAMED, *blocks[1:]:
            done = self.server.command("seed", "docs", "-", stdin="sosia: 1\n" + block)
            self.assertEqual((done.returncode, done.stderr), (0, ""), block)

    def test_the_transcript_of_the_readme_is_what_the_commands_print(self):
        lines = re.search(r"^```console\n(.*?)^```", read(os.path.join(ROOT, "README.md")), re.S | re.M)[1]
        steps = []  # [command, what it prints]
        for line in lines.replace("\\\n", " ").splitlines(keepends=True):
            if line.startswith("$ "):
                steps.append([re.sub(r"  +#.*", "", line[2:]).strip(), ""])
            else:
                steps[-1][1] += line
        self.assertRegex(steps.pop(0)[0], "^sosia serve --fixture small$")
        self.assertEqual(steps.pop(), ["sosia console --open", ""])  # a browser, which is not here: tests/console
        self.assertEqual(len(steps), 4)
        script = "set -e\n" + "".join("%s\nprintf '\\036'\n" % command for command, _ in steps)
        done = subprocess.run(
            ["bash", "-c", script], capture_output=True, text=True, cwd=ROOT, timeout=harness.PATIENCE, stdin=subprocess.DEVNULL,
            env={**os.environ, "PATH": os.path.dirname(harness.SOSIA) + ":" + os.environ["PATH"], "SOSIA_URL": self.server.url,
                 "SOSIA_CONTROL_KEY": self.server.key, "SOSIA_WORLD": self.server.world})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout.split("\036")[:-1], [printed for _, printed in steps])

    def test_the_suite_of_the_transcript_is_the_one_that_is_explained(self):
        shown = re.search(r"^```yaml\n(# first.yaml\n.*?)^```", read(os.path.join(DOCS, "grading.md")), re.S | re.M)[1]
        self.assertEqual(read(os.path.join(ROOT, "examples", "suites", "first.yaml")), shown)


if __name__ == "__main__":
    unittest.main()
