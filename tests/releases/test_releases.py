# SPDX-License-Identifier: Apache-2.0
"""What earlier releases left behind (tools/release-fixture): data directories, exports, journals, suites. All of it must open
here and say what it said there. A table that was changed without its step (upgrade.sql of its core, docs/adding.md) fails
here."""
import base64, difflib, gzip, hashlib, importlib.machinery, importlib.util, json, os, pathlib, random, shutil, sqlite3
import subprocess, tarfile, tempfile, time, unittest

ROOT = pathlib.Path(os.environ["SOSIA_ROOT"])
SOSIA = os.environ["SOSIA"]
loader = importlib.machinery.SourceFileLoader("release_fixture", str(ROOT / "tools/release-fixture"))
made = importlib.util.module_from_spec(importlib.util.spec_from_loader("release_fixture", loader))
loader.exec_module(made)
RELEASES = sorted((ROOT / "tests/releases").glob("*.tar.xz"))


def run(*args, code=0):
    result = subprocess.run([SOSIA, *map(str, args)], capture_output=True, text=True)
    assert result.returncode == code, f"sosia {' '.join(map(str, args))}: {result.stderr}{result.stdout[-2000:]}"
    return result.stdout


class Folder:
    """A release's files, and its directory as this version leaves it."""

    def __init__(self, file, path):
        self.path = path
        with tarfile.open(file) as tar:
            tar.extractall(path)
        self.data, self.now = path / "data", path / "now"
        shutil.copytree(self.data, self.now)
        began = time.monotonic()
        run("world", "list", "--data", self.now)
        self.took = time.monotonic() - began

    def read(self, name):
        return json.loads((self.path / name).read_text())


def ask(data, query):
    db = sqlite3.connect(f"file:{data}/sosia.db?mode=ro", uri=True)
    try:
        return db.execute(query).fetchall()
    finally:
        db.close()


def meta(data):
    return dict(ask(data, "select key, value from meta"))


class Releases(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.temp = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temp.cleanup)
        cls.folders = [Folder(file, pathlib.Path(cls.temp.name, str(i))) for i, file in enumerate(RELEASES)]
        assert cls.folders

    def each(self):
        return self.folders

    def same(self, name, was, now):
        """Says where two texts differ, and what to do."""
        if was == now:
            return
        was, now = (json.dumps(v, indent=1, ensure_ascii=False).split("\n") for v in (was, now))
        lines = [line for line in difflib.unified_diff(was, now, "then", "now", lineterm="", n=2)][:60]
        self.fail("%s of the release is another one after the upgrade: a step is missing or wrong (upgrade.sql of the "
                  "core):\n%s" % (name, "\n".join(lines)))

    def same_dumps(self, f, data):
        dumps = f.read("dumps.json")
        for world in made.WORLDS:
            self.same(f'the dump of "{world}"', dumps[world], json.loads(run("dump", world, "--data", data)))

    def test_directory(self):
        for f in self.each():
            before, after = meta(f.data), meta(f.now)
            self.assertNotEqual(after["tables"], before["tables"])
            self.assertNotIn("tables_next", after)
            self.same_dumps(f, f.now)
            self.assertIn("is whole", run("check", "--data", f.now))
            # A check changes nothing, and worlds of the release are whole to it.
            self.assertIn("is whole", run("check", "--data", f.data))
            self.assertEqual(meta(f.data), before)

    def test_pages_are_shared(self):
        for f in self.each():
            roots = ask(f.now, "select base, root from world where name in ('before', 'reset') union "
                        "select start_base, start_root from world where name in ('office', 'other', 'reset')")
            self.assertEqual(len(roots), 1, roots)
            pages, = ask(f.now, "select count(*) from page")
            was, = ask(f.data, "select count(*) from page")
            self.assertLess(pages[0], 2 * was[0] + 100)
            self.assertLessEqual(ask(f.now, "select count(distinct base) from world")[0][0], 2)

    def test_reset(self):
        for f in self.each():
            shutil.copytree(f.now, f.path / "reset")
            run("reset", "other", "--data", f.path / "reset")
            self.same("the state that a world resets to", f.read("dumps.json")["before"],
                      json.loads(run("dump", "other", "--data", f.path / "reset")))

    def test_what_is_due_comes(self):
        for f in self.each():
            shutil.copytree(f.now, f.path / "later")
            was, now = f.read("later.json"), made.later(SOSIA, str(f.path / "later"))
            self.assertNotEqual(was, f.read("dumps.json")["office"])
            self.same("the dump of later", was, now)

    def test_reads(self):
        for f in self.each():
            reads = f.read("reads.json")
            shutil.copytree(f.now, f.path / "reads")
            with made.Server(SOSIA, str(f.path / "reads"), "office") as server:
                for who, path, status, answer in reads:
                    self.same(f"the answer of {path}", [status, answer], list(server.call(who, "GET", path)))
            self.assertGreater(len(reads), 30)

    def test_verdict(self):
        for f in self.each():
            self.same("the verdict", f.read("verdict.json"), made.graded(SOSIA, str(f.now)))

    def test_journal(self):
        for f in self.each():
            report = json.loads(run("replay", "office", "--json", "--data", f.now))
            self.assertEqual(report["differences"], [])
            self.assertTrue(report["equal"])
            self.assertGreater(report["ran"], 40)

    def test_journal_file(self):
        for f in self.each():
            head, *rest, end = (f.path / "journal.jsonl").read_text().splitlines()
            head, end = json.loads(head), json.loads(end)
            head["origin"]["state"] = base64.b64encode(gzip.compress((f.path / "state.db").read_bytes())).decode()
            head = json.dumps(head)
            end["head"] = hashlib.sha256(head.encode()).hexdigest()
            (f.path / "whole.jsonl").write_text("\n".join([head, *rest, json.dumps(end)]) + "\n")
            report = json.loads(run("replay", "--journal", f.path / "whole.jsonl", "--json"))
            self.assertEqual(report["differences"], [])
            self.assertGreater(report["ran"], 40)

    def test_export(self):
        for f in self.each():
            run("import", f.path / "world.db", "--name", "office", "--data", f.path / "new")
            self.same("the dump of an export", f.read("dumps.json")["office"],
                      json.loads(run("dump", "office", "--data", f.path / "new")))
            with made.Server(SOSIA, str(f.path / "new"), "office") as server:
                status, answer = server.call("a", "GET", made.MAIL + "/messages?q=calibration")
                self.assertIn('"messages"', answer)

    def test_accounts(self):
        """Which services an actor's second account has: as when this version reads the dump."""
        for f in self.each():
            file, data = f.path / "accounts.db", f.path / "accounts"
            shutil.copy(f.path / "world.db", file)
            db = sqlite3.connect(file)
            actor, = db.execute("select actor from ident_account where vendor = 'google' and name is not null").fetchone()
            db.executemany("insert into ident_account (actor, vendor, service, tenant, name) values (?, ?, ?, ?, ?)",
                           [(actor, "slack", "", "T0NEW", "U1"), (actor, "slack", "", "T0NEW", "U2"),
                            (actor, "slack", "chat", "T0NEW", "U3"), (actor, "slack", "", "T0OTHER", "U1"),
                            (actor, "google", "", "other", "G2"), (actor, "google", "drive", "", "G3")])
            db.commit()
            db.close()
            run("import", file, "--name", "first", "--data", data)
            dump = run("dump", "first", "--data", data)
            (f.path / "accounts.json").write_text(dump)
            run("world", "create", "--file", f.path / "accounts.json", "--name", "second", "--data", data)
            accounts = [json.loads(text)["accounts"] for text in (dump, run("dump", "second", "--data", data))]
            self.assertEqual(*accounts)
            self.assertEqual(sum(a.get("services") == [] for a in accounts[0]), 2)

    def test_hostile_exports(self):
        changes = [
            ("create table extra (a)", "it has extra"),
            ("create trigger t after insert on ident_actor begin delete from ident_actor; end", "it has t"),
            ("drop index due_at", "it lacks due_at"),
            ("update meta set value = 'sosia 1' where key = 'format'", "its format is sosia 1"),
            ("update meta set value = 'sosia 3' where key = 'format'", "its tables are not those of this version"),
            ("delete from ident_org", "something is missing that it refers to"),
        ]
        for f in self.each():
            for i, (change, why) in enumerate(changes):
                file = f.path / f"{i}.db"
                shutil.copy(f.path / "world.db", file)
                db = sqlite3.connect(file)
                db.executescript(change)
                db.close()
                result = subprocess.run([SOSIA, "import", file, "--data", f.path / "hostile"], capture_output=True, text=True)
                self.assertEqual(result.returncode, 1, change)
                self.assertIn(why, result.stderr)

    def test_interrupted(self):
        """Each world has its old state or its new one, wherever the process ends."""
        draw = random.Random(1)
        for f in self.each():
            data, halfway = f.path / "killed", 0
            early, late = 0.0, 1.5 * f.took  # between them the upgrade begins and ends
            for _ in range(30):
                if not data.exists():
                    shutil.copytree(f.data, data)
                process = subprocess.Popen([SOSIA, "world", "list", "--data", data], stdout=subprocess.DEVNULL,
                                           stderr=subprocess.DEVNULL)
                after = draw.uniform(early, late)
                try:
                    process.wait(after)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
                left = meta(data)
                halfway += "tables_next" in left
                if halfway:
                    break
                if left["tables"] == meta(f.now)["tables"]:  # all is done: from the beginning, and sooner
                    shutil.rmtree(data)
                    late = max((late + after) / 2, early + 0.01)
                elif "tables_next" not in left:
                    early = min((early + after) / 2, late - 0.01)
            self.assertGreater(halfway, 0)
            self.same_dumps(f, data)
            self.assertNotIn("tables_next", meta(data))


if __name__ == "__main__":
    unittest.main()
