# SPDX-License-Identifier: Apache-2.0
"""include/sosia.h as an interface: what it is compiled by, what the library shows of itself, what is written about it."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.environ["SOSIA_ROOT"]
LIBRARY = os.environ["SOSIA_LIBRARY"]
INCLUDE = os.path.join(ROOT, "include")
EXAMPLES = os.path.join(ROOT, "examples", "c")
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
# Callers compile without the sanitizers that the library may have.
COMPILERS = [c for c in ("cc", "clang") if shutil.which(c)], [c for c in ("c++", "clang++") if shutil.which(c)]


def tool(*words):
    return subprocess.run([sys.executable, os.path.join(ROOT, "tools", "header.py"), *words], capture_output=True, text=True,
                          check=False)


class Header(unittest.TestCase):
    def compile(self, compiler, text, *options):
        with tempfile.TemporaryDirectory() as directory:
            return subprocess.run([compiler, *options, "-I", INCLUDE, "-c", "-", "-o", directory + "/out.o"], input=text,
                                  capture_output=True, text=True, check=False)

    def test_c_and_cpp_take_it_as_it_is(self):
        use = '#include <sosia.h>\n#include "sosia.h"\nint f(void);\nint f(void) { return sosia_interrupt(0, 1) + SOSIA_E_HANDLE; }\n'
        for compiler in COMPILERS[0]:
            done = self.compile(compiler, use, "-x", "c", "-std=c17", *STRICT)
            self.assertEqual((done.returncode, done.stderr), (0, ""), compiler)
        for compiler in COMPILERS[1]:
            done = self.compile(compiler, use, "-x", "c++", "-std=c++17", *STRICT)
            self.assertEqual((done.returncode, done.stderr), (0, ""), compiler)
        self.assertTrue(COMPILERS[0])

    def test_what_is_experimental_can_be_kept_out(self):
        text = "#include <sosia.h>\nint f(struct sosia_engine *e);\nint f(struct sosia_engine *e) { return (int)%s; }\n"
        for compiler in COMPILERS[0]:
            for call, good in ("sosia_session_total(e)", False), ("sosia_interrupt(e, 0)", True):
                done = self.compile(compiler, text % call, "-x", "c", "-DSOSIA_STABLE_ONLY", "-O1", *STRICT)
                self.assertEqual(done.returncode == 0, good, done.stderr)
                self.assertEqual("experimental" in done.stderr, not good)
                self.assertEqual(self.compile(compiler, text % call, "-x", "c", *STRICT).returncode, 0)

    def test_options_begin_with_their_size(self):
        with open(os.path.join(INCLUDE, "sosia.h"), encoding="utf-8") as f:
            text = f.read()
        filled = ("engine_options", "world_options", "fork_options", "diff_options", "grade_options", "token_options", "request",
                  "journal_query", "replay_options", "outcome", "session_calls", "explore_options")
        for name in filled:
            self.assertRegex(text, r"struct sosia_%s \{\n    size_t size;" % name)
        for name in re.findall(r"const struct sosia_(\w+) \*(?:opt|query|outcome|calls|request)\b", text):
            self.assertIn(name, filled)

    def test_the_library_shows_the_functions_of_the_header_and_nothing_else(self):
        shown = subprocess.run(["nm", "-D", "--defined-only", "--format=posix", LIBRARY], capture_output=True, text=True, check=True)
        names = sorted(line.split()[0] for line in shown.stdout.splitlines())
        self.assertEqual([n for n in names if not n.startswith("__")], tool("--symbols").stdout.split())

    def test_the_library_is_never_unloaded(self):
        flags = subprocess.run(["readelf", "-d", LIBRARY], capture_output=True, text=True, check=True).stdout
        self.assertIn("NODELETE", flags)

    def test_the_page_is_what_the_header_says(self):
        with open(os.path.join(ROOT, "docs", "c.md"), encoding="utf-8") as f:
            self.assertEqual(f.read(), tool("--markdown").stdout, "tools/header.py --markdown >docs/c.md")

    def test_every_function_is_on_the_page(self):
        page = tool("--markdown").stdout
        for name in tool("--symbols").stdout.split():
            self.assertRegex(page, r"\b%s\(" % name)

    @unittest.skipUnless(shutil.which("abidw") and shutil.which("abidiff"), "abigail-tools is not installed")
    def test_the_interface_is_that_of_the_first_release(self):
        done = tool("--abi")
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)


class Examples(unittest.TestCase):
    def run_example(self, name):
        with tempfile.TemporaryDirectory() as directory:
            program = os.path.join(directory, name)
            subprocess.run(["cc", "-std=c17", "-D_GNU_SOURCE", *STRICT, "-I", INCLUDE, os.path.join(EXAMPLES, name + ".c"), "-o", program,
                            LIBRARY, "-Wl,-rpath," + os.path.dirname(LIBRARY), "-pthread"], check=True)
            return subprocess.run([program], capture_output=True, text=True, check=False, timeout=120)

    def test_a_test_with_worlds(self):
        done = self.run_example("worlds")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual([line.split()[0] for line in done.stdout.splitlines()], ["ok", "ok"])

    def test_an_episode(self):
        done = self.run_example("episode")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, "Lunch with Bob: passed\nDinner: not passed\n")

    def test_a_pool(self):
        done = self.run_example("pool")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "200 episodes\n", ""))

    def test_all_of_them_are_run(self):
        self.assertEqual(sorted(os.listdir(EXAMPLES)), ["episode.c", "pool.c", "worlds.c"])


if __name__ == "__main__":
    unittest.main()
