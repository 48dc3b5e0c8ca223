# SPDX-License-Identifier: Apache-2.0
"""Local sandboxes with programs: the published walk through one, servers of programs beside those of vendors, executions."""
import time
import unittest

import harness
import test_local_sandboxes
import test_sandboxes
from test_local_sandboxes import archive
from test_sandboxes import KEY, OTHER


class Case(test_sandboxes.Case):
    path, send, files, fetch = (getattr(test_local_sandboxes.Local, name) for name in ("path", "send", "files", "fetch"))
    options = ("--fixture", "small", "--api-key", KEY, "--tenant", "other=%s,bytes=2000000" % OTHER)

    def local(self, *names):
        got = self.ask("POST", "/local-sandbox", {"server_names": list(names)}, 201)
        return got, "/local-sandbox/" + got["local_sandbox_id"], {s["server_name"]: s["mcp_server_url"] for s in got["servers"]}

    def tool(self, url, name, **arguments):
        return self.message(url, "tools/call", {"name": name, "arguments": arguments})["result"]

    def setUp(self):
        if not getattr(Case, "kept_in", None):
            _, target, urls = self.local("terminal")
            Case.kept_in = self.tool(urls["terminal"], "run_command", command="pwd")["content"]
            self.ask("DELETE", target)
        if not any("/data" in block["text"] for block in Case.kept_in):
            self.skipTest("this machine does not keep programs in: %s" % Case.kept_in)


class Walk(Case):
    def test_the_published_walk(self):
        """Acquire three servers, upload three files, initialize, dump, list, release."""
        got, target, urls = self.local("filesystem", "git", "terminal")
        self.assertEqual([s["server_name"] for s in got["servers"]], ["filesystem", "git", "terminal"])
        self.assertEqual((got["status"], got["benchmark"], got["message"]), ("occupied", None, "Local sandbox environment acquired successfully"))
        sent = {"hello.txt": b"Hello\n", "config.json": b'{"a": 1}\n', "notes.md": b"# Notes\n"}
        upload = self.ask("POST", target + "/upload-url")
        self.assertEqual(upload["expires_in_minutes"], 30)
        self.send(upload["upload_url"], archive(sent))
        done = self.ask("POST", target + "/initialize")
        self.assertEqual(done, {"sandbox_id": got["local_sandbox_id"], "status": "occupied", "message": "Extracted archive to workspace"})
        self.assertEqual(self.files(target + "/dump"), {"./" + name: content for name, content in sent.items()})
        self.assertIn("hello.txt", self.tool(urls["filesystem"], "filesystem_list_directory", path="/data")["content"][0]["text"])
        self.assertEqual(self.tool(urls["terminal"], "run_command", command="cat hello.txt")["content"][0]["text"], "Hello\n")
        self.assertIn("git_commit", [t["name"] for t in self.message(urls["git"], "tools/list")["result"]["tools"]])
        self.assertIn(got["local_sandbox_id"], [s["local_sandbox_id"] for s in self.ask("GET", "/local-sandbox")["local_sandboxes"]])
        self.ask("DELETE", target)
        self.assertNotIn(got["local_sandbox_id"], [s["local_sandbox_id"] for s in self.ask("GET", "/local-sandbox")["local_sandboxes"]])

    def test_vendors_and_programs_are_of_one_world(self):
        got, target, urls = self.local("terminal", "gmail", "google_drive", "filesystem", "code-executor")
        self.tool(urls["filesystem"], "filesystem_write_file", path="/data/report.txt", content="All is well.\n")
        text = self.tool(urls["terminal"], "run_command", command="cat report.txt")["content"][0]["text"]
        sent = self.tool(urls["gmail"], "gmail_send_email", to=["bob@far.example"], subject="Report", body=text)
        self.assertFalse(sent.get("isError"))
        # A program calls the vendor by its own host, as the sandbox's person.
        script = ("import json, os, urllib.request\nr = urllib.request.Request('https://gmail.googleapis.com/gmail/v1/users/me/profile',"
                  "headers={'Authorization': 'Bearer ' + os.environ['SOSIA_TOKEN']})\nprint(json.load(urllib.request.urlopen(r))['emailAddress'])")
        done = self.tool(urls["code-executor"], "execute_code", code=script)["content"][0]["text"]
        self.assertIn("agent@sandbox.example", done)
        # One journal has both, and a reset takes both back.
        self.ask("POST", target + "/reset")
        self.assertEqual(self.files(target + "/dump"), {})
        found = self.tool(urls["gmail"], "gmail_search_emails", query="Report")["content"][0]["text"]
        self.assertNotIn("bob@far.example", found)


class Executions(Case):
    def execute(self, target, name, files, **more):
        url = self.ask("POST", target + "/execution-upload-url", {"execution_name": name})["upload_url"]
        self.send(url, archive(files))
        self.assertEqual(self.ask("GET", target + "/execution-status?execution_name=" + name)["status"], "pending")
        self.assertEqual(self.ask("POST", target + "/execute", {"execution_name": name}), {"message": "Execution started", "execution_name": name})
        if more.get("wait", True):
            return self.ended(target, name)

    def ended(self, target, name):
        until = time.monotonic() + harness.PATIENCE
        while time.monotonic() < until:
            status = self.ask("GET", target + "/execution-status?execution_name=" + name)["status"]
            if status not in ("pending", "running"):
                return status
            time.sleep(0.05)
        raise AssertionError("the execution has not ended")

    def logs(self, target, name, cursor=0):
        return self.ask("GET", target + "/execution-logs?execution_name=%s&cursor=%s" % (name, cursor))

    def test_a_program_of_an_archive_runs_on_the_workspace(self):
        _, target, urls = self.local("filesystem")
        self.tool(urls["filesystem"], "filesystem_write_file", path="/data/in.txt", content="six")
        main = b"""import os, sys
root = os.environ["AGENT_WORKSPACE"]
text = open(root + "/in.txt").read()
open(root + "/out.txt", "w").write(text.upper())
open("report.txt", "w").write(os.getcwd())
print("done", text)
print("said", file=sys.stderr)
"""
        self.assertEqual(self.execute(target, "eval_1", {"main.py": main, "requirements.txt": b"left-pad\n"}), "completed")
        self.assertEqual(self.files(target + "/dump"), {"./in.txt": b"six", "./out.txt": b"SIX"})
        logs = self.logs(target, "eval_1")
        self.assertEqual((logs["status"], logs["logs"]), ("completed", "requirements.txt: there is no network to install packages from\ndone six\nsaid\n"))
        self.assertEqual(self.logs(target, "eval_1", logs["cursor"] - 5), {"status": "completed", "logs": "said\n", "cursor": logs["cursor"]})
        self.assertEqual(self.logs(target, "eval_1", 10 ** 9)["logs"], "")
        left = self.fetch(self.ask("POST", target + "/export-artifacts", {"execution_name": "eval_1"})["download_url"])
        self.assertEqual((left["./report.txt"], left["./main.py"]), (b"/tmp/executions/eval_1", main))
        # Another one sees what it left in the workspace, and nothing else of it.
        self.assertEqual(self.execute(target, "check", {"main.py": b'import os, sys\nsys.exit(3 if os.path.exists("../eval_1") or os.path.exists("/data/out.txt") is False else 0)'}), "completed")
        self.assertEqual(self.execute(target, "bad", {"main.py": b"raise SystemExit(3)"}), "failed")
        self.assertEqual(self.execute(target, "none", {"other.py": b""}), "failed")
        self.assertIn("main.py", self.logs(target, "none")["logs"])

    def test_what_is_asked_for_wrongly(self):
        _, target, _ = self.local("filesystem")
        for name in ("", ".hidden", "../up", "a/b", "-x", "x" * 65, "a b", "$(x)"):
            for path in ("/execution-upload-url", "/execute", "/export-artifacts"):
                self.ask("POST", target + path, {"execution_name": name}, 422)
        self.ask("GET", target + "/execution-status", status=422)
        self.ask("GET", target + "/execution-logs?execution_name=x&cursor=-1", status=422)
        for method, path, body, status in (("POST", "/execute", {"execution_name": "x"}, 400), ("GET", "/execution-status?execution_name=x", None, 404),
                                           ("GET", "/execution-logs?execution_name=x", None, 404), ("POST", "/export-artifacts", {"execution_name": "x"}, 404)):
            self.ask(method, target + path, body, status)
            self.ask(method, target + path, body, 404, key=OTHER)
        url = self.ask("POST", target + "/execution-upload-url", {"execution_name": "x"})["upload_url"]
        self.send(url, archive({"../main.py": b""}), 400)
        self.ask("POST", target + "/execute", {"execution_name": "x"}, 400)
        self.send(url, archive({"main.py": b"import time; time.sleep(1000)"}))
        self.ask("POST", target + "/execute", {"execution_name": "x"})
        self.ask("POST", target + "/execute", {"execution_name": "x"}, 409)
        self.ask("POST", target + "/export-artifacts", {"execution_name": "x"}, 409)
        self.send(url, archive({"main.py": b""}), 409)
        self.ask("DELETE", target)  # and the program with it

    def test_a_server_that_stops_waits_for_no_program(self):
        server = harness.Server("--fixture", "small", "--api-key", KEY)
        kept, self.__class__.server = self.server, server
        try:
            _, target, _ = self.local("filesystem")
            self.execute(target, "long", {"main.py": b"import time; time.sleep(300)"}, wait=False)
            time.sleep(0.5)
            began = time.monotonic()
            self.assertEqual(server.stop()[0], 0)
            self.assertLess(time.monotonic() - began, 60)
        finally:
            self.__class__.server = kept


if __name__ == "__main__":
    unittest.main()
