"""script/package: makes the packages, and tries them."""
import argparse, hashlib, os, sys, tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import deb
import image
import kinds
import machine
import sbom
from project import ROOT, names


def write(dist, name, data):
    with open(os.path.join(dist, name), "wb") as f:
        f.write(data)
    print("%-66s %8.1f MB" % (name, len(data) / 1e6), flush=True)


ALSO = ("archive", "wheel", "npm", "image")  # of another machine: Debian's package comes from a build there


def make(build, dist, only):
    """Gives what the layout of all images takes, or None."""
    file, parts = build.names, None
    for kind, pack in (("archive", kinds.archive), ("wheel", kinds.wheel), ("npm", kinds.npm)):
        if kind in only:
            write(dist, file[kind], pack(build))
    if "deb" in only:
        for kind, data in deb.packages(build).items():
            write(dist, file[kind], data)
    if "image" in only:
        docker, oci, parts = image.make(build)
        write(dist, file["docker"], docker)
        write(dist, file["oci"], oci)
    libs = build.libraries("sbom-libs", [build.command, build.library])
    write(dist, file["sbom"], sbom.document(build, libs).encode())
    return parts


def sums(dist):
    lines = []
    for name in sorted(os.listdir(dist)):
        if name != names()["sums"]:
            with open(os.path.join(dist, name), "rb") as f:
                lines.append("%s  %s\n" % (hashlib.sha256(f.read()).hexdigest(), name))
    write(dist, names()["sums"], "".join(lines).encode())


def main():
    p = argparse.ArgumentParser(prog="script/package")
    p.add_argument("--check", action="store_true")
    p.add_argument("--checked-only", action="store_true", help="try what is in dist already")
    p.add_argument("--only", default="archive,wheel,npm,deb,image")
    p.add_argument("--build", default="build-package")
    p.add_argument("--also", help="the folder of a cross build for aarch64, with the root of its libraries beside it")
    options = p.parse_args()
    only = options.only.split(",")
    folder = os.path.join(ROOT, options.build)
    dist = os.path.join(folder, "dist")
    os.makedirs(dist, exist_ok=True)
    also = options.also and machine.AARCH64._replace(root=os.path.join(ROOT, options.also + "-root/root"))
    if not options.checked_only:
        with tempfile.TemporaryDirectory(prefix="sosia-package.") as work:
            images = [make(kinds.Build(folder, work), dist, only)]
        with open(os.path.join(folder, "profile.tar.zst"), "rb") as f:
            write(dist, names()["profile"], f.read())
        if also:
            with tempfile.TemporaryDirectory(prefix="sosia-package.") as work:
                images.append(make(kinds.Build(os.path.join(ROOT, options.also), work, also), dist, [kind for kind in only if kind in ALSO]))
            if all(images):
                write(dist, names()["images"], image.layout(images))
        sums(dist)
    if options.check or options.checked_only:
        import check
        sys.exit(check.main(dist, only, also))


if __name__ == "__main__":
    main()
