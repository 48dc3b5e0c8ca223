# SPDX-License-Identifier: Apache-2.0
"""Files of other programs in and out of worlds: written by Python's own modules (mailbox, zipfile, tarfile, csv) or in the
style of programs that people have, and back into files that those modules read."""
import base64
import csv
import io
import json
import mailbox
import os
import shutil
import subprocess
import tarfile
import tempfile
import time
import unittest
import zipfile
from email.message import EmailMessage
from urllib.parse import urlencode

import harness

ADA, BOB, CARL = "ada@acme.example", "bob@acme.example", "carl@port.example"
DOCUMENT = {
    "sosia": 1, "time": "2026-11-23T09:00:00Z", "zone": "Europe/Rome",
    "organizations": [{"domain": "acme.example", "name": "Acme"}, {"domain": "port.example", "name": "Port"}],
    "people": [{"email": ADA, "name": "Ada", "zone": "Europe/Rome"}, {"email": BOB, "name": "Bob"},
               {"email": CARL, "name": "Carl"}],
    "accounts": [{"actor": CARL, "vendor": "microsoft"}]}
CRLF = "\r\n"


def letter(subject, text="Hello.\n", sender="Bob <%s>" % BOB, to=ADA, **fields):
    m = EmailMessage()
    m["From"], m["To"], m["Subject"] = sender, to, subject
    m["Date"] = "Thu, 12 Mar 2026 07:26:40 +0000"
    m["Message-ID"] = "<%s@far.example>" % subject.replace(" ", ".")
    for name, value in fields.items():
        m[name.replace("_", "-")] = value
    m.set_content(text)
    return m


def zipped(files):
    b = io.BytesIO()
    with zipfile.ZipFile(b, "w", zipfile.ZIP_DEFLATED) as z:
        for name, data in files.items():
            z.writestr(name, data)
    return b.getvalue()


class TransferCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = harness.Server("--clock", "frozen")
        cls.dir = tempfile.mkdtemp()

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()
        shutil.rmtree(cls.dir)

    def control(self, method, path, body=None, status=200):
        a = self.server.ask(method, "/_sosia/v1" + path, body if isinstance(body, (bytes, type(None))) else json.dumps(body).encode(),
                            {"Authorization": "Bearer " + self.server.key})
        self.assertEqual(a.status, status, a.body)
        return a

    def make(self, document=None):
        made = self.control("POST", "/worlds", {"seed_document": json.dumps(document or DOCUMENT), "clock": "frozen"}, 201)
        return made.json()["world"]

    def put(self, world, data, status=200, **query):
        return self.control("POST", "/worlds/%s/transfer?%s" % (world, urlencode(query)), data, status).json()

    def get(self, world, **query):
        return self.control("GET", "/worlds/%s/transfer?%s" % (world, urlencode(query))).body

    def dump(self, world):
        return self.control("GET", "/worlds/%s/dump" % world).json()

    def counts(self, done):
        return {k: v for k, v in done.items() if v}

    def refused(self, world, data, text, **query):
        """A clear message, and nothing is different."""
        before = self.dump(world)
        error = self.put(world, data, 400, **query)["error"]
        self.assertIn(text, error["message"])
        self.assertEqual(self.dump(world), before)

    def box(self, world, person=ADA):
        return [m for m in self.dump(world).get("mailboxes", []) if m["person"] == person][0]

    def subject(self, m):
        if "subject" in m:
            return m["subject"]
        raw = m["raw"] if "raw" in m else base64.b64decode(m["rawBase64"]).decode("latin-1")
        return [line[9:] for line in raw.split("\r\n") if line.startswith("Subject: ")][0]

    def by_subject(self, world, person=ADA):
        return {self.subject(m): m for m in self.box(world, person)["messages"]}


class Mail(TransferCase):
    def mbox(self, *messages):
        path = os.path.join(self.dir, "some.mbox")
        if os.path.exists(path):
            os.unlink(path)
        box = mailbox.mbox(path)
        for m in messages:
            box.add(m)
        box.close()
        with open(path, "rb") as f:
            return f.read()

    def test_an_mbox_of_pythons_mailbox(self):
        read, fresh, marked = [mailbox.mboxMessage(letter(s)) for s in ("read", "fresh", "marked")]
        read.set_flags("RO")
        marked.set_flags("ROFA")
        tricky = mailbox.mboxMessage(letter("tricky", "One\n\nFrom the start it was so.\n"))
        tricky.set_flags("R")
        own = mailbox.mboxMessage(letter("own", sender="Ada <%s>" % ADA, to=BOB))
        own.set_flags("RO")
        world = self.make()
        done = self.put(world, self.mbox(read, fresh, marked, tricky, own), format="mbox", person=ADA)
        self.assertEqual(self.counts(done), {"messages": 5})
        got = self.by_subject(world)
        self.assertEqual(got["read"]["labels"], ["INBOX"])
        self.assertEqual(got["fresh"]["labels"], ["INBOX", "UNREAD"])
        self.assertEqual(got["marked"]["labels"], ["INBOX", "STARRED"])
        self.assertEqual(got["own"]["labels"], ["SENT"])
        self.assertIn("One\n\nFrom the start it was so.\n", json.dumps(got["tricky"]).replace("\\n", "\n").replace("\\r", ""))
        self.assertNotIn("Status", json.dumps(got["marked"]))

    def test_labels_threads_and_numbers_of_an_archive_of_gmail(self):
        first = letter("Plan", X_GM_THRID="1659000000000000001",
                       X_Gmail_Labels="=?UTF-8?Q?Inbox,Important,Opened,Gr=C3=BC=C3=9Fe,Category_Updates?=")
        second = letter("Plan two", X_GM_THRID="1659000000000000001", X_Gmail_Labels='Archived,Unread,"Acme, Ltd"')
        data = b"".join(b"From %d@xxx Thu Mar 12 07:26:40 +0000 2026\r\n%s\r\n" % (n, m.as_bytes().replace(b"\n", b"\r\n"))
                        for n, m in ((1659000000000000001, first), (1659000000000000002, second)))
        world = self.make()
        self.put(world, data, format="mbox", person=ADA)
        got = self.by_subject(world)
        self.assertEqual(got["Plan"]["labels"], ["INBOX", "IMPORTANT", "CATEGORY_UPDATES", "Grüße"])
        self.assertEqual(got["Plan two"]["labels"], ["UNREAD", "Acme, Ltd"])
        self.assertEqual(got["Plan"]["thread"], got["Plan two"]["thread"])
        self.assertEqual(got["Plan"]["id"], "%016x" % 1659000000000000001)

    def test_an_mbox_goes_out_and_comes_back_as_it_was(self):
        document = dict(DOCUMENT, mailboxes=[{
            "person": ADA, "labels": [{"name": "Work/Plans"}, {"name": "Gr\u00fc\u00dfe, alle"}], "messages": [
                {"from": BOB, "to": ADA, "subject": "One", "date": "2026-11-20T10:00:00+01:00", "text": "Hi\n\nFrom me\n>From you\n",
                 "labels": ["INBOX", "UNREAD", "Work/Plans"],
                 "attachments": [{"filename": "a.png", "type": "image/png", "base64": "iVBORw0KGgo="}]},
                {"from": ADA, "to": BOB, "subject": "Re: One", "date": "2026-11-20T11:00:00+01:00", "text": "Yes", "inReplyTo": "<x@y>",
                 "labels": ["SENT", "STARRED", "Gr\u00fc\u00dfe, alle"]},
                {"from": BOB, "to": ADA, "subject": "Junk", "date": "2026-11-21T11:00:00+01:00", "html": "<b>Buy</b>", "labels": ["SPAM"]},
                {"from": ADA, "to": BOB, "subject": "Later", "date": "2026-11-22T11:00:00+01:00", "text": "x", "labels": ["DRAFT"]},
                {"from": BOB, "to": ADA, "subject": "Kept", "date": "2026-11-22T12:00:00+01:00", "text": "x",
                 "received": "2026-11-22T13:00:00+01:00", "labels": ["CATEGORY_PROMOTIONS"]}]}])
        world, other = self.make(document), self.make()
        data = self.get(world, format="mbox", person=ADA)
        self.put(other, data, format="mbox", person=ADA)

        def shown(w):
            box = self.box(w)
            names = {n["name"] for n in box["labels"]}
            for m in box["messages"]:
                m["labels"] = set(m["labels"])
                m.pop("draft", None)
            return names, box["messages"]
        self.assertEqual(shown(other), shown(world))
        path = os.path.join(self.dir, "back.mbox")
        with open(path, "wb") as f:
            f.write(data)
        box = mailbox.mbox(path)
        self.assertEqual([m["Subject"] for m in box], ["One", "Re: One", "Junk", "Later", "Kept"])
        box.close()
        plans = self.get(world, format="mbox", person=ADA, place="Work/Plans")
        self.assertEqual(plans.count(b"From "), 1 + plans.count(b">From "))

    def test_an_exclusive_mailbox_has_folders_and_categories(self):
        unread, read = letter("unread"), letter("read", X_Gmail_Labels="Plans,Red,Opened")
        world = self.make()
        self.put(world, self.mbox(unread, read), format="mbox", person=CARL)
        got = self.by_subject(world, CARL)
        self.assertEqual(got["unread"]["labels"], ["Inbox", "unread"])
        self.assertEqual(got["read"]["labels"][0], "Plans")
        self.assertIn("Red", json.dumps(self.dump(world)))
        back = self.get(world, format="mbox", person=CARL)
        self.assertIn(b"Status: O\r\n", back)
        self.assertIn(b"Status: RO\r\n", back)

    def test_a_maildir_with_folders(self):
        path = os.path.join(self.dir, "Maildir")
        box = mailbox.Maildir(path, create=True)
        seen = mailbox.MaildirMessage(letter("seen"))
        seen.set_subdir("cur")
        seen.set_flags("SF")
        box.add(seen)
        box.add(mailbox.MaildirMessage(letter("fresh")))
        for name in ("Sent", "Work.Plans", "Entw&APw-rfe"):
            m = mailbox.MaildirMessage(letter(name, sender="Ada <%s>" % ADA))
            m.set_subdir("cur")
            m.set_flags("S")
            box.add_folder(name).add(m)
        done = harness.command("import", self.make(), path, "--format", "maildir", "--person", ADA, "--url", self.server.url,
                               "--key", self.server.key)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("5 messages", done.stdout)
        b = io.BytesIO()
        with tarfile.open(fileobj=b, mode="w:gz") as t:
            t.add(path, "Maildir")
        world = self.make()
        self.put(world, b.getvalue(), format="maildir", person=ADA)
        got = {s: m["labels"] for s, m in self.by_subject(world).items()}
        self.assertEqual(got, {"seen": ["INBOX", "STARRED"], "fresh": ["INBOX", "UNREAD"], "Sent": ["SENT"],
                               "Work.Plans": ["Work/Plans"], "Entw&APw-rfe": ["Entwürfe"]})

    def test_messages_one_by_one(self):
        world = self.make()
        self.put(world, letter("alone").as_bytes(), format="eml", person=ADA, place="Letters")
        self.put(world, zipped({"a/one.eml": letter("one").as_bytes(), "two.EML": letter("two").as_bytes(), "note.txt": "x"}),
                 format="eml", person=ADA)
        self.assertEqual({s: m["labels"] for s, m in self.by_subject(world).items()},
                         {"alone": ["Letters"], "one": ["INBOX"], "two": ["INBOX"]})

    def test_what_is_no_mail_is_refused_with_its_place(self):
        world = self.make()
        whole = self.mbox(letter("one"))
        self.refused(world, b"Subject: x\n\nNo line in front.\n", 'some.mbox:1: must begin a message with a line "From SENDER DATE"',
                     format="mbox", person=ADA, name="some.mbox")
        self.refused(world, b"\n" + whole, "must begin a message", format="mbox", person=ADA)
        self.refused(world, whole, "person must be somebody of the world", format="mbox", person="eve@far.example")
        self.refused(world, whole, "person must be the address", format="mbox")
        self.refused(world, whole, "format", format="pst", person=ADA)
        self.refused(world, b"no field", 'one.eml:1: must begin with a field', format="eml", person=ADA, name="one.eml")
        self.refused(world, whole, "must be an archive", format="maildir", person=ADA)
        self.refused(world, zipped({"a.txt": "x"}), "as a Maildir does", format="maildir", person=ADA)


ICS = """BEGIN:VCALENDAR
PRODID:-//Some Office//EN
VERSION:2.0
X-WR-CALNAME:Team
BEGIN:VTIMEZONE
TZID:Customized Time Zone
BEGIN:STANDARD
DTSTART:16010101T030000
TZOFFSETFROM:+0200
TZOFFSETTO:+0100
RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10
END:STANDARD
BEGIN:DAYLIGHT
DTSTART:16010101T020000
TZOFFSETFROM:+0100
TZOFFSETTO:+0200
RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3
END:DAYLIGHT
END:VTIMEZONE
BEGIN:VEVENT
UID:040000008200E00074C5B7101A82E008
SUMMARY:Stand-up\\, all
DESCRIPTION:Line one\\nline
  two
DTSTART;TZID=W. Europe Standard Time:20261123T093000
DTEND;TZID=W. Europe Standard Time:20261123T100000
RRULE:FREQ=WEEKLY;BYDAY=MO,WE;COUNT=8
CATEGORIES:Red Category,Work
X-MICROSOFT-CDO-BUSYSTATUS:OOF
BEGIN:VALARM
ACTION:DISPLAY
TRIGGER:-PT10M
END:VALARM
END:VEVENT
BEGIN:VEVENT
UID:040000008200E00074C5B7101A82E008
RECURRENCE-ID;TZID=W. Europe Standard Time:20261125T093000
SUMMARY:Stand-up\\, late
DTSTART;TZID=W. Europe Standard Time:20261125T160000
DTEND;TZID=W. Europe Standard Time:20261125T163000
END:VEVENT
BEGIN:VEVENT
UID:days
SUMMARY:Away
DTSTART;TZID=Customized Time Zone:20261201T000000
DTEND;TZID=Customized Time Zone:20261203T000000
X-MICROSOFT-CDO-ALLDAYEVENT:TRUE
END:VEVENT
BEGIN:VEVENT
UID:odd
SUMMARY:Lunch
DTSTART;TZID=Customized Time Zone:20260701T120000
DURATION:PT45M
TRANSP:TRANSPARENT
CLASS:PRIVATE
ORGANIZER;CN=Eve:mailto:eve@far.example
ATTENDEE;CN=Ada;PARTSTAT=ACCEPTED:mailto:ada@acme.example
END:VEVENT
BEGIN:VTODO
UID:todo
END:VTODO
END:VCALENDAR
""".replace("\n", CRLF)


class Calendars(TransferCase):
    def events(self, world, calendar=ADA):
        return {e.get("summary"): e for c in self.dump(world)["calendars"] if c["id"] == calendar for e in c["events"]}

    def test_a_file_of_another_program(self):
        world = self.make()
        done = self.put(world, ICS.encode(), format="ics", person=ADA)
        self.assertEqual(self.counts(done), {"events": 3})
        got = self.events(world)
        series = got["Stand-up, all"]
        self.assertEqual((series["start"], series["zone"], series["recurrence"]),
                         ("2026-11-23T09:30", "Europe/Berlin", ["RRULE:FREQ=WEEKLY;COUNT=8;BYDAY=MO,WE"]))
        self.assertEqual((series["description"], series["categories"], series["busy"], series["reminders"]),
                         ("Line one\nline two", ["Red Category", "Work"], "away", [{"method": "popup", "minutes": 10}]))
        self.assertEqual([(i["originalStart"], i["start"], i["summary"]) for i in series["instances"]],
                         [("2026-11-25T09:30", "2026-11-25T16:00", "Stand-up, late")])
        self.assertEqual((got["Away"]["start"], got["Away"]["end"]), ("2026-12-01", "2026-12-03"))
        self.assertEqual((got["Lunch"]["start"], got["Lunch"]["end"], got["Lunch"]["visibility"], got["Lunch"]["free"],
                          got["Lunch"]["organizer"]), ("2026-07-01T12:00", "2026-07-01T12:45", "private", True, "eve@far.example"))
        self.assertEqual(self.counts(self.put(world, ICS.encode(), format="ics", person=ADA)), {"skipped": 3})

    def test_a_file_becomes_a_calendar(self):
        world = self.make()
        self.put(world, ICS.encode(), format="ics", person=ADA, place="team@group.calendar.google.com")
        self.assertEqual(len(self.events(world, "team@group.calendar.google.com")), 3)
        self.put(world, ICS.encode(), format="ics", person=CARL)
        carl = [c for c in self.dump(world)["calendars"] if c.get("owner") == CARL][0]
        self.assertEqual({e["reminderMinutes"] for e in carl["events"] if "reminderMinutes" in e}, {10})

    def test_a_calendar_goes_out_and_comes_back_as_it_was(self):
        document = dict(DOCUMENT, calendars=[{"id": ADA, "primary": True, "events": [
            {"id": "coffee01", "summary": "Coffee; black, hot", "start": "2026-11-23T10:00", "end": "2026-11-23T10:30",
             "location": "Bar\nCentrale", "description": "é" * 80, "reminders": [{"method": "email", "minutes": 5}, {"method": "popup", "minutes": 30}],
             "attendees": ["eve@far.example", {"email": "max@far.example", "name": "Max, Dr.", "optional": True, "response": "accepted"}]},
            {"id": "series01", "summary": "Stand-up", "start": "2026-11-23T09:30", "zone": "Europe/Rome", "recurrence": ["RRULE:FREQ=DAILY;COUNT=9"],
             "instances": [{"originalStart": "2026-11-24T09:30", "status": "cancelled"},
                           {"originalStart": "2026-11-25T09:30", "start": "2026-11-25T11:00", "summary": "Late"}]},
            {"id": "flight01", "summary": "Flight", "start": "2026-11-26T10:00", "end": "2026-11-26T13:00", "zone": "Europe/Berlin",
             "endZone": "America/New_York", "visibility": "private", "status": "tentative", "free": True},
            {"id": "days0001", "summary": "Holiday", "start": "2026-12-24", "end": "2026-12-27", "categories": ["A, b", "C"]}]}])
        world, other = self.make(document), self.make()
        data = self.get(world, format="ics", person=ADA)
        self.put(other, data, format="ics", person=ADA)
        want, got = self.events(world), self.events(other)
        want["Flight"].pop("endZone")
        want["Flight"]["end"] = "2026-11-26T19:00"  # the same instant on the clock of its start
        self.assertEqual(got, want)
        self.assertTrue(all(len(line) <= 75 for line in data.decode().encode().split(b"\r\n")))

    # As programs write events, and the start that they mean, in UTC.
    DIALECTS = {
        "an Exchange with a display name for a zone": ('DTSTART;TZID="W. Europe Standard Time":20261123T093000', "2026-11-23T08:30:00Z"),
        "an Evolution with a path for a zone": ("DTSTART;TZID=/freeassociation.sourceforge.net/Europe/Rome:20261123T093000", "2026-11-23T08:30:00Z"),
        "a Mozilla with a version in the path": ("DTSTART;TZID=/mozilla.org/20070129_1/Europe/Rome:20261123T093000", "2026-11-23T08:30:00Z"),
        "an Apple with a zone of tzdata": ("DTSTART;TZID=America/Los_Angeles:20261123T003000", "2026-11-23T08:30:00Z"),
        "a Lotus with members of its own": ("X-LOTUS-UPDATE-SEQ:1\r\nX-LOTUS-NOTESVERSION:2\r\nDTSTART:20261123T083000Z", "2026-11-23T08:30:00Z"),
        "small letters": ("dtstart;tzid=Europe/Rome:20261123T093000", "2026-11-23T08:30:00Z"),
        "a wall clock without a zone": ("DTSTART:20261123T093000", "2026-11-23T08:30:00Z"),
    }

    def test_events_in_the_dialects_of_other_programs(self):
        for name, (start, meant) in self.DIALECTS.items():
            world = self.make()
            text = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nMETHOD:PUBLISH\r\nBEGIN:VEVENT\r\nUID:x@y\r\nSUMMARY:Long\r\n\t name\r\n%s\r\nDURATION:PT1H\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n" % start
            for data in (text, "\ufeff" + text.replace("\r\n", "\n")):  # with the mark of a text editor, and plain line ends
                self.put(world, data.encode(), format="ics", person=ADA, place=ADA)
                event = [e for c in self.dump(world)["calendars"] if c["id"] == ADA for e in c["events"]][0]
                token = self.control("POST", "/worlds/%s/tokens" % world, {"actor": ADA}, 201).json()["token"]
                got = self.server.ask("GET", "/w/%s/calendar/v3/calendars/primary/events?timeZone=UTC" % world, None, {"Authorization": "Bearer " + token}).json()["items"]
                self.assertEqual([(e["summary"], e["start"]["dateTime"]) for e in got], [("Long name", meant)], (name, event))

    def test_what_is_no_calendar_is_refused_with_its_line(self):
        world = self.make()
        self.refused(world, b"hello", "team.ics:1: must be iCalendar", format="ics", person=ADA, name="team.ics")
        self.refused(world, ICS.encode()[:-20], "team.ics:", format="ics", person=ADA, name="team.ics")
        self.refused(world, ("BEGIN:VCALENDAR\r\nX-A:b\r\n c\r\nEND:VCALENDAR\r\nSUMMARY:x\r\n").encode(),
                     "team.ics:5: must be iCalendar", format="ics", person=ADA, name="team.ics")
        self.refused(world, ICS.replace("20261125T093000", "20261126T093000").encode(), "the series has no instance then",
                     format="ics", person=ADA)


class People(TransferCase):
    def people(self, world):
        return {p["email"]: p["name"] for p in self.dump(world)["people"]}

    def test_cards_of_three_versions(self):
        cards = ("BEGIN:VCARD\r\nVERSION:3.0\r\nN:Roth;Pia;;;\r\nFN:Pia Roth\r\nitem1.EMAIL;TYPE=INTERNET:Pia@Acme.example\r\nEND:VCARD\r\n"
                 "BEGIN:VCARD\r\nVERSION:2.1\r\nN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BCller;J=\r\n=C3=B6rg\r\n"
                 "EMAIL:joerg@acme.example\r\nEND:VCARD\r\n"
                 "BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Long\r\n er\\, Name\r\nEMAIL:mailto:long@acme.example\r\nTZ:Europe/Rome\r\nEND:VCARD\r\n"
                 "BEGIN:VCARD\r\nVERSION:4.0\r\nFN:No address\r\nEND:VCARD\r\n"
                 "BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Ada again\r\nEMAIL:ADA@acme.example\r\nEND:VCARD\r\n")
        world = self.make()
        self.assertEqual(self.counts(self.put(world, cards.encode(), format="vcf")), {"people": 3, "skipped": 2})
        got = self.people(world)
        self.assertEqual((got["pia@acme.example"], got["joerg@acme.example"], got["long@acme.example"]),
                         ("Pia Roth", "Jörg Müller", "Longer, Name"))
        self.refused(world, b"FN:x\r\n", 'people.vcf:1: must begin a card with BEGIN:VCARD, not "FN:x"', format="vcf", name="people.vcf")
        self.refused(world, b"\r\nBEGIN:VCARD\r\nFN:x\r\n", "people.vcf:2: must have an END:VCARD", format="vcf", name="people.vcf")

    def test_tables_of_address_books(self):
        world = self.make()
        tables = ["First Name,Last Name,E-mail 1 - Value\r\nPia,Roth,pia@acme.example\r\n",
                  "First Name [Required];Last Name [Required];Email Address [Required]\nMax;Planck;max@acme.example\n",
                  '\ufeff"Name"\t"Email"\n"Quoted ""so"""\tq@acme.example\n\nTwo\t\n']
        for t in tables:
            self.put(world, t.encode(), format="csv")
        got = self.people(world)
        self.assertEqual((got["pia@acme.example"], got["max@acme.example"], got["q@acme.example"]),
                         ("Pia Roth", "Max Planck", 'Quoted "so"'))
        self.refused(world, b"name,phone\nx,1\n", 'p.csv:1: must have a column of addresses, "email"', format="csv", name="p.csv")
        self.refused(world, b'email\n"x\n', "p.csv:2: must have a quotation mark", format="csv", name="p.csv")
        self.refused(world, b"email\nx@acme.example\nno address\n", "p.csv:3: the address must be", format="csv", name="p.csv")

    def test_people_go_out_and_come_back(self):
        document = dict(DOCUMENT, people=DOCUMENT["people"] + [{"email": "x@acme.example", "name": 'Q; "R", S\\T', "zone": "Asia/Tokyo"}])
        world = self.make(document)
        for form in ("vcf", "csv"):
            other = self.make({"sosia": 1})
            self.put(other, self.get(world, format=form), format=form)
            self.assertEqual(self.people(other), self.people(world))
            self.assertEqual(sorted(p["zone"] for p in self.dump(other)["people"]), sorted(p["zone"] for p in self.dump(world)["people"]))
        rows = list(csv.DictReader(io.StringIO(self.get(world, format="csv").decode())))
        self.assertEqual([r["name"] for r in rows][-1], 'Q; "R", S\\T')


class Files(TransferCase):
    FILES = {"plans/a.txt": "Hello", "plans/deep/b.csv": "a,b\r\n", "logo.png": b"\x89PNG\x00\xff", "Grüße.md": "# Hi"}

    def tar(self, add, mode="w:gz"):
        b = io.BytesIO()
        with tarfile.open(fileobj=b, mode=mode) as t:
            add(t)
        return b.getvalue()

    def as_tar(self):
        def add(t):
            for name, data in self.FILES.items():
                data = data.encode() if isinstance(data, str) else data
                info = tarfile.TarInfo(name)
                info.size = len(data)
                t.addfile(info, io.BytesIO(data))
        return self.tar(add)

    def tree(self, world):
        files = {f["id"]: f for f in self.dump(world)["files"]}

        def path(f):
            return (path(files[f["parent"]]) + "/" if f.get("parent") in files else "") + f["name"]
        return {path(f): f.get("content", base64.b64decode(f.get("base64", ""))) for f in files.values() if f.get("type") != "folder"}

    def test_archives_become_files_of_a_drive(self):
        for data in (zipped(self.FILES), self.as_tar()):
            world = self.make()
            done = self.put(world, data, format="drive", person=ADA)
            self.assertEqual(self.counts(done), {"files": 4, "folders": 2})
            self.assertEqual(self.tree(world), self.FILES)
            mimes = {f["name"]: f.get("mime") for f in self.dump(world)["files"]}
            self.assertEqual((mimes["a.txt"], mimes["b.csv"], mimes["logo.png"]), ("text/plain", "text/csv", "image/png"))
            back = self.get(world, format="drive", person=ADA)
            other = self.make()
            self.put(other, back, format="drive", person=ADA)
            self.assertEqual(self.tree(other), self.FILES)
            with tarfile.open(fileobj=io.BytesIO(back)) as t:
                self.assertEqual({m.name for m in t if m.isfile()}, set(self.FILES))

    def test_folders_that_are_there_are_used_and_documents_go_out_as_office_files(self):
        document = dict(DOCUMENT, files=[{"id": "1Plans", "name": "plans", "type": "folder", "owner": ADA},
                                         {"id": "1Other", "name": "other", "type": "folder", "owner": ADA},
                                         {"name": "Notes", "type": "document", "owner": ADA, "content": "# Notes\n"},
                                         {"name": "a/b", "mime": "text/plain", "owner": ADA, "content": "x"}])
        world = self.make(document)
        self.assertEqual(self.counts(self.put(world, zipped(self.FILES), format="drive", person=ADA)), {"files": 4, "folders": 1})
        self.put(world, zipped({"x.txt": "y"}), format="drive", person=ADA, place="1Other")
        self.assertEqual(self.tree(world)["other/x.txt"], "y")
        with tarfile.open(fileobj=io.BytesIO(self.get(world, format="drive", person=ADA))) as t:
            self.assertIn("Notes.docx", t.getnames())
            self.assertIn("a_b", t.getnames())
        self.refused(world, zipped(self.FILES), "place must be the id of a folder", format="drive", person=ADA, place="1None")

    def test_archives_become_files_of_the_workspace(self):
        world = self.make()
        self.put(world, zipped(self.FILES), format="workspace", place="in")
        got = {n["path"]: n.get("text") for n in self.dump(world)["workspace"]}
        self.assertEqual(got["in/plans/deep/b.csv"], "a,b\r\n")
        other = self.make()
        self.put(other, self.get(world, format="workspace"), format="workspace")
        self.assertEqual(self.dump(other)["workspace"], self.dump(world)["workspace"])
        with tempfile.TemporaryDirectory() as d:
            with open(os.path.join(d, "x.txt"), "w") as f:
                f.write("y")
            done = harness.command("import", other, d, "--format", "workspace", "--place", "from", "--url", self.server.url,
                                   "--key", self.server.key)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("from/x.txt", [n["path"] for n in self.dump(other)["workspace"]])

    def test_evil_archives_are_refused(self):
        def link(t):
            a = tarfile.TarInfo("a")
            a.type, a.linkname = tarfile.LNKTYPE, "../../etc/passwd"
            t.addfile(a)
        bomb = zipped({"zeros": b"\0" * (17 << 20)})
        whole = zipped(self.FILES)
        evil = [(zipped({"../x": "y"}), "must not have"), (zipped({"a/../../x": "y"}), "must not have"),
                (self.tar(link), "entry \"a\""), (bomb, "must not unpack to more than"),
                (whole[:-30], "cut"), (self.as_tar()[:-20], "cannot be read"),
                (b"MZ\x90", "must be an archive"), (zipped({"x" * 300: "y"}), "must not have a longer"),
                (zipped({"a": "file", "a/b": "inside"}), "entry \"a/b\"")]
        broken = bytearray(whole)
        broken[44] ^= 0xff
        evil.append((bytes(broken), ""))
        world = self.make()
        for data, text in evil:
            for query in ({"format": "workspace"}, {"format": "drive", "person": ADA}, {"format": "takeout", "person": ADA},
                          {"format": "slack"})[:4 if len(data) < 5000 else 1]:
                before = self.dump(world)
                a = self.server.ask("POST", "/_sosia/v1/worlds/%s/transfer?%s" % (world, urlencode(query)), data,
                                    {"Authorization": "Bearer " + self.server.key})
                self.assertIn(a.status, (400, 413), (text, a.body))
                self.assertIn(text, a.json()["error"]["message"])
                self.assertEqual(self.dump(world), before)

    def test_a_zip_goes_into_the_workspace_by_the_command_too(self):
        world = self.make()
        self.control("PUT", "/worlds/%s/workspace/content?path=z" % world, zipped(self.FILES))
        self.assertIn("z/logo.png", [n["path"] for n in self.dump(world)["workspace"]])


class Parts(TransferCase):
    DOCUMENT = dict(DOCUMENT, mailboxes=[
        {"person": ADA, "messages": [{"from": BOB, "subject": "Budget 2027", "text": "x", "date": "2026-11-20T10:00:00Z"},
                                     {"from": BOB, "subject": "Lunch", "text": "y", "date": "2026-11-20T10:00:00Z"}]},
        {"person": BOB, "messages": [{"from": ADA, "subject": "The budget", "text": "z", "date": "2026-11-20T10:00:00Z"}]}],
        workspaces=[{"id": "T01", "domain": "acme", "members": [{"actor": ADA, "id": "U01"}, {"actor": BOB, "id": "U02"}]}],
        channels=[{"id": "C01", "name": "dev", "members": [ADA, BOB]}],
        messages=[{"channel": "dev", "from": "U01", "ts": "1780000000.000100", "text": "Budget?"},
                  {"channel": "dev", "from": "U02", "ts": "1780000001.000100", "text": "budget!"}],
        calendars=[{"id": ADA, "primary": True, "events": [{"id": "b1", "summary": "About the BUDGET", "start": "2026-11-23T10:00"},
                                                          {"id": "l1", "summary": "Lunch", "start": "2026-11-23T12:00"}]}])

    def part(self, world, **query):
        return self.control("GET", "/worlds/%s/dump?%s" % (world, urlencode(query))).json()

    def test_dumps_of_sections_people_and_texts(self):
        world = self.make(self.DOCUMENT)
        whole = self.dump(world)
        self.assertEqual(set(self.part(world, sections="mail,channels")) - {"sosia", "time", "zone"}, {"mailboxes", "channels"})
        self.assertEqual(self.part(world, sections="mail")["mailboxes"], whole["mailboxes"])
        part = self.part(world, sections="mailboxes,messages,people,files", person=ADA)
        self.assertEqual([m["person"] for m in part["mailboxes"]], [ADA])
        self.assertEqual([m["from"] for m in part["messages"]], ["U01"])
        self.assertEqual([p["email"] for p in part["people"]], [ADA])
        self.assertNotIn("files", part)
        part = self.part(world, text="budget")
        self.assertEqual([[m["subject"] for m in b["messages"]] for b in part["mailboxes"]], [["Budget 2027"], ["The budget"]])
        self.assertEqual([e["id"] for e in part["calendars"][0]["events"]], ["b1"])
        self.assertEqual(len(part["messages"]), 2)
        part = self.part(world, text="budget", person=BOB)
        self.assertEqual((len(part["mailboxes"]), [m["text"] for m in part["messages"]]), (1, ["budget!"]))
        error = self.control("GET", "/worlds/%s/dump?sections=nothing" % world, status=400).json()["error"]
        self.assertIn('not "nothing"', error["message"])
        part = self.part(world, sections="mailboxes,messages", person="U01")
        self.assertEqual(([m["person"] for m in part["mailboxes"]], [m["from"] for m in part["messages"]]), ([ADA], ["U01"]))
        for person in BOB, "U02":
            self.assertEqual(self.part(world, person=person, sections="files").get("files"), None)
        error = self.control("GET", "/worlds/%s/dump?person=nobody@acme.example" % world, status=400).json()["error"]
        self.assertIn('not "nobody@acme.example"', error["message"])

    def test_the_command_has_them_too(self):
        done = harness.command("dump", self.make(self.DOCUMENT), "--sections", "mailboxes", "--person", BOB, "--text", "BUDGET &",
                               "--url", self.server.url, "--key", self.server.key)
        self.assertEqual(set(json.loads(done.stdout)), {"sosia", "time", "zone"})


class Including(TransferCase):
    def write(self, name, document):
        path = os.path.join(self.dir, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write(document if isinstance(document, str) else json.dumps(document))
        return path

    def create(self, path):
        done = harness.command("world", "create", "--file", path, "--url", self.server.url, "--key", self.server.key)
        return done.returncode, done.stdout.strip(), done.stderr

    def test_documents_fixtures_and_numbers(self):
        self.write("parts/people.yaml", "sosia: 1\norganizations: [{domain: port.example, name: Port}]\n"
                   "people:\n  - {email: zed@port.example, name: Zed}\ngoogleCalendar: {guests: 50, textBytes: 2048}\n")
        self.write("parts/more.json", {"sosia": 1, "include": "people.yaml", "title": "More"})
        path = self.write("main.yaml", "sosia: 1\ninclude: [parts/more.json, small]\ntitle: Mine\ntime: 2026-12-01T09:00:00\n"
                          "generate: {people: 3, messages: 4, events: 1, files: 1}\n"
                          "people: [{email: new@port.example, name: New}]\ngoogleCalendar: {guests: 100}\n")
        code, world, err = self.create(path)
        self.assertEqual((code, err), (0, ""))
        dump = self.dump(world)
        self.assertEqual((dump["title"], dump["googleCalendar"]), ("Mine", {"guests": 100, "textBytes": 2048}))
        people = {p["email"] for p in dump["people"]}
        self.assertLess({"zed@port.example", "new@port.example", "ada@small.example"}, people)
        self.assertEqual(sum(p.endswith("@haldencrewe.example") for p in people), 3)
        served = harness.Server("--fixture", path)
        try:
            shown = served.control("GET", "/worlds/main").json()
            self.assertEqual(shown["world"], served.info["world"])
        finally:
            served.stop()

    def test_what_cant_be_included_is_said_with_its_line(self):
        for name, document, text in (
                ("self.yaml", "sosia: 1\ninclude: [self.yaml]\n", "self.yaml:2: include: a document must not include itself"),
                ("none.yaml", "sosia: 1\ntitle: x\ninclude: gone/away.yaml\n", "none.yaml:3: include: there is no file"),
                ("fix.yaml", "sosia: 1\ninclude: nofixture\n", "there is no fixture"),
                ("gen.yaml", "sosia: 1\ngenerate: {messages: 5, mails: 3}\n", "gen.yaml:2: generate.mails: "),
                ("many.yaml", "sosia: 1\ngenerate: {people: 0}\n", "gen" "erate.people"),
                ("broken.yaml", "sosia: 1\ninclude: [parts/bad.yaml]\n", "bad.yaml:3: ")):
            self.write("parts/bad.yaml", "sosia: 1\npeople: [\n")
            code, _, err = self.create(self.write(name, document))
            self.assertEqual(code, 1)
            self.assertIn(text, err)

    def test_an_error_is_said_of_the_document_that_has_it(self):
        self.write("parts/one.yaml", "sosia: 1\npeople:\n\n  - {email: a@port.example, name: A}\n  - {email: b@port.example, name: B}\n"
                   "googleCalendar: {guests: 5,\n  textBytes: none}\n")
        whole = "sosia: 1\ninclude: [parts/one.yaml]\npeople:\n%sgoogleCalendar: {guests: 6, textBytes: 9}\ntitle: x\n"
        path = self.write("main.yaml", whole.replace(", textBytes: 9", "") % "  - {email: c@port.example, name: C}\n")
        self.assertIn("parts/one.yaml:7: googleCalendar.textBytes: ", self.create(path)[2])
        for people, text in (
                ("  - {email: c@port.example}\n  - {email: d@port.example, zone: Mars/Base}\n", ": main.yaml:5: people[1].zone: unknown time zone"),
                ("  - {email: c@port.example, nam: C}\n", ": main.yaml:4: people[0].nam: there is no such field"),
                ("  - email: b@port.example\n", "parts/one.yaml\n")):
            path = self.write("main.yaml", whole % people)
            code, _, err = self.create(path)
            self.assertEqual(code, 1)
            self.assertIn(text, err)
            self.assertEqual(err.endswith("people[1].email in line 5 of %s\n" % os.path.join(self.dir, "parts/one.yaml")), "nam" not in people and "zone" not in people)
        # Values of another kind are not of the whole; names in objects may have dots.
        self.write("parts/text.yaml", "sosia: 1\npeople: abcdefghijklmnop\n")
        kinds = self.write("kinds.yaml", "sosia: 1\ninclude: [parts/text.yaml]\npeople:\n  - {email: c@port.example, nam: C}\n")
        self.assertIn(": kinds.yaml:4: people[0].nam: ", self.create(kinds)[2])
        self.write("parts/mail.yaml", "sosia: 1\nmailRouting:\n  port.example: nobody\n")
        domains = self.write("domains.yaml", "sosia: 1\ninclude: [parts/mail.yaml]\nmailRouting:\n  port: google\n  other.example: google\n")
        self.assertIn("parts/mail.yaml:3: mailRouting.port.example: ", self.create(domains)[2])
        # What a service finds wrong with no place in mind has one, too.
        self.write("parts/team.yaml", "sosia: 1\norganizations: [{domain: port.example, name: Port}]\npeople: [{email: a@port.example, name: A}]\n"
                   "accounts: [{actor: a@port.example, vendor: microsoft}]\nworkspaces:\n  - vendor: microsoft\n    domain: port.example\n"
                   "    id: 7a3b0000-0000-4000-8000-000000000001\n    members:\n      - actor: a@port.example\n")
        other = self.write("other.yaml", "sosia: 1\ninclude: [parts/team.yaml]\n")
        self.assertIn('team.yaml:10: workspaces[0].members[0]: "a" must be a user of the tenant', self.create(other)[2])
        # So says a server that is to begin with it.
        done = harness.command("serve", "--port", "0", "--fixture", path)
        self.assertEqual(done.returncode, 1)
        self.assertIn("main.yaml:4: people[0].email: ", done.stderr)


class Command(TransferCase):
    def run_it(self, *args):
        return harness.command(*args, "--url", self.server.url, "--key", self.server.key)

    def test_formats_and_their_options(self):
        world = self.make()
        done = self.run_it("export", world, "-", "--format", "csv")
        self.assertEqual((done.returncode, done.stdout.split("\n")[0].strip()), (0, "email,name,zone,kind"))
        for args, text in ((("import", world, "x", "--format", "pst"), "--format must be one of mbox maildir eml"),
                           (("export", world, "x", "--format", "eml"), "--format must be one of mbox ics"),
                           (("import", "x", "--person", ADA), "must be given with --format"),
                           (("export", world, "x", "--place", "y"), "must be given with --format"),
                           (("import", world, "x", "--format", "mbox", "--name", "y"), "without --format")):
            done = self.run_it(*args)
            self.assertEqual(done.returncode, 2, done)
            self.assertIn(text, done.stderr)
        done = self.run_it("import", world, os.path.join(self.dir, "none.mbox"), "--format", "mbox", "--person", ADA)
        self.assertEqual(done.returncode, 1)

    def test_an_import_that_is_killed_leaves_nothing(self):
        data = os.path.join(self.dir, "killed")
        path = os.path.join(self.dir, "large.mbox")
        with open(path, "wb") as f:
            for i in range(4000):
                f.write(b"From eve@far.example Mon Nov 23 08:00:00 2026\nFrom: eve@far.example\nSubject: %d\n\n%s\n\n" % (i, b"words and words\n" * 40))
        document = os.path.join(self.dir, "killed.json")
        with open(document, "w", encoding="utf-8") as f:
            json.dump(DOCUMENT, f)
        self.assertEqual(harness.command("world", "create", "--name", "w", "--file", document, "--clock", "frozen", "--data", data).returncode, 0)

        def state():
            return harness.command("dump", "w", "--data", data).stdout
        before, delay, killed = state(), 0.1, 0
        for _ in range(6):
            p = subprocess.Popen([harness.SOSIA, "import", "w", path, "--format", "mbox", "--person", ADA, "--data", data],
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(delay)
            p.kill()
            if p.wait() == 0:
                break
            killed += 1
            after = state()
            if after != before: # it had done all, and was about to end
                self.assertEqual([len(m["messages"]) for m in json.loads(after)["mailboxes"]], [4000], delay)
                break
            delay *= 1.7
        self.assertGreater(killed, 0)
        self.assertEqual(os.listdir(self.dir).count("large.mbox"), 1)

    def test_what_came_is_in_the_journal_as_a_document(self):
        world = self.make()
        self.put(world, b"email\nx@acme.example\n", format="csv")
        report = self.control("POST", "/worlds/%s/journal/replay" % world, {}).json()
        self.assertEqual((report["equal"], report["differences"]), (True, []))


if __name__ == "__main__":
    unittest.main()
