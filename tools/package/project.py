"""What the packages are of: names, the version, the files that they are made of."""
import hashlib, os, re, subprocess

import machine

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# The name in registries, in the one place where it is written; npm's and Python's files must agree (tests/tools/test_package.py).
REGISTRY = re.search(r'(?m)^name = "(.*)"', open(os.path.join(ROOT, "bindings/python/pyproject.toml"), encoding="utf-8").read()).group(1)
VERSION = re.search(r"(?m)^  version: '(.*)'", open(os.path.join(ROOT, "meson.build"), encoding="utf-8").read()).group(1)
MACHINE = machine.X86_64  # this one, for which all packages are made
GLIBC = "2.36"  # of Debian 12, which all is built on
TEXT = "The double of Google Workspace, Slack and Microsoft 365 behind the vendors' own HTTP APIs, for tests and agents"
# What changes the bytes of a package, benchmarks among it, which the compiler's counts are of; documents and tests go along or not, and say
# nothing about what was checked.
SOURCES = ("bench", "bindings/frames.h", "bindings/node", "bindings/python", "cli", "conformance", "console", "engine", "examples", "fixtures", "grading", "guard", "hosted", "identity",
           "include", "mcp", "sandbox", "server", "services", "suites", "tools/package", "transfer", "vendors", "meson.build", "meson_options.txt",
           "script/package", "tools/differences.py", "tools/edm.py", "tools/embed.py", "tools/fixtures.py", "tools/man.py", "tools/profile", "tools/sets.py",
           "tools/shapes.py", "tools/sosia-config.cmake.in", "tools/sosia-config-version.cmake.in", "tools/tzgen.py")


def epoch():
    """The time of everything in a package, so that the same sources give the same bytes."""
    return int(os.environ.get("SOURCE_DATE_EPOCH", "1764547200"))


def sources_hash():
    listed = subprocess.run(["git", "ls-files", "-z", "--", *SOURCES], cwd=ROOT, check=True, capture_output=True).stdout.split(b"\0")
    total = hashlib.sha256()
    for name in sorted(filter(None, listed)):
        path = os.path.join(ROOT.encode(), name)
        if b"/test" not in name and os.path.isfile(path):
            total.update(name + b"\0" + hashlib.sha256(open(path, "rb").read()).digest())
    return total.hexdigest()


def names(of=MACHINE):
    """The files of dist/, by kind."""
    wheel = REGISTRY.replace("-", "_")
    return {
        "archive": "sosia-%s-linux-%s.tar.zst" % (VERSION, of.name),
        "wheel": "%s-%s-cp310-abi3-manylinux_%s_%s.whl" % (wheel, VERSION, GLIBC.replace(".", "_"), of.name),
        "npm": "%s-linux-%s-%s.tgz" % (REGISTRY, of.node, VERSION),
        "deb": "sosia_%s_%s.deb" % (VERSION, of.debian),
        "libdeb": "libsosia0_%s_%s.deb" % (VERSION, of.debian),
        "devdeb": "libsosia-dev_%s_%s.deb" % (VERSION, of.debian),
        "docker": "sosia-%s-docker-%s.tar" % (VERSION, of.debian),
        "oci": "sosia-%s-oci-%s.tar" % (VERSION, of.debian),
        "images": "sosia-%s-oci.tar" % VERSION,
        "sbom": "sosia-%s.cdx.json" % VERSION if of is MACHINE else "sosia-%s-%s.cdx.json" % (VERSION, of.name),
        "profile": "sosia-%s-profile.tar.zst" % VERSION,
        "sums": "SHA256SUMS",
    }
