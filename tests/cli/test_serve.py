# SPDX-License-Identifier: Apache-2.0
"""What `sosia serve` prints, takes and leaves behind."""
import base64
import ctypes
import http.client
import json
import os
import re
import resource
import signal
import socket
import subprocess
import tempfile
import unittest
import urllib.parse
import urllib.request

import harness

LIST = "/calendar/v3/users/me/calendarList"
PTRACE_TRACEME, PTRACE_PEEKTEXT, PTRACE_POKETEXT, PTRACE_DETACH = 0, 1, 4, 17


def refusal(*options, env=None):
    """A server that does not come up: its exit status and message."""
    done = harness.command("serve", "--port", "0", *options, env=env)
    assert done.stdout == "", done.stdout
    return done.returncode, done.stderr


class Serve(unittest.TestCase):
    def start(self, *options, env=None):
        server = harness.Server(*options, env=env)
        self.addCleanup(lambda: server.process.poll() is None and server.process.kill())
        return server

    def test_json_is_one_line_and_nothing_else_is_printed(self):
        server = self.start("--fixture", "small")
        self.assertEqual(set(server.info) - {"console_url"}, {"url", "control_key", "api_key", "world", "actors", "apps", "hosts"})  # there where the console is
        self.assertEqual(server.line, server.line.rstrip(b"\n") + b"\n")
        self.assertEqual(list(server.info["actors"]), ["ada@small.example", "bo@small.example"])
        self.assertRegex(server.info["world"], "^[0-9a-f]{16}$")
        self.assertEqual(server.stop(), (0, b"", b""))

    def code_of(self, pid, field):
        """KiB of the program's code: Size, Rss, or Anonymous, which is the process's own."""
        program, sums = os.path.realpath("/proc/%d/exe" % pid), 0
        with open("/proc/%d/smaps" % pid) as lines:
            code = False
            for line in lines:
                words = line.split()
                if not words[0].endswith(":"):
                    code = words[1] == "r-xp" and words[-1] == program
                elif code and words[0] == field + ":":
                    sums += int(words[1])
        return sums

    def test_code_that_the_start_alone_wanted_is_not_kept_in_memory(self):
        server = self.start("--fixture", "office")
        size = self.code_of(server.process.pid, "Size")
        if size < 4096:
            self.skipTest("the code is in a library")
        self.assertLess(self.code_of(server.process.pid, "Rss"), size / 2)  # of what the start touches, some four fifths
        actor = next(iter(server.info["actors"].values()))
        self.assertEqual(server.call(actor["token"], "GET", LIST).status, 200)
        server.stop()

    def test_code_that_was_written_is_kept(self):
        def ptrace(request, *rest):
            function = ctypes.CDLL(None, use_errno=True).ptrace
            function.restype = ctypes.c_long
            ctypes.set_errno(0)
            given = function(*map(ctypes.c_long, (request, *rest)))
            if given == -1 and ctypes.get_errno():
                raise OSError(ctypes.get_errno(), "ptrace")
            return given

        try:  # as a debugger does: it stops where it begins
            process = subprocess.Popen([harness.SOSIA, "serve", "--port", "0", "--json", "--fixture", "small"],
                                       stdout=subprocess.PIPE, preexec_fn=lambda: ptrace(PTRACE_TRACEME, 0, 0, 0))
        except subprocess.SubprocessError:
            self.skipTest("there is no tracing here")
        self.addCleanup(lambda: (process.kill(), process.communicate()))
        os.waitpid(process.pid, 0)
        program = os.path.realpath("/proc/%d/exe" % process.pid)
        with open("/proc/%d/maps" % process.pid) as lines:
            at = next(int(line.split("-")[0], 16) for line in lines if " r-xp " in line and line.split()[-1] == program)
        ptrace(PTRACE_POKETEXT, process.pid, at, ptrace(PTRACE_PEEKTEXT, process.pid, at, 0))
        ptrace(PTRACE_DETACH, process.pid, 0, 0)
        self.assertTrue(process.stdout.readline())
        self.assertGreater(self.code_of(process.pid, "Anonymous"), 0)

    def test_a_key_is_made_for_any_address_when_that_is_asked_for(self):
        status, said = refusal("--listen", "0.0.0.0", "--fixture", "small")
        self.assertEqual(status, 1)
        self.assertIn("wants a control key", said)
        server = self.start("--listen", "0.0.0.0", "--make-key", "--fixture", "small")
        self.assertRegex(server.info["control_key"], "^[0-9a-f]{48}$")
        self.assertEqual(server.control("GET", "/worlds").status, 200)
        server.stop()
        server = self.start("--make-key", "--fixture", "small", env={"SOSIA_CONTROL_KEY": "k" * 16})
        self.assertEqual(server.info["control_key"], "k" * 16)  # one that is given holds
        status, said = refusal("--listen", "0.0.0.0", "--make-key", "--key", "k" * 15)
        self.assertEqual(status, 1)
        self.assertIn("at least 16 characters", said)

    def test_what_journals_keep_is_said_for_all_worlds_and_stays(self):
        with tempfile.TemporaryDirectory() as directory:
            for options in (("--journal", "all,hashes,7/2M,3M"), ()):
                server = self.start("--fixture", "small", "--data", directory, *options)
                info = server.control("GET", "/worlds/small/journal/info").json()
                self.assertEqual((info["mode"], info["keep"], info["steps"]["most"], info["steps"]["most_bytes"], info["most_bytes"]),
                                 ("all", "hashes", 7, 2 << 20, 3 << 20))
                server.stop()
        for text, said in (("some", "--journal must be writes, none or all"), (",,much", "--journal must be"), (",,,,7", "MODE,KEEP,STEPS,BYTES")):
            done = harness.command("serve", "--port", "0", "--journal", text)
            self.assertEqual(done.returncode, 2)
            self.assertIn(said, done.stderr)

    def test_apps_of_every_workspace_are_listed(self):
        names = "ada", "bo"
        world = {
            "sosia": 1, "time": "2026-02-15T20:00:00Z",
            "people": [{"email": n + "@x.example", "name": n} for n in names] + [{"handle": n + "bot", "kind": "bot"} for n in names],
            "apps": [{"client_id": n + ".1", "name": n, "vendor": "slack", "bot": n + "bot"} for n in names],
            "workspaces": [{"id": "T0" + n.upper(), "domain": n, "name": n, "apps": [{"client_id": n + ".1"}],
                            "members": [{"actor": n + "@x.example"}, {"actor": n + "bot"}]} for n in names],
        }
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(world, file)
            file.flush()
            server = self.start("--fixture", file.name)
        self.assertEqual([a["client_id"] for a in server.info["apps"]], ["ada.1", "bo.1"])
        self.assertEqual(len({a["bot_token"] for a in server.info["apps"]}), 2)
        self.assertEqual(server.info["hosts"], ["ada.slack.com", "bo.slack.com"])
        self.assertEqual(server.stop()[0], 0)

    def test_each_actors_token_is_good_for_the_world_without_naming_it(self):
        server = self.start("--fixture", "small")
        for email, actor in server.info["actors"].items():
            answer = server.call(actor["token"], "GET", LIST)
            self.assertEqual((answer.status, answer.json()["items"][0]["id"]), (200, email))
        self.assertEqual(server.stop()[0], 0)

    def test_the_office_and_the_terminal_work_together_across_their_vendors(self):
        server = self.start("--fixture", "office", "--clock", "frozen")
        hanna, owen = (server.info["actors"][who]["token"] for who in ("hanna.vogt@ostmole.example", "owen.hale@tidewater.example"))
        at = {"start": {"dateTime": "2026-11-26T12:00:00", "timeZone": "UTC"}, "end": {"dateTime": "2026-11-26T13:00:00", "timeZone": "UTC"}}
        guest = {"emailAddress": {"address": "owen.hale@tidewater.example"}, "type": "required"}
        made = server.call(hanna, "POST", "/v1.0/me/events", {"subject": "Plates and anodes", "attendees": [guest], **at})
        self.assertEqual(made.status, 201, made.body)
        event = server.call(owen, "GET", "/calendar/v3/calendars/primary/events?q=anodes").json()["items"][0]
        self.assertEqual((event["organizer"]["email"], event["attendees"][0]["responseStatus"]), ("hanna.vogt@ostmole.example", "needsAction"))
        answer = [{"email": "owen.hale@tidewater.example", "responseStatus": "accepted"}]
        self.assertEqual(server.call(owen, "PATCH", "/calendar/v3/calendars/primary/events/" + event["id"], {"attendees": answer}).status, 200)
        seen = server.call(hanna, "GET", "/v1.0/me/events/%s?$select=attendees" % made.json()["id"]).json()
        self.assertEqual(seen["attendees"][0]["status"]["response"], "accepted")
        window = {"startTime": at["start"], "endTime": at["end"], "availabilityViewInterval": 60}
        schedule = server.call(hanna, "POST", "/v1.0/me/calendar/getSchedule", {"schedules": ["owen.hale@tidewater.example"], **window}).json()
        self.assertEqual(schedule["value"][0]["availabilityView"], "2")
        busy = server.call(owen, "POST", "/calendar/v3/freeBusy", {
            "timeMin": "2026-11-26T12:00:00Z", "timeMax": "2026-11-26T13:00:00Z", "items": [{"id": "hanna.vogt@ostmole.example"}]}).json()
        self.assertEqual(busy["calendars"]["hanna.vogt@ostmole.example"]["busy"], [{"start": "2026-11-26T12:00:00Z", "end": "2026-11-26T13:00:00Z"}])
        # Her rule puts what comes from Tidewater into a folder.
        raw = base64.urlsafe_b64encode(b"To: hanna.vogt@ostmole.example\r\nSubject: Anodes\r\n\r\nZinc.\r\n").decode()
        self.assertEqual(server.call(owen, "POST", "/gmail/v1/users/me/messages/send", {"raw": raw}).status, 200)
        folder = server.call(hanna, "GET", "/v1.0/me/mailFolders/inbox/childFolders").json()["value"][0]
        self.assertEqual((folder["displayName"], folder["totalItemCount"]), ("Tidewater", 1))
        people = server.call(hanna, "GET", "/v1.0/users?$select=displayName,userType").json()["value"]
        self.assertIn({"displayName": "Owen Hale", "userType": "Guest"}, people)
        self.assertEqual(server.stop()[0], 0)

    def test_rooms_get_no_token(self):
        server = self.start("--fixture", "office")
        self.assertIn("marta.ferri@tidewater.example", server.info["actors"])
        self.assertNotIn("room.lighthouse@tidewater.example", server.info["actors"])
        self.assertEqual(server.stop()[0], 0)

    def test_fixed_tokens_work_as_they_are(self):
        server = self.start("--fixture", "small", "--token", "ya29.fixed=token=ada@small.example",
                            "--token", "another-one=bo@small.example")
        answer = server.call("ya29.fixed=token", "GET", LIST)
        self.assertEqual(answer.json()["items"][0]["id"], "ada@small.example")
        answer = server.call("another-one", "GET", LIST)
        self.assertEqual(answer.json()["items"][0]["id"], "bo@small.example")
        self.assertEqual(server.stop()[0], 0)

    def test_a_frozen_world_is_at_the_fixtures_time_and_a_real_one_is_not(self):
        frozen, real = self.start("--fixture", "small", "--clock", "frozen"), self.start("--fixture", "small")
        self.assertEqual(frozen.control("GET", "/worlds/small/clock").json(),
                         {"now": "2026-11-23T08:00:00.000000Z", "clock": "frozen"})
        self.assertEqual(real.control("GET", "/worlds/small/clock").json()["clock"], "real")
        for server in frozen, real:
            self.assertEqual(server.stop()[0], 0)

    def test_a_stepping_clock_goes_by_its_step_with_each_call(self):
        server = self.start("--fixture", "small", "--clock", "step", "--step", "250")
        token = server.info["actors"]["ada@small.example"]["token"]
        for _ in range(4):
            self.assertEqual(server.call(token, "GET", LIST).status, 200)
        self.assertEqual(server.control("GET", "/worlds/small/clock").json()["now"], "2026-11-23T08:00:01.000000Z")
        self.assertEqual(server.stop()[0], 0)

    def test_an_interrupt_ends_it_as_well(self):
        server = self.start("--fixture", "small")
        self.assertEqual(server.control("GET", "/health").json()["status"], "ok")
        self.assertEqual(server.stop(signal.SIGINT), (0, b"", b""))

    def test_the_key_is_the_one_given(self):
        server = self.start(env={"SOSIA_CONTROL_KEY": "key-of-the-environment"})
        self.assertEqual((server.key, server.info["control_key_from"]), ("key-of-the-environment", "SOSIA_CONTROL_KEY"))
        self.assertEqual(server.control("GET", "/worlds").status, 200)
        self.assertEqual(server.stop()[0], 0)
        server = self.start("--key", "key-of-the-line", env={"SOSIA_CONTROL_KEY": "key-of-the-environment"})
        self.assertEqual(server.key, "key-of-the-line")
        self.assertNotIn("control_key_from", server.info)
        self.assertEqual(server.stop()[0], 0)

    def test_a_fixture_may_be_a_file(self):
        with tempfile.TemporaryDirectory() as where:
            path = os.path.join(where, "mine.v2.yaml")
            with open(path, "w") as f:
                f.write("sosia: 1\npeople:\n- {email: eve@mine.example, name: Eve}\n")
            server = self.start("--fixture", path)
            self.assertEqual(list(server.info["actors"]), ["eve@mine.example"])
            self.assertEqual([w["name"] for w in server.control("GET", "/worlds").json()["worlds"]], ["mine.v2"])
            token = server.info["actors"]["eve@mine.example"]["token"]
            self.assertEqual(server.call(token, "GET", LIST).status, 200)
            self.assertEqual(server.stop()[0], 0)
            for bad, text in (("./nothing.yaml", "takes the name of a fixture or a seed document's path; there is no file ./nothing.yaml"),
                              ("nothing.yaml", "there is no file nothing.yaml"), ("nothing", "there is no fixture"),
                              (where + "/", "Is a directory")):
                done = subprocess.run([harness.SOSIA, "serve", "--port", "0", "--fixture", bad, "--json"], capture_output=True, text=True)
                self.assertEqual(done.returncode, 1)
                self.assertIn(text, done.stderr)

    def test_a_file_may_have_any_name(self):
        with tempfile.TemporaryDirectory() as where:
            for file, name in (("my file.yaml", "my-file"), ("--caffè.json", "caff--"), ("è.yaml", "default"), ("x" * 90 + ".yaml", "x" * 63)):
                path = os.path.join(where, file)
                with open(path, "w") as f:
                    f.write('{"sosia": 1}')
                server = self.start("--fixture", path)
                self.assertEqual([w["name"] for w in server.control("GET", "/worlds").json()["worlds"]], [name])
                self.assertEqual(server.stop()[0], 0)

    def test_options_that_come_to_nothing_are_refused(self):
        with tempfile.TemporaryDirectory() as where:
            authority = os.path.join(where, "deep", "er", "ca")
            for code, options, text in ((2, ("--https-port", "0"), "--https-port must be given with --ca"),
                                        (2, ("--step", "5"), "--step must be given with --clock step, not with real"),
                                        (2, ("--step", "5", "--clock", "frozen"), "not with frozen"),
                                        (1, ("--spool-dir", where + "/nowhere"), "--spool-dir must be a directory to write in"),
                                        (1, ("--fixtures", where + "/nowhere"), "--fixtures must be a directory"),
                                        (1, ("--ca", authority), "can't read " + authority)):
                done = harness.command("serve", "--port", "0", "--json", *options)
                self.assertEqual((done.returncode, done.stdout), (code, ""), options)
                self.assertIn(text, done.stderr)
            self.assertEqual(harness.command("ca", authority).returncode, 0)  # with the directories above it
            self.assertEqual(os.stat(os.path.join(where, "deep")).st_mode & 0o777, 0o700)
            server = self.start("--ca", authority, env={"SOSIA_CONTROL_KEY": ""})
            self.assertEqual((len(server.key), server.stop()[0]), (48, 0))

    def test_pages_of_other_origins_read_nothing_of_signing_in(self):
        with tempfile.TemporaryDirectory() as where:
            path = os.path.join(where, "signing.json")
            with open(path, "w") as f:
                json.dump({"sosia": 1, "people": [{"email": "eve@mine.example", "name": "Eve"}], "oauth_clients": [
                    {"client_id": "desk", "client_secret": "s", "name": "Desk", "kind": "installed"}]}, f)
            server = self.start("--fixture", path)
        query = urllib.parse.urlencode({"client_id": "desk", "redirect_uri": "http://127.0.0.1:1/", "response_type": "code", "scope": "email"})

        def ask(method, target, origin, form=None):
            c = http.client.HTTPConnection(urllib.parse.urlsplit(server.url).netloc, timeout=60)
            self.addCleanup(c.close)
            c.request(method, target, form, {"Origin": origin, "Content-Type": "application/x-www-form-urlencoded"})
            a = c.getresponse()
            return a.status, a.getheader("Access-Control-Allow-Origin"), a.read().decode(), a.getheader("Location")

        for origin in ("http://evil.example", server.url):
            for method, target in (("GET", "/o/oauth2/v2/auth?" + query), ("GET", "/o/oauth2/auth?client_id=none"), ("POST", "/token"), ("POST", "/o/oauth2/token"),
                                   ("POST", "/device/code"), ("GET", "/device"), ("POST", "/device"), ("POST", "/o/oauth2/v2/approve")):
                self.assertIsNone(ask(method, target, origin, "" if method == "POST" else None)[1], target)
        page = ask("GET", "/o/oauth2/v2/auth?" + query, server.url)[2]
        form = query + "&sosia_actor=eve%40mine.example&sosia_decision=allow"
        nonce = "&sosia_nonce=" + page.split('name="sosia_nonce" value="')[1].split('"')[0]
        for origin in ("http://evil.example", "null", "http://localhost:1"):
            self.assertEqual(ask("POST", "/o/oauth2/v2/approve", origin, form + nonce)[::3], (403, None))
        self.assertEqual(ask("POST", "/o/oauth2/v2/approve", server.url, form)[::3], (400, None))
        status, allowed, _, location = ask("POST", "/o/oauth2/v2/approve", server.url, form + nonce)
        self.assertEqual((status, allowed), (302, None))
        self.assertIn("&code=", location)
        # what says nothing of an account's consent stays readable for pages, as with the service
        self.assertEqual(ask("GET", "/oauth2/v3/certs", "http://evil.example")[1], "http://evil.example")
        self.assertEqual(server.stop()[0], 0)

    def test_programs_register_where_the_world_says_so_and_people_agree_with_links(self):
        with tempfile.TemporaryDirectory() as where:
            path = os.path.join(where, "registering.json")
            with open(path, "w") as f:
                json.dump({"sosia": 1, "registration": True, "people": [
                    {"email": "ada@mine.example", "name": "Ada"}, {"email": "bob@mine.example", "name": "Bob"},
                    {"handle": "builder", "kind": "bot", "name": "Builder"}]}, f)
            server = self.start("--fixture", path, "--clock", "frozen")
            plain = subprocess.Popen([harness.SOSIA, "serve", "--port", "0", "--fixture", path], stdout=subprocess.PIPE, text=True)
            self.addCleanup(plain.stdout.close)
            lines = []
            for line in plain.stdout:
                lines.append(line)
                if line.startswith("Ctrl-C"):
                    break
            plain.terminate()
            self.assertEqual(plain.wait(timeout=60), 0)
        self.assertRegex("".join(lines), r"(?m)^  ada@mine.example +http://\S+/consent\?sosia_link=\S+$")
        actors = server.info["actors"]
        self.assertEqual([name for name in actors if "consent_link" in actors[name]], ["ada@mine.example", "bob@mine.example"])
        self.assertNotIn("consent_link", json.dumps(self.start("--fixture", "small").info))

        def ask(method, target, body=None, **headers):
            c = http.client.HTTPConnection(urllib.parse.urlsplit(server.url).netloc, timeout=60)
            self.addCleanup(c.close)
            c.request(method, target, body, headers)
            a = c.getresponse()
            return a.status, a.read().decode(), a

        client = json.loads(ask("POST", "/mcp/register", json.dumps({"redirect_uris": ["http://127.0.0.1:1/"], "token_endpoint_auth_method": "none"}))[1])
        query = urllib.parse.urlencode({
            "client_id": client["client_id"], "redirect_uri": "http://127.0.0.1:1/", "response_type": "code", "scope": "email",
            "code_challenge": "x" * 43, "code_challenge_method": "S256"})
        form = {"Content-Type": "application/x-www-form-urlencoded"}

        def allow(cookie=None):
            jar = {"Cookie": cookie} if cookie else {}
            page = ask("GET", "/o/oauth2/v2/auth?" + query, **jar)[1]
            nonce = page.split('name="sosia_nonce" value="')[1].split('"')[0]
            return ask("POST", "/o/oauth2/v2/approve", query + "&sosia_decision=allow&sosia_nonce=" + nonce, **form, **jar)[0]

        made = server.command("consent", "bob@mine.example", "--ttl", "90m")
        self.assertEqual(made.returncode, 0, made.stderr)
        for link in (actors["ada@mine.example"]["consent_link"], made.stdout.strip()):
            opened = ask("GET", link[len(server.url):])
            self.assertEqual(opened[0], 200)
            cookie = opened[2].getheader("Set-Cookie").split(";")[0]
            self.assertEqual([allow(), allow(cookie), allow(cookie)], [403, 302, 403])
        for person, text in (("nobody@mine.example", "there is nobody"), ("builder", "must be a person")):
            self.assertIn(text, server.command("consent", person).stderr)
        journal = server.control("GET", "/worlds/%s/journal?bodies=true&limit=1000" % server.world).body.decode()
        self.assertIn("mcp.register", journal)
        for secret in [a["consent_link"].split("sosia_link=")[1].split("~")[0] for a in actors.values() if "consent_link" in a]:
            self.assertNotIn(secret, journal)

    def test_what_everybody_reads_of_a_fixture_lets_nobody_in(self):
        for fixture in ("office", "small", "small-365"):
            server = self.start("--fixture", fixture, "--clock", "frozen")
            server.ask("POST", "/token", "")  # with the first call what is due has happened
            dump = server.control("GET", "/worlds/%s/dump" % server.world).json()
            people = [p["email"] for p in dump["people"] if "email" in p]
            form = {"Content-Type": "application/x-www-form-urlencoded"}
            back = "&redirect_uri=" + urllib.parse.quote("https://assistant.tidewater.example/slack/oauth")
            known = [app["client_id"] for app in dump.get("apps", [])]
            self.assertEqual(len(known), 3 if fixture == "office" else 0)
            tried = 0
            for person in people:
                for target, client in [("/o/oauth2/v2/a", "mine"), *(("/@slack.com/oauth/v2/a", c) for c in known), *(("/o/oauth2/v2/a", c) for c in known)]:
                    query = "client_id=%s%s&response_type=code&scope=email&user_scope=chat:write&login_hint=%s" % (client, back, person)
                    page = server.ask("GET", target + "uth" + ("orize" if "slack" in target else "") + "?" + query).body.decode()
                    self.assertNotIn(person, re.sub('<input type="hidden"[^>]*>', "", page))
                    nonce = re.search('name="sosia_nonce" value="([^"]*)"', page)
                    user = next((m["id"] for w in dump.get("workspaces", []) for m in w["members"] if m["actor"] == person), "U0")
                    body = query + "&sosia_decision=allow&sosia_actor=%s&sosia_user=%s&sosia_nonce=%s" % (
                        person, "%s/%s" % (dump["workspaces"][0]["id"], user) if known else "x", nonce[1] if nonce else "x")
                    a = server.ask("POST", target + "pprove", body, form)
                    self.assertNotIn("code=", a.headers.get("Location") or "", (client, person))
                    tried += 1
                a = server.ask("POST", "/token", "grant_type=refresh_token&client_id=mine&client_secret=x&refresh_token=1//mine", form)
                self.assertEqual(a.status, 401)
            self.assertGreaterEqual(tried, 2)
            after = server.control("GET", "/worlds/%s/dump" % server.world).json()
            self.assertEqual(after, dump)
            self.assertEqual(server.stop()[0], 0)

    def test_an_open_world_is_neither_kept_nor_served_beyond_loopback(self):
        with tempfile.TemporaryDirectory() as where:
            world, data, key = os.path.join(where, "open.json"), os.path.join(where, "data"), "0123456789abcdef0"
            with open(world, "w") as f:
                json.dump({"sosia": 1, "oauth": "open", "people": [{"email": "ada@mine.example", "name": "Ada"}]}, f)
            away = ("--listen", "0.0.0.0", "--key", key)
            for options, code, text in ((("--oauth", "open", "--data", data), 2, "without --data"),
                                        (("--oauth", "open", *away), 2, "on loopback"),
                                        (("--fixture", world, "--data", data), 1, "oauth: must be listed"),
                                        (("--fixture", world, *away), 1, "oauth: must be listed")):
                done = harness.command("serve", "--port", "0", *options)
                self.assertEqual((done.returncode, done.stdout), (code, ""), options)
                self.assertIn(text, done.stderr)
            done = harness.command("world", "create", "--file", world, "--data", data)
            self.assertEqual(done.returncode, 1)
            self.assertIn("oauth: must be listed", done.stderr)
            server = self.start("--data", data)  # and so it is for worlds that are made later
            refused = server.control("POST", "/worlds", {"seed_document": {"sosia": 1, "oauth": "open"}})
            self.assertEqual(refused.status, 400)
            self.assertIn("must be listed", refused.json()["error"]["message"])
            self.assertEqual(server.stop()[0], 0)
            server = self.start("--fixture", world, "--data", data, "--oauth", "listed")
            self.assertEqual(server.stop()[0], 0)
            self.assertEqual(self.start("--fixture", world).stop()[0], 0)

    def test_a_mute_refusal_has_its_reason_in_the_log_and_the_journal(self):
        server = self.start("--fixture", "small", "--clock", "frozen")
        token = server.info["actors"]["ada@small.example"]["token"]
        times = {"timeMin": "2026-11-23T08:00:00Z", "timeMax": "2026-11-24T08:00:00Z"}
        expected = []
        for body, why in ((dict(times, items={}), "items must be a list, not {}"),
                          (dict(times, timeMin="today"), 'timeMin must be a date and time with an offset, not \\"today\\"'),
                          (dict(times, items=["x" * 300 + "\u20ac"]), 'items[0] must be an object, not \\"' + "x" * 99 + "...")):
            a = server.call(token, "POST", "/calendar/v3/freeBusy?alt=json&access_token=none", body)
            self.assertEqual((a.status, a.json()["error"]["message"]), (400, "Bad Request"))
            expected.append(why)
        server.call(token, "POST", "/calendar/v3/freeBusy", dict(times, timeMax="2026-11-22T08:00:00Z"))  # this one says what it is
        mute = [e["response"].get("why") for e in server.control("GET", "/worlds/small/journal").json()["entries"]]
        self.assertEqual(mute, [])  # reads are not kept
        body = {"start": {"date": "2026-11-23"}, "end": {"date": "2026-11-24"}, "reminders": {"overrides": {}}}
        a = server.call(token, "POST", "/calendar/v3/calendars/primary/events", body)
        self.assertEqual((a.status, a.json()["error"]["message"]), (400, "Bad Request"))
        why = server.control("GET", "/worlds/small/journal").json()["entries"][0]["response"]["why"]
        self.assertEqual(why, 'reminders.overrides must be a list, not {}')
        self.assertIn(why, server.command("journal").stdout)
        code, _, log = server.stop()
        lines = log.decode().splitlines()
        self.assertEqual((code, len(lines)), (0, 4), lines)
        for line, text in zip(lines, expected):
            self.assertIn('level=warn', line)
            self.assertIn('why="' + text, line)
            self.assertTrue(line.endswith("path=/calendar/v3/freeBusy"), line)

    def test_the_control_interface_reads_no_files(self):
        server = self.start("--fixture", "small")
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as f:
            f.write("sosia: 1\n")
            f.flush()
            self.assertEqual(server.control("POST", "/worlds", {"fixture": f.name}).status, 400)
        self.assertEqual(server.stop()[0], 0)

    def test_without_json_it_prints_what_a_person_copies(self):
        process = subprocess.Popen([harness.SOSIA, "serve", "--port", "0", "--fixture", "office"], text=True,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.kill)
        lines = []
        while not lines or not lines[-1].startswith("Ctrl-C"):
            lines.append(process.stdout.readline())
            self.assertTrue(lines[-1], lines)
        text = "".join(lines)
        copied = dict(w.split("=", 1) for l in lines if l.startswith("  export ") for w in l.split()[1:])
        curl = next(l.split() for l in lines if l.startswith("  curl "))
        done = subprocess.run(["bash", "-c", " ".join(curl[:1] + ["-sS"] + curl[1:])], capture_output=True, text=True,
                              env={**os.environ, **copied}, timeout=harness.PATIENCE, check=True)
        self.assertEqual(json.loads(done.stdout)["items"][0]["id"], "marta.ferri@tidewater.example")
        self.assertIn("rootUrl: '%s/'" % copied["SOSIA_URL"], text)
        self.assertIn("discoveryServiceUrl='%s/discovery/v1/" % copied["SOSIA_URL"], text)
        done = harness.command("world", "show", env=copied)
        self.assertIn("office", done.stdout, done.stderr)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.communicate(timeout=harness.PATIENCE), ("", ""))
        self.assertEqual(process.returncode, 0)

    def greeting(self, document):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as seed:
            seed.write(document)
            seed.flush()
            process = subprocess.Popen([harness.SOSIA, "serve", "--port", "0", "--fixture", seed.name], text=True,
                                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.addCleanup(process.communicate)
            self.addCleanup(process.kill)
            text = ""
            while "Ctrl-C" not in text:
                line = process.stdout.readline()
                self.assertTrue(line, text)
                text += line
        return text

    def answer(self, url, token, data=None):
        ask = urllib.request.Request(url, headers={"Authorization": "Bearer " + token}, data=data)
        with urllib.request.urlopen(ask, timeout=harness.PATIENCE) as response:
            return json.load(response)

    def test_the_first_request_is_one_of_a_service_that_the_person_has(self):
        text = self.greeting("sosia: 1\npeople: [{email: a@x.example, name: Ann}]\n"
                             "accounts: [{actor: a@x.example, vendor: microsoft}]\n"
                             "microsoftTenants: [{domain: x.example, name: X}]\n")
        token, url = re.search(r"TOKEN=(\S+)\n.* (http\S+)\n", text).groups()
        self.assertIn("/v1.0/me/events", url)
        self.assertEqual(self.answer(url, token)["value"], [])
        self.assertNotIn("google.calendar", text)

    def test_without_json_it_prints_how_slacks_clients_are_made(self):
        text = self.greeting("sosia: 1\npeople: [{email: a@x.example, name: Ann}]\n"
                             "workspaces: [{id: T0X, domain: x, name: X, members: [{actor: a@x.example, id: U0ANN}]}]\n"
                             "channels: [{id: C0GENERAL, name: general, general: true, creator: U0ANN}]\n")
        token, url = re.search(r"new WebClient\('([^']+)', \{slackApiUrl: '([^']+)'\}\)", text).groups()
        self.assertIn("WebClient(token='%s', base_url='%s')" % (token, url), text)
        self.assertEqual(self.answer(url + "auth.test", token, b"")["user_id"], "U0ANN")

    def test_clients_of_a_vendor_are_for_those_with_its_credentials(self):
        people = "sosia: 1\npeople: [{email: a@x.example, name: Ann}]\n"
        self.assertNotIn("Client.init", self.greeting(people))
        text = self.greeting(people + "organizations: [{domain: x.example, name: X}]\n"
                             "accounts: [{actor: a@x.example, vendor: microsoft}]\n")
        url, token = re.search(r"Client.init\(\{baseUrl: '([^']+)'.*\n.*done\(null, '([^']+)'\)", text).groups()
        self.assertEqual(self.answer(url + "v1.0/me", token)["userPrincipalName"], "a@x.example")

    def test_fixtures_of_a_directory_come_first(self):
        with tempfile.TemporaryDirectory() as dir:
            with open(dir + "/small.json", "w", encoding="utf-8") as f:
                json.dump({"sosia": 1, "people": [{"email": "mine@dir.example"}]}, f)
            for server in (self.start("--fixture", "small", "--fixtures", dir),
                           self.start("--fixture", "small", env={"SOSIA_FIXTURES": dir})):
                self.assertEqual(list(server.info["actors"]), ["mine@dir.example"])
                self.assertEqual(server.control("POST", "/worlds", {"fixture": "office"}).status, 201)
                self.assertEqual(server.stop()[0], 0)

    def test_fixtures_are_made_once_and_forked_for_each_kind_of_clock(self):
        server = self.start("--clock", "frozen")
        parents = set()
        for body in {"fixture": "small"}, {"fixture": "small", "seed": 9}, {"fixture": "small", "clock": "real"}:
            answer = server.control("POST", "/worlds", body)
            self.assertEqual(answer.status, 201, answer.body)
            parents.add(answer.json()["parent"])
        self.assertEqual(len(parents), 2)
        answer = server.control("POST", "/worlds", {"fixture": "nowhere"})
        self.assertEqual((answer.status, answer.json()["error"]["field"]), (404, "fixture"))
        for name in "../small", "a/b", "", "x" * 100:
            self.assertIn(server.control("POST", "/worlds", {"fixture": name}).status, (400, 404), name)
        self.assertEqual(server.stop()[0], 0)

    def test_limits_are_those_of_the_line(self):
        server = self.start("--max-worlds", "3", "--max-world-size", "1000000", "--max-size", "2000000")
        limits = server.control("GET", "/limits").json()
        self.assertEqual([limits[n] for n in ("max_worlds", "max_world_bytes", "max_bytes")], [3, 1000000, 2000000])
        self.assertEqual([server.control("POST", "/worlds", {}).status for _ in range(3)], [201, 201, 429])
        self.assertEqual(server.stop()[0], 0)

    def test_a_wrong_line_is_reported_and_ends_with_2(self):
        for options, word in ((("--port", "70000"), "--port"), (("--port", "x"), "--port"), (("--clock", "slow"), "--clock"),
                              (("--token", "novalue"), "--token"), (("--nonsense",), "--nonsense"),
                              (("--log", "loud"), "off, error, warn, info or debug"), (("extra",), "usage:"), (("--seed", "0"), "--seed"),
                              (("--world", ""), "--world must be a name"), (("--oauth", "x"), "open or listed"),
                              (("--webhook-deny", "0"), "--webhook-deny")):
            code, text = refusal(*options)
            self.assertEqual(code, 2, (options, text))
            self.assertIn(word, text)

    def test_a_disk_that_takes_no_more_is_said(self):
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536))
        with tempfile.TemporaryDirectory() as data:
            done = subprocess.run([harness.SOSIA, "serve", "--port", "0", "--fixture", "small", "--data", data], preexec_fn=limit,
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=harness.PATIENCE)
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        self.assertRegex(done.stderr, r"^sosia serve: .*(full|too large|No space)")

    def test_what_can_not_be_served_is_reported_and_ends_with_1(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = str(taken.getsockname()[1])
            for options, word in ((("--fixture", "nowhere"), "nowhere"),
                                  (("--token", "eight-or-more=nobody@small.example", "--fixture", "small"), "nobody"),
                                  (("--listen", "0.0.0.0"), "key"), (("--port", port), port),
                                  (("--host", "a:1"), 'not "a:1"'), (("--webhook-host", "a/b"), 'not "a/b"'),
                                  (("--listen", "not-an-address"), "not-an-address")):
                code, text = refusal(*options)
                self.assertEqual(code, 1, (options, text))
                self.assertIn(word, text)
                self.assertTrue(text.startswith("sosia serve: "), text)

    def test_hosts_that_are_named_are_answered_for(self):
        server = self.start("--fixture", "small", "--host", "sosia.test", "--host", "*.worlds.test")
        for host, status in (("sosia.test", 200), ("a.worlds.test:8787", 200), ("worlds.test", 421), ("other.test", 421)):
            self.assertEqual(server.ask("GET", "/_sosia/v1/health", headers={"Host": host}).status, status, host)
        self.assertEqual(server.stop()[0], 0)

    def test_every_other_host_is_one_of_the_worlds_web_and_reaches_nothing_else(self):
        with tempfile.TemporaryDirectory() as d:
            path = os.path.join(d, "web.json")
            with open(path, "w", encoding="utf-8") as f:
                json.dump({"sosia": 1, "people": [{"email": "ada@small.example", "name": "Ada"}], "webPages": [
                    {"url": "https://shop.example/prices", "text": "Eleven euros"},
                    {"url": "https://shop.example/orders", "text": "Order here", "takes": True}]}, f)
            server = self.start("--fixture", path, "--web", "--host", "box.example", "--journal", "writes")

            def ask(method, target, host, body=None, **fields):
                return server.ask(method, target, body, {"Host": host, **fields})

            token = {"Authorization": "Bearer " + server.info["actors"]["ada@small.example"]["token"]}
            key = {"Authorization": "Bearer " + server.key}
            page = ask("GET", "/prices", "shop.example")
            self.assertEqual((page.status, page.body), (200, b"Eleven euros"))
            for host in ("SHOP.example", "shop.example:80", "shop.example:443", "shop.example:%d" % urllib.parse.urlsplit(server.url).port):
                self.assertEqual(ask("GET", "/prices", host).status, 200, host)
            self.assertEqual(ask("GET", "/prices", "shop.example:1").status, 502)  # another page
            self.assertEqual(ask("GET", "/nothing", "shop.example").status, 404)
            self.assertEqual(ask("GET", "/prices", "other.example").status, 502)
            self.assertEqual(ask("POST", "/prices", "shop.example", b"a=1").status, 405)
            self.assertEqual(ask("POST", "/orders", "shop.example", b"a=1", **{"Content-Type": "application/x-www-form-urlencoded"}).status, 200)
            # No API, no tools, no control interface, whatever is shown.
            for method, target, fields in (("GET", "/calendar/v3/users/me/calendarList", token), ("GET", "/w/%s/calendar/v3/users/me/calendarList" % server.world, token),
                                           ("GET", "/@www.googleapis.com/calendar/v3/users/me/calendarList", token), ("GET", "/_sosia/v1/worlds", key),
                                           ("POST", "/mcp/calendar", token), ("GET", "/_console/", key)):
                here = server.ask(method, target, b"{}" if method == "POST" else None, fields)
                self.assertNotIn(here.status, (404, 421) if target != "/_console/" else (421,), target)
                for host in ("shop.example", "other.example"):
                    there = ask(method, target, host, b"{}" if method == "POST" else None, **fields)
                    self.assertIn(there.status, (404, 405, 502), (host, target))
                    self.assertNotIn(b"kind", there.body)
                    self.assertNotIn(server.key.encode(), there.body)
            # The vendors' hosts, this machine and what is named are what they were.
            for host in ("www.googleapis.com", "localhost", "127.0.0.1", "box.example"):
                self.assertEqual(ask("GET", "/calendar/v3/users/me/calendarList", host, **token).status, 200, host)
            entries = [e for e in server.control("GET", "/worlds/%s/journal?limit=500" % server.world).json()["entries"] if e.get("method", "").startswith("web.")]
            self.assertEqual(entries[0]["actor"], "ada@small.example")
            self.assertEqual({e["method"] for e in entries}, {"web.open", "web.send"})
            server.stop()
            server = self.start("--fixture", path)
            self.assertEqual(server.ask("GET", "/prices", None, {"Host": "shop.example"}).status, 421)

    def test_webhooks_go_to_hosts_that_are_named(self):
        for options, allowed in (((), False), (("--webhook-host", "hooks.invalid:9"), True), (("--webhook-host", "*.invalid"), True),
                                 (("--webhook-host", "hooks.invalid:10"), False),
                                 (("--webhook-host", "hooks.invalid:*"), True), (("--webhook-deny", "9"), False)):
            server = self.start("--fixture", "small", "--log", "off", *options)
            token = server.info["actors"]["ada@small.example"]["token"]
            body = {"id": "c1", "type": "web_hook", "address": "https://hooks.invalid:9/x"}
            self.assertEqual(server.call(token, "POST", "/calendar/v3/calendars/primary/events/watch", body).status, 200)
            error = None
            while not error:
                error = server.control("GET", "/worlds/small/outbox").json()["entries"][0]["delivery"].get("error")
            self.assertEqual("does not allow requests to hooks.invalid" in error, not allowed, (options, error))
            self.assertEqual(server.stop()[0], 0)

    def test_an_evaluation_sends_nothing_and_takes_nobody_in(self):
        server = self.start("--fixture", "small", "--log", "off", "--evaluation")
        token = server.info["actors"]["ada@small.example"]["token"]
        world = server.control("GET", "/worlds/small").json()
        self.assertEqual((world["evaluation"], world["journal"]), (True, "all"))
        with socket.create_server(("127.0.0.1", 0)) as receiver:
            body = {"id": "c1", "type": "web_hook", "address": "http://localhost:%d/x" % receiver.getsockname()[1]}
            self.assertEqual(server.call(token, "POST", "/calendar/v3/calendars/primary/events/watch", body).status, 200)
            error = None
            while not error:
                error = server.control("GET", "/worlds/small/outbox").json()["entries"][0]["delivery"].get("error")
        self.assertEqual(error, "the world is an evaluation, which has no receivers")
        self.assertEqual(server.ask("POST", "/mcp/register", b'{"redirect_uris":["http://localhost"]}').status, 404)
        self.assertEqual(server.stop()[0], 0)

    def test_the_log_can_be_json(self):
        server = self.start("--fixture", "small", "--log", "info", "--log-json")
        code, out, err = server.stop()
        self.assertEqual((code, out), (0, b""))
        self.assertEqual([json.loads(line)["event"] for line in err.splitlines()][0], "server started")

    def test_a_fixture_with_a_fault_names_line_and_field(self):
        with tempfile.TemporaryDirectory() as dir:
            with open(dir + "/faulty.yaml", "w", encoding="utf-8") as f:
                f.write("sosia: 1\npeople:\n  - email: a@b.example\n    zone: Mars/Base\n")
            code, text = refusal("--fixture", "faulty", "--fixtures", dir)
        self.assertEqual((code, text), (1, 'sosia serve: faulty.yaml:4: people[0].zone: unknown time zone "Mars/Base"\n'))

    def test_https_comes_with_an_authority(self):
        with tempfile.TemporaryDirectory() as dir:
            done = harness.command("ca", dir + "/ca")
            self.assertEqual(done.returncode, 0, done.stderr)
            server = self.start("--fixture", "small", "--ca", dir + "/ca")
            cert = done.stdout.split()[0]
            token = server.info["actors"]["ada@small.example"]["token"]
            done = subprocess.run(["curl", "-sS", "--cacert", cert, "-H", "Authorization: Bearer " + token,
                                   server.info["https_url"] + LIST], capture_output=True, text=True,
                                  timeout=harness.PATIENCE, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(json.loads(done.stdout)["items"][0]["id"], "ada@small.example")
            self.assertEqual(server.stop()[0], 0)


if __name__ == "__main__":
    unittest.main()
