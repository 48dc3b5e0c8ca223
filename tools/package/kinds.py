"""The packages: what is in each, and where."""
import base64, glob, hashlib, json, os, re, shutil, subprocess

import bundle
import sbom
from packing import Tree, gz, tar, zipped, zstd
from project import GLIBC, MACHINE, REGISTRY, ROOT, TEXT, VERSION, names

LIBC = "lib/sosia/libc/"  # of the archive


class Build:
    """What meson has built, and where work is done. Packages ask it for libraries, and it keeps what went along."""

    def __init__(self, folder, work, machine=MACHINE):
        self.folder, self.work, self.machine = folder, work, machine
        self.names = names(machine)
        self.command = self.one("cli/sosia")
        self.library = self.one("libsosia.so." + VERSION)
        self.soname = re.search(r"SONAME\) +Library soname: \[(.*)\]", bundle.run("readelf", "-dW", self.library)).group(1)
        self.extension = self.one("bindings/python/sosia/_sosia.abi3.so")
        self.addon = self.one("bindings/node/sosia.node")
        self.components = {}  # soname -> (path, package, version, source)

    def one(self, name):
        path = os.path.join(self.folder, name)
        if not os.path.exists(path):
            raise SystemExit("package: expected %s, which is not built" % path)
        return path

    def own(self, path, name):
        at = os.path.join(self.work, name)
        os.makedirs(os.path.dirname(at), exist_ok=True)
        return bundle.stripped(self.work, path, name, self.machine)

    def libraries(self, below, programs, leave=()):
        found = self.machine.closure(programs)
        for name, path in found.items():
            if name not in leave and name not in self.components:
                self.components[name] = (path, *self.machine.package_of(path))
        return bundle.libraries(os.path.join(self.work, below), found, leave, self.machine)

    def licences(self, tree, below, libs):
        """The text of each Debian package that a file is of, and sosia's own."""
        tree.copy(below + "LICENSE", os.path.join(ROOT, "LICENSE"), 0o644)
        for package in sorted({self.components[name][1] for name in libs}):
            tree.copy(below + package + ".txt", self.machine.place("/usr/share/doc/%s/copyright" % package), 0o644)
        page = sbom.page(self.folder)
        if page:
            tree.add(below + "console.txt", "\n".join("%s %s (%s)\n\n%s\n" % (p["name"], p["version"], p["licence"], p["text"]) for p in page))


def fixtures(tree, below):
    for name in ("office.yaml", "small.yaml", "small-365.yaml"):
        tree.copy(below + name, os.path.join(ROOT, "fixtures", name), 0o644)


def examples(tree, below):
    tree.copy_all(below, os.path.join(ROOT, "examples"), lambda name: "__pycache__" not in name)


def page(name):
    """A page of the sources' own folder beside those of docs/: links lead there, and pictures are left out."""
    with open(os.path.join(ROOT, name), encoding="utf-8") as f:
        text = re.sub(r"(?m)^<picture>.*\n\n?", "", f.read())
    return re.sub(r"\]\(docs/([^)]*)\)", r"](\1)", text)


def gconv(build, tree, below):
    """glibc's converters: old mail and documents are in more than UTF-8. The table names what is there."""
    folder = build.machine.gconv()
    for path in sorted(glob.glob(folder + "/*.so") + glob.glob(folder + "/gconv-modules") + glob.glob(folder + "/gconv-modules.d/*.conf")):
        tree.copy(below + os.path.relpath(path, folder), path, 0o644)


def launcher(build):
    to = os.path.join(build.work, "launcher")
    compiler = ["musl-gcc"] if shutil.which("musl-gcc") else ["gcc"]
    if build.machine.root:
        compiler = [build.machine.tool("gcc"), "--sysroot=" + build.machine.root]
    bundle.run(*compiler, "-DLOADER=\"%s\"" % build.machine.loader, "-static", "-Os", "-s", "-Wl,--build-id=none", "-o", to, os.path.join(ROOT, "tools/package/launcher.c"))
    return to


def pkgconfig(prefix, libdir, more=""):
    return ("prefix=%s\n\nName: sosia\nDescription: %s\nVersion: %s\nCflags: -I${prefix}/include\nLibs: -L${prefix}/%s -lsosia%s\n"
            % (prefix, TEXT, VERSION, libdir, more))


def cmake(tree, libdir):
    """What find_package(sosia) of CMake reads; libdir: where the library is, its header in include/ of what that is in."""
    values = {"VERSION": VERSION, "INCLUDE": "include", "UP": "/".join([".."] * libdir.removeprefix("usr/").strip("/").count("/") + [".."])}
    for name in ("sosia-config", "sosia-config-version"):
        with open(os.path.join(ROOT, "tools", name + ".cmake.in"), encoding="utf-8") as f:
            tree.add(libdir + "cmake/sosia/" + name + ".cmake", re.sub("@([A-Z]+)@", lambda m: values[m[1]], f.read()))


def archive(build):
    """Unpacked anywhere, run on any Linux of its processor: the command comes with its own loader and C library. Programs that link the
    library have theirs, and find the other libraries beside it."""
    tree = Tree()
    command, library = build.own(build.command, "archive/sosia"), build.own(build.library, "archive/" + build.soname)
    libs = build.libraries("archive-libs", [build.command, build.library])
    for path in (command, *(p for p in libs.values())):
        bundle.without_rpath(path)
    for name, path in libs.items():
        if name not in bundle.SYSTEM:
            bundle.run("patchelf", "--set-rpath", "$ORIGIN", path)
    bundle.run("patchelf", "--set-rpath", "$ORIGIN/sosia", library)
    tree.copy("bin/sosia", launcher(build), 0o755)
    tree.copy("libexec/sosia", command, 0o755)
    for name, path in libs.items():
        tree.copy((LIBC if name in bundle.SYSTEM else "lib/sosia/") + name, path, 0o755)
    gconv(build, tree, LIBC + "gconv/")
    tree.copy("lib/libsosia.so." + VERSION, library, 0o755)
    tree.link("lib/" + build.soname, "libsosia.so." + VERSION)
    tree.link("lib/libsosia.so", build.soname)
    tree.copy("include/sosia.h", os.path.join(ROOT, "include/sosia.h"), 0o644)
    tree.add("lib/pkgconfig/sosia.pc", pkgconfig("${pcfiledir}/../..", "lib", " -Wl,-rpath,${prefix}/lib"))
    cmake(tree, "lib/")
    tree.copy("share/man/man1/sosia.1", build.one("cli/sosia.1"), 0o644)
    tree.copy("share/bash-completion/completions/sosia", os.path.join(ROOT, "cli/completion.bash"), 0o644)
    tree.copy("share/sosia/seccomp.json", os.path.join(ROOT, "sandbox/seccomp.json"), 0o644)
    fixtures(tree, "share/sosia/fixtures/")
    tree.copy_all("share/sosia/suites", os.path.join(ROOT, "suites"))
    tree.copy_all("share/doc/sosia", os.path.join(ROOT, "docs"), lambda name: name.endswith((".md", ".json")))
    examples(tree, "share/sosia/examples")
    for name in ("README.md", "CHANGELOG.md"):
        tree.add("share/doc/sosia/" + name, page(name))
    build.licences(tree, "share/doc/sosia/licenses/", libs)
    tree.add("share/doc/sosia/sosia.cdx.json", sbom.document(build, libs))
    return zstd(tar(tree, build.names["archive"].removesuffix(".tar.zst") + "/"))


def record(tree, path):
    lines = ["%s,sha256=%s,%d" % (name, base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode(), len(data))
             for name, (mode, data) in sorted(tree.files.items())]
    tree.add(path, "\n".join([*lines, path + ",,"]) + "\n")


def wheel(build):
    tree = Tree()
    info = "%s-%s.dist-info/" % (REGISTRY.replace("-", "_"), VERSION)
    package = os.path.dirname(build.extension)
    tree.copy_all("sosia", package, lambda name: name.endswith((".py", ".pyi", ".yaml", "py.typed")) and "__pycache__" not in name)
    tree.copy("sosia/command.py", os.path.join(ROOT, "tools/package/command.py"), 0o644)
    extension, command = build.own(build.extension, "wheel/_sosia.abi3.so"), build.own(build.command, "wheel/sosia")
    libs = build.libraries("wheel-libs", [build.command, build.library], bundle.SYSTEM)
    known = [*libs]
    libs[build.soname] = build.own(build.library, "wheel-libs/" + build.soname)
    libs = bundle.renamed(os.path.join(build.work, "wheel-libs"), {extension: "$ORIGIN/lib", command: "$ORIGIN/../lib"}, libs)
    tree.copy("sosia/_sosia.abi3.so", extension, 0o755)
    tree.copy("sosia/bin/sosia", command, 0o755)
    for name, path in libs.items():
        tree.copy("sosia/lib/" + name, path, 0o755)
    build.licences(tree, info + "licenses/", known)
    tag = build.names["wheel"].removesuffix(".whl").split("-", 2)[2]
    tree.add(info + "WHEEL", "Wheel-Version: 1.0\nGenerator: sosia\nRoot-Is-Purelib: false\nTag: %s\n" % tag)
    with open(os.path.join(ROOT, "docs/python.md"), encoding="utf-8") as f:
        text = f.read()
    tree.add(info + "METADATA", "Metadata-Version: 2.1\nName: %s\nVersion: %s\nSummary: %s\nLicense: Apache-2.0\nRequires-Python: >=3.10\n"
             "Classifier: Operating System :: POSIX :: Linux\nClassifier: Framework :: Pytest\nDescription-Content-Type: text/markdown\n\n%s"
             % (REGISTRY, VERSION, TEXT, text))
    tree.add(info + "entry_points.txt", "[console_scripts]\nsosia = sosia.command:main\n\n[pytest11]\nsosia = sosia.pytest_plugin\n")
    record(tree, info + "RECORD")
    return zipped(tree)


def npm(build):
    """Everything for one platform, without a script that runs at installation: no other package, no registry."""
    tree = Tree()
    source, native = os.path.join(ROOT, "bindings/node"), "package/native/linux-%s/" % build.machine.node
    with open(os.path.join(source, "package.json"), encoding="utf-8") as f:
        about = json.load(f)
    about.update(version=VERSION, os=["linux"], cpu=[build.machine.node], libc=["glibc"], bin={"sosia": native.removeprefix("package/") + "bin/sosia"})
    about["files"] = [*about["files"], "licenses"]
    tree.add("package/package.json", json.dumps(about, indent=2) + "\n")
    tree.copy_all("package", source, lambda name: re.fullmatch(r"(lib/)?[^/]+\.(cjs|mjs|d\.ts|d\.mts)", name))
    fixtures(tree, "package/fixtures/")
    tree.copy("package/README.md", os.path.join(ROOT, "docs/node.md"), 0o644)
    addon, command = build.own(build.addon, "npm/sosia.node"), build.own(build.command, "npm/sosia")
    libs = build.libraries("npm-libs", [build.command, build.library], bundle.SYSTEM)
    known = [*libs]
    libs[build.soname] = build.own(build.library, "npm-libs/" + build.soname)
    libs = bundle.renamed(os.path.join(build.work, "npm-libs"), {addon: "$ORIGIN/lib", command: "$ORIGIN/../lib"}, libs)
    tree.copy(native + "sosia.node", addon, 0o755)
    tree.copy(native + "bin/sosia", command, 0o755)  # the program itself: a script of Node's would be 70 ms of every start
    for name, path in libs.items():
        tree.copy(native + "lib/" + name, path, 0o755)
    build.licences(tree, "package/licenses/", known)
    return gz(tar(tree))
