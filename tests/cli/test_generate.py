# SPDX-License-Identifier: Apache-2.0
"""Generated worlds: the same numbers make the same bytes, and what was asked for is there."""
import collections
import datetime
import hashlib
import json
import os
import tempfile
import unittest

import harness

SMALL = ("--people", "6", "--messages", "400", "--events", "12", "--files", "150", "--seed", "9")

DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]


def generate(*options):
    done = harness.command("generate", *options)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done.stdout


class Document(unittest.TestCase):
    def test_the_same_numbers_make_the_same_bytes_everywhere(self):
        text = generate(*SMALL)
        self.assertEqual(text, generate(*SMALL))
        # whatever the machine: changes with the generator only
        self.assertEqual(hashlib.sha256(text.encode()).hexdigest(), "b33f23a3a32aad74baae0df345191bcc4bf9f972d272bdabe3a1a5318718d21e")

    def test_neither_locale_nor_zone_has_a_part_in_it(self):
        done = harness.command("generate", *SMALL, env={"LC_ALL": "tr_TR.UTF-8", "TZ": "Asia/Tokyo"})
        self.assertEqual(done.stdout, generate(*SMALL))

    def test_another_seed_makes_another_company(self):
        one, other = (json.loads(generate("--messages", "50", "--seed", s)) for s in "12")
        self.assertEqual(one["people"][0], other["people"][0])  # somebody to sign in as
        self.assertNotEqual(one["people"][1:], other["people"][1:])
        self.assertNotEqual([m["subject"] for m in one["mail"]], [m["subject"] for m in other["mail"]])

    def test_it_goes_to_a_file_and_shows_how_far_it_is(self):
        with tempfile.TemporaryDirectory() as place:
            path = os.path.join(place, "large.json")
            done = harness.command("generate", *SMALL, "--out", path, "--progress")
            self.assertEqual((done.returncode, done.stdout), (0, ""))
            self.assertTrue(done.stderr.endswith("sosia: 400 of 400 messages\n"), done.stderr)
            with open(path, encoding="utf-8") as f:
                self.assertEqual(f.read(), generate(*SMALL))
        self.assertEqual(harness.command("generate", "--out", "/proc/none/at/all").returncode, 1)
        self.assertEqual(harness.command("generate", "--out", "/dev/full").returncode, 1)

    def test_drives_hold_trees_of_many_kinds_that_hang_together(self):
        doc = json.loads(generate("--messages", "0", "--events", "0", "--files", "3000", "--people", "12"))
        files = doc["files"]
        self.assertEqual(len(files), 3000)
        ids = {f["id"]: f for f in files}
        self.assertEqual(len(ids), 3000)
        self.assertEqual({len(i) for i in ids}, {33})
        folders = {i for i, f in ids.items() if f.get("type") == "folder"} | {d["id"] for d in doc["sharedDrives"]}
        self.assertFalse([f for f in files if f.get("parent") not in folders and "parent" in f])
        self.assertFalse([f for f in files if f.get("type") == "shortcut" and f["target"] not in ids])
        deep = {}
        for f in files:  # parents are before what is in them
            deep[f["id"]] = deep.get(f.get("parent"), 0) + 1
        self.assertGreater(max(deep.values()), 8)
        kinds = collections.Counter(f.get("type", f.get("mime")) for f in files)
        self.assertLessEqual({"folder", "document", "spreadsheet", "presentation", "shortcut", "text/csv", "application/pdf"},
                             set(kinds))
        grants = collections.Counter(k for f in files for p in f.get("permissions", []) for k in p if k not in ("role", "expires"))
        self.assertEqual(set(grants), {"person", "group", "domain", "anyone"})
        self.assertTrue(any(f.get("trashed") for f in files))

    def test_a_workspace_has_talk_of_all_kinds_that_hangs_together(self):
        options = ("--messages", "0", "--events", "0", "--files", "0", "--people", "30", "--chat", "3000", "--hostile", "10")
        text = generate(*options)
        self.assertEqual(text, generate(*options))
        # whatever the machine: changes with the generator only
        self.assertEqual(hashlib.sha256(text.encode()).hexdigest(), "37fd4e6a72ff779de03ab4cde5c23d759f70ee44f794b7f79800c5122446e38f")
        doc = json.loads(text)
        people = {m["id"] for m in doc["workspaces"][0]["members"]}
        self.assertEqual(len(people), 32)
        rooms = {c["id"]: c for c in doc["channels"]}
        self.assertEqual(len(rooms), len(doc["channels"]))
        self.assertLessEqual({m for c in rooms.values() for m in c["members"]}, people)
        self.assertEqual({c.get("kind", "public") for c in rooms.values()}, {"public", "private", "direct", "group"})
        talk = doc["messages"]
        replies = [r for m in talk for r in m.get("replies", [])]
        self.assertEqual(len(talk) + len(replies), 3000)
        self.assertGreater(len(replies), 500)
        for m in talk:
            members = set(rooms[m["channel"]]["members"])
            for one in [m, *m.get("replies", [])]:
                self.assertLessEqual({one["from"], *(u for r in one.get("reactions", []) for u in r["by"])}, members)
        sizes = sorted(collections.Counter(m["channel"] for m in talk).values())
        self.assertGreater(sizes[-1], 10 * sizes[0])
        files = {f["id"]: f for f in doc["chatFiles"]}
        shared = [(m, f) for m in talk for f in m.get("files", [])]
        self.assertEqual(len({f for _, f in shared}), len(shared))
        self.assertGreater(len(shared), 20)
        for m, f in shared:
            self.assertEqual(m["from"], files[f]["user"])
        everything = [m["text"] for m in talk + replies]
        self.assertGreater(sum("<@U0" in t for t in everything), 50)
        self.assertGreater(sum("SYSTEM:" in t or "earlier instructions" in t for t in everything), 3)
        self.assertGreater(sum("app" in m for m in talk), 100)

    def test_a_workspace_of_files_is_what_a_world_takes(self):
        words = ("--messages", "0", "--events", "0", "--files", "0", "--people", "3", "--workspace", "80")
        text = generate(*words)
        self.assertEqual(text, generate(*words))
        nodes = {n["path"]: n for n in json.loads(text)["workspace"]}
        self.assertEqual(len(nodes), 80)
        self.assertEqual(nodes["projects/atlas/bin/costs.py"]["mode"], "0755")
        compile(nodes["projects/atlas/bin/costs.py"]["text"], "costs.py", "exec")
        self.assertGreater(sum(p.endswith(".csv") for p in nodes), 5)
        with tempfile.TemporaryDirectory() as place:
            path = os.path.join(place, "small.json")
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
            data = os.path.join(place, "data")
            made = harness.command("world", "create", "--file", path, "--name", "made", "--data", data)
            self.assertEqual(made.returncode, 0, made.stderr)
            dump = json.loads(harness.command("dump", "made", "--sections", "workspace", "--data", data).stdout)
            files = {n["path"]: n["text"] for n in dump["workspace"] if "text" in n}
            self.assertEqual(files, {p: n["text"] for p, n in nodes.items()})

    def test_the_same_company_is_with_either_vendor_or_with_both(self):
        words = ("--people", "6", "--messages", "300", "--events", "40", "--files", "40", "--seed", "9")
        usual = json.loads(generate(*words))
        self.assertEqual(usual, json.loads(generate(*words, "--vendors", "google")))
        self.assertNotIn("accounts", usual)
        for vendors, n in (("google,microsoft", 3), ("microsoft", 6)):
            text = generate(*words, "--vendors", vendors)
            self.assertEqual(text, generate(*words, "--vendors", vendors))
            doc = json.loads(text)
            for section in ("people", "groups") + (() if vendors == "microsoft" else ("files",)):
                self.assertEqual(doc[section], usual[section])
            self.assertEqual([m["subject"] for m in doc["mail"]], [m["subject"] for m in usual["mail"]])
            self.assertEqual(len([a for a in doc["accounts"] if a["vendor"] == "microsoft"]), n)
            with tempfile.TemporaryDirectory() as place:
                path, data = os.path.join(place, "both.json"), os.path.join(place, "data")
                with open(path, "w", encoding="utf-8") as f:
                    f.write(text)
                made = harness.command("world", "create", "--file", path, "--name", "made", "--data", data)
                self.assertEqual(made.returncode, 0, made.stderr)
                dump = json.loads(harness.command("dump", "made", "--data", data).stdout)
            theirs = {a["actor"] for a in doc["accounts"]}
            # Who is with Microsoft has tasks, and a department of such people a plan.
            self.assertEqual({t["person"] for t in doc["tasks"] if "person" in t}, theirs)
            self.assertEqual(len(dump["tasks"]), len(doc["tasks"]))
            self.assertEqual([p["title"] for p in dump["taskPlans"]], [p["title"] for p in doc["taskPlans"]])
            self.assertTrue({t["plan"] for t in doc["tasks"] if "plan" in t} <= {p["id"] for p in doc["taskPlans"]})
            there = {m["person"]: m for m in dump["mailboxes"]}
            self.assertEqual(sum(len(m["messages"]) for m in there.values()), 300)
            # Each of their messages is in one folder, as it has the labels that make one.
            own = {f["name"] for m in doc["mailboxes"] for f in m.get("folders", [])}
            places = collections.Counter(
                [n for n in m["labels"] if n != "unread"][0] if len([n for n in m["labels"] if n != "unread"]) == 1 else None
                for p in theirs for m in there[p]["messages"])
            self.assertLessEqual(set(places), own | {"Inbox", "Sent Items", "Archive", "Junk Email", "Deleted Items"})
            self.assertGreater(min(places["Inbox"], places["Sent Items"]), 5, places)
            self.assertTrue(own & set(places), places)
            self.assertTrue(any("unread" in m["labels"] for p in theirs for m in there[p]["messages"]))
            events = {c.get("owner", c["id"]): len(c.get("events", [])) for c in dump["calendars"]}
            self.assertEqual(events, {c.get("owner", c.get("id")): len(c["events"]) for c in usual["calendars"]})
        for words in ("", "google,", "yahoo", "google microsoft"):
            done = harness.command("generate", "--vendors", words)
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)
            self.assertIn("vendors must be of google and microsoft", done.stderr)
        with tempfile.TemporaryDirectory() as place:
            path = os.path.join(place, "w.yaml")
            for said, code in (("microsoft", 0), ("yahoo", 1)):
                with open(path, "w", encoding="utf-8") as f:
                    f.write('sosia: 1\ngenerate: {people: 2, messages: 5, events: 0, files: 0, vendors: "%s"}\n' % said)
                made = harness.command("world", "create", "--file", path, "--name", "w", "--data", os.path.join(place, said))
                self.assertEqual(made.returncode, code, made.stderr)

    def test_a_name_with_the_vendor_in_it_writes_the_company_once_with_each(self):
        words = ("--people", "3", "--messages", "9", "--events", "4", "--files", "9", "--chat", "20")
        with tempfile.TemporaryDirectory() as place:
            done = harness.command("generate", *words, "--vendors", "google,microsoft", "--out", place + "/{vendor}-a.json")
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
            self.assertEqual(sorted(os.listdir(place)), ["google-a.json", "microsoft-a.json"])
            for vendor in ("google", "microsoft"):
                with open("%s/%s-a.json" % (place, vendor), encoding="utf-8") as f:
                    self.assertEqual(f.read(), generate(*words, "--vendors", vendor))

    def test_numbers_out_of_range_are_refused(self):
        for words in (("--people", "0"), ("--messages", "-1"), ("--spam", "501"), ("--seed", "x"), ("large",),
                      ("--chat", "1000001"), ("--workspace", "20001")):
            done = harness.command("generate", *words)
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)

    def test_it_holds_what_mailboxes_hold(self):
        doc = json.loads(generate("--messages", "8000", "--files", "0", "--people", "12"))
        mail = doc["mail"]
        headers = collections.Counter(h["name"] for m in mail for h in m.get("headers", []))
        self.assertLessEqual({"List-ID", "List-Unsubscribe", "Auto-Submitted"}, set(headers))
        kinds = collections.Counter(f["type"] for m in mail for f in m.get("attachments", []))
        self.assertLessEqual({"application/pdf", "text/csv", "text/plain", "image/jpeg", "image/bmp", "image/gif"},
                             set(kinds))
        labels = collections.Counter(l for m in mail for k in m.get("labels", {}).values() for l in k)
        self.assertLessEqual({"INBOX", "UNREAD", "STARRED", "IMPORTANT", "SPAM", "TRASH", "SENT",
                              "CATEGORY_PROMOTIONS", "CATEGORY_UPDATES", "Heron"}, set(labels))
        self.assertTrue(any("html" in m and "text" not in m for m in mail))
        self.assertTrue(any("html" in m and "text" in m for m in mail))
        self.assertTrue(any("bcc" in m for m in mail))
        words = collections.Counter(w for m in mail for w in m.get("text", "").split())
        ranks = [n for _, n in words.most_common()]
        self.assertGreater(ranks[0], 20 * ranks[200])
        self.assertGreater(ranks.count(1), len(ranks) // 4)
        threads = collections.Counter(m["messageId"].rsplit(".", 3)[0].split("@")[0].rsplit(".", 1)[0] for m in mail)
        self.assertEqual((min(threads.values()), max(threads.values()) > 20, max(threads.values()) <= 30), (1, True, True))
        def order(m):
            week, day, time = m["date"].split()
            return int(week[:-1]), DAYS.index(day), time
        self.assertEqual([order(m) for m in mail], sorted(order(m) for m in mail))
        by_id = {m["messageId"]: m for m in mail}
        self.assertEqual(len(by_id), len(mail))
        replies = [m for m in mail if "inReplyTo" in m]
        self.assertGreater(len(replies), 500)
        for m in replies:
            self.assertIn(m["inReplyTo"], by_id)
            self.assertTrue(m["references"].endswith(m["inReplyTo"]))
        quoting = [m for m in replies if "\n> " in m.get("text", "") or "Original Message" in m.get("text", "")]
        self.assertGreater(len(quoting), len(replies) // 2)

    def test_the_rates_of_spam_and_of_hostile_mail_are_what_was_asked_for(self):
        def count(*options):
            mail = json.loads(generate("--messages", "4000", "--files", "0", *options))["mail"]
            return [sum(any(mark in m["from"] for mark in marks) for m in mail) / len(mail) for marks in (
                ("lucky-lottery", "cheap-pills", "top-of-search", "watch-outlet", "dates-near", "moon-coin"),
                ("haldencrewe-support", "haldencrevve", "new-bank", "friendly-notes", "calendar-helper", "talent-inbox",
                 "parcel-service"))]
        self.assertEqual(count("--spam", "0", "--hostile", "0"), [0, 0])
        spam, hostile = count("--spam", "400", "--hostile", "200")
        self.assertGreater(spam, 0.1)
        self.assertGreater(hostile, 0.05)
        self.assertGreater(count("--messages", "9000")[1], 0)


class Worlds(harness.ServerCase):
    options = ("--fixture", "large:messages=700,people=8,events=20,files=120,seed=4", "--clock", "frozen")

    def dump(self, world):
        return self.control("GET", "/worlds/%s/dump" % world)

    def test_the_fixture_has_the_numbers_that_it_was_asked_for(self):
        actors = self.server.info["actors"]
        self.assertEqual(len(actors), 8)
        everything = [self.server.call(a["token"], "GET", "/gmail/v1/users/me/profile").json()["messagesTotal"]
                      for a in actors.values()]
        self.assertEqual(sum(everything), 700)
        self.assertEqual(self.server.call(actors["robin.ward@haldencrewe.example"]["token"], "GET",
                                          "/gmail/v1/users/me/profile").json()["messagesTotal"], max(everything))
        dump = self.dump(self.server.world)
        self.assertEqual(sum(len(c.get("events", [])) for c in dump["calendars"]), 20)
        self.assertEqual(sum(len(m.get("messages", [])) for m in dump["mailboxes"]), 700)

    def test_the_fixture_is_what_the_command_writes(self):
        document = generate("--messages", "700", "--people", "8", "--events", "20", "--files", "120", "--seed", "4")
        world = self.create(seed_document=document, clock="frozen")
        self.assertEqual(self.dump(world), self.dump(self.server.world))

    def test_a_dump_comes_back_from_its_dump(self):
        dump = self.control("GET", "/worlds/%s/dump" % self.server.world)
        world = self.create(seed_document=json.dumps(dump), clock="frozen")
        self.assertEqual(self.dump(world), dump)

    def test_a_workspace_is_what_was_asked_for_and_comes_back_from_its_dump(self):
        world = self.create(fixture="large:people=9,messages=0,events=0,files=0,chat=1500,seed=3", clock="frozen")
        dump = self.dump(world)
        self.assertEqual(len(dump["messages"]), 1500)
        self.assertEqual(self.dump(self.create(seed_document=json.dumps(dump), clock="frozen")), dump)
        token = self.token(world, "robin.ward@haldencrewe.example")
        found = self.server.call(token, "GET", "/api/conversations.list?limit=1000", world=world).json()
        self.assertTrue(found["ok"], found)
        self.assertIn("general", [c["name"] for c in found["channels"]])
        alone = self.dump(self.create(fixture="large:people=1,messages=0,events=0,files=0,chat=200", clock="frozen"))
        self.assertEqual(len(alone["messages"]), 200)

    def test_a_company_is_the_same_with_both_vendors_but_for_what_one_of_them_has_alone(self):
        worlds = []
        for vendor in ("google", "microsoft"):
            worlds.append(self.create(seed_document='{"sosia": 1, "time": "2026-11-23T08:30:00"}', clock="frozen"))
            self.control("POST", "/worlds/%s/seed" % worlds[-1], generate(
                "--people", "6", "--messages", "60", "--events", "30", "--files", "80", "--chat", "200", "--seed", "3",
                "--vendors", vendor))
        found = self.control("GET", "/diff?from=%s&to=%s&form=across" % tuple(worlds))
        same = collections.Counter(i["entity"] for i in found["same"])
        for entity, least in (("chatMessage", 150), ("file", 60), ("event", 35), ("message", 25), ("mailLabel", 20), ("channel", 15)):
            self.assertGreater(same[entity], least, entity)
        for item in found["differences"]:
            entity, fields = item["entity"], item["fields"]
            if entity == "chatMessage":             # what programs say is a person's in Teams
                self.assertTrue(item.get("person") in ("builds", "alarms") or fields["in"].get("right") in ("builds", "alarms"), item)
            elif entity == "channel":               # who is in a team's channel is who is in the team
                self.assertEqual(list(fields), ["members"], item)
            elif entity == "file" and item["left"] and item["right"]:
                self.assertEqual(list(fields), ["shared"], item)
                self.assertIn("commenter", fields["shared"]["left"][0], item)
            elif entity == "file":
                self.assertEqual(fields["kind"], {"left": "shortcut"}, item)
            else:
                self.assertEqual((entity, fields["status"]), ("event", {"left": "cancelled"}), item)

    def test_its_mail_is_of_the_three_years_before(self):
        now = datetime.datetime(2026, 11, 23, tzinfo=datetime.timezone.utc)
        for box in self.dump(self.server.world)["mailboxes"]:
            for m in box.get("messages", []):
                if "date" in m:
                    at = datetime.datetime.fromisoformat(m["date"])
                    at = at if at.tzinfo else at.replace(tzinfo=datetime.timezone.utc)
                    self.assertLess(at, now + datetime.timedelta(hours=1))
                    self.assertGreater(at, now - datetime.timedelta(days=157 * 7))

    def test_character_sets_of_old_programs_are_read(self):
        world = self.create(fixture="large:people=1,messages=8000,events=0,files=0", clock="frozen")
        token = self.token(world, "robin.ward@haldencrewe.example")
        for word in ("отчёт", "Bestellung", "견적서", "siparişiniz", "Παραγγελία"):
            found = self.server.call(token, "GET", "/gmail/v1/users/me/messages?q=" + harness.quote(word), world=world)
            self.assertGreater(found.json()["resultSizeEstimate"], 0, word)

    def test_one_person_can_have_it_all_and_nobody_anything(self):
        for name, people, messages in (("large:people=1,messages=90,events=3,files=30", 1, 90),
                                       ("large:people=300,messages=0,events=0,files=30", 300, 0),
                                       ("large:people=40,messages=1,events=0,files=1", 40, 1)):
            dump = self.dump(self.create(fixture=name, clock="frozen"))
            self.assertEqual(len(dump["people"]), people)
            self.assertEqual(sum(len(m.get("messages", [])) for m in dump.get("mailboxes", [])), messages)

    def test_what_it_does_not_know_is_refused(self):
        for name, words in (("large:people=0", "people takes a whole number from 1"),
                            ("large:messages", "messages takes"), ("large:colour=1", 'no option "colour"'),
                            ("large:messages=12x", "messages takes"), ("largo:messages=12", "fixture")):
            error = self.refused("POST", "/worlds", {"fixture": name}, 404 if name == "largo" else 400)
            self.assertIn(words, error["message"])
            self.assertEqual(error["field"], "fixture")


class Bodies(unittest.TestCase):
    def test_an_operator_says_how_large_a_body_may_be(self):
        for size, status in ((1000, 413), (80 << 20, 201)):
            server = harness.Server("--max-body", str(size))
            self.addCleanup(lambda s=server: s.process.poll() is None and s.process.kill())
            document = '{"sosia": 1,' + " " * (70 << 20 if status == 201 else 1500) + '"name": "wide"}'
            self.assertEqual(server.control("POST", "/worlds", {"seed_document": document}).status, status)
            self.assertEqual(server.stop()[0], 0)


if __name__ == "__main__":
    unittest.main()
