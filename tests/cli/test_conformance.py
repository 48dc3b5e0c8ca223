# SPDX-License-Identifier: Apache-2.0
"""`sosia conformance`: replays in process, against a server, and against one that plays the real service."""
import json
import os
import re
import shutil
import tempfile
import unittest
import xml.etree.ElementTree as xml
from urllib.parse import quote

import harness

CASSETTES = os.environ["SOSIA_CASSETTES"]
API = "/calendar/v3"
MARKER = "sosia conformance"

SEED = {
    "sosia": 1, "zone": "Europe/Rome", "time": "2026-11-23T09:00:00",
    "people": [{"email": "ada@acme.example", "name": "Ada", "zone": "Europe/Rome"},
               {"email": "bob@acme.example", "name": "Bob", "zone": "America/New_York"}],
    "calendars": [
        {"id": "ada@acme.example", "primary": True,
         "access": [{"role": "reader", "person": "bob@acme.example"}],
         "events": [
             {"id": "talk00001", "summary": "Talk", "start": "2026-11-24T10:00", "end": "2026-11-24T11:00",
              "attendees": [{"email": "bob@acme.example", "response": "accepted"}]},
             {"id": "weekly0001", "summary": "Weekly", "start": "2026-11-23T09:30", "end": "2026-11-23T10:00",
              "recurrence": ["RRULE:FREQ=WEEKLY;COUNT=4"],
              "instances": [{"originalStart": "2026-11-30T09:30", "status": "cancelled"},
                            {"originalStart": "2026-12-07T09:30", "start": "2026-12-07T15:00"}]}]},
        {"id": "team@group.calendar.google.com", "owner": "ada@acme.example", "summary": "Team",
         "events": [{"id": "offsite001", "summary": "Off-site", "start": "2026-11-26", "end": "2026-11-27"}]}]}

STORY = {
    "cassette": 1, "title": "A start with all sorts of things", "base": API, "as": "ada",
    "source": {"kind": "rule"}, "world": {"seed": SEED},
    "actors": {"ada": "ada@acme.example", "bob": "bob@acme.example"},
    "steps": [
        {"id": "mine", "call": "GET /calendars/primary", "expect": {"body": {
            "kind": "calendar#calendar", "etag": "${etag}", "id": "ada@acme.example", "summary": "${string}",
            "timeZone": "Europe/Rome", "...": "${any}"}}},
        {"id": "talk", "call": "GET /calendars/ada%40acme.example/events/talk00001", "expect": {"body": {
            "id": "talk00001", "summary": "Talk", "iCalUID": "talk00001@google.com",
            "organizer": {"email": "ada@acme.example", "self": True},
            "start": {"dateTime": "2026-11-24T10:00:00+01:00", "timeZone": "Europe/Rome"},
            "attendees": [{"email": "bob@acme.example", "responseStatus": "accepted", "...": "${any}"}],
            "...": "${any}"}}},
        {"id": "copy", "as": "bob", "call": "GET /calendars/primary/events/talk00001", "expect": {"body": {
            "id": "talk00001", "organizer": {"email": "ada@acme.example", "...": "${any}"}, "...": "${any}"}}},
        {"id": "series", "call": "GET /calendars/primary/events", "query": {
            "singleEvents": True, "orderBy": "startTime", "q": "Weekly"},
         "expect": {"body": {"items": [
             {"id": "weekly0001_20261123T083000Z", "...": "${any}"},
             {"id": "weekly0001_20261207T083000Z", "start": {"dateTime": "2026-12-07T15:00:00+01:00",
                                                              "timeZone": "Europe/Rome"}, "...": "${any}"},
             {"id": "weekly0001_20261214T083000Z", "...": "${any}"}], "...": "${any}"}}},
        {"id": "team", "call": "GET /calendars/team@group.calendar.google.com/events", "expect": {"body": {
            "summary": "Team", "items": [{"id": "offsite001", "...": "${any}"}], "...": "${any}"}}},
        {"id": "access", "as": "bob", "call": "GET /calendars/ada@acme.example/events/talk00001",
         "expect": {"body": {"summary": "Talk", "...": "${any}"}}},
        {"id": "own-id", "call": "POST /calendars/primary/events",
         "send": {"id": "${=run}", "start": {"date": "2026-11-24"}, "end": {"date": "2026-11-25"}},
         "expect": {"body": {"id": "${=run}", "...": "${any}"}}},
        {"id": "sosia-alone", "only": "sosia", "call": "GET /colors", "expect": {"body": "${any}"}},
        {"advance": "1h"},
        {"id": "later", "call": "GET /calendars/primary/events/${=run}", "expect": {"body": "${any}"}},
    ]}


def conformance(*words, env=None):
    return harness.command("conformance", *words, env=env)


class Case(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.TemporaryDirectory()
        self.addCleanup(self.dir.cleanup)

    def path(self, name):
        return os.path.join(self.dir.name, name)

    def write(self, name, value):
        with open(self.path(name), "w") as f:
            json.dump(value, f, indent=1)
        return self.path(name)

    def outcomes(self, result):
        with open(result) as f:
            result = json.load(f)
        return {x["id"]: x["outcome"] for s in result["scenarios"] for x in s["exchanges"]}


class InProcess(Case):
    def test_a_difference_is_reported_with_its_path_and_ends_with_1(self):
        wrong = json.loads(json.dumps(STORY))
        wrong["steps"][1]["expect"]["body"]["summary"] = "Walk"
        done = conformance("replay", self.write("story.json", STORY))
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        done = conformance("replay", self.write("wrong.json", wrong))
        self.assertEqual(done.returncode, 1)
        self.assertIn('$.summary: value: expected "Walk", got "Talk"', done.stdout)
        self.assertRegex(done.stdout, r"calendar\.events\.get +3/4 ")

    def test_two_runs_give_the_same_result(self):
        results = []
        for name in ("a", "b"):
            conformance("replay", "--out", self.path(name), CASSETTES)
            with open(self.path(name)) as f:
                # Stored tokens end in the key of their world, which is another one in each run.
                results.append({**json.loads(re.sub(r"~[0-9a-f]{16}", "~KEY", f.read())), "at": ""})
        self.assertEqual(*results)
        done = conformance("compare", self.path("a"), self.path("b"))
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)

    def test_what_scenarios_did_runs_again_to_the_same(self):
        some = [os.path.join(CASSETTES, name)
                for name in ("google-calendar", "gmail", "google-drive", "slack/messages.json", "slack/sockets.json")]
        done = conformance("replay", "--journals", *some)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"^[1-9][0-9]+ journals ran again, 0 came to something else\n$")

    def test_reports_are_made_of_results_in_four_forms(self):
        wrong = json.loads(json.dumps(STORY))
        wrong["steps"][1]["expect"]["body"]["summary"] = "<Walk> & \"talk\""
        conformance("replay", "--out", self.path("r"), self.write("wrong.json", wrong))
        text = conformance("report", self.path("r"))
        self.assertEqual(text.returncode, 1)
        self.assertIn("wrong/talk (calendar.events.get)", text.stdout)
        figures = json.loads(conformance("report", "--format", "json", self.path("r")).stdout)
        self.assertEqual(figures["all"]["different"], 1)
        self.assertEqual(figures["unequal"][0]["differences"], [
            {"kind": "value", "path": "$.summary", "expected": '"<Walk> & \\"talk\\""', "got": '"Talk"'}])
        suites = xml.fromstring(conformance("report", "--format", "junit", self.path("r")).stdout)
        self.assertEqual(len(suites.findall(".//testcase")), 9)
        self.assertIn('"<Walk> & \\"talk\\""', suites.find(".//failure").text)
        done = conformance("report", "--format", "html", "--output", self.path("r.html"), self.path("r"))
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        with open(self.path("r.html")) as f:
            page = f.read()
        self.assertIn("&lt;Walk&gt; &amp; ", page)
        self.assertNotIn("<Walk>", page)

    def test_drift_between_two_results_is_reported(self):
        conformance("replay", "--out", self.path("a"), self.write("story.json", STORY))
        with open(self.path("a")) as f:
            result = json.load(f)
        body = result["scenarios"][0]["exchanges"][1]["answer"]["json"]
        body["etag"] = '"1"'
        body["hangoutLink"] = "https://meet.example/x"
        del body["creator"]
        done = conformance("compare", self.path("a"), self.write("b", result))
        self.assertEqual(done.returncode, 1)
        self.assertIn("$.hangoutLink: unexpected", done.stdout)
        self.assertIn("$.creator: missing", done.stdout)
        self.assertNotIn("$.etag", done.stdout)

    def test_the_examples_of_the_documentation_hold(self):
        with open(os.path.join(CASSETTES, "../../docs/conformance.md")) as f:
            blocks = re.findall(r"^ *```json\n(.*?)^ *```", f.read(), re.M | re.S)
        shutil.copy(os.path.join(CASSETTES, "google-calendar/_pair.json"), self.dir.name)
        self.assertEqual(len(blocks), 2)
        for i, block in enumerate(blocks):
            done = conformance("replay", self.write("%d.json" % i, json.loads(block)))
            self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)

    def test_a_broken_cassette_is_reported_by_file_and_line(self):
        with open(self.path("broken.json"), "w") as f:
            f.write('{\n "cassette": 1,\n "title": "x",\n "world": "small",\n "steps": [\n  {"id": "a",\n'
                    '   "call": "GET /x",\n   "expect": {"body": "${tiem}"}}]}')
        done = conformance("replay", self.path("broken.json"))
        self.assertEqual(done.returncode, 1)
        self.assertIn('broken.json:8: steps[0].expect.body: unknown matcher "${tiem}"', done.stderr)

    def test_what_makes_no_sense_is_refused(self):
        for words in (["replay", "--format", "pdf"], ["report"], ["compare", "a"], ["replay", "--real"], ["dance"]):
            self.assertEqual(conformance(*words).returncode, 2, words)
        done = conformance("replay", "/nowhere")
        self.assertEqual(done.returncode, 1)
        self.assertIn("/nowhere", done.stderr)


class Served(Case):
    """A server whose world plays the real service: two accounts of tests, and one that is somebody's own."""

    def setUp(self):
        super().setUp()
        self.server = harness.Server("--fixture", "small", "--clock", "real")
        self.addCleanup(self.server.stop)

    def account(self, email, marked=True):
        world = self.server.world
        if not hasattr(self, "people"):
            self.people = {}
        self.server.control("POST", "/worlds/%s/seed" % world, {"sosia": 1, "zone": "UTC", "people": [
            {"email": email, "name": email, "zone": "UTC"}]})
        token = self.server.control("POST", "/worlds/%s/tokens" % world, {"actor": email}).json()["token"]
        if marked:
            answer = self.server.call(token, "POST", API + "/calendars", {"summary": MARKER})
            self.assertEqual(answer.status, 200, answer.body)
        return token

    def test_worlds_of_a_server_answer_as_those_in_process(self):
        # A server asks receivers whether they agree; these can't be reached.
        unreached = ("microsoft/subscriptions.json", "microsoft/watched.json", "microsoft/watched-users.json",
                     "sharepoint/watched.json")
        files = sorted(os.path.join(top, name) for top, _, names in os.walk(CASSETTES) for name in names
                       if name.endswith(".json") and name[0] != "_")
        files = [f for f in files if os.path.relpath(f, CASSETTES) not in unreached]
        words = ["replay", "--quiet", *files, self.write("story.json", STORY)]
        here = conformance(*words)
        there = conformance(*words, "--target", self.server.url, env={"SOSIA_CONTROL_KEY": self.server.key})
        self.assertEqual((there.returncode, there.stderr), (0, ""), there.stdout)
        self.assertEqual(here.stdout, there.stdout)
        worlds = self.server.control("GET", "/worlds").json()["worlds"]
        self.assertEqual([w["world"] for w in worlds if not w["snapshot"]], [self.server.world])
        refused = conformance(*words, "--target", self.server.url, env={"SOSIA_CONTROL_KEY": "other"})
        self.assertEqual(refused.returncode, 1)
        self.assertIn("answered 401", refused.stderr)

    def test_what_is_done_is_not_done_again(self):
        story, state = self.write("story.json", STORY), self.path("state")
        words, env = ["--target", self.server.url, "--resume", state], {"SOSIA_CONTROL_KEY": self.server.key}
        done = conformance("replay", *words, story, env=env)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        with open(state, "a") as f:
            f.write('{"name": "cut' + 100000 * "x")
        self.server.stop()
        done = conformance("replay", *words, story, env=env)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        with open(state) as f:  # what was cut off is not behind what is written next
            self.assertEqual(f.read()[-1], "\n")
        changed = self.write("story.json", {**STORY, "title": "Another"})
        done = conformance("replay", *words, changed, env=env)
        self.assertEqual(done.returncode, 1)
        self.assertIn("no response from " + self.server.url, done.stderr)
        done = conformance("replay", "--resume", state, story)
        self.assertEqual(done.returncode, 1)
        self.assertIn("not of one against " + self.server.url, done.stderr)

    def test_the_start_is_made_in_real_accounts_and_taken_away(self):
        one, two = self.account("tester.one@mail.example"), self.account("tester.two@mail.example")
        env = {"SOSIA_CONFORMANCE_TOKEN_ADA": one, "SOSIA_CONFORMANCE_TOKEN_BOB": two}
        self.server.call(one, "POST", API + "/calendars/primary/events", {
            "summary": "Left over", "start": {"date": "2026-11-24"}, "end": {"date": "2026-11-25"}})
        for _ in range(2):
            done = conformance("replay", "--real", "--rate", "100000", "--target", self.server.url, "--out",
                               self.path("r"), self.write("story.json", STORY), env=env)
            self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
            outcomes = self.outcomes(self.path("r"))
            self.assertEqual([k for k, v in outcomes.items() if v == "skipped"], ["sosia-alone", "later"])
            with open(self.path("r")) as f:
                text = f.read()
            self.assertNotIn("tester.one", text)
            self.assertNotIn(one, text)
        for token in (one, two):
            events = self.server.call(token, "GET", API + "/calendars/primary/events").json()["items"]
            self.assertEqual(events, [])
            calendars = self.server.call(token, "GET", API + "/users/me/calendarList").json()["items"]
            self.assertEqual(sorted(c["summary"] for c in calendars if not c.get("primary")), [MARKER])

    def test_an_account_that_is_not_marked_is_not_touched(self):
        one, mine = self.account("tester.one@mail.example"), self.account("me@mail.example", marked=False)
        body = {"summary": "Mine", "start": {"date": "2026-11-24"}, "end": {"date": "2026-11-25"}}
        for token in (one, mine):
            self.server.call(token, "POST", API + "/calendars/primary/events", body)
        done = conformance("replay", "--real", "--target", self.server.url, self.write("story.json", STORY),
                           env={"SOSIA_CONFORMANCE_TOKEN_ADA": one, "SOSIA_CONFORMANCE_TOKEN_BOB": mine})
        self.assertEqual(done.returncode, 1)
        self.assertIn("me@mail.example is not marked as an account for tests", done.stderr)
        for token in (one, mine):
            events = self.server.call(token, "GET", API + "/calendars/primary/events").json()["items"]
            self.assertEqual([e["summary"] for e in events], ["Mine"])

    def test_without_a_token_a_scenario_is_skipped(self):
        one = self.account("tester.one@mail.example")
        done = conformance("replay", "--real", "--target", self.server.url, "--out", self.path("r"),
                           self.write("story.json", STORY), env={"SOSIA_CONFORMANCE_TOKEN_ADA": one})
        self.assertEqual(done.returncode, 0)
        self.assertEqual(set(self.outcomes(self.path("r")).values()), {"skipped"})

    def test_two_people_can_not_be_one_account(self):
        one = self.account("tester.one@mail.example")
        done = conformance("replay", "--real", "--target", self.server.url, self.write("story.json", STORY),
                           env={"SOSIA_CONFORMANCE_TOKEN_ADA": one, "SOSIA_CONFORMANCE_TOKEN_BOB": one})
        self.assertEqual(done.returncode, 1)
        self.assertIn("are of one account", done.stdout)


if __name__ == "__main__":
    unittest.main()
