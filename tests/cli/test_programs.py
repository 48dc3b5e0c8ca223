# SPDX-License-Identifier: Apache-2.0
"""Programs of a served world: the services from inside of their sandbox, tool servers that are carried, programs run again."""
import json
import os
import tempfile
import unittest

import harness

ADA = "ada@small.example"
SEED = {"sosia": 1, "programs": {"services": {"actor": ADA}}}
EVENTS = "https://www.googleapis.com/calendar/v3/calendars/primary/events"

# A tool server of a few lines: a tool that writes a file, and one that reads its own directory.
SERVER = """
import json, os, sys
for line in sys.stdin:
    m = json.loads(line)
    if m.get("method") == "initialize":
        result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "notes", "version": "3"}}
    elif m.get("method") == "tools/list":
        result = {"tools": [{"name": "note", "description": "Keep a line", "inputSchema": {"type": "object"}}]}
    elif m.get("method") == "tools/call":
        with open("notes.txt", "a") as f:
            f.write(m["params"]["arguments"]["line"] + os.environ["END"])
        result = {"content": [{"type": "text", "text": open(os.path.join(os.path.dirname(__file__), "word")).read()}]}
    else:
        continue
    print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": result}), flush=True)
"""


def home():
    """A directory that programs can be shown, which is not among those that they have of their own; None: there is none here."""
    for place in (os.getcwd(), os.path.dirname(harness.SOSIA), "/opt", "/srv"):
        place = os.path.realpath(place)
        if os.access(place, os.W_OK) and not any((place + "/").startswith(p) for p in ("/tmp/", "/var/tmp/", "/run/", "/data/", "/home/user/")):
            return place
    return None


class Case(unittest.TestCase):
    options = ("--fixture", "small")

    @classmethod
    def setUpClass(cls):
        cls.server = harness.Server(*cls.options)
        cls.token = cls.server.info["actors"][ADA]["token"]
        answer = cls.run_program("true")
        cls.missing = None if answer.status == 200 else answer.body

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    @classmethod
    def run_program(cls, *argv):
        return cls.server.call(cls.token, "POST", "/workspace/v1/programs/run", {"argv": argv})

    def setUp(self):
        if self.missing:
            self.skipTest("this machine does not keep programs in: %s" % self.missing)

    def prints(self, script):
        answer = self.run_program("sh", "-c", script).json()
        self.assertEqual((answer["status"], answer["stderr"]), (0, ""), answer)
        return answer["stdout"]


def node_module(name):
    """The directory of one of the programs for Node that clients' tests install, or that the machine has; None: there is none."""
    here = os.path.dirname(os.path.abspath(__file__))
    for place in (os.path.join(here, "../../conformance/clients/node_modules"), "/usr/lib/node_modules", "/usr/local/lib/node_modules"):
        place = os.path.realpath(place)
        if os.path.exists(os.path.join(place, name, "package.json")):
            return place
    return None


class Inside(Case):
    def test_a_program_calls_its_world(self):
        self.assertEqual(self.server.control("POST", "/worlds/small/seed", SEED).status, 200)
        script = ("import json, os, urllib.request\nr = urllib.request.Request('%s', json.dumps({'summary': 'From inside', 'start': {'date': '2026-12-01'},"
                  "'end': {'date': '2026-12-02'}}).encode(), {'Authorization': 'Bearer ' + os.environ['SOSIA_TOKEN'], 'Content-Type': 'application/json'})\n"
                  "print(json.load(urllib.request.urlopen(r))['summary'])" % EVENTS)
        answer = self.run_program("python3", "-c", script).json()
        self.assertEqual((answer["stdout"], answer["stderr"]), ("From inside\n", ""))
        found = self.server.call(self.token, "GET", "/calendar/v3/calendars/primary/events?q=inside").json()
        self.assertEqual([e["summary"] for e in found["items"]], ["From inside"])
        methods = [e["method"] for e in self.server.control("GET", "/worlds/small/journal").json()["entries"] if e.get("method")]
        self.assertEqual(methods[-3:], ["programs.run", "calendar.events.insert", "programs.run"])


class Again(Case):
    def replay(self, *words):
        done = self.server.command("replay", "--run", "--json", *words)
        return done.returncode, json.loads(done.stdout)

    def test_programs_run_again(self):
        self.prints("echo one > same; echo done")
        self.assertEqual(self.replay()[1], {"differences": [], "ran": 2, "left_out": 0, "different": 0, "equal": True})
        before = len(self.server.control("GET", "/worlds").json()["worlds"])
        self.prints("date +%N; date +%N > other; echo two >> same; rm -f none")
        code, report = self.replay()
        self.assertEqual((code, report["ran"], report["different"], report["equal"]), (1, 3, 1, False))
        self.assertEqual([(d["seq"], d["method"], d["what"]) for d in report["differences"]],
                         [(6, "programs.run", "stdout"), (6, "programs.run", "changed other")])
        self.assertEqual(len(self.server.control("GET", "/worlds").json()["worlds"]), before)  # no fork is left
        self.assertEqual(self.prints("cat same"), "one\ntwo\n")  # and the world is as it was
        # Of some entries alone, in words, and to the first difference.
        self.assertEqual(self.replay("--to", "2")[1]["ran"], 1)
        self.assertEqual(self.replay("--from", "6")[1]["differences"], [])
        done = self.server.command("replay", "--run", "--first")
        self.assertIn("entry 6  programs.run  changed other: {", done.stdout)
        self.assertIn("ran 3, left_out 0, different 1; not equal", done.stdout)
        done = self.server.command("replay", "--run", "--keep")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--run must be given without", done.stderr)

    def test_what_is_not_kept_is_left_out(self):
        self.server.control("POST", "/worlds", {"name": "brief", "fixture": "small"})
        self.server.command("journal", "set", "--keep", "hashes", "brief")
        token = self.server.control("POST", "/worlds/brief/tokens", {"actor": ADA}).json()["token"]
        self.server.call(token, "POST", "/workspace/v1/programs/run", {"argv": ["sh", "-c", "echo long; yes | head -c 5000"]})
        report = self.replay("brief")[1]
        self.assertEqual((report["ran"] + report["left_out"], report["equal"]), (1, True))


class Checkers(Case):
    SUITE = {"version": "1.1", "name": "sums", "actor": ADA, "seed": {"sosia": 1, "time": "2026-11-23T09:00:00Z", "people": [{"email": ADA, "name": "Ada"}],
                                                                     "workspace": [{"path": "add.sh", "text": "expr $1 - $2\n"}]},
             "tests": [{"id": "fix", "prompt": "Mend add.sh.", "allow": [{"entity": "workspaceFile", "where": {"path": "add.sh"}}],
                        "actions": [{"call": "POST /workspace/v1/filesystem/write_file", "body": {"path": "add.sh", "content": "expr $1 + $2\n"}}],
                        "assertions": [{"program": {"argv": ["sh"], "input": "test $(sh add.sh 2 3) = 5 || { echo the sum is wrong; exit 1; }"}}]}]}

    def test_a_program_judges(self):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(self.SUITE, file)
            file.flush()
            done = self.server.command("suite", "lint", file.name)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.server.control("POST", "/worlds", {"name": "sums", "seed_document": self.SUITE["seed"]})
            done = self.server.command("grade", file.name, "sums")
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("expected status 0, found 1: the sum is wrong", done.stdout)
            token = self.server.control("POST", "/worlds/sums/tokens", {"actor": ADA}).json()["token"]
            action = self.SUITE["tests"][0]["actions"][0]
            self.assertEqual(self.server.call(token, "POST", action["call"][5:], action["body"]).status, 200)
            self.assertEqual(self.server.command("grade", file.name, "sums").returncode, 0)


class Carrying(Case):
    """A server with one that is carried: `carried` gives it, or a text that says what is missing."""

    @classmethod
    def setUpClass(cls):
        carried = cls.carried()
        if isinstance(carried, str):
            cls.missing = carried
            return
        cls.file = tempfile.NamedTemporaryFile("w", suffix=".json")
        cls.write(**carried)
        cls.options = ("--fixture", "small", "--carry", cls.file.name)
        try:
            super().setUpClass()
        except AssertionError as e:
            if "must allow programs to be kept in" not in str(e):
                raise
            cls.missing = str(e)

    @classmethod
    def tearDownClass(cls):
        if getattr(cls, "server", None):
            super().tearDownClass()

    @classmethod
    def write(cls, **server):
        cls.file.seek(0)
        cls.file.truncate()
        json.dump({"servers": [server]}, cls.file)
        cls.file.flush()

    def message(self, path, method, /, **params):
        return self.server.ask("POST", path, json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}),
                               {"Authorization": "Bearer " + self.token, "Accept": "application/json", "Content-Type": "application/json"}).json()["result"]

    def tool(self, path, name, /, **arguments):
        result = self.message(path, "tools/call", name=name, arguments=arguments)
        self.assertFalse(result.get("isError"), result)
        return result["content"][0]["text"]


class Desktop(Case):
    def test_a_local_sandbox_has_a_desktop_whose_processes_go_on(self):
        ask = lambda target, body, **fields: self.server.ask("POST", target, json.dumps(body), {"Content-Type": "application/json", "Accept": "application/json", **fields})
        key = "Bearer " + self.server.info["api_key"]
        got = ask("/local-sandbox", {"server_names": ["desktop-commander"]}, Authorization=key).json()
        url = got["servers"][0]["mcp_server_url"].split(self.server.info["url"])[1]

        def tool(name, /, **arguments):
            result = ask(url, {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}).json()["result"]
            self.assertFalse(result.get("isError"), result)
            return result["content"][0]["text"]

        began = tool("start_process", command="python3 -i -q", timeout_ms=60000)
        pid = int(began.split("PID ")[1].split(" ")[0])
        self.assertIn("\n7\n", tool("interact_with_process", pid=pid, input="print(3 + 4)", timeout_ms=60000))
        self.assertEqual(tool("force_terminate", pid=pid), "Successfully initiated termination of session %d" % pid)


class Carried(Carrying):
    @classmethod
    def carried(cls):
        place = home()
        if not place:
            return "no directory that can be shown"
        cls.directory = tempfile.TemporaryDirectory(prefix="carried", dir=place)
        cls.addClassCleanup(cls.directory.cleanup)
        os.chmod(cls.directory.name, 0o755)
        for name, text in (("server.py", SERVER), ("word", "kept")):
            with open(os.path.join(cls.directory.name, name), "w") as f:
                f.write(text)
        return {"name": "notes", "command": ["python3", os.path.join(cls.directory.name, "server.py")], "env": {"END": "."}, "show": [cls.directory.name]}

    def test_a_server_is_carried(self):
        self.assertEqual([t["name"] for t in self.message("/mcp/notes", "tools/list")["tools"]], ["note"])
        for word in ("one", "two"):
            self.assertEqual(self.tool("/mcp/notes", "note", line=word), "kept")
        self.assertEqual(self.prints("cat notes.txt"), "one.two.")
        self.assertEqual([e["method"] for e in self.server.control("GET", "/worlds/small/journal").json()["entries"]].count("carried.call"), 4)
        report = self.server.command("replay", "--run", "--json")
        self.assertTrue(json.loads(report.stdout)["equal"], report.stdout)

    def test_a_local_sandbox_has_it_by_its_name(self):
        ask = lambda method, target, body=None: self.server.ask(method, target, None if body is None else json.dumps(body), {
            "Authorization": "Bearer " + self.server.info["api_key"], "Content-Type": "application/json"})
        refused = ask("POST", "/local-sandbox", {"server_names": ["word"]})
        self.assertEqual(refused.status, 422)
        self.assertIn("'notes'", refused.json()["detail"][0]["msg"])
        got = ask("POST", "/local-sandbox", {"server_names": ["filesystem", "Notes"]}).json()
        urls = {s["server_name"]: s["mcp_server_url"].split(self.server.info["url"])[1] for s in got["servers"]}
        self.assertEqual(sorted(urls), ["filesystem", "notes"])
        self.assertEqual([t["name"] for t in self.message(urls["notes"], "tools/list")["tools"]], ["note"])
        self.assertEqual(self.tool(urls["notes"], "note", line="in a sandbox"), "kept")
        self.assertEqual(self.tool(urls["filesystem"], "filesystem_read_text_file", path="/data/notes.txt"), "in a sandbox.")
        self.assertEqual(ask("POST", "/local-sandbox/notes/%s/initialize" % got["local_sandbox_id"], {}).status, 404)
        alone = ask("POST", "/local-sandbox", {"server_names": ["filesystem"]}).json()
        url = urls["notes"].split("?")[0] + "?" + alone["servers"][0]["mcp_server_url"].split("?")[1]
        self.assertEqual(self.server.ask("POST", url, "{}", {"Content-Type": "application/json"}).status, 403)
        every = ask("POST", "/local-sandbox", {"server_names": "ALL"}).json()
        self.assertIn("notes", [s["server_name"] for s in every["servers"]])

    def test_what_can_not_be_carried_is_named(self):
        command = ["python3", "-c", "pass"]
        for server, text in (({"name": "git", "command": command}, "must be another name"),
                             ({"name": "A b", "command": command}, "small letters, digits"),
                             ({"name": "x", "command": []}, "must have a program, has none"),
                             ({"name": "x"}, "must have a program, has none"),
                             ({"name": "x", "command": command, "show": ["/tmp/x"]}, "must have absolute paths"),
                             ({"name": "x", "command": command, "show": ["opt"]}, "must have absolute paths"),
                             ({"name": "x", "command": command, "more": 1}, "more"),
                             ({"name": "x", "command": command, "state": "none"}, "state"),
                             ({"name": "x", "command": command, "env": {"A": 1}}, "an object of names and texts"),
                             ({"name": "x", "command": command}, "the server x must list its tools, has not"),
                             ({"name": "x", "command": command, "show": ["/no/such"]}, "/no/such: No such file or directory")):
            self.write(**server)
            with self.assertRaises(AssertionError) as failed:
                harness.Server("--fixture", "small", "--carry", self.file.name).stop()
            self.assertIn(text, str(failed.exception))
        with self.assertRaises(AssertionError) as failed:
            harness.Server("--fixture", "small", "--carry", self.file.name + ".none").stop()
        self.assertIn("No such file", str(failed.exception))


class Published(Carrying):
    """A published server, run by Node, beside the same one that is here without a program."""

    @classmethod
    def carried(cls):
        place = node_module("@modelcontextprotocol/server-filesystem")
        if not place or not os.access("/usr/bin/node", os.X_OK):
            return "no Node, or no @modelcontextprotocol/server-filesystem"
        return {"name": "files", "state": "memory", "command": ["node", place + "/@modelcontextprotocol/server-filesystem/dist/index.js", "/data"], "show": [place]}

    def test_it_answers_as_the_native_one(self):
        listed = [[t["name"] for t in self.message(path, "tools/list")["tools"]] for path in ("/mcp/files", "/mcp/filesystem")]
        self.assertEqual(sorted(listed[0]), sorted(listed[1]))
        self.assertEqual(self.tool("/mcp/files", "write_file", path="/data/a.txt", content="one\ntwo\n"), "Successfully wrote to /data/a.txt")
        self.assertEqual(self.tool("/mcp/filesystem", "read_text_file", path="/data/a.txt"), "one\ntwo\n")
        self.tool("/mcp/filesystem", "write_file", path="/data/b.txt", content="three\n")
        for name, arguments in (("read_text_file", {"path": "/data/b.txt"}), ("list_directory", {"path": "/data"}), ("directory_tree", {"path": "/data"}),
                                ("search_files", {"path": "/data", "pattern": "*.txt"}), ("read_text_file", {"path": "/data/none"})):
            one, other = (self.message(path, "tools/call", name=name, arguments=arguments) for path in ("/mcp/files", "/mcp/filesystem"))
            self.assertEqual(one, other)


if __name__ == "__main__":
    unittest.main()
