"""script/package: makes the packages, and tries them."""
import argparse, hashlib, os, sys, tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import deb
import image
import kinds
import sbom
from project import ROOT, names


def write(dist, name, data):
    with open(os.path.join(dist, name), "wb") as f:
        f.write(data)
    print("%-66s %8.1f MB" % (name, len(data) / 1e6), flush=True)


def make(build, dist, only):
    file = names()
    for kind, pack in (("archive", kinds.archive), ("wheel", kinds.wheel), ("npm", kinds.npm), ("deb", deb.package)):
        if kind in only:
            write(dist, file[kind], pack(build))
    if "image" in only:
        for kind, data in zip(("docker", "oci"), image.make(build)):
            write(dist, file[kind], data)
    libs = build.libraries("sbom-libs", [build.command, build.library])
    write(dist, file["sbom"], sbom.document(build, libs).encode())
    sums = []
    for name in sorted(os.listdir(dist)):
        if name != file["sums"]:
            with open(os.path.join(dist, name), "rb") as f:
                sums.append("%s  %s\n" % (hashlib.sha256(f.read()).hexdigest(), name))
    write(dist, file["sums"], "".join(sums).encode())


def main():
    p = argparse.ArgumentParser(prog="script/package")
    p.add_argument("--check", action="store_true")
    p.add_argument("--checked-only", action="store_true", help="try what is in dist already")
    p.add_argument("--only", default="archive,wheel,npm,deb,image")
    p.add_argument("--build", default="build-package")
    options = p.parse_args()
    only = options.only.split(",")
    folder = os.path.join(ROOT, options.build)
    dist = os.path.join(folder, "dist")
    os.makedirs(dist, exist_ok=True)
    if not options.checked_only:
        with tempfile.TemporaryDirectory(prefix="sosia-package.") as work:
            make(kinds.Build(folder, work), dist, only)
    if options.check or options.checked_only:
        import check
        sys.exit(check.main(dist, only))


main()
