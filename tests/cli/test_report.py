# SPDX-License-Identifier: Apache-2.0
"""`sosia report`: one episode as one page, of a world, of an exported journal and of what a loop has kept; what is hostile in it stays text.
And the rows beside it: a person's own view of a world, and of its steps."""
import base64
import hashlib
import html.parser
import json
import os
import subprocess
import tempfile

import harness
from test_grade import EVENT, first_suite

ADA = "ada@small.example"
BO = "bo@small.example"
TAGS = {"html", "head", "meta", "title", "style", "script", "body", "main", "h1", "h2", "h3", "p", "table", "tr", "th", "td", "ul", "li", "details",
        "summary", "b", "i", "em", "strong", "code", "pre", "span", "ins", "del", "a", "br"}
HOSTILE = ("</script></style></title><img src=http://canary.example/a onerror=alert(1)><a href=javascript:alert(1)>x</a><iframe srcdoc=x>"
           "\" ' & \u202eexe.doc \u2066\u05e9 \u200b \x1b[31m caf\u00e9")


class Page(html.parser.HTMLParser):
    """What a page consists of; its scripts are not run."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.tags, self.attributes, self.texts, self.inside, self.ids = [], [], {}, [], []
        self.feed(text)
        self.close()
        self.text = " ".join(" ".join(t) for k, t in self.texts.items() if k not in ("style", "script"))

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += [(tag, k, v) for k, v in attributes]
        self.ids += [v for k, v in attributes if k == "id"]
        self.inside.append(tag)

    def handle_endtag(self, tag):
        while self.inside and self.inside.pop() != tag:
            pass

    def handle_data(self, data):
        self.texts.setdefault(self.inside[-1] if self.inside else "", []).append(data)


class Report(harness.ServerCase):
    def setUp(self):
        self.dir = tempfile.TemporaryDirectory()
        self.addCleanup(self.dir.cleanup)

    def at(self, name):
        return os.path.join(self.dir.name, name)

    def write(self, name, text):
        with open(self.at(name), "w", encoding="utf-8") as f:
            f.write(text)
        return self.at(name)

    def run_it(self, code, *words):
        done = self.server.command(*words)
        self.assertEqual(done.returncode, code, done)
        out = done.stdout if code == 0 else done.stderr
        return out if isinstance(out, str) else out.decode()

    def read(self, name):
        with open(self.at(name), encoding="utf-8") as f:
            text = f.read()
        page = Page(text)
        self.assertEqual(set(page.tags) - TAGS, set())
        for tag, name, value in page.attributes:
            self.assertIn(name, ("lang", "charset", "http-equiv", "content", "name", "class", "id", "open", "href", "scope", "colspan"))
            if name == "href":
                self.assertRegex(value, r"^#call--?\d+$")
        self.assertEqual([page.tags.count(t) for t in ("style", "script", "title")], [1, 1, 1])
        policy = next(v for t, n, v in page.attributes if n == "content" and "default-src" in v)
        said = {d.split()[0]: d.split()[1:] for d in policy.split("; ")}
        digest = {t: "'sha256-%s'" % base64.b64encode(hashlib.sha256("".join(page.texts[t]).encode()).digest()).decode() for t in ("style", "script")}
        self.assertEqual(said, {"default-src": ["'none'"], "style-src": [digest["style"]], "script-src": [digest["script"]],
                                "base-uri": ["'none'"], "form-action": ["'none'"]})
        self.assertLess(text.index("Content-Security-Policy"), text.index("<style>"))
        return text, page

    def episode(self, **body):
        """A world in which the wrong thing was done."""
        made = self.control("POST", "/worlds/%s/fork" % self.server.world, {"count": 2, "actors": [ADA], "journal": "all"}, 201)
        world, token = made["worlds"][0], made["tokens"][0]["token"]
        fields = {"X-Sosia-Step": "look first", "X-Sosia-Tokens-In": "120", "X-Sosia-Tokens-Out": "8", "X-Sosia-Cost": "0.25"}
        self.assertEqual(self.server.call(token, "GET", EVENT, world=world, headers=fields).status, 200)
        self.assertEqual(self.server.call(token, "PATCH", EVENT, {"location": "Bar", **body}, world=world).status, 200)
        self.assertEqual(self.server.call(token, "POST", EVENT.rsplit("/", 1)[0], {"summary": "without a time"}, world=world).status, 400)
        return world, token

    def test_a_page_has_the_whole_episode(self):
        world, _ = self.episode()
        suite = self.write("first.yaml", first_suite())
        self.run_it(0, "report", world, "--suite", suite, "--answer", "It is done.", "--output", self.at("r.html"))
        _, page = self.read("r.html")
        for part in ("Not passed", "reward 0", "Review of the final draft", "It is done.", "FAILED", "expected", "found", "changed too",
                     "location", "Bar", "calendar.events.patch", "look first", "Missing end time.", "0.25", "Tokens in", "120"):
            self.assertIn(part, page.text)
        self.assertEqual([i for i in page.ids if i.startswith("call-")], ["call-1", "call-2", "call-3"])
        text, _ = self.read("r.html")
        unexpected = text[text.index('id="unexpected"'):text.index('id="changes"')]
        self.assertIn('href="#call-2"', unexpected)  # the call that made it
        changes = text[text.index('id="changes"'):text.index('id="cost"')]
        self.assertIn('href="#call-2"', changes)
        call = text[text.index('id="call-2"'):text.index('id="call-3"')]
        for part in ("~1", "Request", "Response", "Changed", "<ins>Bar</ins>"):
            self.assertIn(part, call)

    def test_a_passed_task_and_no_change_are_said(self):
        made = self.control("POST", "/worlds/%s/fork" % self.server.world, {"count": 2, "actors": [ADA]}, 201)
        world, token = made["worlds"][0], made["tokens"][0]["token"]
        self.run_it(0, "report", world, "--output", self.at("n.html"))
        self.assertIn("Nothing.", self.read("n.html")[1].text)
        self.server.call(token, "PATCH", EVENT, {"summary": "Review of the final draft"}, world=world)
        self.run_it(0, "report", world, "--suite", self.write("first.yaml", first_suite()), "--output", self.at("p.html"))
        page = self.read("p.html")[1]
        self.assertIn("Passed", page.text)
        self.assertNotIn("FAILED", page.text)

    def test_an_exported_journal_needs_no_server(self):
        world, _ = self.episode()
        self.write("run.jsonl", self.run_it(0, "journal", "export", world))
        nowhere = ("--url", "http://localhost:1")
        self.run_it(0, "report", "--journal", self.at("run.jsonl"), "--suite", self.write("first.yaml", first_suite()), "--output", self.at("j.html"), *nowhere)
        text, page = self.read("j.html")
        for part in ("Not passed", "calendar.events.patch", "Missing end time."):
            self.assertIn(part, page.text)
        self.assertIn("<ins>Bar</ins>", text[text.index('id="call-2"'):])  # ran again to say what it changed
        self.write("bad.jsonl", "{}\nnothing\n{}\n")
        self.assertIn("line 2", self.run_it(1, "report", "--journal", self.at("bad.jsonl")))

    def test_what_a_loop_has_kept_is_a_page(self):
        world, _ = self.episode()
        verdict = self.control("POST", "/worlds/grade", {"suite": first_suite(), "worlds": [world]})["results"][0]
        os.mkdir(self.at("kept"))
        self.write("kept/journal.jsonl", self.run_it(0, "journal", "export", world))
        self.write("kept/verdict.json", json.dumps(verdict))
        self.write("kept/task.json", json.dumps({"suite": "first", "task": "rename-review", "prompt": "Rename <b>it</b>.", "actor": ADA}))
        self.write("kept/output.txt", "thinking </pre><script>alert(1)</script>")
        self.run_it(0, "report", "--kept", self.at("kept"), "--output", self.at("k.html"))
        page = self.read("k.html")[1]
        for part in ("Rename <b>it</b>.", "Not passed", "rename-review", "thinking </pre><script>alert(1)</script>", "Bar"):
            self.assertIn(part, page.text)
        os.remove(self.at("kept/journal.jsonl"))
        self.assertIn("journal.jsonl", self.run_it(1, "report", "--kept", self.at("kept")))

    def test_hostile_texts_stay_texts(self):
        world, _ = self.episode(summary=HOSTILE.replace("\x1b", ""), description="y" * 8000)
        self.run_it(0, "report", world, "--output", self.at("h.html"))
        text, page = self.read("h.html")
        self.assertIn("</script></style></title><img src=http://canary.example/a onerror=alert(1)>", page.text)
        for odd in ("<img", "<iframe", "\u202e", "\u2066", "\u200b"):
            self.assertNotIn(odd, text)
        self.assertIn("\\u202eexe.doc \\u2066\u05e9 \\u200b", text)

    def test_hostile_files_stay_texts_and_sizes_are_bounded(self):
        os.mkdir(self.at("kept"))
        entry = {"at": HOSTILE, "actor": HOSTILE, "method": HOSTILE, "request": {"verb": HOSTILE, "target": "/" + "w" * (1 << 20), "headers": {HOSTILE: HOSTILE},
                 "body": "[" * 200 + "]" * 200}, "response": {"status": 200, "body": {"base64": "AAAA"}}, "labels": {"step": HOSTILE, "cost": 1e308},
                 "guard": {"decision": HOSTILE, "why": HOSTILE}, "fault": 7, "stop": []}
        lines = ["{}"] + [json.dumps({"seq": n, "entry": entry}) for n in (-1, 1 << 62, "x", 3)] + ["{}"]
        self.write("kept/journal.jsonl", "\n".join(lines) + "\n")
        change = {"entity": HOSTILE, "change": HOSTILE, "name": HOSTILE, "title": [HOSTILE], "person": HOSTILE, "service": HOSTILE, "key": 1,
                  "fields": {HOSTILE: {"from": HOSTILE + "\n" * 5, "to": HOSTILE * 3}}, "value": {HOSTILE: {"a": [1]}}}
        deep = {**change, "consequences": [{**change, "consequences": [{**change, "consequences": [change]}]}]}
        self.write("kept/diff.json", json.dumps({"changes": [deep, 3, None, "x"]}))
        part = {"passed": 3, "kind": HOSTILE, "why": HOSTILE, "near": [{"name": HOSTILE, "differs": [{"field": HOSTILE, "found": HOSTILE}, 1]}, 0], "inner": [1]}
        self.write("kept/verdict.json", json.dumps({"passed": "yes", "reward": HOSTILE, "parts": [part, 2], "failures": [HOSTILE, 1],
                                                    "unexpected": [deep, 4], "unexpected_calls": [{"seq": 9, "method": HOSTILE}, "x"]}))
        self.write("kept/task.json", json.dumps({"suite": HOSTILE, "task": HOSTILE, "prompt": HOSTILE, "id": HOSTILE}))
        with open(self.at("kept/output.txt"), "wb") as f:
            f.write(b"\xff\xfe </pre>\xc3( \x00 " + b"z" * (1 << 20))
        self.run_it(0, "report", "--kept", self.at("kept"), "--output", self.at("h.html"))
        text, page = self.read("h.html")
        self.assertIn("\\xff\\xfe </pre>\\xc3(", page.text)
        self.assertLess(len(text), 400000)
        self.assertRegex(page.text, r"\[\d+ bytes more are not shown\]")
        for odd in ("<img", "<iframe", "\u202e", "\x1b", "\x00"):
            self.assertNotIn(odd, text)

    def test_what_is_asked_for_wrongly_is_said(self):
        for words, text in ((("--journal", "a", "--kept", "b"), "one of --journal and --kept"), ((self.server.world, "--answer", "x"), "of a suite"),
                            ((self.server.world, "--journal", "a"), "must be absent"), (("a", "b"), "one world at most")):
            self.assertIn(text, self.run_it(2, "report", *words))
        self.assertIn('there is no world "nowhere"', self.run_it(1, "report", "nowhere"))
        self.assertIn('there is no world "gone"', self.run_it(1, "report", self.server.world, "--from", "gone"))

    def test_the_row_gives_a_file_and_no_page_of_the_server(self):
        a = self.server.control("GET", "/worlds/%s/report" % self.server.world)
        self.assertEqual((a.status, a.headers["Content-Type"], a.headers["X-Content-Type-Options"]), (200, "text/html; charset=UTF-8", "nosniff"))
        self.assertTrue(a.headers["Content-Disposition"].startswith("attachment"))


class Look(harness.ServerCase):
    options = ("--fixture", "small", "--clock", "step", "--journal", "all")

    def setUp(self):
        made = self.control("POST", "/worlds/%s/fork" % self.server.world, {"count": 2, "actors": [ADA]}, 201)
        self.world, self.ada = made["worlds"][0], made["tokens"][0]["token"]
        self.path = "/worlds/%s" % self.world

    def trace(self):
        return [self.control("GET", self.path + part) for part in ("/hash", "/clock", "/journal/info")]

    def test_somebody_sees_theirs_and_the_world_notices_nothing(self):
        before = self.trace()
        seen = self.server.control("GET", self.path + "/look/" + ADA + EVENT + "?fields=summary")
        self.assertEqual((seen.status, seen.json()), (200, {"summary": "Review of the draft"}))
        self.assertEqual(seen.headers["Content-Security-Policy"], "sandbox")
        self.assertEqual(self.control("GET", self.path + "/look/ada%40small.example/@www.googleapis.com" + EVENT)["summary"], "Review of the draft")
        self.assertEqual(self.refused("POST", self.path + "/look/" + ADA + EVENT.rsplit("/", 1)[0], {"summary": "x"}, 403)["reason"], "looksOnly")
        self.assertEqual(self.refused("GET", self.path + "/look/" + ADA + "/tokeninfo?id_token=x", None, 403)["reason"], "looksOnly")  # its answers are credentials
        self.assertEqual(self.refused("GET", self.path + "/look/" + ADA + "/nothing", None, 404)["reason"], "unknownMethod")
        self.assertEqual(self.server.control("GET", self.path + "/look/" + ADA + EVENT, key=self.ada).status, 403)
        for step in ("@0", "@1", "@99"):
            self.server.control("GET", self.path + step + "/hash")
            self.server.control("GET", self.path + step + "/look/" + ADA + EVENT)
        self.assertEqual(self.trace(), before)

    def test_what_somebody_does_is_an_ordinary_call_of_the_console(self):
        done = self.server.control("PATCH", self.path + "/act/" + ADA + EVENT, {"summary": "By hand"})
        self.assertEqual((done.status, done.json()["summary"]), (200, "By hand"))
        last = self.control("GET", self.path + "/journal?label=via:console")["entries"][-1]
        self.assertEqual((last["method"], last["actor"], last["labels"]), ("calendar.events.patch", ADA, {"via": "console"}))
        self.assertEqual(self.refused("PATCH", self.path + "@0/act/" + ADA + EVENT, {}, 400)["reason"], "invalid")

    def test_steps_are_read_as_worlds_are(self):
        worlds = len(self.control("GET", "/worlds?limit=1000")["worlds"])
        hashes = [self.control("GET", self.path + "/hash")]
        for name in ("first", "second"):
            self.server.call(self.ada, "PATCH", EVENT, {"summary": name}, world=self.world)
            hashes.append(self.control("GET", self.path + "/hash"))
        for n, hash in enumerate(hashes):
            self.assertEqual(self.control("GET", self.path + "@%d/hash" % n), hash)
        look = lambda at: self.control("GET", self.path + at + "/look/" + ADA + EVENT + "?fields=summary")["summary"]
        self.assertEqual([look(at) for at in ("@0", "@1", "@2", "")], ["Review of the draft", "first", "second", "second"])
        diff = self.control("GET", "/diff?from=%s@1&to=%s@2" % (self.world, self.world))
        self.assertEqual([c["fields"] for c in diff["changes"]], [{"summary": {"from": "first", "to": "second"}}])
        self.assertIn("first", json.dumps(self.control("GET", self.path + "@1/dump")))
        self.assertEqual(self.refused("GET", self.path + "@9/hash", None, 404)["reason"], "stepNotFound")
        self.assertEqual(self.refused("POST", self.path + "@1/reset", {}, 400)["reason"], "invalid")
        self.assertEqual(len(self.control("GET", "/worlds?limit=1000")["worlds"]), worlds)


class History(harness.ServerCase):
    options = ("--fixture", "small", "--clock", "frozen", "--journal", "all")

    def setUp(self):
        made = self.control("POST", "/worlds/%s/fork" % self.server.world, {"count": 2, "actors": [ADA]}, 201)
        self.world, self.ada = made["worlds"][0], made["tokens"][0]["token"]
        self.path = "/worlds/%s" % self.world

    def do(self, method, body=None, target=EVENT, **more):
        return self.server.call(self.ada, method, target, body, world=self.world, **more).status

    def seqs(self, query, next=None):
        page = self.control("GET", self.path + "/journal?" + query)
        self.assertEqual(page.get("next"), next)
        return [e["seq"] for e in page["entries"]]

    def mixed(self):
        """Reads, writes, one that is refused, one of the console."""
        self.assertEqual(self.do("GET"), 200)
        self.assertEqual(self.do("PATCH", {"summary": "first"}), 200)
        self.assertEqual(self.do("GET"), 200)
        self.assertEqual(self.do("POST", {"summary": "without a time"}, EVENT.rsplit("/", 1)[0]), 400)
        self.assertEqual(self.server.control("PATCH", self.path + "/act/" + ADA + EVENT, {"location": "Bar"}).status, 200)
        self.assertEqual(self.do("GET", target=EVENT + "x"), 404)

    def test_a_journal_is_read_from_either_end(self):
        self.mixed()
        self.assertEqual(self.seqs("limit=4", 4), [1, 2, 3, 4])
        self.assertEqual(self.seqs("limit=4&after=4"), [5, 6])
        self.assertEqual(self.seqs("order=newest&limit=4", 3), [6, 5, 4, 3])
        self.assertEqual(self.seqs("order=newest&limit=4&before=3"), [2, 1])
        self.assertEqual(self.seqs("order=newest&after=2&before=5"), [4, 3])
        for _ in range(300):  # more than are turned around at once
            self.do("GET")
        self.assertEqual(self.seqs("order=newest&limit=1000"), list(range(306, 0, -1)))
        self.assertEqual(self.seqs("order=newest&limit=1&risk=draft", 5), [5])

    def test_its_entries_are_found_by_what_they_are(self):
        self.mixed()
        for query, found in (("risk=draft", [2, 4, 5]), ("risk=destructive", []), ("status=4xx", [4, 6]), ("status=404", [6]), ("status=4", []),
                             ("label=via:console", [5]), ("method=calendar.events.*&status=200", [1, 2, 3, 5]), ("method=calendar.events", []),
                             ("method=calendar.events.insert", [4]), ("decision=deny", []), ("order=newest&text=Bar&bodies=true", [5])):
            self.assertEqual(self.seqs(query), found, query)
        self.assertEqual(self.refused("GET", self.path + "/journal?order=random")["field"], "order")

    def test_entries_say_how_much_they_did(self):
        self.mixed()
        rows = self.control("GET", self.path + "/journal?effects=true")["entries"]
        self.assertEqual({r["seq"]: r["effect"] for r in rows if "effect" in r}, {n: {"added": 0, "changed": 1, "removed": 0} for n in (2, 5)})
        plain = self.control("GET", self.path + "/journal")["entries"]
        self.assertEqual([{k: v for k, v in r.items() if k != "effect"} for r in rows], plain)

    def test_a_decision_is_looked_for(self):
        rule = {"policy": 1, "name": "p", "rules": [{"id": "no", "effect": "deny", "call": {"method": "calendar.events.patch"}}]}
        self.control("POST", self.path + "/policies", rule)
        self.mixed_status = self.do("PATCH", {"summary": "x"})
        self.assertEqual(self.mixed_status, 403)
        self.assertEqual(len(self.seqs("decision=deny")), 1)

    def test_a_strip_counts_all_of_it(self):
        self.mixed()
        strip = self.control("GET", self.path + "/journal/strip?buckets=2")["buckets"]
        self.assertEqual([(b["from"], b["to"], b["reads"], b["writes"], b["refused"], b["held"], b["errors"]) for b in strip],
                         [(1, 3, 2, 1, 0, 0, 0), (4, 6, 1, 2, 2, 0, 0)])
        self.assertTrue(strip[0]["at"].startswith("2026-11-23T08:00"))
        self.assertEqual(self.control("GET", "/worlds/%s/journal/strip" % self.fork())["buckets"], [])
        one = self.control("GET", self.path + "/journal/strip?after=4&to=5&buckets=1000")["buckets"]
        self.assertEqual([(b["from"], b["to"]) for b in one], [(5, 5)])

    def test_the_calls_that_changed_a_thing_are_found(self):
        self.mixed()
        name = "event/%s/smallreviev01" % ADA
        calls = self.control("GET", self.path + "/history?name=" + name)["calls"]
        self.assertEqual([(c["seq"], list(c["change"]["fields"])) for c in calls], [(5, ["location"]), (2, ["summary"])])
        page = self.control("GET", self.path + "/history?limit=1&name=" + name)
        self.assertEqual(([c["seq"] for c in page["calls"]], page["next"]), ([5], 5))
        self.assertEqual([c["seq"] for c in self.control("GET", self.path + "/history?before=5&name=" + name)["calls"]], [2])
        self.assertEqual(self.control("GET", self.path + "/history?name=event/nothing"), {"calls": []})
        out = self.server.command("history", name, self.world).stdout
        self.assertRegex(out, r"^5  .*calendar\.events\.patch  changed  location\n2  .*  summary\n$")

    def test_a_diff_names_the_calls(self):
        self.mixed()
        change, = self.control("GET", "/diff?causes=true&to=" + self.world)["changes"]
        self.assertEqual((change["seq"], change["actor"], change["method"]), (5, ADA, "calendar.events.patch"))
        plain, = self.control("GET", "/diff?to=" + self.world)["changes"]
        self.assertEqual({k: v for k, v in change.items() if k not in ("seq", "actor", "method")}, plain)
        self.assertEqual(self.refused("GET", "/diff?causes=true&form=patch&to=" + self.world)["field"], "causes")

    def test_times_of_calls_are_beside_the_journal(self):
        self.mixed()
        path = self.path + "/journal"
        plain = self.control("GET", path)["entries"]
        self.assertEqual([e for e in plain if "took_us" in e], [])  # of a frozen clock: the same bytes each time
        timed = self.control("GET", path + "?times=true")["entries"]
        self.assertEqual([e["seq"] for e in timed], [e["seq"] for e in plain])
        self.assertTrue(all(0 <= e.pop("took_us") < 600_000_000 for e in timed))
        self.assertEqual(timed, plain)
        one = self.control("GET", path + "/2?times=true")
        self.assertEqual({k: v for k, v in one.items() if k != "took_us"}, self.control("GET", path + "/2"))
        self.assertIn("took_us", one)
        for rest in ("/export", "/export?format=otlp"):
            self.assertNotIn("took_us", self.server.control("GET", path + rest).body.decode())
        for n in range(600):
            self.do("GET")
        known = [e["seq"] for e in self.control("GET", path + "?times=true&limit=1000")["entries"] if "took_us" in e]
        self.assertEqual(len(known), 512)
        self.assertEqual(known[-1], self.control("GET", path + "/info")["entries"])
        self.control("POST", self.path + "/reset", {})
        self.do("GET")
        self.assertEqual(len([e for e in self.control("GET", path + "?times=true")["entries"] if "took_us" in e]), 1)

    def test_a_part_of_a_diff(self):
        world = self.control("POST", "/worlds/%s/fork" % self.server.world, {}, 201)["world"]
        at = "/diff?from=%s&to=%s" % (self.server.world, world)
        for n in range(3):
            self.control("POST", "/worlds/%s/act/%s/calendar/v3/calendars/primary/events" % (world, ADA),
                         {"summary": "E%d" % n, "start": {"date": "2026-12-01"}, "end": {"date": "2026-12-02"}, "attendees": [{"email": BO}]})
        whole = self.control("GET", at)["changes"]
        self.assertEqual(sorted(self.control("GET", at)), ["changes"])
        pages, offset = [], 0
        while offset is not None:
            page = self.control("GET", at + "&limit=2&offset=%d" % offset)
            self.assertEqual(page["total"], len(whole))
            pages += page["changes"]
            offset = page.get("next")
        self.assertEqual(pages, whole)
        self.assertEqual(self.control("GET", at + "&offset=99"), {"changes": [], "total": len(whole)})
        theirs = self.control("GET", at + "&person=" + BO)["changes"]  # copies that follow
        self.assertEqual(theirs, [c for c in whole if BO in json.dumps(c["consequences"]) or c.get("person") == BO])
        self.assertGreater(len(theirs), 0)
        self.assertEqual(self.control("GET", at + "&entity=nothing"), {"changes": [], "total": 0})
        known = self.control("GET", at + "&causes=true")["changes"]
        self.assertEqual(len(known), len(whole))
        page = self.control("GET", at + "&causes=true&offset=1&limit=1")  # causes of what is given out alone
        self.assertEqual((page["changes"], page["total"], page.get("next")), (known[1:2], len(whole), 2 if len(whole) > 2 else None))
        self.assertEqual(self.control("GET", at + "&causes=true&person=" + BO)["changes"], [c for c in known if BO in json.dumps(c["consequences"]) or c.get("person") == BO])
        brief = self.control("GET", at + "&summary=true&causes=true")["changes"]
        self.assertEqual([c["name"] for c in brief], [c["name"] for c in whole])
        for c in brief:
            self.assertFalse({"value", "fields", "consequences"} & set(c), c)
            self.assertIn("seq", c)
        for form in ("patch", "seed", "tables"):
            self.assertEqual(self.control("GET", at + "&limit=1&form=" + form, None, 400)["error"]["field"], "form")
        self.control("GET", at + "&limit=0", None, 400)

    def test_what_is_due_is_listed(self):
        due = self.control("GET", self.path + "/due")
        self.assertEqual((due["now"], due["due"], due["total"]), ("2026-11-23T08:00:00.000000Z", [], 0))
        made = self.server.call(self.ada, "POST", "/drive/v3/files", {"name": "Old"}, world=self.world).json()
        self.assertEqual(self.do("PATCH", {"trashed": True}, "/drive/v3/files/" + made["id"]), 200)
        due = self.control("GET", self.path + "/due?limit=1")
        self.assertEqual((due["due"], due["total"]), ([{"at": "2026-12-23T08:00:00.000000Z", "core": "drive", "kind": "trash"}], 1))
        self.assertIn("2026-12-23T08:00", self.server.command("due", self.world).stdout)
        self.assertEqual(self.server.command("due", self.server.world).stdout, "nothing\n")

    def test_a_journal_is_followed(self):
        at = {"SOSIA_URL": self.server.url, "SOSIA_CONTROL_KEY": self.server.key, "PATH": os.environ["PATH"]}
        follow = subprocess.Popen([harness.SOSIA, "journal", self.world, "--follow", "--after", "0", "--risk", "draft"], env=at, stdout=subprocess.PIPE, text=True)
        self.addCleanup(follow.stdout.close)
        self.addCleanup(follow.wait)
        self.addCleanup(follow.kill)
        for summary in ("a", "b"):
            self.do("GET")
            self.do("PATCH", {"summary": summary})
        lines = [follow.stdout.readline().split() for _ in range(2)]
        self.assertEqual([(w[0], w[3]) for w in lines], [("2", "calendar.events.patch"), ("4", "calendar.events.patch")])
        self.control("POST", self.path + "/reset")
        self.do("PATCH", {"summary": "anew"})
        self.assertEqual(follow.stdout.readline().split()[0], "1")

    def test_worlds_are_found_by_what_they_were_made_from_and_by_name(self):
        keys = lambda query: {w["world"] for w in self.control("GET", "/worlds?limit=1000&" + query)["worlds"]}
        made = self.fork(self.world, name="Tree-one")
        frozen = self.control("POST", self.path + "/snapshot", {"name": "tree-two"}, 201)["world"]
        self.assertEqual(keys("parent=" + self.world), {made, frozen})
        self.assertEqual(keys("parent=" + made), set())
        self.assertEqual(keys("q=TREE-"), {made, frozen})
        self.assertEqual(keys("q=tree-&snapshots=true"), {frozen})
        self.assertEqual(keys("parent=%s&snapshots=false" % self.world), {made})
        self.assertEqual(keys("q=" + made[4:]) & {made, frozen}, {made})
        page = self.control("GET", "/worlds?limit=1&parent=" + self.world)
        rest = self.control("GET", "/worlds?limit=1&parent=%s&after=%s" % (self.world, page["next"]))
        self.assertEqual(({page["worlds"][0]["world"], rest["worlds"][0]["world"]}, rest["next"]), ({made, frozen}, None))
        self.assertEqual(self.refused("GET", "/worlds?parent=nowhere", None, 404)["field"], "parent")
        self.control("DELETE", self.path, None, 204)  # what was made from it is found still
        self.assertEqual(keys("parent=" + self.world), {made, frozen})


if __name__ == "__main__":
    import unittest
    unittest.main()
