"""What script/package writes and says: names and versions that agree, checks that find what is wrong, the same bytes twice, and the
file of what was checked. The packages themselves are made and tried by `script/package --check` alone: that takes minutes."""
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

ROOT = os.environ["SOSIA_ROOT"]
sys.path.insert(0, os.path.join(ROOT, "tools/package"))
import bundle
import check
import deb
import image
import kinds
import machine
import packing
import project
import table


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

    def test_all_that_is_built_counts_as_a_source(self):
        listed = subprocess.run(["git", "ls-files", "--", *project.SOURCES], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()
        for name in project.SOURCES:
            self.assertTrue(any(f == name or f.startswith(name + "/") for f in listed), name)
        folders = set(re.findall(r"(?m)^subdir\('([^']*)'\)", read("meson.build")))  # those of tests and benchmarks are indented
        self.assertEqual(folders - set(project.SOURCES), set())
        tools = set()
        for name in ["meson.build"] + [f for f in listed if f.endswith("/meson.build")]:
            tools |= {"tools/" + t for t in re.findall(r"\btools/([a-z_]+\.py)", read(name))}
        self.assertEqual(tools - set(project.SOURCES), set())

    def test_packages_have_the_page_of_the_console(self):
        self.assertEqual(read("script/package").count("-Dconsole=enabled"), 1) # what tools/profile is given, for a new folder and for one that is there
        with tempfile.TemporaryDirectory() as place:
            os.makedirs(place + "/script")
            os.makedirs(place + "/bin")
            shutil.copy(os.path.join(ROOT, "script/package"), place + "/script/package")
            for tool in ("patchelf", "zstd", "strip", "readelf", "dpkg-shlibdeps", "node"):
                os.symlink("/bin/true", os.path.join(place, "bin", tool))
            env = dict(os.environ, PATH=place + "/bin:/usr/bin:/bin")
            done = subprocess.run(["bash", place + "/script/package"], env=env, capture_output=True, text=True)
            self.assertEqual(done.returncode, 1)
            self.assertIn("console/web/install", done.stderr)

    def test_documents_name_the_files_that_are_made(self):
        text = read("docs/install.md")
        for kind in check.CHECKS:
            self.assertIn(project.names()[kind], text)

    def test_what_was_checked_is_of_this_version(self):
        checked = json.loads(read("packages/checked.json"))
        self.assertEqual((checked["format"], checked["version"]), (1, project.VERSION))
        self.assertRegex(checked["sources"], "^[0-9a-f]{64}$")
        names = project.names()
        also = project.names(machine.AARCH64)
        expected = {**{kind: names[kind] for kind in check.CHECKS}, **{kind + " aarch64": also[kind] for kind in check.CHECKS if kind != "deb"},
                    "images": names["images"]}
        found = {p["kind"]: p["name"] for p in checked["packages"]}
        self.assertEqual(found, {kind: expected.get(kind) for kind in {*found, *check.CHECKS}})
        for package in checked["packages"]:
            self.assertGreater(package["size"], 1 << 20)
            self.assertTrue(package["checks"])

    def test_the_table_has_what_was_checked(self):
        text, checked = read("docs/install.md"), json.loads(read("packages/checked.json"))
        self.assertEqual(table.put(text, checked), text, "run script/package --check, which writes both")
        checked["packages"][0]["size"] += 100000
        self.assertNotEqual(table.put(text, checked), text)
        with self.assertRaises(SystemExit):
            table.put(text.replace(table.END, ""), checked)

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

    def test_jobs_of_ci_have_the_image_as_a_service(self):
        try:
            import yaml
        except ImportError:
            self.skipTest("PyYAML is not here")
        config = image.config(b"")["config"]
        health, name = " ".join(config["Healthcheck"]["Test"][1:]), "/sosia:" + project.VERSION
        job = yaml.safe_load(read("examples/deploy/github-actions.yaml"))["jobs"]["test"]
        service = job["services"]["sosia"]
        self.assertTrue(service["image"].endswith(name), service["image"])
        self.assertEqual(service["ports"], ["%d:%d" % (image.PORT, image.PORT)])
        self.assertIn('--health-cmd "%s" ' % health, service["options"])
        self.assertEqual(job["env"], {"SOSIA_URL": "http://localhost:%d" % image.PORT, **service["env"]})
        self.assertGreaterEqual(len(service["env"]["SOSIA_CONTROL_KEY"]), 16)
        self.assertTrue(all(isinstance(step.get("run", ""), str) for step in job["steps"]))
        job = yaml.safe_load(read("examples/deploy/gitlab-ci.yaml"))["test"]
        self.assertTrue(all(isinstance(line, str) for line in job["script"]), job["script"])
        service, values = job["services"][0], job["variables"]
        self.assertTrue(service["name"].endswith(name), service["name"])
        self.assertEqual(service["command"], config["Cmd"])
        self.assertEqual(values["SOSIA_URL"], "http://%s:%d" % (service["alias"], image.PORT))
        self.assertEqual(values["HEALTHCHECK_TCP_PORT"], str(image.PORT))
        self.assertGreaterEqual(len(values["SOSIA_CONTROL_KEY"]), 16)
        self.assertTrue(all(isinstance(value, str) for value in values.values()))
        for file in ("github-actions.yaml", "gitlab-ci.yaml"):
            self.assertIn(project.names()["docker"], read("examples/deploy/" + file))


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


class Images(unittest.TestCase):
    def test_a_layout_has_an_image_for_each_machine(self):
        parts = [(m, image.compact(image.config(b"layer", m)), b"packed " + m.name.encode()) for m in (machine.X86_64, machine.AARCH64)]
        self.assertEqual(image.layout(parts), image.layout(parts))
        with tempfile.TemporaryDirectory() as folder:
            for name, made in (("one.tar", parts[:1]), ("both.tar", parts)):
                with open(os.path.join(folder, name), "wb") as f:
                    f.write(image.layout(made))
            self.assertEqual(check.check_images(os.path.join(folder, "both.tar"), folder)["platforms"], "amd64 and arm64")
            with self.assertRaises((check.Failed, KeyError)):
                check.check_images(os.path.join(folder, "one.tar"), folder)

    def test_another_machine_has_files_of_its_own(self):
        here, there = project.names(), project.names(machine.AARCH64)
        self.assertEqual({k for k in here if here[k] == there[k]}, {"images", "profile", "sums"})


class Deb(unittest.TestCase):
    def tree(self):
        tree = packing.Tree()
        tree.add("usr/bin/sosia", "odd", 0o755)
        tree.link("usr/lib/libsosia.so", "libsosia.so.0")
        return tree

    def packed(self, folder):
        path = os.path.join(folder, "sosia.deb")
        with open(path, "wb") as f:
            f.write(deb.packed("sosia", self.tree(), "libc6 (>= 2.36), zlib1g"))
        return path

    def test_the_same_tree_is_the_same_bytes(self):
        self.assertEqual(deb.packed("sosia", self.tree(), "libc6"), deb.packed("sosia", self.tree(), "libc6"))

    def test_members_of_an_ar_begin_at_even_places(self):
        made = packing.ar([("a", b"odd"), ("b", b"even")])
        self.assertEqual(len(made), 8 + 60 + 4 + 60 + 4)
        self.assertEqual(made[8 + 60 + 4:][:16], b"b" + b" " * 15)
        self.assertTrue(made.startswith(b"!<arch>\na               "))
        self.assertEqual(made[66:68], b"`\n")

    @unittest.skipUnless(shutil.which("dpkg-deb"), "dpkg-deb is not here")
    def test_dpkg_reads_it(self):
        with tempfile.TemporaryDirectory() as folder:
            path = self.packed(folder)
            said = check.run(["dpkg-deb", "--field", path, "Package", "Version", "Architecture", "Depends", "Installed-Size"])
            self.assertEqual(said, "Package: sosia\nVersion: %s\nArchitecture: amd64\nDepends: libc6 (>= 2.36), zlib1g\n"
                             "Installed-Size: 4\n" % project.VERSION)
            check.run(["dpkg", "-x", path, folder + "/root"])
            check.run(["dpkg-deb", "--control", path, folder + "/control"])
            check.run(["md5sum", "--check", "--strict", folder + "/control/md5sums"], cwd=folder + "/root")
            with open(folder + "/control/md5sums") as f:
                self.assertEqual([line.split()[1] for line in f], ["usr/bin/sosia", *("usr/share/" + n for n in ("doc/sosia/changelog.gz", "doc/sosia/copyright", "lintian/overrides/sosia"))])
            self.assertEqual(os.readlink(folder + "/root/usr/lib/libsosia.so"), "libsosia.so.0")
            self.assertEqual(os.stat(folder + "/root/usr/bin/sosia").st_mode & 0o777, 0o755)

    @unittest.skipUnless(shutil.which("dpkg-shlibdeps"), "dpkg-shlibdeps is not here")
    def test_what_it_needs_is_what_its_programs_are_linked_with(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(folder + "/p.c", "w") as f:
                f.write("#include <yaml.h>\nint main(void) { int n; yaml_get_version(&n, &n, &n); return 0; }\n")
            check.run(["gcc", folder + "/p.c", "-o", folder + "/p", "-lyaml"])
            self.assertRegex(deb.depends(folder, [folder + "/p"]), r"^libc6 \(>= [0-9.]+\), libyaml-0-2$")

    @unittest.skipUnless(shutil.which("systemd-analyze"), "systemd-analyze is not here")
    def test_the_unit_is_shut_in(self):
        check.run(["systemd-analyze", "security", "--offline=yes", "--threshold=20", os.path.join(ROOT, "tools/package/sosia.service")])

    def test_the_unit_starts_what_the_package_has(self):
        self.assertIn("\nExecStart=/usr/bin/sosia serve --data /var/lib/sosia ", read("tools/package/sosia.service"))
        self.assertIn("\nStateDirectory=sosia\n", read("tools/package/sosia.service"))


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
