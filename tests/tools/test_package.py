"""What script/package writes and says: names and versions that agree, checks that find what is wrong, the same bytes twice, and the
file of what was checked. The packages themselves are made and tried by `script/package --check` alone: that takes minutes."""
import hashlib
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

ROOT = os.environ["SOSIA_ROOT"]
sys.path.insert(0, os.path.join(ROOT, "tools/package"))
import bundle
import kinds
import packing
import project


def read(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as f:
        return f.read()


class Names(unittest.TestCase):
    def test_the_version_and_the_name_are_one(self):
        self.assertEqual(json.loads(read("bindings/node/package.json"))["name"], project.REGISTRY)
        self.assertEqual(json.loads(read("bindings/node/package.json"))["version"], project.VERSION)
        self.assertIn('version = "%s"' % project.VERSION, read("bindings/python/pyproject.toml"))
        for name in ("compose.yaml", "pod.yaml"):
            self.assertIn("image: sosia:%s\n" % project.VERSION, read("examples/deploy/" + name))

    def test_documents_name_the_files_that_are_made(self):
        text = read("docs/install.md")
        for kind in ("archive", "wheel", "npm", "docker", "oci"):
            self.assertIn(project.names()[kind], text)

    def test_what_was_checked_is_of_this_version(self):
        checked = json.loads(read("packages/checked.json"))
        self.assertEqual((checked["format"], checked["version"]), (1, project.VERSION))
        self.assertRegex(checked["sources"], "^[0-9a-f]{64}$")
        names = project.names()
        self.assertEqual({p["kind"]: p["name"] for p in checked["packages"]}, {k: names[k] for k in ("archive", "wheel", "npm", "docker", "oci")})
        for package in checked["packages"]:
            self.assertGreater(package["size"], 1 << 20)
            self.assertTrue(package["checks"])

    def test_examples_are_read_by_what_they_are_for(self):
        try:
            import yaml
        except ImportError:
            self.skipTest("PyYAML is not here")
        compose, pod = yaml.safe_load(read("examples/deploy/compose.yaml")), yaml.safe_load(read("examples/deploy/pod.yaml"))
        self.assertEqual(compose["services"]["sosia"]["healthcheck"]["test"], ["CMD", "/usr/bin/sosia", "health"])
        container = pod["spec"]["containers"][0]
        self.assertEqual(container["readinessProbe"]["exec"]["command"], ["/usr/bin/sosia", "health"])
        self.assertEqual(container["ports"], [{"containerPort": 8787}])


class Packing(unittest.TestCase):
    def tree(self, order):
        tree = packing.Tree()
        for name in order:
            tree.add(name, "text of " + name, 0o755 if name == "b/run" else 0o644)
        return tree

    def test_the_same_files_are_the_same_bytes(self):
        for pack in (packing.tar, packing.zipped):
            self.assertEqual(pack(self.tree(["a", "b/run", "c"])), pack(self.tree(["c", "a", "b/run"])))

    def test_a_tar_has_modes_folders_links_and_nobody_of_this_machine(self):
        tree = self.tree(["b/run"])
        tree.link("l", "b/run")
        tree.folder("data", 0o700)
        with tarfile.open(fileobj=io.BytesIO(packing.tar(tree, owners={"data": 7}))) as t:
            self.assertEqual([(m.name, oct(m.mode), m.uid, m.uname, m.mtime) for m in t],
                             [("b", "0o755", 0, "", project.epoch()), ("b/run", "0o755", 0, "", project.epoch()),
                              ("data", "0o700", 7, "", project.epoch()), ("l", "0o777", 0, "", project.epoch())])

    def test_a_record_has_every_file_and_its_digest(self):
        tree = self.tree(["a"])
        kinds.record(tree, "x.dist-info/RECORD")
        with zipfile.ZipFile(io.BytesIO(packing.zipped(tree))) as z:
            self.assertEqual(z.namelist(), ["a", "x.dist-info/RECORD"])
            self.assertRegex(z.read("x.dist-info/RECORD").decode(), r"^a,sha256=[A-Za-z0-9_-]{43},9\nx.dist-info/RECORD,,\n$")


class Flaws(unittest.TestCase):
    def program(self, folder, text, *options):
        source = os.path.join(folder, "p.c")
        with open(source, "w") as f:
            f.write(text)
        subprocess.run(["gcc", source, "-o", os.path.join(folder, "p"), *options], check=True)
        os.remove(source)

    def test_a_newer_glibc_and_a_library_from_elsewhere_are_found(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(bundle.flaws(folder, "2.36"), ["there is no program below " + folder])
            self.program(folder, "#include <pthread.h>\nint main(void) { return pthread_create(0, 0, 0, 0); }\n")
            self.assertEqual(bundle.flaws(folder, "2.36"), [])
            self.assertEqual(bundle.flaws(folder, "2.30"), ["p wants glibc 2.34, more than 2.30"])
            self.assertIn("p needs libc.so.6, which is neither here nor the system's", bundle.flaws(folder, "2.36", inside=False))
            self.program(folder, "int main(void) { return 0; }\n", "-Wl,--no-as-needed", "-lyaml")
            self.assertEqual(bundle.flaws(folder, "2.36"), ["p needs libyaml-0.so.2, which is neither here nor the system's"])


if __name__ == "__main__":
    unittest.main()
