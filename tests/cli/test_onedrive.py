# SPDX-License-Identifier: Apache-2.0
"""Programs that copy files to OneDrive, unmodified, of Debian's packages: rclone's backend through `sosia run` and mounted, and the
synchronizing client `onedrive`, which signs in as a person does."""
import html
import os
import re
import shutil
import subprocess
import textwrap
import unittest
import urllib.error
import urllib.parse
import urllib.request

import harness
import test_rclone
from test_rclone import TREE, read_tree, unmount, write_tree

CONFIG = """
[drive]
type = onedrive
client_id = b15665d9-eda6-4092-8539-0eec376afd59
region = global
token = {"access_token":"%s","token_type":"Bearer","refresh_token":"none","expiry":"2099-01-01T00:00:00Z"}
drive_id = %s
drive_type = business
"""
PERSON = "nora@quay.example"


class Tree(test_rclone.Tree):
    def run_in_world(self, script, *options):
        """The standard output of a script in a world of its own."""
        done = subprocess.run(
            [harness.SOSIA, "run", "--fixture", "small-365", "--oauth", "open", "--credentials", "microsoft", *options, "--", "sh", "-euc",
             textwrap.dedent(script)], cwd=self.base, check=False, env=self.environment(PYTHONPATH=os.path.dirname(os.path.abspath(__file__))),
            capture_output=True, text=True, timeout=harness.PATIENCE, stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        return done.stdout


@unittest.skipUnless(shutil.which("rclone"), "rclone is not installed")
class Through(Tree):
    # The configuration names the drive, which rclone's own dialogue would ask the service for.
    PREPARE = """
        id=$(curl -s -H "Authorization: Bearer $SOSIA_MICROSOFT_TOKEN" https://graph.microsoft.com/v1.0/me/drive?select=id | sed 's/.*"id":"\\([^"]*\\)".*/\\1/')
        cat >rclone.conf <<END
        [drive]
        type = onedrive
        client_id = b15665d9-eda6-4092-8539-0eec376afd59
        region = global
        token = {"access_token":"$SOSIA_MICROSOFT_TOKEN","token_type":"Bearer","refresh_token":"none","expiry":"2099-01-01T00:00:00Z"}
        drive_id = $id
        drive_type = business
        END
    """

    def shell(self, script):
        return self.run_in_world(textwrap.dedent(self.PREPARE) + textwrap.dedent(script))

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
            rclone copy tree drive:here
            rclone moveto drive:here/one.txt drive:uno.txt
            rclone move drive:here/deep drive:elsewhere
            rclone copyto drive:uno.txt drive:here/eins.txt
            rclone hashsum quickxor drive:uno.txt
            rclone hashsum quickxor tree/one.txt
            rclone link drive:uno.txt
            rclone about drive: | grep Used
            rclone lsf -R --files-only --exclude 'here/**' drive:
        """).splitlines()
        self.assertEqual(out[0].split()[0], out[1].split()[0])
        self.assertIn("quay-my.sharepoint.com/", out[2])
        self.assertIn("9.0", out[3])
        self.assertEqual(sorted(out[4:]), ["elsewhere/er/est/leaf.txt", "elsewhere/er/two.txt", "uno.txt"])

    def test_versions_that_are_older_are_cleaned_up(self):
        out = self.shell("""
            for i in 1 2 3; do echo $i >tree/one.txt; rclone copyto --ignore-times tree/one.txt drive:one.txt; done
            versions='https://graph.microsoft.com/v1.0/me/drive/root:/one.txt:/versions'
            curl -s -H "Authorization: Bearer $SOSIA_MICROSOFT_TOKEN" $versions | grep -o '"size"' | wc -l
            rclone cleanup drive:
            curl -s -H "Authorization: Bearer $SOSIA_MICROSOFT_TOKEN" $versions | grep -o '"size"' | wc -l
            rclone cat drive:one.txt
        """).split()
        self.assertGreaterEqual(int(out[0]), 3)
        self.assertEqual(out[1:], ["1", "3"])


@unittest.skipIf(test_rclone.REFUSAL, test_rclone.REFUSAL)
class Mounted(test_rclone.Mounting):
    FIXTURE = "small-365"

    def setUp(self):
        super().setUp()
        world = self.server.info["world"]
        token = self.server.control("GET", "/worlds/%s/credentials?kind=microsoft&actor=%s" % (world, PERSON)).json()["microsoft_token"]
        drive = self.server.ask("GET", "/v1.0/me/drive", headers=[("Authorization", "Bearer " + token)]).json()
        self.write("rclone.conf", (CONFIG % (token, drive["id"])).encode())

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


class Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


def sign_in(url):
    """What a person does in the browser: the page's form, with a token in the place of a password. The address that it leads to."""
    opener = urllib.request.build_opener(Stay)
    page = opener.open(url.replace(" ", "%20")).read().decode()
    fields = {name: html.unescape(value) for name, value in re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)">', page)}
    target = html.unescape(re.search(r'action="([^"]+)"', page).group(1))
    form = urllib.parse.urlencode({**fields, "sosia_decision": "allow"}).encode()
    try:
        opener.open(urllib.request.Request(target, form, {"Authorization": "Bearer " + os.environ["SOSIA_TOKEN"]}))
    except urllib.error.HTTPError as redirect:
        return redirect.headers["Location"]
    return ""


@unittest.skipUnless(shutil.which("onedrive"), "Debian's package onedrive is not installed")
class Client(Tree):
    # It writes the address of the sign-in into a pipe, and reads from another where that has led to.
    PREPARE = """
        mkdir conf; mkfifo url answer
        echo "sync_dir = \\"$PWD/tree\\"" >conf/config
        { python3 -c 'import test_onedrive as t; at = t.sign_in(open("url").read()); open("answer", "w").write(at)' || echo failed >answer; } &
    """
    SYNC = "onedrive --confdir $PWD/conf --synchronize --verbose --disable-notifications"

    def test_a_directory_is_synchronized_both_ways(self):
        shutil.rmtree(os.path.join(self.base, "tree", "q'"))
        os.remove(os.path.join(self.base, "tree", "with space", "it's \\ quoted.txt"))
        mine = {n: d for n, d in TREE.items() if n in os.listdir(os.path.join(self.base, "tree")) or n.startswith("deep/")}
        out = self.run_in_world(textwrap.dedent(self.PREPARE) + textwrap.dedent("""
            api() { curl -sf -o answered -w '%%{http_code}\\n' -H "Authorization: Bearer $SOSIA_MICROSOFT_TOKEN" "$@"; }
            drive=https://graph.microsoft.com/v1.0/me/drive
            %(sync)s --auth-files url:answer >log 2>&1 || { cat log; exit 1; }
            grep -c 'Uploading new file' log
            api -X PUT -H 'Content-Type: text/plain' --data 'from elsewhere' $drive/root:/deep/news.txt:/content
            api -X DELETE $drive/root:/empty
            api -X PATCH -H 'Content-Type: application/json' --data '{"name":"two-b.txt"}' $drive/root:/deep/er/two.txt
            echo changed >tree/one.txt
            %(sync)s >>log 2>&1 || { cat log; exit 1; }
            cat tree/deep/news.txt; echo; test -e tree/empty && echo there || echo gone
            ls tree/deep/er
            %(sync)s >>log 2>&1
            curl -sLf -H "Authorization: Bearer $SOSIA_MICROSOFT_TOKEN" $drive/root:/one.txt:/content
            curl -sLf -H "Authorization: Bearer $SOSIA_MICROSOFT_TOKEN" -o large $drive/root:/large.bin:/content
            cmp large tree/large.bin && echo same
        """ % {"sync": self.SYNC})).splitlines()
        self.assertGreaterEqual(int(out[0]), len(mine) - 1)
        self.assertEqual(out[1:4], ["201", "204", "200"])
        self.assertEqual(out[4:6], ["from elsewhere", "gone"])
        self.assertEqual(out[6:8], ["est", "two-b.txt"])
        self.assertEqual(out[8:], ["changed", "same"])


if __name__ == "__main__":
    unittest.main()
