"""The processors that packages are made for: this machine's, and another whose programs a cross compiler makes with the libraries of
a root of its own (`sysroot`), so that nothing of it is installed here."""
import os, re, subprocess
from typing import NamedTuple


def run(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


class Machine(NamedTuple):
    name: str     # as in file names and of Linux
    debian: str   # Debian's and the images' word
    node: str     # npm's
    triplet: str
    loader: str
    emulator: str = ""  # what runs its programs elsewhere
    prefix: str = ""    # of its compiler and binutils
    root: str = ""      # where its libraries are, "" for /

    def tool(self, name):
        return self.prefix + name

    def place(self, path):
        """Where a file of its system is here."""
        return self.root + path

    def gconv(self):
        return self.place("/usr/lib/%s/gconv" % self.triplet)

    def closure(self, programs):
        """soname -> path, of all that these need, theirs excepted that come with the build."""
        return _by_loader(programs) if not self.root else _by_search(self, programs)

    def package_of(self, path):
        """Debian's package of a file: (name, version, source)."""
        return _by_dpkg(path) if not self.root else _by_list(self, path)


X86_64 = Machine("x86_64", "amd64", "x64", "x86_64-linux-gnu", "ld-linux-x86-64.so.2")
AARCH64 = Machine("aarch64", "arm64", "arm64", "aarch64-linux-gnu", "ld-linux-aarch64.so.1", "qemu-aarch64-static", "aarch64-linux-gnu-")


def _by_loader(programs):
    found = {}
    for program in programs:
        said = run("ldd", program)
        for name, path in re.findall(r"(?m)^\s*(\S+) => (/\S+)", said):
            if not name.startswith("libsosia"):
                found[name] = os.path.realpath(path)
        for path in re.findall(r"(?m)^\s*(/\S*ld-linux\S*) \(", said):
            found[os.path.basename(path)] = os.path.realpath(path)
        if re.search("not found", said):
            raise SystemExit("package: expected all libraries of %s, some are not found" % program)
    return found


def _by_search(machine, programs):
    """As its loader would: in the folders of its root."""
    folders = [machine.place("/usr/lib/" + machine.triplet), machine.place("/usr/lib")]
    found, waiting = {}, [name for program in programs for name in needed(program)]
    while waiting:
        name = waiting.pop()
        if name in found or name.startswith("libsosia"):
            continue
        path = next((os.path.join(f, name) for f in folders if os.path.exists(os.path.join(f, name))), None)
        if path is None:
            raise SystemExit("package: expected %s below %s, it is not there" % (name, machine.root))
        found[name] = os.path.realpath(path)
        waiting += needed(path)
    return found


def needed(path):
    return re.findall(r"\(NEEDED\) +Shared library: \[(.*)\]", run("readelf", "-dW", path))


def _by_dpkg(path):
    for name in (path, path.removeprefix("/usr")):
        done = subprocess.run(["dpkg-query", "-S", name], capture_output=True, text=True)
        if done.returncode == 0:
            package = done.stdout.split(": ")[0].split(",")[0].split(":")[0]
            shown = run("dpkg-query", "-W", "-f", "${Package} ${Version} ${source:Package}\n", package).splitlines()[0]
            return tuple(shown.split())
    raise SystemExit("package: expected a package of Debian that has %s, there is none" % path)


def _by_list(machine, path):
    """Of the list that `sysroot` writes: package, version, source and path of each file."""
    wanted = path.removeprefix(os.path.realpath(machine.root)).removeprefix("/usr")
    with open(machine.place("/files.tsv"), encoding="utf-8") as f:
        for line in f:
            package, version, source, name = line.rstrip("\n").split("\t")
            if name.removeprefix("/usr") == wanted:
                return package, version, source
    raise SystemExit("package: expected %s in the list of files below %s" % (wanted, machine.root))
