# SPDX-License-Identifier: Apache-2.0
"""tools/profile: when it counts anew, and what it takes as counts of a former run. Meson, ninja, zstd and what is
built are stand-ins; the first writes down that it ran."""
import os
import shutil
import subprocess
import tarfile
import tempfile
import unittest

ROOT = os.environ["SOSIA_ROOT"]
MESON = """#!/bin/sh
echo "meson $1" >>log
for build; do case $build in -*|setup|configure) ;; *) break ;; esac; done
mkdir -p "$build" && touch "$build/build.ninja"
"""
NINJA = """#!/bin/bash
build=$2
mkdir -p "$build/bench" "$build/cli"
for name in "${@:3}"; do
    printf '#!/bin/sh\\n%s\\n' "$TRAINING" >"$build/$name" && chmod +x "$build/$name"
done
echo 1 >"$build/made.c" # as sources that are made
echo 1 >"$build/a.gcda"
"""
ZSTD = """#!/bin/sh
cat >"$4"
"""


class Profile(unittest.TestCase):
    def setUp(self):
        self.place = os.path.join(tempfile.mkdtemp(), "a b")  # a folder's name may have spaces
        self.addCleanup(shutil.rmtree, os.path.dirname(self.place))
        for name in ("tools", "bin"):
            os.makedirs(os.path.join(self.place, name))
        shutil.copy(os.path.join(ROOT, "tools/profile"), self.path("tools/profile"))
        for name, text in (("bin/meson", MESON), ("bin/ninja", NINJA), ("bin/zstd", ZSTD), ("a.c", "int a;\n")):
            with open(self.path(name), "w") as f:
                f.write(text)
            os.chmod(self.path(name), 0o755)

    def path(self, name):
        return os.path.join(self.place, name)

    def run_it(self, *words, training="true"):
        """Its exit code, what it said, and how often meson set a build up since the last time."""
        open(self.path("log"), "w").close()
        env = dict(os.environ, PATH=self.path("bin") + ":" + os.environ["PATH"], TRAINING=training)
        done = subprocess.run(["bash", self.path("tools/profile"), *words], env=env, cwd=self.place, capture_output=True, text=True)
        with open(self.path("log")) as f:
            return done.returncode, done.stderr, f.read().count("meson setup")

    def counts(self, name, *members):
        for member in members:
            with open(self.path(member), "w") as f:
                f.write("2")
        with tarfile.open(self.path(name), "w") as t:
            for member in members:
                t.add(self.path(member), arcname="./" + member)
        return self.path(name)

    def test_it_counts_anew_when_a_source_has_changed(self):
        for build in ("build-x", "out", "o u t"):
            self.assertEqual(self.run_it(build, "cli/sosia")[::2], (0, 1), build)
            self.assertEqual(self.run_it(build, "cli/sosia")[::2], (0, 0), build)
        with open(self.path("a.c"), "a") as f:
            f.write("int b;\n")
        self.assertEqual(self.run_it("build-x", "cli/sosia")[::2], (0, 1))

    def test_a_training_that_fails_is_none(self):
        self.assertNotEqual(self.run_it("out", "cli/sosia", training="exit 3")[0], 0)
        self.assertFalse(os.path.exists(self.path("out/profile.state")))
        self.assertEqual(self.run_it("out", "cli/sosia")[::2], (0, 1))

    def test_what_is_no_file_of_counts_is_refused(self):
        for name in (self.path("nowhere/x.tar"), self.path("a.c"), self.counts("other.tar", "some.txt")):
            code, said, setups = self.run_it("out", "cli/sosia", "--from", name)
            self.assertNotEqual(code, 0, name)
            self.assertIn(name, said)
            self.assertEqual(setups, 0, name)
            self.assertFalse(os.path.exists(self.path("out")), name)

    def test_counts_of_a_former_run_are_taken_also_the_build_s_own(self):
        given = self.counts("given.tar", "b.gcda", "some.txt")
        self.assertEqual(self.run_it("out", "cli/sosia", "--from", given)[::2], (0, 1))
        self.assertTrue(os.path.exists(self.path("out/b.gcda")))
        self.assertFalse(os.path.exists(self.path("out/some.txt")))
        with open(given, "rb") as f, open(self.path("out/profile.tar.zst"), "rb") as kept:
            self.assertEqual(f.read(), kept.read())
        with open(self.path("a.c"), "a") as f:
            f.write("int c;\n")
        self.assertEqual(self.run_it("out", "cli/sosia", "--from", self.path("out/profile.tar.zst"))[::2], (0, 1))
        with open(given, "rb") as f, open(self.path("out/profile.tar.zst"), "rb") as kept:
            self.assertEqual(f.read(), kept.read())


if __name__ == "__main__":
    unittest.main()
