"""The package for Debian: command, library and header for the system's own libraries, which it names, so that they are the system's to
keep up to date. It has no script of its own; the unit for systemd is not enabled."""
import hashlib, os, re, subprocess

import bundle
from kinds import fixtures, pkgconfig
from packing import Tree, ar, gz, tar, xz
from project import ROOT, TEXT, VERSION

LIBS = "usr/lib/x86_64-linux-gnu/"
COPYRIGHT = """Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: sosia

Files: *
Copyright: The authors of sosia
License: Apache-2.0

Files: usr/bin/sosia usr/lib/*
Copyright: The authors of sosia
License: Apache-2.0 and public-domain
Comment: SQLite and the time zones of tzdata are compiled in, both in the public domain.

License: Apache-2.0
 On Debian systems the text of the license is in /usr/share/common-licenses/Apache-2.0.

License: public-domain
 The authors of SQLite and of tzdata disclaim copyright to them.
"""


def depends(work, programs):
    """Debian's own reckoning: the packages of the libraries, each from the version that has all the symbols that are used."""
    at = os.path.join(work, "shlibdeps")
    os.makedirs(os.path.join(at, "debian"))
    with open(os.path.join(at, "debian/control"), "w") as f:
        f.write("Source: sosia\n\nPackage: sosia\nArchitecture: any\n")
    done = subprocess.run(["dpkg-shlibdeps", "-O", *("-e" + path for path in programs)], cwd=at, capture_output=True, text=True)
    found = re.search(r"(?m)^shlibs:Depends=(.+)$", done.stdout)
    if done.returncode != 0 or not found:
        raise SystemExit("package: expected dpkg-shlibdeps to name packages, it said %s%s" % (done.stdout, done.stderr))
    return found.group(1)


def control(tree, needs):
    """The members of control.tar for what a tree holds."""
    files = {path: data for path, (mode, data) in tree.files.items() if mode is not None and data is not None}
    out = Tree()
    out.add("control", "Package: sosia\nVersion: %s\nArchitecture: amd64\nMaintainer: The authors of sosia <sosia@localhost>\n"
            "Installed-Size: %d\nDepends: %s\nSection: devel\nPriority: optional\nDescription: %s\n"
            " The command serves worlds with the state of an office, forks, resets and\n grades them; the library does so in a process.\n"
            % (VERSION, sum(-(-len(data) // 1024) for data in files.values()), needs, TEXT))
    out.add("md5sums", "".join("%s  %s\n" % (hashlib.md5(files[path]).hexdigest(), path) for path in sorted(files)))
    out.add("triggers", "activate-noawait ldconfig\n")
    return out


def packed(tree, needs):
    return ar([("debian-binary", b"2.0\n"), ("control.tar.xz", xz(tar(control(tree, needs), "./"))), ("data.tar.xz", xz(tar(tree, "./")))])


def package(build):
    tree = Tree()
    command, library = build.own(build.command, "deb/sosia"), build.own(build.library, "deb/" + build.soname)
    for path in (command, library):
        bundle.without_rpath(path)
    tree.copy("usr/bin/sosia", command, 0o755)
    tree.copy(LIBS + "libsosia.so." + VERSION, library, 0o644)
    tree.link(LIBS + build.soname, "libsosia.so." + VERSION)
    tree.link(LIBS + "libsosia.so", build.soname)
    tree.copy("usr/include/sosia.h", os.path.join(ROOT, "include/sosia.h"), 0o644)
    tree.add(LIBS + "pkgconfig/sosia.pc", pkgconfig("/usr", "lib/x86_64-linux-gnu"))
    tree.copy("usr/lib/systemd/system/sosia.service", os.path.join(ROOT, "tools/package/sosia.service"), 0o644)
    with open(build.one("cli/sosia.1"), "rb") as f:
        tree.add("usr/share/man/man1/sosia.1.gz", gz(f.read()))
    tree.copy("usr/share/bash-completion/completions/sosia", os.path.join(ROOT, "cli/completion.bash"), 0o644)
    tree.copy("usr/share/sosia/seccomp.json", os.path.join(ROOT, "sandbox/seccomp.json"), 0o644)
    fixtures(tree, "usr/share/sosia/fixtures/")
    tree.copy_all("usr/share/sosia/suites", os.path.join(ROOT, "suites"))
    with open(os.path.join(ROOT, "CHANGELOG.md"), "rb") as f:
        tree.add("usr/share/doc/sosia/changelog.gz", gz(f.read()))
    tree.add("usr/share/doc/sosia/copyright", COPYRIGHT)
    return packed(tree, depends(build.work, [command, library]))
