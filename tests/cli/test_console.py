# SPDX-License-Identifier: Apache-2.0
"""What programs that look on use of the control interface: what happens as a stream, sessions, and the lists of cores."""
import hmac
import http.client
import json
import socket
import threading
import time
from urllib.parse import quote, urlsplit

import harness
from test_grade import EVENT

ADA = "ada@small.example"


class Events(harness.ServerCase):
    options = ("--fixture", "small", "--clock", "frozen", "--journal", "all")

    def setUp(self):
        made = self.control("POST", "/worlds/%s/fork" % self.server.world, {"count": 2, "actors": [ADA]}, 201)
        self.world, self.other = made["worlds"]
        self.tokens = {t["world"]: t["token"] for t in made["tokens"]}

    def do(self, world=None, method="PATCH", body=None):
        world = world or self.world
        return self.server.call(self.tokens[world], method, EVENT, body or {"summary": "x"} if method != "GET" else None, world=world).status

    def test_rows_that_read_say_what_they_cost(self):
        for path in ("/worlds/%s/journal" % self.world, "/diff?from=%s&to=%s&causes=true" % (self.other, self.world)):
            answer = self.server.control("GET", path)
            self.assertEqual(answer.status, 200, answer.body)
            self.assertRegex(answer.headers["Server-Timing"], r"^cpu;dur=\d+\.\d{3}$")

    def test_held_calls_are_counted_as_such_and_not_as_refused(self):
        policy = {"policy": 1, "name": "p", "rules": [{"id": "r", "effect": "approve", "call": {"method": "calendar.events.patch"}}]}
        self.control("POST", "/worlds/%s/policies" % self.world, policy)
        self.assertEqual([self.do(), self.do()], [403, 403])
        bucket = self.control("GET", "/worlds/%s/journal/strip?buckets=1" % self.world)["buckets"][0]
        self.assertEqual((bucket["writes"], bucket["held"], bucket["refused"]), (2, 2, 0))

    def test_what_calls_changed_is_said_where_states_are_kept(self):
        """Of others it would take all calls from the beginning again, for each."""
        self.control("PUT", "/worlds/%s/journal" % self.world, {"steps": 5})
        calls = [{"method": "PATCH", "target": EVENT, "body": {"summary": "x%d" % i}} for i in range(90)]
        self.control("POST", "/worlds/%s/calls" % self.world, {"token": self.tokens[self.world], "calls": calls})
        entries = self.control("GET", "/worlds/%s/journal?effects=true&limit=100&bodies=false" % self.world)["entries"]
        self.assertEqual([e["seq"] for e in entries if e["seq"] > 64 and "effect" in e], list(range(87, 91)))
        self.assertEqual(entries[-1]["effect"], {"added": 0, "changed": 1, "removed": 0})

    def test_what_a_journal_comes_to_is_said_without_going_over_all_of_it(self):
        self.do()
        whole = self.control("GET", "/worlds/%s/journal/info" % self.world)
        self.assertEqual(len(whole.pop("head")), 64)
        self.assertEqual(self.control("GET", "/worlds/%s/journal/info?head=false" % self.world), whole)

    def test_behind_the_greatest_number_there_is_nothing(self):
        for _ in range(9):
            self.do()
        for row in ("", "/strip"):
            answer = self.control("GET", "/worlds/%s/journal%s?after=9223372036854775807" % (self.world, row))
            self.assertEqual(answer, {"entries": []} if not row else {"buckets": []})

    def open(self, worlds, last=None):
        at = urlsplit(self.server.url)
        connection = http.client.HTTPConnection(at.hostname, at.port, timeout=harness.PATIENCE)
        self.addCleanup(connection.close)
        connection.request("GET", "/_sosia/v1/events?worlds=" + worlds, headers={
            "Authorization": "Bearer " + self.server.key, **({"Last-Event-ID": last} if last else {})})
        answer = connection.getresponse()
        self.addCleanup(answer.close)
        self.assertEqual((answer.status, answer.headers["Content-Type"]), (200, "text/event-stream; charset=utf-8"))
        answer.shut = lambda: (answer.close(), connection.close())
        return answer

    def take(self, answer):
        """The next piece that is no comment: its event, data and id."""
        piece = {}
        while True:
            line = answer.readline().decode()
            self.assertTrue(line.endswith("\n"), "the stream has ended")
            line = line[:-1]
            if not line and piece:
                return piece["event"], json.loads(piece["data"]), piece["id"]
            name, _, value = line.partition(": ")
            if name:
                piece[name] = value

    def test_what_happens_comes_and_is_gone_on_with(self):
        events = self.open("%s,%s" % (self.world, self.other))
        event, data, id = self.take(events)
        self.assertEqual((event, data), ("open", {"worlds": [{"world": self.world, "seq": 0, "era": 0}, {"world": self.other, "seq": 0, "era": 0}]}))
        self.do(method="GET")
        event, data, first = self.take(events)
        self.assertEqual((event, data["world"], [e["seq"] for e in data["entries"]]), ("call", self.world, [1]))
        self.assertNotIn("body", data["entries"][0]["response"])
        self.do(self.other)
        event, data, _ = self.take(events)
        self.assertEqual((data["world"], data["entries"][0]["method"]), (self.other, "calendar.events.patch"))
        events.shut()
        self.do()
        self.do()
        again = self.open("%s,%s" % (self.world, self.other), first)
        self.assertEqual(self.take(again)[0], "open")
        found = {}
        for _ in range(2):
            _, data, _ = self.take(again)
            found[data["world"]] = [e["seq"] for e in data["entries"]]
        self.assertEqual(found, {self.world: [2, 3], self.other: [1]})

    def test_what_comes_is_what_the_journal_has(self):
        """Entries are copied for streams as they are kept, without their bodies: whatever is in those, and of whichever clock."""
        made = self.control("POST", "/worlds", {"fixture": "small", "clock": "real", "journal": "all"}, 201)["world"]
        self.tokens[made] = self.control("POST", "/worlds/%s/tokens" % made, {"actor": ADA}, 201)["token"]
        for world in (self.world, made):
            events = self.open(world, "%s:0:0" % world)
            self.take(events)
            for summary in ("x", '"body":{"}]\\"', "\\\\", "a" * 5000 + '"', ""):
                self.do(world, body={"summary": summary, "body": {"body": [summary]}})
                self.do(world, "GET")
            came = []
            while len(came) < 10:
                event, data, _ = self.take(events)
                came += data["entries"] if event == "call" else []
            kept = self.control("GET", "/worlds/%s/journal?times=true" % world)["entries"]
            self.assertEqual(came, kept)
            self.assertTrue(all(e["took_us"] >= 0 and "body" not in e["response"] for e in came))

    def test_more_than_a_piece_has_room_for_is_counted(self):
        events = self.open(self.world, "%s:0,nonsense,:,%s:x" % (self.world, self.other))
        self.take(events)
        calls = [{"method": "GET", "target": EVENT}] * 100
        for _ in range(7):
            self.control("POST", "/worlds/%s/calls" % self.world, {"token": self.tokens[self.world], "calls": calls})
        seen = 0
        while seen < 700:
            event, data, id = self.take(events)
            seen += len(data["entries"]) if event == "call" else data["n"]
        self.assertEqual((seen, id), (700, "%s:700:0" % self.world))

    def test_what_is_left_out_is_counted_by_what_it_is(self):
        calls = [{"method": "PATCH", "target": EVENT, "body": {"summary": "x"}}, {"method": "GET", "target": EVENT}, {"method": "GET", "target": EVENT + "nobody"}] * 30
        self.control("POST", "/worlds/%s/calls" % self.world, {"token": self.tokens[self.world], "calls": calls})
        events = self.open(self.world + "&entries=10", self.world + ":0")
        self.assertEqual(self.take(events)[0], "open")
        event, data, id = self.take(events)
        kept = self.control("GET", "/worlds/%s/journal?limit=100&bodies=false" % self.world)["entries"]
        self.assertEqual((event, id), ("skipped", self.world + ":80:0"))
        self.assertEqual(data, {"world": self.world, "n": 80, "from": 1, "to": 80, "at": kept[0]["at"], "reads": 53, "writes": 27, "refused": 26, "held": 0, "errors": 0})
        strip = self.control("GET", "/worlds/%s/journal/strip?buckets=1&to=80" % self.world)["buckets"][0]
        self.assertEqual({k: v for k, v in data.items() if k not in ("world", "n")}, strip)
        event, data, id = self.take(events)
        self.assertEqual((event, [e["seq"] for e in data["entries"]], id), ("call", list(range(81, 91)), self.world + ":90:0"))
        self.assertEqual(self.refused("GET", "/events?entries=501&worlds=" + self.world)["field"], "entries")

    def test_a_stream_that_begins_while_its_world_is_busy_is_not_silent(self):
        self.control("POST", "/worlds/%s/seed" % self.world, {"sosia": 1, "people": [{"email": "p%d@many.example" % i, "name": "P"} for i in range(300)]})
        at, over = urlsplit(self.server.url), threading.Event()

        def hold():
            connection = http.client.HTTPConnection(at.hostname, at.port, timeout=harness.PATIENCE)
            while not over.is_set():
                connection.request("GET", "/_sosia/v1/worlds/%s/hash" % self.world, headers={"Authorization": "Bearer " + self.server.key})
                connection.getresponse().read()
            connection.close()

        holders = [threading.Thread(target=hold) for _ in range(6)]
        for one in holders:
            one.start()
        for _ in range(200):
            events = self.open(",".join([self.world] * 16))
            _, data, _ = self.take(events)
            if any(w.get("seq") != 1 for w in data["worlds"]):
                break
            events.shut()
        over.set()
        for one in holders:
            one.join()
        late = sum("seq" not in w for w in data["worlds"])  # it was busy, and is said to be open when it is known how far it is
        self.assertGreater(late, 0)
        self.assertEqual([self.take(events)[:2] for _ in range(late)], [("open", {"worlds": [{"world": self.world, "seq": 1, "era": 0}]})] * late)
        self.do()
        self.assertEqual([[e["seq"] for e in self.take(events)[1]["entries"]] for _ in range(16)], [[2]] * 16)

    def test_clock_reset_and_end_of_a_world_are_said(self):
        events = self.open(self.other)
        self.take(events)
        self.control("POST", "/worlds/%s/clock/advance" % self.other, {"us": 1000000})
        found = [self.take(events)[:2] for _ in range(2)]
        self.assertEqual(found[1], ("clock", {"world": self.other, "now": "2026-11-23T08:00:01.000000Z"}))
        self.control("POST", "/worlds/%s/reset" % self.other)
        self.assertEqual(self.take(events)[:2], ("reset", {"world": self.other, "seq": 0, "era": 1}))
        self.control("DELETE", "/worlds/" + self.other, None, 204)
        self.assertEqual(self.take(events)[:2], ("dropped", {"world": self.other}))

    def test_a_reader_that_comes_again_gets_a_reset_meanwhile(self):
        events = self.open(self.world)
        self.take(events)
        self.do()
        _, _, id = self.take(events)
        self.assertEqual(id, self.world + ":1:0")
        events.shut()
        self.control("POST", "/worlds/%s/reset" % self.world)
        self.do()  # as many calls as there were: only the era differs
        again = self.open(self.world, id)
        self.assertEqual(self.take(again)[:2], ("open", {"worlds": [{"world": self.world, "seq": 1, "era": 1}]}))
        self.assertEqual(self.take(again)[:2], ("reset", {"world": self.world, "seq": 1, "era": 1}))
        ahead = self.open(self.world, self.world + ":7")  # of a journal that was longer
        self.assertEqual([self.take(ahead)[0] for _ in range(2)], ["open", "reset"])
        again.shut()
        ahead.shut()


class EventLimits(Events):
    """On a server of its own, where nobody else has streams."""
    test_what_happens_comes_and_is_gone_on_with = test_more_than_a_piece_has_room_for_is_counted = None
    test_a_reader_that_comes_again_gets_a_reset_meanwhile = test_what_is_left_out_is_counted_by_what_it_is = None
    test_clock_reset_and_end_of_a_world_are_said = test_a_stream_that_begins_while_its_world_is_busy_is_not_silent = None

    def test_streams_have_limits_and_ends(self):
        self.assertEqual(self.refused("GET", "/events?worlds=nowhere", None, 404)["field"], "worlds")
        self.assertEqual(self.refused("GET", "/events?worlds=")["field"], "worlds")
        self.assertEqual(self.refused("GET", "/events?worlds=" + ",".join([self.world] * 17))["field"], "worlds")
        self.assertEqual(self.server.control("GET", "/events?worlds=" + self.world, key=self.tokens[self.world]).status, 403)
        streams = [self.open(self.world) for _ in range(64)]
        self.assertEqual(self.refused("GET", "/events?worlds=" + self.world, None, 429)["reason"], "tooManyStreams")
        self.do()
        for s in streams:  # each of them has it
            self.assertEqual([self.take(s)[0] for _ in range(2)], ["open", "call"])
            s.shut()
        until = time.monotonic() + harness.PATIENCE
        while not self.opens():
            self.assertLess(time.monotonic(), until, "places of readers who have gone are not given back")
            time.sleep(0.1)

    def opens(self):
        at = urlsplit(self.server.url)
        connection = http.client.HTTPConnection(at.hostname, at.port, timeout=harness.PATIENCE)
        self.addCleanup(connection.close)
        connection.request("GET", "/_sosia/v1/events?worlds=" + self.world, headers={"Authorization": "Bearer " + self.server.key})
        return connection.getresponse().status == 200


class EventReaders(Events):
    """On a server of its own, too."""
    test_what_happens_comes_and_is_gone_on_with = test_more_than_a_piece_has_room_for_is_counted = None
    test_a_reader_that_comes_again_gets_a_reset_meanwhile = None
    test_clock_reset_and_end_of_a_world_are_said = test_a_stream_that_begins_while_its_world_is_busy_is_not_silent = None

    def test_a_reader_that_never_reads_is_cut_and_holds_nobody_up(self):
        at = urlsplit(self.server.url)
        deaf = socket.socket()
        self.addCleanup(deaf.close)
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        deaf.settimeout(harness.PATIENCE)
        deaf.connect((at.hostname, at.port))
        deaf.sendall(("GET /_sosia/v1/events?worlds=%s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n\r\n" % (self.world, at.netloc, self.server.key)).encode())
        other = self.open(self.world)
        self.assertEqual(self.take(other)[0], "open")
        # entries that are long, until there is more of them than a socket and the server's own buffer hold
        long = {"token": self.tokens[self.world], "calls": [{"method": "GET", "target": EVENT + "?quotaUser=" + "x" * 7000}] * 100}
        seen = 0
        for n in range(1, 41):
            self.control("POST", "/worlds/%s/calls" % self.world, long)
            while seen < n * 100:  # who reads has all of it
                event, data, last = self.take(other)
                seen += len(data["entries"]) if event == "call" else data["n"]
        got = b""
        while True:  # and the other one's stream ends, far before that
            try:
                piece = deaf.recv(1 << 20)
            except ConnectionError:
                piece = b""
            if not piece:
                break
            got += piece
        self.assertTrue(got.startswith(b"HTTP/1.1 200"))
        self.assertLess(len(got), 40 * 100 * 7000)
        again = self.open(self.world, last)
        self.assertEqual(self.take(again)[0], "open")
        self.do()
        self.assertEqual(self.take(again)[1]["entries"][0]["seq"], 4001)


class Sessions(harness.ServerCase):
    def enter(self, status=201, **body):
        answer = self.server.ask("POST", "/_sosia/v1/console/sessions", json.dumps(body), {"Content-Type": "application/json"})
        self.assertEqual(answer.status, status, answer.body)
        return answer.json()

    def test_a_code_is_good_once_and_its_session_opens_what_the_key_opens(self):
        made = self.control("POST", "/console/codes", {}, 201)
        self.assertEqual(made["url"], "%s/#code=%s" % (self.server.url, made["code"]))
        session = self.enter(code=made["code"])
        self.assertFalse(session["read_only"])
        self.assertEqual(self.enter(401, code=made["code"])["error"]["reason"], "codeSpent")
        self.assertEqual(self.server.control("GET", "/worlds", key=session["session"]).status, 200)
        world = "/worlds/%s" % self.fork()
        self.assertEqual(self.server.control("POST", world + "/reset", key=session["session"]).status, 200)
        head, _, signature = session["session"].rpartition("_")
        kind, mode, expires = head.split("_")
        for forged in (head + "_" + "0" * 64, head, head + "_", "console_", "console_r_%s_%s" % (expires, signature), session["session"] + "0",
                       "console_%s_%d_%s" % (mode, int(expires) + 1, signature), "console_w_1_" + signature, "console_w_x_" + signature, "console_" + "9" * 300):
            answer = self.server.control("GET", "/worlds", key=forged)
            self.assertEqual((answer.status, answer.json()["error"]["reason"]), (401, "sessionOver"), forged)

    def test_a_stream_ends_with_its_session(self):
        world, at = self.fork(), urlsplit(self.server.url)
        for seconds in (2, 60):  # the longer one where the machine took too long to begin
            name = "console_r_%d" % (time.time() + seconds)
            sign = hmac.new(self.server.key.encode(), ("sosia session\n" + name).encode(), "sha256").hexdigest()
            connection = http.client.HTTPConnection(at.hostname, at.port, timeout=harness.PATIENCE)
            self.addCleanup(connection.close)
            connection.request("GET", "/_sosia/v1/events?worlds=" + world, headers={"Authorization": "Bearer %s_%s" % (name, sign)})
            answer = connection.getresponse()
            if answer.status == 200:
                break
        self.assertEqual(answer.status, 200)
        self.assertIn(b"event: open", answer.read())  # to its end
        self.assertEqual(self.server.control("GET", "/worlds", key="%s_%s" % (name, sign)).status, 401)

    def test_a_session_that_reads_does_no_more(self):
        code = self.control("POST", "/console/codes", {"read_only": True}, 201)["code"]
        session = self.enter(code=code, read_only=False)
        self.assertTrue(session["read_only"])
        world, key = "/worlds/%s" % self.fork(), session["session"]
        for path in ("/worlds", world + "/dump", world + "/journal", world + "/look/" + ADA + EVENT, world + "/report"):
            self.assertEqual(self.server.control("GET", path, key=key).status, 200, path)
        for method, path in (("POST", world + "/reset"), ("DELETE", world), ("POST", world + "/tokens"), ("POST", "/console/codes"), ("POST", world + "/fork"),
                             ("PATCH", world + "/act/" + ADA + EVENT), ("GET", world + "/credentials?actor=%s&kind=x" % ADA),
                             ("GET", world + "/journal/export?secrets=true"), ("GET", world + "/export?secrets=true")):
            answer = self.server.control(method, path, {} if method == "POST" else None, key=key)
            self.assertEqual((answer.status, answer.json()["error"]["reason"]), (403, "readOnly"), path)

    def test_a_session_that_reads_sees_no_secrets(self):
        secret, token, full = "hush-hush-hush", "1//mine-alone", "in-a-body-kept-in-full"
        made = self.control("POST", "/worlds", {"fixture": "small", "clock": "frozen", "journal": "all"}, 201)["world"]
        world, key = "/worlds/" + made, self.enter(code=self.control("POST", "/console/codes", {"read_only": True}, 201)["code"])["session"]
        self.control("POST", world + "/seed", {"sosia": 1, "apps": [{"client_id": "app-1", "client_secret": secret, "name": "Mine", "vendor": "google"}], "oauth_refresh_tokens": [
            {"token": token, "client_id": "app-1", "actor": ADA, "scopes": "https://www.googleapis.com/auth/calendar"}]})
        self.control("PUT", world + "/journal", {"keep": "full"})
        self.control("PATCH", world + "/act/" + ADA + EVENT, {"summary": full})
        paths = [world + "/dump", world + "/dump?sections=apps", "/diff?from=%s&to=%s" % (self.server.world, made), "/diff?form=seed&from=%s&to=%s" % (self.server.world, made),
                 "/diff?causes=true&from=%s&to=%s" % (self.server.world, made), world + "/report?from=" + self.server.world, world + "/journal?bodies=true", world + "/journal/1"]
        for path in paths:
            seen = {k: self.server.control("GET", path, key=k) for k in (self.server.key, key)}
            self.assertEqual([a.status for a in seen.values()], [200, 200], path)
            whole, shown = (a.body.decode() for a in seen.values())
            found = [word for word in (secret, token, "Authorization") if word in whole]
            self.assertTrue(found, path)
            self.assertEqual([word for word in found if word in shown], [], path)
            if "journal" not in path:
                self.assertIn("app-1", shown)
        for path in (world + "/export", world + "/journal/export", "/diff?form=patch&to=" + made, "/diff?form=tables&to=" + made):
            answer = self.server.control("GET", path, key=key)
            self.assertEqual((answer.status, answer.json()["error"]["reason"]), (403, "readOnly"), path)

    def test_a_session_that_reads_has_no_program_run(self):
        world, key = "/worlds/%s" % self.fork(), self.enter(code=self.control("POST", "/console/codes", {"read_only": True}, 201)["code"])["session"]
        plain = {"never": "x"}
        for reads, assertion in ((True, plain), (False, {"program": {"argv": ["true"]}}), (False, {"any": [plain, {"not": {"program": {"argv": ["true"]}}}]})):
            suite = json.dumps({"version": "1.1", "name": "s", "tests": [{"id": "t", "prompt": "p", "assertions": [assertion]}]})
            for path, usual in (("/report", 200), ("/explore", 400)):  # the world has no calls to explore
                answer = self.server.control("POST", world + path, {"suite": suite, "task": "t"}, key=key)
                self.assertEqual(answer.status, usual if reads else 403, (path, answer.body))

    def test_the_key_is_exchanged_and_guesses_are_counted(self):
        server = harness.Server("--fixture", "small")
        self.addCleanup(server.stop)
        ask = lambda **body: server.ask("POST", "/_sosia/v1/console/sessions", json.dumps(body), {"Content-Type": "application/json"})
        self.assertEqual(ask(key=server.key, code="x").status, 400)
        session = ask(key=server.key, read_only=True).json()
        self.assertTrue(session["read_only"])
        self.assertEqual(self.server.control("GET", "/worlds", key=session["session"]).status, 401)  # another server's
        tries = [ask(code="0" * 48).status for _ in range(40)]  # whenever a minute begins
        self.assertEqual((tries[0], tries[-1]), (401, 429))
        self.assertEqual(ask(key=server.key).status, 201)  # whoever has a key or a code is not kept out by those who guess
        code = server.control("POST", "/console/codes", {}).json()["code"]
        self.assertEqual([ask(code=code).status, ask(key="x" * 40).status], [201, 429])
        foreign = server.ask("POST", "/_sosia/v1/console/sessions", "{}", {"Origin": "https://evil.example"})
        self.assertEqual(foreign.status, 403)


class MailCase(harness.ServerCase):
    options = ("--fixture", "office", "--clock", "step", "--journal", "all")
    person = "marta.ferri@tidewater.example"

    def at(self, rest, person=None, status=200):
        return self.control("GET", "/worlds/%s/mail/%s%s" % (self.server.world, person or self.person, rest), None, status)

    def inbox(self):
        return next(f for f in self.at("/folders")["folders"] if f["name"].upper() == "INBOX")


class Found(MailCase):
    def test_a_folder_is_searched(self):
        inbox = self.inbox()["id"]
        whole = self.at("/messages?folder=%s&limit=500" % inbox)["rows"]
        found = self.at("/messages?folder=%s&q=%s" % (inbox, quote('"third quarter" figures')))
        self.assertEqual([r["subject"] for r in found["rows"]], ["Figures of the third quarter"])
        self.assertEqual((found["total"], found.get("next"), len(found["rows"])), (1, None, 1))
        all = self.at("/messages?folder=%s&q=tidewater&limit=500" % inbox)
        self.assertEqual((all["total"], all.get("next")), (len(all["rows"]), None))
        self.assertGreater(len(all["rows"]), 2)
        page = self.at("/messages?folder=%s&q=tidewater&offset=1&limit=1" % inbox)
        self.assertEqual((page["rows"], page["next"], page["total"]), (all["rows"][1:2], 2, 3))
        self.assertEqual(self.at("/messages?folder=%s&q=xyzzyx" % inbox), {"total": 0, "rows": []})
        self.assertEqual(self.at("/messages?folder=%s&q=%s" % (inbox, quote('" "')))["rows"], whole[:100])  # no words
        self.at("/messages?folder=%s&q=the&offset=20000" % inbox, status=400)

    def test_all_is_searched_at_once(self):
        search = lambda q, **more: self.control("GET", "/worlds/%s/search?q=%s%s" % (self.server.world, quote(q), "".join("&%s=%s" % p for p in more.items())))
        before = self.control("GET", "/worlds/%s" % self.server.world)["now"]
        hits = search("harbour")["hits"]
        self.assertLessEqual({"mail", "chat", "drive", "calendar"} - {h["service"] for h in hits}, {"calendar", "mail"})
        self.assertEqual({h["service"] for h in search("harbour", service="chat")["hits"]}, {"chat"})
        self.assertEqual([h["title"] for h in search("marta.ferri@tide")["hits"] if h["service"] == "identity"], ["Marta Ferri"])
        few = search("the", limit=1)
        self.assertIn("mail", few["full"])
        self.assertEqual(len([h for h in few["hits"] if h["service"] == "mail"]), 1)
        hit = next(h for h in search("telefonata")["hits"] if h["service"] == "mail")
        self.assertEqual(hit["actor"], self.person)
        message = self.at("/messages/" + hit["id"])
        self.assertEqual(message["subject"], hit["title"])
        world = self.fork()
        token = self.token(world, self.person)
        self.assertEqual(self.server.call(token, "POST", "/gmail/v1/users/me/messages/%s/modify" % hit["id"], {"addLabelIds": ["STARRED"]}, world=world).status, 200)
        changed = self.control("GET", "/diff?from=%s&to=%s" % (self.server.world, world))["changes"]
        self.assertIn(hit["name"], [c["name"] for c in changed])  # the name that diffs have
        for odd in ("%", "_", "\\", "100%", "'", "a" * 400, "\u202e", "*", "NEAR(", '"'):
            status = 400 if odd == '"' else 200
            self.control("GET", "/worlds/%s/search?q=%s" % (self.server.world, quote(odd)), None, status)
        self.assertEqual(search("%", service="identity")["hits"], [])
        self.control("GET", "/worlds/%s/search" % self.server.world, None, 400)
        self.assertEqual(self.control("GET", "/worlds/%s" % self.server.world)["now"], before)

    def test_the_newest_files_are_those_that_are_shown(self):
        world = self.fork()
        token = self.token(world, self.person)
        for i in range(5):
            self.assertEqual(self.server.call(token, "POST", "/drive/v3/files", {"name": "xyzzyx %d" % i}, world=world).status, 200)
        for limit, names, full in ((1, "4", ["drive"]), (3, "432", ["drive"]), (5, "43210", []), (9, "43210", [])):
            found = self.control("GET", "/worlds/%s/search?q=xyzzyx&limit=%d" % (world, limit))
            self.assertEqual([h["title"][-1] for h in found["hits"]], list(names), limit)
            self.assertEqual(found["full"], full, limit)


class Mail(MailCase):
    def test_a_folder_is_read_from_any_place_on(self):
        box = self.inbox()
        rows, offset = [], 0
        while offset is not None:
            page = self.at("/messages?folder=%s&limit=2&offset=%d" % (box["id"], offset))
            self.assertEqual(page["total"], box["total"])
            rows += page["rows"]
            offset = page.get("next")
        self.assertEqual(len({r["id"] for r in rows}), box["total"])
        self.assertGreater(len(rows), 2)
        self.assertEqual([r["at"] for r in rows], sorted((r["at"] for r in rows), reverse=True))
        self.assertEqual(sum(r["unread"] for r in rows), box["unread"])
        self.assertTrue(all(box["id"] in r["folders"] for r in rows))
        self.assertEqual(self.at("/messages?folder=%s&limit=2&offset=1" % box["id"])["rows"], rows[1:3])
        self.assertEqual(self.at("/messages?folder=%s&offset=1000000" % box["id"])["rows"], [])
        native = self.control("GET", "/worlds/%s/look/%s/gmail/v1/users/me/messages?labelIds=INBOX&maxResults=500" % (self.server.world, self.person))
        self.assertEqual([r["id"] for r in rows], [m["id"] for m in native["messages"]])

    def test_a_message_is_read_without_a_mark(self):
        before = [self.control("GET", "/worlds/%s%s" % (self.server.world, p)) for p in ("/hash", "/clock", "/journal/info")]
        row = next(r for r in self.at("/messages?folder=%s" % self.inbox()["id"])["rows"] if r["unread"])
        whole = self.at("/messages/" + row["id"])
        self.assertEqual({k: whole[k] for k in row}, row)
        self.assertIn(("Subject", row["subject"]), [(h["name"], h["value"]) for h in whole["headers"]])
        part = next(p for p in whole["parts"] if p["type"] == "text/plain")
        body = self.server.control("GET", "/worlds/%s/mail/%s/messages/%s/parts/%d" % (self.server.world, self.person, row["id"], part["n"]))
        self.assertEqual((body.status, body.headers["Content-Disposition"], len(body.body)), (200, "attachment", part["size"]))
        self.assertEqual(body.body.decode().replace("\r\n", "\n").strip(), whole["text"].replace("\r\n", "\n").strip())
        self.assertEqual([self.control("GET", "/worlds/%s%s" % (self.server.world, p)) for p in ("/hash", "/clock", "/journal/info")], before)

    def test_what_is_not_there_is_said(self):
        for rest, person, status, reason in (("/folders", "nobody@x.example", 404, "mailboxNotFound"), ("/folders?vendor=nobodys", None, 404, "mailboxNotFound"),
                                             ("/messages?folder=1", None, 404, "folderNotFound"), ("/messages?folder=x", None, 400, "invalid"),
                                             ("/messages/0123456789abcdef", None, 404, "messageNotFound"), ("/messages/xyz", None, 400, "invalid"),
                                             ("/messages?folder=%s&limit=501" % self.inbox()["id"], None, 400, "invalid")):
            self.assertEqual(self.at(rest, person, status)["error"]["reason"], reason, rest)
        row = self.at("/messages?folder=%s&limit=1" % self.inbox()["id"])["rows"][0]
        self.assertEqual(self.at("/messages/%s/parts/999" % row["id"], None, 404)["error"]["reason"], "partNotFound")

    def test_whose_service_a_mailbox_is_of(self):
        of = lambda answer: (answer["vendor"], answer["vendors"])
        both = {"people": [{"email": "two@both.example", "name": "Two"}],
                "accounts": [{"actor": "two@both.example", "vendor": "microsoft"}, {"actor": "two@both.example", "vendor": "google"}]}
        at = "/worlds/%s" % self.control("POST", "/worlds", {"seed_document": dict(both, sosia=1)}, 201)["world"]
        self.assertEqual(of(self.at("/folders")), ("google", ["google"]))
        for service, rest in (("mail", "folders"), ("calendar", "calendars")):
            shown = {v: of(self.control("GET", "%s/%s/two@both.example/%s?vendor=%s" % (at, service, rest, v))) for v in ("google", "microsoft")}
            self.assertEqual(shown, {v: (v, ["microsoft", "google"]) for v in ("google", "microsoft")})
            self.assertIn(of(self.control("GET", "%s/%s/two@both.example/%s" % (at, service, rest)))[0], ("google", "microsoft"))

    def test_each_service_refuses_whose_account_is_elsewhere(self):
        doc = {"sosia": 1, "people": [{"email": n + "@one.example", "name": n} for n in ("google", "microsoft", "slack")],
               "accounts": [{"actor": "microsoft@one.example", "vendor": "microsoft"}],
               "workspaces": [{"id": "T0ONE", "domain": "one", "name": "One", "members": [{"actor": "slack@one.example", "id": "U0ONE", "name": "one", "role": "owner"}]}]}
        at = "/worlds/%s" % self.control("POST", "/worlds", {"seed_document": doc}, 201)["world"]
        before = self.control("GET", at + "/hash")
        graph, when = "@graph.microsoft.com/v1.0", {"dateTime": "2026-11-24T10:00:00", "timeZone": "UTC"}
        for person, path, body, status in (
                ("microsoft", "@www.googleapis.com/drive/v3/files", {"name": "Lost"}, 401), ("microsoft", "@www.googleapis.com/calendar/v3/calendars", {"summary": "Lost"}, 403),
                ("microsoft", "@gmail.googleapis.com/gmail/v1/users/me/drafts", {"message": {"raw": "VG86IGE"}}, 400), ("microsoft", "@slack.com/api/conversations.create", {"name": "lost"}, None),
                ("google", graph + "/me/drive/root/children", {"name": "Lost", "folder": {}}, 404), ("google", graph + "/me/events", {"subject": "Lost", "start": when, "end": when}, 404),
                ("google", graph + "/me/messages", {"subject": "Lost"}, 404), ("google", graph + "/me/todo/lists", {"displayName": "Lost"}, 404),
                ("google", graph + "/teams", {"template@odata.bind": "https://graph.microsoft.com/v1.0/teamsTemplates('standard')", "displayName": "Lost"}, 403),
                ("google", "@slack.com/api/conversations.create", {"name": "lost"}, None)):
            answer = self.server.control("POST", "%s/act/%s@one.example/%s" % (at, person, path), body)
            if status is None:
                self.assertEqual(answer.json()["error"], "invalid_auth", path)
            else:
                self.assertEqual(answer.status, status, (path, answer.body))
        self.assertEqual(self.control("GET", at + "/hash"), before)
        for person, path, status in (("microsoft", "@www.googleapis.com/drive/v3/files", 401), ("microsoft", "@www.googleapis.com/calendar/v3/users/me/calendarList", 403),
                                     ("google", graph + "/me/drive", 404), ("google", graph + "/me/joinedTeams", 403)):
            self.assertEqual(self.server.control("GET", "%s/look/%s@one.example/%s" % (at, person, path)).status, status, path)

    def test_a_week_is_read_as_instances(self):
        at = "/worlds/%s/calendar/%s" % (self.server.world, self.person)
        main = next(c for c in self.control("GET", at + "/calendars")["calendars"] if c["main"])
        self.assertEqual(main["key"], self.person)
        week = "from=2026-11-23T00:00:00Z&to=2026-11-30T00:00:00%2B01:00"
        rows = self.control("GET", at + "/events?%s&calendar=%s" % (week, main["id"]))
        self.assertFalse(rows["more"])
        native = self.control("GET", "/worlds/%s/look/%s/calendar/v3/calendars/primary/events?singleEvents=true&orderBy=startTime&timeMin=2026-11-23T00:00:00Z"
                              "&timeMax=2026-11-30T00:00:00%%2B01:00" % (self.server.world, self.person))["items"]
        self.assertEqual([r["id"] for r in rows["rows"]], [e["id"] for e in native])
        for row, event in zip(rows["rows"], native):
            self.assertEqual((row.get("title"), row.get("series"), row["all_day"]), (event.get("summary"), event.get("recurringEventId"), "date" in event["start"]))
            if row["all_day"]:
                self.assertEqual((row["start"], row["end"]), (event["start"]["date"], event["end"]["date"]))
        self.assertTrue(any(r.get("series") for r in rows["rows"]))
        self.assertEqual(self.control("GET", at + "/events?from=2030-01-01T00:00:00Z&to=2029-01-01T00:00:00Z", None, 400)["error"]["field"], "to")
        self.assertEqual(self.control("GET", at + "/events?%s&calendar=999999" % week, None, 404)["error"]["reason"], "calendarNotFound")
        self.assertEqual(self.control("GET", "/worlds/%s/calendar/x/calendars" % self.server.world, None, 404)["error"]["reason"], "calendarNotFound")


class MailOfAnotherVendor(Mail):
    """Whose messages are in one folder each."""
    options = ("--fixture", "small-365", "--clock", "frozen", "--journal", "all")
    person = None
    test_a_message_is_read_without_a_mark = test_what_is_not_there_is_said = test_a_week_is_read_as_instances = None
    test_whose_service_a_mailbox_is_of = None

    def test_a_folder_is_read_from_any_place_on(self):
        people = [a["email"] for a in self.control("GET", "/worlds/%s/actors" % self.server.world)["actors"] if a["kind"] == "person"]
        for subject in "abc":
            mail = {"message": {"subject": subject, "body": {"content": "Hello"}, "toRecipients": [{"emailAddress": {"address": people[1]}}]}}
            sent = self.server.control("POST", "/worlds/%s/act/%s/@graph.microsoft.com/v1.0/me/sendMail" % (self.server.world, people[0]), mail)
            self.assertEqual(sent.status, 202, sent.body)
        seen = 0
        for person in people:
            for folder in self.at("/folders", person)["folders"]:
                rows = self.at("/messages?folder=%s" % folder["id"], person)["rows"]
                self.assertEqual(len(rows), folder["total"], folder)
                for offset in range(len(rows)):
                    self.assertEqual(self.at("/messages?folder=%s&limit=1&offset=%d" % (folder["id"], offset), person)["rows"], rows[offset:offset + 1])
                seen += len(rows)
        self.assertGreaterEqual(seen, 6)


class Tasks(harness.ServerCase):
    """Lists and plans of a person, as the core has them."""
    options = ("--fixture", "small-365", "--clock", "frozen", "--journal", "all")
    doc = {"sosia": 1, "people": [{"email": n + "@quay.example", "name": n.title()} for n in ("ada", "ben", "cyd", "gus")],
           "accounts": [{"actor": n + "@quay.example", "vendor": "microsoft"} for n in ("ada", "ben", "cyd")],
           "groups": [{"email": "crew@quay.example", "name": "Crew", "members": ["ada@quay.example"]}],
           "taskLists": [{"id": "L1", "person": "ada@quay.example", "name": "Harbour"}],
           "taskPlans": [{"id": "P1", "group": "crew@quay.example", "title": "Dredging"}, {"id": "P2", "group": "crew@quay.example", "title": "Empty"}],
           "taskBuckets": [{"id": "B1", "plan": "P1", "name": "Now"}, {"id": "B2", "plan": "P1", "name": "Later"}],
           "tasks": [{"id": "T%d" % n, "person": "ada@quay.example", "list": "L1", "title": "Task %d" % n, "status": "completed" if n == 2 else "notStarted"} for n in range(4)] + [
               {"id": "X1", "plan": "P1", "bucket": "B2", "title": "Survey <b>", "notes": "The bar at buoy 4", "due": "2026-12-01T12:00:00Z", "items": [
                   {"id": "i1", "title": "Ask", "done": "2026-11-01T00:00:00Z"}, {"id": "i2", "title": "Look"}],
                "links": [{"id": "k1", "url": "https://chart.example", "title": "Chart"}], "assignments": [{"person": "ben@quay.example"}]},
               {"id": "X2", "plan": "P1", "bucket": "B1", "title": "Pump"}]}

    def setUp(self):
        self.world = self.control("POST", "/worlds", {"seed_document": self.doc}, 201)["world"]
        self.trace = [self.control("GET", "/worlds/%s%s" % (self.world, p)) for p in ("/hash", "/clock", "/journal/info")]

    def tearDown(self):
        self.assertEqual([self.control("GET", "/worlds/%s%s" % (self.world, p)) for p in ("/hash", "/clock", "/journal/info")], self.trace)

    def at(self, who, rest, status=200):
        return self.control("GET", "/worlds/%s/tasks/%s@quay.example/%s" % (self.world, who, rest), None, status)

    def test_lists_and_plans_are_counted(self):
        ada = self.at("ada", "lists")
        self.assertEqual((ada["vendor"], ada["vendors"], ada["assigned"]), ("microsoft", ["microsoft"], 0))
        self.assertEqual([(x["name"], x["kind"], x["total"], x["open"]) for x in ada["lists"]],
                         [("Tasks", "usual", 0, 0), ("Flagged Emails", "flagged", 0, 0), ("Harbour", "own", 4, 3)])
        self.assertEqual([(x["id"], x["name"], x["team"], x["total"], x["open"], [b["name"] for b in x["buckets"]]) for x in ada["plans"]],
                         [("P1", "Dredging", "crew@quay.example", 2, 2, ["Now", "Later"]), ("P2", "Empty", "crew@quay.example", 0, 0, [])])
        ben = self.at("ben", "lists")  # in no group, with something to do
        self.assertEqual(([x["id"] for x in ben["plans"]], ben["assigned"]), (["P1"], 1))
        self.assertEqual(self.at("cyd", "lists")["plans"], [])

    def test_tasks_are_read_from_any_place_on(self):
        rows, offset = [], 0
        while offset is not None:
            page = self.at("ada", "tasks?list=L1&limit=3&offset=%d" % offset)
            self.assertEqual(page["total"], 4)
            rows += page["rows"]
            offset = page.get("next")
        self.assertEqual([r["id"] for r in rows], ["T3", "T1", "T0", "T2"])  # what is open first, the newest first
        self.assertEqual([r["id"] for r in self.at("ada", "tasks?list=L1&open=true")["rows"]], ["T3", "T1", "T0"])
        self.assertEqual(self.at("ada", "tasks?list=L1&offset=99"), {"total": 4, "rows": []})
        usual = self.at("ada", "lists")["lists"][0]["id"]
        self.assertEqual(self.at("ada", "tasks?list=%s" % quote(usual)), {"total": 0, "rows": []})
        self.assertEqual([(r["id"], r["bucket"]) for r in self.at("ada", "tasks?plan=P1")["rows"]], [("X2", "B1"), ("X1", "B2")])  # by buckets
        self.assertEqual([(r["id"], r["plan"], r["people"], r["steps"], r["done"], r["links"]) for r in self.at("ben", "tasks")["rows"]],
                         [("X1", "P1", ["ben@quay.example"], 2, 1, 1)])
        self.assertEqual(self.at("ada", "tasks")["total"], 0)

    def test_a_task_has_all_of_it(self):
        row, = self.at("ben", "tasks")["rows"]
        one = self.at("ben", "tasks/X1")
        self.assertEqual({k: one[k] for k in row}, row)
        self.assertEqual((one["title"], one["text"], one["html"], one["due"]), ("Survey <b>", "The bar at buoy 4", False, "2026-12-01T12:00:00.000000Z"))
        self.assertEqual(one["items"], [{"title": "Ask", "done": True}, {"title": "Look", "done": False}])
        self.assertEqual([x["url"] for x in one["sources"]], ["https://chart.example"])

    def test_what_is_not_somebodys_is_not_there(self):
        for who, rest, status, reason in (("gus", "lists", 404, "tasksNotFound"), ("nobody", "lists", 404, "tasksNotFound"), ("ada", "lists?vendor=google", 404, "tasksNotFound"),
                                          ("ben", "tasks?list=L1", 404, "listNotFound"), ("cyd", "tasks?plan=P1", 404, "planNotFound"), ("ben", "tasks?plan=P2", 404, "planNotFound"),
                                          ("ben", "tasks/T1", 404, "taskNotFound"), ("cyd", "tasks/X1", 404, "taskNotFound"), ("ada", "tasks/none", 404, "taskNotFound"),
                                          ("ada", "tasks?list=L1&plan=P1", 400, "invalid"), ("ada", "tasks?list=L1&limit=501", 400, "invalid")):
            self.assertEqual(self.at(who, rest, status)["error"]["reason"], reason, (who, rest))

    def test_tasks_are_searched_and_named_as_in_diffs(self):
        hits = self.control("GET", "/worlds/%s/search?q=buoy&service=tasks" % self.world)["hits"]
        self.assertEqual([(h["service"], h["entity"], h["id"], h["actor"], h["place"], h["title"]) for h in hits], [("tasks", "task", "X1", "ben@quay.example", "P1", "Survey <b>")])
        fork = self.control("POST", "/worlds/%s/fork" % self.world, {}, 201)["world"]
        done = self.server.control("PATCH", "/worlds/%s/act/ada@quay.example/@graph.microsoft.com/v1.0/me/todo/lists/L1/tasks/T1" % fork, {"status": "completed"})
        self.assertEqual(done.status, 200, done.body)
        changed = self.control("GET", "/diff?from=%s&to=%s" % (self.world, fork))["changes"]
        hit, = self.control("GET", "/worlds/%s/search?q=%s&service=tasks" % (fork, quote("Task 1")))["hits"]
        self.assertEqual([c["name"] for c in changed], [hit["name"]])
        self.assertEqual(self.control("GET", "/worlds/%s/tasks/ada@quay.example/tasks/T1" % fork)["status"], "completed")
        self.assertEqual(self.control("GET", "/worlds/%s@0/tasks/ada@quay.example/tasks/T1" % fork)["status"], "open")


class Notes(harness.ServerCase):
    """What people say of a world, and its name."""
    options = ("--fixture", "small", "--clock", "frozen", "--journal", "all")

    def test_a_world_gets_a_note_and_a_name_and_its_state_stays(self):
        world = self.fork()
        at = "/worlds/" + world
        trace = lambda: [self.control("GET", at + p) for p in ("/hash", "/clock", "/journal/info")]
        before = trace()
        self.assertNotIn("note", self.control("GET", at))
        said = self.control("PATCH", at, {"note": "the run with <b>two</b> letters", "name": "two-letters"})
        self.assertEqual((said["note"], said["name"]), ("the run with <b>two</b> letters", "two-letters"))
        self.assertEqual(self.control("GET", "/worlds/two-letters")["note"], said["note"])
        self.assertEqual([w.get("note") for w in self.control("GET", "/worlds?q=two-letters")["worlds"]], [said["note"]])
        self.assertEqual(trace(), before)
        self.assertNotIn("two</b>", self.server.control("GET", at + "/dump").body.decode())
        child = self.control("POST", at + "/fork", {}, 201)
        self.assertNotIn("note", child)
        self.control("POST", at + "/reset", {})
        self.assertEqual(self.control("GET", at)["note"], said["note"])
        self.assertEqual(self.control("PATCH", at, {"note": "other"})["name"], "two-letters")
        bare = self.control("PATCH", at, {"note": "", "name": ""})
        self.assertEqual((bare["name"], bare.get("note")), (None, None))

    def test_what_can_not_be_is_refused_and_changes_nothing(self):
        world = self.fork()
        at = "/worlds/" + world
        self.control("PATCH", at, {"name": "taken-name", "note": "n"})
        other = self.fork()
        for body, status in (({"name": "taken-name"}, 409), ({"note": "x" * 1001}, 400), ({"name": "x" * 64}, 400), ({"note": 7}, 400), ({"else": 1}, 400), ({"name": "a b/c", "note": "x"}, 400)):
            self.control("PATCH", "/worlds/" + other, body, status)
        self.assertEqual((self.control("GET", "/worlds/" + other)["name"], self.control("GET", "/worlds/" + other).get("note")), (None, None))
        self.control("PATCH", at + "@0", {"note": "x"}, 400)
        self.control("PATCH", "/worlds/none", {"note": "x"}, 404)
        session = self.control("POST", "/console/sessions", {"key": self.server.key, "read_only": True}, 201)["session"]
        self.assertEqual(self.server.control("PATCH", at, {"note": "x"}, key=session).status, 403)
        self.assertEqual(self.control("GET", at)["note"], "n")


if __name__ == "__main__":
    import unittest
    unittest.main()
