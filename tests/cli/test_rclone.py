# SPDX-License-Identifier: Apache-2.0
"""rclone (Debian's package), unmodified, with a client id and a refresh token of its own: its drive backend through `sosia run`
copies, syncs, moves and checks a tree; mounted, a drive is a directory."""
import contextlib
import json
import os
import shutil
import socket
import subprocess
import tempfile
import textwrap
import threading
import time
import unittest
from urllib.parse import urlsplit

import harness

CONFIG = """
[drive]
type = drive
client_id = 407408718192-desk.apps.googleusercontent.com
client_secret = GOCSPX-of-the-program
scope = drive
token = {"access_token":"ya29.gone","token_type":"Bearer","refresh_token":"1//09-kept","expiry":"2020-01-01T00:00:00Z"}
"""
# More than 8 MiB is uploaded in a resumable session with several chunks.
TREE = {"one.txt": b"1\n" * 500, "empty": b"", "deep/er/est/leaf.txt": b"leaf\n", "deep/er/two.txt": b"two\n",
        "with space/\u00e9l\u00e0.txt": b"accents\n", "with space/it's \\ quoted.txt": b"quotes\n", "q'/\U0001f4c4.md": b"# emoji\n",
        "large.bin": bytes(range(256)) * 4096 * 9}


def write_tree(path, files):
    for name, data in files.items():
        at = os.path.join(path, name)
        os.makedirs(os.path.dirname(at), exist_ok=True)
        with open(at, "wb") as f:
            f.write(data)


def read_tree(path):
    found = {}
    for base, _, names in os.walk(path):
        for name in names:
            at = os.path.join(base, name)
            with open(at, "rb") as f:
                found[os.path.relpath(at, path)] = f.read()
    return found


class Tree(unittest.TestCase):
    def setUp(self):
        # Not below /tmp, which is private for a command of `sosia run`.
        self.base = tempfile.mkdtemp(dir=os.getcwd())
        self.addCleanup(shutil.rmtree, self.base, ignore_errors=True)
        self.write("rclone.conf", CONFIG.encode())
        write_tree(os.path.join(self.base, "tree"), TREE)

    def write(self, name, data):
        write_tree(self.base, {name: data})

    def environment(self, **more):
        clean = {k: v for k, v in os.environ.items() if not k.startswith("SOSIA_")}
        return {**clean, "HOME": os.path.join(self.base, "home"), "RCLONE_CONFIG": os.path.join(self.base, "rclone.conf"),
                "RCLONE_RETRIES": "1", "RCLONE_LOW_LEVEL_RETRIES": "1", **more}


@unittest.skipUnless(shutil.which("rclone"), "rclone is not installed")
class Through(Tree):
    def shell(self, script):
        """The standard output of a script with rclone in it, in a world of its own."""
        done = subprocess.run(
            [harness.SOSIA, "run", "--fixture", "small", "--oauth", "open", "--", "sh", "-euc", textwrap.dedent(script)], cwd=self.base, check=False,
            env=self.environment(), capture_output=True, text=True, timeout=harness.PATIENCE, stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        return done.stdout

    def test_a_tree_is_copied_there_and_back(self):
        out = self.shell("""
            rclone copy tree drive:backup
            rclone check --download tree drive:backup
            rclone check tree drive:backup
            rclone lsf -R --files-only drive:backup
            rclone copy drive:backup back
        """)
        self.assertEqual(sorted(out.splitlines()), sorted(TREE))
        self.assertEqual(read_tree(os.path.join(self.base, "back")), TREE)

    def test_a_difference_is_found(self):
        out = self.shell("""
            rclone copy tree drive:backup
            echo other >tree/deep/er/two.txt
            rm tree/empty
            ! rclone check --combined - tree drive:backup 2>log | sort | grep -v '^=' || true
            grep -c differences log || true
        """)
        self.assertEqual(out.splitlines()[:2], ["* deep/er/two.txt", "- empty"])

    def test_a_sync_makes_the_drive_equal_and_the_next_one_does_nothing(self):
        out = self.shell("""
            rclone sync tree drive:mirror
            rm -r tree/deep/er/est "tree/with space"; echo more >>tree/one.txt; echo new >tree/deep/new.txt
            rclone sync tree drive:mirror
            rclone check tree drive:mirror
            rclone sync -v tree drive:mirror 2>&1 | grep -E 'Copied|Deleted|Updated' || echo nothing
            rclone lsf -R --files-only drive:mirror
        """).splitlines()
        self.assertEqual(out[0], "nothing")
        self.assertEqual(sorted(out[1:]), ["deep/er/two.txt", "deep/new.txt", "empty", "large.bin", "one.txt", "q'/\U0001f4c4.md"])

    def test_files_and_folders_are_moved_and_copied_by_the_server(self):
        out = self.shell("""
            rclone copy tree drive:a
            rclone moveto -v drive:a/one.txt drive:a/deep/uno.txt 2>&1 | grep -o 'server-side'
            rclone move -v drive:a/deep drive:b/deep 2>&1 | grep -o 'Server side directory move succeeded'
            rclone copy -v drive:b drive:c 2>&1 | grep -c 'server-side copy'
            rclone check drive:b drive:c
            rclone lsf -R --files-only drive:c
        """).splitlines()
        self.assertEqual(out[:3], ["server-side", "Server side directory move succeeded", "3"])
        self.assertEqual(sorted(out[3:]), ["deep/er/est/leaf.txt", "deep/er/two.txt", "deep/uno.txt"])

    def test_parts_digests_sizes_and_times_are_the_files(self):
        out = self.shell("""
            TZ=UTC touch -d '2024-02-29T12:34:56.789' tree/one.txt
            rclone copy tree drive:x
            rclone cat --offset 9437183 --count 1 drive:x/large.bin | od -An -tu1
            rclone md5sum drive:x/one.txt
            (cd tree && md5sum one.txt)
            rclone hashsum SHA256 --download drive:x/one.txt
            rclone size drive:x | sed -n 's/.*(\\([0-9]*\\) Byte.*/\\1/p'
            TZ=UTC rclone lsf --format t drive:x/one.txt
        """).splitlines()
        self.assertEqual(out[0].strip(), "255")
        self.assertEqual(out[1], out[2])
        self.assertEqual(int(out[4]), sum(map(len, TREE.values())))
        self.assertEqual(out[5], "2024-02-29 12:34:56")

    def test_what_is_deleted_lies_in_the_trash_until_it_is_emptied(self):
        out = self.shell("""
            rclone copy tree drive:x
            rclone delete drive:x/one.txt
            rclone purge drive:x/deep
            rclone lsf --drive-trashed-only -R --files-only drive: | sort
            echo ----
            rclone cleanup drive:
            rclone lsf --drive-trashed-only -R --files-only drive:
            echo ----
            rclone rmdir drive:x/q\\' 2>/dev/null || echo full
            rclone lsf drive:x
        """)
        trash, empty, rest = out.split("----\n")
        self.assertIn("one.txt", trash)
        self.assertEqual(empty, "")
        self.assertEqual(rest, "full\nempty\nlarge.bin\nq'/\nwith space/\n")

    def test_tables_become_sheets_and_are_exported(self):
        out = self.shell("""
            printf 'a,b\\n1,2\\n' >tab.csv
            rclone --drive-import-formats csv --drive-export-formats csv copy tab.csv drive:sheets
            rclone --drive-export-formats csv cat drive:sheets/tab.csv | tr -d '\\r'
            echo
            rclone --drive-export-formats xlsx lsf drive:sheets
        """)
        self.assertEqual(out.split(), ["a,b", "1,2", "tab.xlsx"])

    def test_a_link_lets_others_in_and_quotas_count(self):
        out = self.shell("""
            rclone about --json drive: | tr -d '\\n'
            echo
            rclone copy tree/one.txt drive:x
            rclone link drive:x/one.txt
            rclone about --json drive:
        """)
        before, link, after = out.split("\n", 2)
        self.assertRegex(link, r"^https://drive\.google\.com/open\?id=[\w-]+$")
        self.assertEqual(json.loads(after)["used"] - json.loads(before)["used"], 1000)


@unittest.skipUnless(shutil.which("rclone"), "rclone is not installed")
class OneDrive(Tree):
    """Its onedrive backend, with a token and a drive's id."""

    HEAD = """
        id=$(curl -sS -H "Authorization: Bearer $SOSIA_TOKEN" https://graph.microsoft.com/v1.0/me/drive | grep -o 'b![A-Za-z0-9_-]*')
        cat >rclone.conf <<END
        [one]
        type = onedrive
        drive_type = business
        drive_id = $id
        token = {"access_token":"$SOSIA_TOKEN","token_type":"Bearer","refresh_token":"kept","expiry":"2099-01-01T00:00:00Z"}
        END
    """

    def shell(self, script):
        done = subprocess.run(
            [harness.SOSIA, "run", "--fixture", "small-365", "--", "sh", "-euc", textwrap.dedent(self.HEAD) + textwrap.dedent(script)],
            cwd=self.base, check=False, env=self.environment(), capture_output=True, text=True, timeout=harness.PATIENCE,
            stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        return done.stdout

    def test_a_tree_is_copied_there_and_back(self):
        out = self.shell("""
            rclone copy tree one:backup
            rclone check tree one:backup
            rclone check --download tree one:backup
            rclone lsf -R --files-only one:backup
            rclone copy one:backup back
        """)
        self.assertEqual(sorted(out.splitlines()), sorted(TREE))
        self.assertEqual(read_tree(os.path.join(self.base, "back")), TREE)

    def test_a_sync_makes_the_drive_equal_and_the_next_one_does_nothing(self):
        out = self.shell("""
            rclone sync tree one:mirror
            rm -r tree/deep/er/est "tree/with space"; echo more >>tree/one.txt; echo new >tree/deep/new.txt
            rclone sync tree one:mirror
            rclone check tree one:mirror
            rclone sync -v tree one:mirror 2>&1 | grep -E 'Copied|Deleted|Updated' || echo nothing
            rclone moveto one:mirror/one.txt one:mirror/deep/uno.txt
            rclone copy one:mirror/deep one:copy
            rclone lsf -R --files-only one:copy
        """).splitlines()
        self.assertEqual(out[0], "nothing")
        self.assertEqual(sorted(out[1:]), ["er/two.txt", "new.txt", "uno.txt"])


class Tunnel(threading.Thread):
    """A proxy that answers every CONNECT with a connection to one port of this machine."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.port = port
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = "http://127.0.0.1:%d" % self.listener.getsockname()[1]
        self.start()

    def run(self):
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=self.connect, args=(self.listener.accept()[0],), daemon=True).start()

    def connect(self, client):
        head = b""
        with client:
            while b"\r\n\r\n" not in head:
                got = client.recv(4096)
                if not got:
                    return
                head += got
            with socket.create_connection(("127.0.0.1", self.port)) as server:
                client.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
                back = threading.Thread(target=self.copy, args=(server, client), daemon=True)
                back.start()
                self.copy(client, server)
                back.join()

    def close(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.join()
        self.listener.close()

    @staticmethod
    def copy(source, sink):
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                sink.sendall(data)
        with contextlib.suppress(OSError):
            sink.shutdown(socket.SHUT_WR)


def mounts():
    """Why this machine can't mount, or nothing."""
    if not shutil.which("rclone"):
        return "rclone is not installed"
    if not os.access("/dev/fuse", os.R_OK | os.W_OK):
        return "no /dev/fuse here that may be used"
    if not shutil.which("fusermount3") and not shutil.which("fusermount"):
        return "no fusermount here"
    with tempfile.TemporaryDirectory() as base:
        done = subprocess.run(["rclone", "mount", "--daemon", "--daemon-wait", "10s", ":local:/", base], check=False,
                              capture_output=True, text=True, timeout=harness.PATIENCE, stdin=subprocess.DEVNULL)
        if done.returncode != 0 or not os.path.ismount(base):
            return "this machine mounts nothing: " + done.stderr.strip()
        unmount(base)
    return None


def unmount(path):
    tool = shutil.which("fusermount3") or shutil.which("fusermount")
    subprocess.run([tool, "-u", path], check=False, stdin=subprocess.DEVNULL)


REFUSAL = mounts()


class Mounting(Tree):
    """Mounting takes privileges that `sosia run` takes away, so rclone comes here through a proxy."""
    FIXTURE = "small"

    def setUp(self):
        super().setUp()
        authority = os.path.join(self.base, "ca")
        done = harness.command("ca", authority)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.server = harness.Server("--fixture", self.FIXTURE, "--oauth", "open", "--ca", authority, "--https-port", "0")
        self.addCleanup(lambda: self.assertEqual(self.server.stop(), (0, b"", b"")))
        tunnel = Tunnel(urlsplit(self.server.info["https_url"]).port)
        self.addCleanup(tunnel.close)
        self.env = self.environment(HTTPS_PROXY=tunnel.url, SSL_CERT_FILE=os.path.join(authority, "ca.crt"))
        self.point = os.path.join(self.base, "point")
        os.mkdir(self.point)

    def rclone(self, *words):
        done = subprocess.run(["rclone", *words], cwd=self.base, env=self.env, check=False, capture_output=True, text=True,
                              timeout=harness.PATIENCE, stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def mount(self, *options):
        self.rclone("mount", "--daemon", "--daemon-wait", "500s", *options, "drive:", self.point)
        self.addCleanup(lambda: os.path.ismount(self.point) and unmount(self.point))

    def until(self, seen):
        end = time.monotonic() + harness.PATIENCE
        while not seen() and time.monotonic() < end:
            time.sleep(0.05)


@unittest.skipIf(REFUSAL, REFUSAL)
class Mounted(Mounting):
    def test_a_mounted_drive_is_read_and_written_as_a_directory(self):
        self.rclone("copy", "tree", "drive:x")
        self.mount("--vfs-cache-mode", "writes", "--vfs-write-back", "0s")
        self.assertEqual(read_tree(os.path.join(self.point, "x")), TREE)
        with open(os.path.join(self.point, "x", "large.bin"), "rb") as f:
            f.seek(5_000_000)
            self.assertEqual(f.read(4), TREE["large.bin"][5_000_000:5_000_004])
        os.mkdir(os.path.join(self.point, "made"))
        write_tree(self.point, {"made/here.txt": b"written through the mount\n"})
        os.rename(os.path.join(self.point, "x", "one.txt"), os.path.join(self.point, "made", "uno.txt"))
        os.remove(os.path.join(self.point, "x", "empty"))
        self.until(lambda: "here.txt" in self.rclone("lsf", "drive:made"))
        unmount(self.point)
        self.rclone("copy", "drive:made", "made")
        self.assertEqual(read_tree(os.path.join(self.base, "made")),
                         {"here.txt": b"written through the mount\n", "uno.txt": TREE["one.txt"]})
        self.assertFalse({"one.txt", "empty"} & set(self.rclone("lsf", "drive:x").splitlines()))


if __name__ == "__main__":
    unittest.main()
