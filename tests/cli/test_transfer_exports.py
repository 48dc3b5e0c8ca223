# SPDX-License-Identifier: Apache-2.0
"""What people and workspaces take out of services as one archive, made a world of: Google Takeout, exports of Slack."""
import json
import os
import re
import unittest

import harness
from test_transfer import ADA, BOB, CARL, ICS, TransferCase, zipped


class Exports(TransferCase):
    def test_what_a_person_took_out(self):
        mail = b"From 12@xxx Thu Mar 12 07:26:40 +0000 2026\r\nX-Gmail-Labels: Inbox\r\nSubject: One\r\n\r\nText\r\n\r\n"
        card = "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Pia\r\nEMAIL:pia@acme.example\r\nEND:VCARD\r\n"
        data = zipped({"Takeout/Mail/All mail Including Spam and Trash.mbox": mail, "Takeout/Calendar/%s.ics" % ADA: ICS.replace("X-WR-CALNAME:Team\r\n", ""),
                       "Takeout/Calendar/Team.ics": ICS, "Takeout/Contacts/All Contacts/All Contacts.vcf": card,
                       "Takeout/Contacts/My Contacts/My Contacts.vcf": card, "Takeout/Drive/plans/a.txt": "Hi",
                       "Takeout/Drive/team.ics": "x", "Takeout/archive_browser.html": "<p>"})
        world = self.make()
        self.assertEqual(self.counts(self.put(world, data, format="takeout", person=ADA)),
                         {"messages": 1, "events": 6, "people": 1, "files": 2, "folders": 1, "skipped": 2})
        dump = self.dump(world)
        self.assertEqual(sorted(c.get("summary", "primary") for c in dump["calendars"] if ADA in (c["id"], c.get("owner"))), ["Team", "primary"])
        self.assertEqual({f["name"] for f in dump["files"]}, {"plans", "a.txt", "team.ics"})
        self.refused(world, zipped({"x": "y"}), "as an export by Google Takeout", format="takeout", person=ADA)
        cut = zipped({"Takeout/Mail/x.mbox": "no line"})
        self.refused(world, cut, "Takeout/Mail/x.mbox:1: must begin a message", format="takeout", person=ADA)

    GROUPS = "Takeout/Google Chat/Groups/"

    def said(self, text, at, who=ADA, topic="t", **more):
        return {"creator": {"name": "Who", "email": who, "user_type": "Human"}, "created_date": at, "text": text, "topic_id": topic,
                "message_id": "g/%s/%s" % (topic, len(text)), **more}

    def chat(self, **more):
        def members(*emails):
            return [{"name": e.split("@")[0].title(), "email": e, "user_type": "Human"} for e in emails]
        files = {
            "Space AAAA/group_info.json": {"name": "Plan & build", "members": members(ADA, BOB, "pia@far.example")},
            "Space AAAA/messages.json": {"messages": [
                self.said("Shall we <start>?", "Tuesday, March 3, 2026 at 4:45:31\u202fPM UTC", reactions=[
                    {"emoji": {"unicode": "\U0001f44d"}, "reactor_emails": [BOB, "gone@far.example"]}, {"emoji": {"unicode": "\u00ff"}, "reactor_emails": [BOB]}]),
                self.said("Yes", "Tuesday, March 3, 2026 at 4:46:00 PM UTC", BOB, updated_date="Tuesday, March 3, 2026 at 5:00:00 PM UTC"),
                self.said("Another", "Wednesday, March 4, 2026 at 12:00:00 AM UTC", "pia@far.example", "u"),
                self.said("When?", "mardi 3 mars 2026"), {"created_date": "Tuesday, March 3, 2026 at 4:46:00 PM UTC", "message_state": "DELETED"},
                self.said("Who?", "Tuesday, March 3, 2026 at 4:46:00 PM UTC", "")]},
            "Space AAAA/File-plan.png": "png",
            "Space BBBB/group_info.json": {"name": "plan build", "members": members(ADA)},
            "DM one/group_info.json": {"members": members(ADA, BOB)},
            "DM one/messages.json": {"messages": [self.said("psst", "Sunday, November 30, 2025 at 9:05:00 AM UTC")]},
            "DM two/group_info.json": {"members": members(BOB, ADA)},
            "DM two/messages.json": {"messages": [self.said("again", "Sunday, November 30, 2025 at 9:05:00 AM UTC", BOB)]},
            "DM three/group_info.json": {"members": members(ADA, BOB, CARL)},
            "../Users/User 1/user_info.json": {"user": {"email": ADA}}}
        files.update(more)
        return zipped({os.path.normpath(self.GROUPS + name): v if isinstance(v, str) else json.dumps(v) for name, v in files.items() if v is not None})

    def test_what_a_person_said_in_google_chat(self):
        world = self.make()
        done = self.counts(self.put(world, self.chat(), format="takeout", person=ADA))
        self.assertEqual(done, {"people": 1, "messages": 5, "channels": 4, "skipped": 5})
        dump = self.dump(world)
        space, = dump["workspaces"]
        self.assertEqual((space["domain"], space["name"]), ("google-chat-ada", "Google Chat"))
        self.assertEqual({m["actor"]: m.get("role") for m in space["members"]}, {ADA: "owner", BOB: None, CARL: None, "pia@far.example": None})
        self.assertIn({"email": "pia@far.example", "name": "Pia"}, [{k: p[k] for k in ("email", "name")} for p in dump["people"]])
        kinds = sorted((c.get("kind"), c.get("name"), len(c["members"])) for c in dump["channels"] if c.get("kind"))
        self.assertEqual(kinds, [("direct", None, 2), ("group", None, 3), ("private", "plan-build", 3), ("private", "plan-build-2", 1)])
        said = {m["text"]: m for m in dump["messages"]}
        self.assertEqual(set(said), {"Shall we &lt;start&gt;?", "Yes", "Another", "psst", "again"})
        root = said["Shall we &lt;start&gt;?"]
        self.assertEqual(root["ts"].split(".")[0], "1772556331")
        self.assertEqual([(r["name"], len(r["by"])) for r in root["reactions"]], [("+1", 1)])
        self.assertEqual(said["Yes"]["thread"], root["ts"])
        self.assertIn("edited", said["Yes"])
        self.assertEqual((said["psst"]["channel"], "thread" in said["Another"]), (said["again"]["channel"], False))
        # A second time it is there already, and nothing changes.
        before = self.control("GET", "/worlds/%s/hash" % world).json()
        self.assertEqual(self.counts(self.put(world, self.chat(), format="takeout", person=ADA)), {"skipped": 3})
        self.assertEqual(self.control("GET", "/worlds/%s/hash" % world).json(), before)

    def test_a_space_of_many_takes_memory_by_their_number(self):
        def peak():
            with open("/proc/%d/status" % self.server.process.pid, encoding="utf-8") as f:
                return int(re.search(r"VmHWM:\s+(\d+)", f.read()).group(1)) / 1024
        members = [{"email": "a-member-of-the-space-%d@many.example" % i} for i in range(3000)]
        before = peak()
        done = self.counts(self.put(self.make(), self.chat(**{"Space AAAA/group_info.json": {"name": "All", "members": members}}), format="takeout", person=ADA))
        self.assertEqual(done["people"], 3001)
        if not harness.has_sanitizer():  # which keeps what is freed
            self.assertLess(peak() - before, 100)
        info = {"name": "All", "members": [{"email": ADA}] * 50001}
        self.refused(self.make(), self.chat(**{"Space AAAA/group_info.json": info}), "Space AAAA/group_info.json: must have at most 50000 members, has 50001",
                     format="takeout", person=ADA)

    def test_a_broken_google_chat_leaves_nothing(self):
        world = self.make()
        for name, text in (("DM one/messages.json", '{"messages": ['), ("DM three/group_info.json", "[]")):
            data = self.chat(**{name: text})
            self.refused(world, data, "Google Chat/Groups/%s: must be an object in JSON" % name, format="takeout", person=ADA)

    def test_an_export_that_breaks_off_leaves_nothing(self):
        world = self.make()
        for data, query in ((self.chat(), {"format": "takeout", "person": ADA}), (self.slack(), {"format": "slack"})):
            for part in (4, 2, 1.2):
                self.refused(world, data[:int(len(data) / part)], "", **query)
            self.refused(world, data[:200] + bytes(200) + data[400:], "", **query)

    USERS = [{"id": "U01ADA", "team_id": "T01ACME", "name": "ada", "is_admin": True, "is_owner": True, "is_primary_owner": True,
              "tz": "Europe/Rome", "profile": {"email": ADA, "real_name": "Ada L", "display_name": "ada", "title": "CEO"}},
             {"id": "U02NEW", "team_id": "T01ACME", "name": "new", "profile": {"email": "new@acme.example", "real_name": "New"}},
             {"id": "U03BOT", "team_id": "T01ACME", "name": "robot", "is_bot": True, "profile": {"real_name": "Robot"}},
             {"id": "U04OLD", "team_id": "T01ACME", "name": "old", "deleted": True, "profile": {"real_name": "Old"}}]

    def slack(self, **more):
        files = {"users.json": self.USERS,
                 "channels.json": [{"id": "C01GEN", "name": "general", "created": 1770000000, "creator": "U01ADA", "is_general": True,
                                    "is_archived": False, "members": ["U01ADA", "U02NEW", "U09GONE"],
                                    "topic": {"value": "All", "creator": "U01ADA", "last_set": 1770000001}, "purpose": {"value": "", "creator": "", "last_set": 0}}],
                 "groups.json": [{"id": "G01SEC", "name": "secret", "created": 1770000000, "creator": "U01ADA", "members": ["U01ADA"]}],
                 "dms.json": [{"id": "D01PAIR", "created": 1770000000, "members": ["U01ADA", "U02NEW"]}],
                 "general/2026-02-02.json": [
                     {"type": "message", "user": "U01ADA", "text": "Hi <@U02NEW>", "ts": "1770010000.000100", "thread_ts": "1770010000.000100",
                      "reactions": [{"name": "+1", "users": ["U02NEW", "U09GONE"], "count": 2}]},
                     {"type": "message", "subtype": "bot_message", "text": "x", "ts": "1770010001.000100", "bot_id": "B1"}],
                 "general/2026-02-03.json": [
                     {"type": "message", "user": "U02NEW", "text": "Yes", "ts": "1770090000.000100", "thread_ts": "1770010000.000100"},
                     {"type": "message", "user": "U03BOT", "text": "Beep", "ts": "1770090001.000100", "edited": {"user": "U03BOT", "ts": "1770090002.000000"}},
                     {"type": "message", "user": "U04OLD", "text": "Answer to what is gone", "ts": "1770090003.000100", "thread_ts": "1760000000.000100"}],
                 "D01PAIR/2026-02-03.json": [{"type": "message", "user": "U01ADA", "text": "psst", "ts": "1770090004.000100"}]}
        files.update(more)
        return zipped({name: v if isinstance(v, str) else json.dumps(v) for name, v in files.items() if v is not None})

    def test_the_export_of_a_slack_workspace(self):
        world = self.make()
        self.assertEqual(self.counts(self.put(world, self.slack(), format="slack", place="acme")),
                         {"people": 3, "channels": 3, "messages": 5, "skipped": 1})
        dump = self.dump(world)
        team = dump["workspaces"][0]
        self.assertEqual((team["id"], team["domain"]), ("T01ACME", "acme"))
        self.assertEqual({m["id"]: m.get("role") for m in team["members"]}, {"U01ADA": "owner", "U02NEW": None, "U03BOT": None, "U04OLD": None})
        channels = {c["id"]: c for c in dump["channels"]}
        self.assertEqual((channels["C01GEN"]["name"], channels["G01SEC"]["kind"], channels["D01PAIR"]["kind"]), ("general", "private", "direct"))
        messages = {m["text"]: m for m in dump["messages"]}
        root = messages["Hi <@U02NEW>"]
        self.assertEqual((messages["Yes"]["thread"], messages["Yes"]["ts"]), (root["ts"], "1770090000.000100"))
        self.assertEqual(root["reactions"], [{"name": "+1", "by": ["U02NEW"]}])
        self.assertNotIn("thread", messages["Answer to what is gone"])
        self.assertEqual(messages["psst"]["channel"], "D01PAIR")
        self.assertIn("edited", messages["Beep"])

    def test_a_broken_export_of_slack_is_refused(self):
        world = self.make()
        self.refused(world, self.slack(**{"users.json": None}), "must have a file users.json", format="slack")
        self.refused(world, self.slack(**{"general/2026-02-03.json": "[{"}), "general/2026-02-03.json: must be a list in JSON", format="slack")
        self.refused(world, self.slack(**{"channels.json": '{"a": 1}'}), "channels.json: must be a list in JSON", format="slack")


if __name__ == "__main__":
    unittest.main()
