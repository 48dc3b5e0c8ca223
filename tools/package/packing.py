"""Trees of files in memory, and the archives that are made of them: the same tree, the same bytes."""
import gzip, hashlib, io, lzma, os, stat, subprocess, tarfile, zipfile, time

from project import epoch


class Tree:
    """path -> (mode, bytes), or for a link (None, target), or for a folder (mode, None)."""

    def __init__(self):
        self.files = {}

    def add(self, path, data, mode=0o644):
        assert path not in self.files, path
        self.files[path] = (mode, data.encode() if isinstance(data, str) else data)

    def copy(self, path, source, mode=None):
        with open(source, "rb") as f:
            data = f.read()
        self.add(path, data, mode or (0o755 if os.stat(source).st_mode & stat.S_IXUSR else 0o644))

    def copy_all(self, path, source, wanted=lambda name: True):
        for folder, folders, names in os.walk(source):
            folders.sort()
            for name in sorted(names):
                relative = os.path.relpath(os.path.join(folder, name), source)
                if wanted(relative):
                    self.copy(path + "/" + relative, os.path.join(folder, name))

    def link(self, path, target):
        self.files[path] = (None, target)

    def folder(self, path, mode=0o755):
        self.files[path] = (mode, None)

    def update(self, other, below=""):
        for path, entry in other.files.items():
            self.files[below + path] = entry

    def digest(self, path):
        return hashlib.sha256(self.files[path][1]).hexdigest()


def tar(tree, below="", owners=None):
    """owners: user numbers of paths that are not root's."""
    out = io.BytesIO()
    folders = set()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as t:
        def put(info, data=None):
            info.mtime = epoch()
            info.uid = info.gid = (owners or {}).get(info.name, 0)
            t.addfile(info, io.BytesIO(data) if data is not None else None)

        def folder(path, mode):
            if path and path not in folders:
                folder(os.path.dirname(path), 0o755)
                folders.add(path)
                info = tarfile.TarInfo(path)
                info.type, info.mode = tarfile.DIRTYPE, mode
                put(info)

        for path in sorted(tree.files):
            mode, data = tree.files[path]
            path = below + path
            if data is None:
                folder(path, mode)
                continue
            folder(os.path.dirname(path), 0o755)
            info = tarfile.TarInfo(path)
            if mode is None:
                info.type, info.linkname, info.mode = tarfile.SYMTYPE, data, 0o777
                put(info)
            else:
                info.size, info.mode = len(data), mode
                put(info, data)
    return out.getvalue()


def zstd(data):
    return subprocess.run(["zstd", "-12", "--single-thread", "--no-progress", "-q", "-c"], input=data, check=True, capture_output=True).stdout


def gz(data, level=6):
    out = io.BytesIO()
    with gzip.GzipFile(filename="", fileobj=out, mode="wb", compresslevel=level, mtime=0) as f:
        f.write(data)
    return out.getvalue()


def xz(data):
    return lzma.compress(data, lzma.FORMAT_XZ, lzma.CHECK_CRC64, preset=6)


def ar(members):
    """members: (name, bytes), in this order."""
    out = [b"!<arch>\n"]
    for name, data in members:
        out += ["%-16s%-12d%-6d%-6d%-8s%-10d`\n" % (name, epoch(), 0, 0, "100644", len(data)), data, b"\n" * (len(data) % 2)]
    return b"".join(part.encode() if isinstance(part, str) else part for part in out)


def zipped(tree):
    """Without links, which a wheel can't have. RECORD, where there is one, comes last."""
    out = io.BytesIO()
    date = time.gmtime(epoch())[:6]
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as z:
        for path in sorted(tree.files, key=lambda p: (p.endswith("/RECORD"), p)):
            mode, data = tree.files[path]
            info = zipfile.ZipInfo(path, date)
            info.create_system = 3
            info.external_attr = (stat.S_IFREG | mode) << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            z.writestr(info, data)
    return out.getvalue()
