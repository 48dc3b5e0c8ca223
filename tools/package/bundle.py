"""The libraries that a program needs, as Debian has them, made to lie in a folder of ours."""
import hashlib, os, re, shutil, struct

from machine import X86_64, needed, run

# What every glibc system has (PEP 600); a package that has no loader of its own leaves them to it.
SYSTEM = ("ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1", "libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1", "libresolv.so.2", "libgcc_s.so.1")


def empty_icu(work, soname, machine=X86_64):
    """ICU's table is 31 MB of names and rules that nothing here asks for: libxml2, which is linked with it, asks iconv first. One
    without entries takes its place."""
    number = soname.rsplit(".", 1)[1]
    header = struct.pack("<HBBHHBBBB4s4s4s", 32, 0xda, 0x27, 20, 0, 0, 0, 2, 0, b"ToCP", b"\1\0\0\0", b"\0\0\0\0").ljust(32, b"\0")
    source, path = os.path.join(work, "icu.c"), os.path.join(work, soname)
    with open(source, "w") as f:
        f.write("__attribute__((aligned(16))) const unsigned char icudt%s_dat[] = {%s};\n" % (
            number, ",".join(map(str, header + struct.pack("<I", 0) + bytes(12)))))
    run(machine.tool("gcc"), "-shared", "-nostdlib", "-fPIC", "-Wl,-soname," + soname, "-Wl,--build-id=none", "-o", path, source)
    return path


def stripped(work, path, name, machine=X86_64):
    """A copy of our own to work on."""
    to = os.path.join(work, name)
    shutil.copyfile(path, to)
    os.chmod(to, 0o755)
    run(machine.tool("strip"), "--strip-unneeded", to)
    return to


def without_rpath(path):
    """Where the build looked for libraries is no matter of the package's."""
    if re.search(r"\((RUNPATH|RPATH)\)", run("readelf", "-dW", path)):
        run("patchelf", "--remove-rpath", path)


def libraries(work, found, leave=(), machine=X86_64):
    """name -> our own copy of each, but those that are left to the system."""
    os.makedirs(work, exist_ok=True)
    return {name: empty_icu(work, name, machine) if name.startswith("libicudata") else stripped(work, path, name, machine)
            for name, path in sorted(found.items()) if name not in leave}


def renamed(work, programs, libs):
    """Libraries with names of their own, so that they never meet others of the same name in a process, and programs that know
    them by those. programs: path -> RPATH. Every change is a call of patchelf of its own: two in one call have written version
    tables that the loader refuses."""
    new = {}
    for name, path in libs.items():
        with open(path, "rb") as f:
            digest = hashlib.sha256(f.read()).hexdigest()[:8]
        stem, rest = name.split(".so", 1)
        new[name] = "%s-%s.so%s" % (stem, digest, rest)
    out = {}
    for name, path in libs.items():
        to = os.path.join(work, new[name])
        os.rename(path, to)
        run("patchelf", "--set-soname", new[name], to)
        out[new[name]] = to
    for path, rpath in [*programs.items(), *((path, "$ORIGIN") for path in out.values())]:
        for name in needed(path):
            if name in new:
                run("patchelf", "--replace-needed", name, new[name], path)
        run("patchelf", "--remove-rpath", path)
        run("patchelf", "--set-rpath", rpath, path)
    return out


def is_elf(path):
    with open(path, "rb") as f:
        return f.read(4) == b"\x7fELF"


def flaws(folder, glibc, inside=True):
    """What would keep the programs below a folder from running on a system of this glibc: newer symbols, libraries that are
    neither inside nor the system's, version tables that name a library which is not needed."""
    limit = tuple(map(int, glibc.split(".")))
    paths = [os.path.join(at, name) for at, _, names in os.walk(folder) for name in names]
    elves = [p for p in paths if not os.path.islink(p) and is_elf(p)]
    there = {os.path.basename(p) for p in paths}
    said = []
    for path in elves:
        short, need = os.path.relpath(path, folder), needed(path)
        versions = run("readelf", "-VW", path)
        for text in set(re.findall(r"Name: GLIBC_([0-9.]+)", versions)):
            if tuple(map(int, text.split("."))) > limit:
                said.append("%s wants glibc %s, more than %s" % (short, text, glibc))
        for name in set(re.findall(r"Version: 1  File: (\S+)", versions)) - set(need):
            said.append("%s has versions of %s, which it does not need" % (short, name))
        for name in need:
            if name not in there and (not inside or name not in SYSTEM):
                said.append("%s needs %s, which is neither here nor the system's" % (short, name))
    if not elves:
        said.append("there is no program below %s" % folder)
    return sorted(said)
