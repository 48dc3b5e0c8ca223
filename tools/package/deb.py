"""The packages for Debian: command, library, and what is compiled against it, for the system's own libraries, which they name, so that
these are the system's to keep up to date. They have no scripts of their own; the unit for systemd is not enabled."""
import email.utils, hashlib, os, re, subprocess

import bundle
from kinds import cmake, examples, fixtures, pkgconfig
from packing import Tree, ar, gz, tar, xz
from project import ROOT, VERSION, epoch

LIBS = "usr/lib/x86_64-linux-gnu/"
MAINTAINER = "The authors of sosia <sosia@localhost>"
SONAME = "0"  # of the library, and in its package's name
SYNOPSIS = "stateful double of office services' APIs for tests and agents"
ABOUT = {
    "sosia": (SYNOPSIS, "The command serves worlds with the state of an office to programs that\n speak the vendors' own APIs, forks, resets and grades them."),
    "libsosia" + SONAME: (SYNOPSIS + " (library)", "The library has worlds in the process of a program, without a server."),
    "libsosia-dev": (SYNOPSIS + " (headers)", "What programs are compiled and linked with against the library."),
}
COPYRIGHT = """Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: sosia

Files: *
Copyright: The authors of sosia
License: Apache-2.0

Files: usr/bin/* usr/lib/*
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
    os.makedirs(os.path.join(at, "debian"), exist_ok=True)
    with open(os.path.join(at, "debian/control"), "w") as f:
        f.write("Source: sosia\n\nPackage: sosia\nArchitecture: any\n")
    done = subprocess.run(["dpkg-shlibdeps", "-O", *("-e" + path for path in programs)], cwd=at, capture_output=True, text=True)
    found = re.search(r"(?m)^shlibs:Depends=(.+)$", done.stdout)
    if done.returncode != 0 or not found:
        raise SystemExit("package: expected dpkg-shlibdeps to name packages, it said %s%s" % (done.stdout, done.stderr))
    return found.group(1)


def debian_changelog(package):
    date = email.utils.formatdate(epoch(), usegmt=False).replace("-0000", "+0000")
    return "%s (%s) unstable; urgency=medium\n\n  * The release %s: what it brings is in CHANGELOG.md of its sources.\n\n -- %s  %s\n" % (
        package, VERSION, VERSION, MAINTAINER, date)


def documents(tree, package):
    """What each package has. There is no address to write to until the project has a home, which lintian is told."""
    tree.add("usr/share/doc/%s/changelog.gz" % package, gz(debian_changelog(package).encode(), 9))
    tree.add("usr/share/doc/%s/copyright" % package, COPYRIGHT)
    tree.add("usr/share/lintian/overrides/" + package, "# no address until the project has a home\n%s: bogus-mail-host *\n%s: bogus-mail-host-in-debian-changelog *\n"
             % (package, package))


def control(package, tree, needs, more=None):
    """The members of control.tar for what a tree holds."""
    files = {path: data for path, (mode, data) in tree.files.items() if mode is not None and data is not None}
    out, (synopsis, about) = Tree(), ABOUT[package]
    out.add("control", "Package: %s\nVersion: %s\nArchitecture: amd64\nMaintainer: %s\nInstalled-Size: %d\nDepends: %s\n"
            "Section: %s\nPriority: optional\n%sDescription: %s\n %s\n"
            % (package, VERSION, MAINTAINER, sum(-(-len(data) // 1024) for data in files.values()), needs,
               {"sosia": "devel", "libsosia-dev": "libdevel"}.get(package, "libs"), "Multi-Arch: same\n" if package != "sosia" else "", synopsis, about))
    out.add("md5sums", "".join("%s  %s\n" % (hashlib.md5(files[path]).hexdigest(), path) for path in sorted(files)))
    for name, text in (more or {}).items():
        out.add(name, text)
    return out


def packed(package, tree, needs, more=None):
    documents(tree, package)
    return ar([("debian-binary", b"2.0\n"), ("control.tar.xz", xz(tar(control(package, tree, needs, more), "./"))), ("data.tar.xz", xz(tar(tree, "./")))])


def command(build):
    tree, path = Tree(), build.own(build.command, "deb/sosia")
    bundle.without_rpath(path)
    tree.copy("usr/bin/sosia", path, 0o755)
    tree.copy("usr/lib/systemd/system/sosia.service", os.path.join(ROOT, "tools/package/sosia.service"), 0o644)
    with open(build.one("cli/sosia.1"), "rb") as f:
        tree.add("usr/share/man/man1/sosia.1.gz", gz(f.read(), 9))
    tree.copy("usr/share/bash-completion/completions/sosia", os.path.join(ROOT, "cli/completion.bash"), 0o644)
    tree.copy("usr/share/sosia/seccomp.json", os.path.join(ROOT, "sandbox/seccomp.json"), 0o644)
    fixtures(tree, "usr/share/sosia/fixtures/")
    tree.copy_all("usr/share/sosia/suites", os.path.join(ROOT, "suites"))
    examples(tree, "usr/share/doc/sosia/examples")
    with open(os.path.join(ROOT, "CHANGELOG.md"), "rb") as f:
        tree.add("usr/share/doc/sosia/CHANGELOG.md.gz", gz(f.read(), 9))
    return packed("sosia", tree, depends(build.work, [path]))


def library(build):
    tree, path = Tree(), build.own(build.library, "deb/" + build.soname)
    bundle.without_rpath(path)
    tree.copy(LIBS + "libsosia.so." + VERSION, path, 0o644)
    tree.link(LIBS + build.soname, "libsosia.so." + VERSION)
    return packed("libsosia" + SONAME, tree, depends(build.work, [path]), {
        "shlibs": "libsosia %s libsosia%s (>= %s)\n" % (SONAME, SONAME, VERSION), "triggers": "activate-noawait ldconfig\n"})


def headers(build):
    tree = Tree()
    tree.link(LIBS + "libsosia.so", build.soname)
    tree.copy("usr/include/sosia.h", os.path.join(ROOT, "include/sosia.h"), 0o644)
    tree.add(LIBS + "pkgconfig/sosia.pc", pkgconfig("/usr", "lib/x86_64-linux-gnu"))
    cmake(tree, LIBS)
    return packed("libsosia-dev", tree, "libsosia%s (= %s)" % (SONAME, VERSION))


def packages(build):
    """kind -> bytes."""
    return {"deb": command(build), "libdeb": library(build), "devdeb": headers(build)}
