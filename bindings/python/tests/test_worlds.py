# SPDX-License-Identifier: Apache-2.0
"""Engines and worlds, with the same checks in this process and behind a server."""
from __future__ import annotations

import asyncio
import datetime as dt
import json
import os
import pickle
import subprocess
import sys

import pytest

import sosia

EVENTS = "/calendar/v3/calendars/primary/events"
ROOT = os.environ["SOSIA_ROOT"]


@pytest.fixture(scope="module")
def server():
    with sosia.Server.start("--world-secret", "tests") as server:
        yield server


@pytest.fixture(params=["in process", "over HTTP"])
def worlds(request):
    if request.param == "in process":
        return request.getfixturevalue("sosia_engine")
    server = request.getfixturevalue("server")
    return sosia.connect(server.url, server.key)


@pytest.fixture
def world(worlds):
    with worlds.create(fixture="small") as world:
        yield world


def insert(world, summary="Plan", who="ada@small.example"):
    made = world.as_actor(who).call("POST", EVENTS, {"summary": summary, "start": {"date": "2026-11-25"},
                                                     "end": {"date": "2026-11-26"}})
    assert made.status == 200, made.text
    return made.data["id"]


def count(world):
    return len(world.as_actor("ada@small.example").call("GET", EVENTS).data["items"])


def test_answer(world):
    ada = world.as_actor("ada@small.example")
    answer = ada.call("GET", EVENTS)
    assert answer.ok and answer.status == 200 and answer.headers["CONTENT-type"].startswith("application/json")
    assert json.loads(answer.body) == answer.data == json.loads(answer.text)
    assert "nothing" not in answer.headers and answer.fields[0] == next(iter(answer.headers.items()))
    assert ada.call("GET", EVENTS + "/nothing").status == 404
    assert world.call("GET", EVENTS).status in (401, 403)
    assert ada.call("DELETE", EVENTS + "/smallcoffee01").body == b""


def test_fork_reset_snapshot(world):
    with world.fork() as fork:
        insert(fork)
        assert count(fork) == 4 and count(world) == 3
        snapshot = fork.snapshot()
        insert(fork)
        assert count(fork) == 5
        fork.reset(snapshot)
        assert count(fork) == 4
        with pytest.raises(sosia.Forbidden):
            snapshot.seed({"sosia": 1, "people": [{"email": "x@small.example"}]})
        snapshot.drop()
    world.reset()
    with pytest.raises(sosia.NotFound) as e:
        fork.info()
    assert e.value.reason == "worldNotFound" and e.value.status == 404


def test_tokens_are_a_worlds_own(world):
    token = world.as_actor("ada@small.example").token
    assert world.as_actor("ada@small.example").token == token
    with world.fork() as fork:
        assert fork.call("GET", EVENTS, token=token).status == 401
        assert fork.as_actor("ada@small.example").call("GET", EVENTS).status == 200
    fixed = world.token("bo@small.example", value="fixed-token-of-bo")
    with world.fork() as fork:
        assert fork.call("GET", EVENTS, token=fixed).status == 200
    world.revoke(fixed)
    assert world.call("GET", EVENTS, token=fixed).status == 401
    with pytest.raises(sosia.NotFound) as e:
        world.as_actor("nobody@small.example")
    assert e.value.reason == "actorNotFound"


def test_clock(world):
    start = world.now
    assert start == dt.datetime(2026, 11, 23, 8, tzinfo=dt.timezone.utc)
    assert world.advance(90) == start + dt.timedelta(seconds=90)
    assert world.advance(dt.timedelta(hours=1)) == start + dt.timedelta(seconds=3690)
    world.set_now("2027-01-01T00:00:00Z")
    assert world.now == dt.datetime(2027, 1, 1, tzinfo=dt.timezone.utc)
    world.clock("step", 2)
    world.as_actor("ada@small.example").call("GET", EVENTS)
    assert world.now == dt.datetime(2027, 1, 1, 0, 0, 2, tzinfo=dt.timezone.utc)
    with pytest.raises(sosia.Invalid):
        world.advance(9e11)
    with pytest.raises((sosia.Invalid, ValueError)):
        world.clock("sideways")
    with world.fork(now="2028-02-03T04:05:06Z", clock="frozen") as fork:
        assert fork.now == dt.datetime(2028, 2, 3, 4, 5, 6, tzinfo=dt.timezone.utc)


def test_seed_dump_hash(worlds, world):
    world.seed({"sosia": 1, "people": [{"email": "cy@small.example", "name": "Cy"}]})
    assert "cy@small.example" in [a["email"] for a in world.actors()]
    with worlds.create(world.dump()) as again:
        assert again.hash() == world.hash()
    with pytest.raises(sosia.Invalid) as e:
        world.seed("sosia: 1\npeople:\n  - 7\n", "wrong.yaml")
    assert e.value.line == 3 and "wrong.yaml" in str(e.value)


def test_diff(world):
    assert not world.diff() and world.diff().empty() is not None
    before = world.snapshot()
    insert(world)
    world.as_actor("ada@small.example").call("PATCH", EVENTS + "/smallcoffee01", {"location": "Room 3"})
    diff = world.diff()
    diff.only({"change": "added", "title": "Plan"}, {"change": "changed", "fields": {"location": "Room 3"}})
    diff.only(entity="event", person="ada@small.example")
    diff.only({"change": "added", "title": lambda t: t.startswith("P")}, {"change": "changed"})
    for wrong in ([{"change": "added"}], [{"change": "added"}, {"change": "removed"}],
                  [{"change": "added"}, {"change": "changed", "fields": {"location": "Room 4"}}]):
        with pytest.raises(AssertionError, match="too much"):
            diff.only(*wrong)
    with pytest.raises(AssertionError, match="too much"):
        diff.only(change="added")
    with pytest.raises(AssertionError):
        diff.empty()
    with pytest.raises(AssertionError, match="missing"):
        world.diff(since=world).only(change="added")
    assert len(world.diff(since=before)) == 2
    assert diff.of(change="added")[0].title == "Plan"
    assert isinstance(world.diff_as("patch"), list) and "inserts" in world.diff_as("tables")
    before.drop()


def test_grade(worlds):
    suite = sosia.Suite.open(os.path.join(ROOT, "suites/calendar.yaml"))
    task = suite.tasks()[0]
    assert suite.task(task["id"])["prompt"]
    with pytest.raises(KeyError):
        suite.task("nothing")
    with worlds.create(task["seed"], evaluation=True) as world:
        grade = world.grade(suite, task["id"])
        assert not grade.passed and grade.reward < 1 and grade.failures
        with pytest.raises(AssertionError, match="is not passed"):
            world.assert_suite(suite, task["id"])
        with pytest.raises(sosia.NotFound) as e:
            world.grade(suite, "nothing")
        assert e.value.reason == "taskNotFound"
    with pytest.raises(sosia.Invalid):
        sosia.Suite("suite: [")


def test_journal_replay_step(world):
    insert(world, "one")
    insert(world, "two")
    entries = world.journal()
    assert [e["seq"] for e in entries] == [1, 2] and entries[0]["method"] == "calendar.events.insert"
    assert [e["seq"] for e in world.journal(after=1)] == [2]
    with world.fork(at=1) as fork:
        assert count(fork) == 4
    kept, report = world.replay()
    assert kept is None and report["equal"]
    kept, report = world.replay(keep=True)
    assert kept is not None and count(kept) == 5
    kept.drop()
    assert world.journal_changes(2)[0].title == "two"
    lines = world.journal_export().splitlines()
    assert len(lines) >= 2 and json.loads(lines[1])
    assert world.journal_info()["entries"] == 2
    world.reset(step=1)
    assert count(world) == 4
    with pytest.raises(sosia.NotFound) as e:
        world.fork(at=99)
    assert e.value.reason == "stepNotFound"


def test_export_import(worlds, world, tmp_path):
    insert(world)
    world.export(tmp_path / "world.db")
    with worlds.import_world(tmp_path / "world.db") as again:
        assert again.hash() == world.hash() and count(again) == 4
    (tmp_path / "wrong.db").write_bytes(b"no such thing")
    with pytest.raises(sosia.Invalid) as e:
        worlds.import_world(tmp_path / "wrong.db")
    assert e.value.reason == "notAnExport"


CARDS = b"BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Nina New\r\nEMAIL:nina@new.example\r\nEND:VCARD\r\n"
MBOX = b"From eve@far.example Mon Nov 23 08:00:00 2026\nFrom: eve@far.example\nTo: ada@small.example\nSubject: Figures\n\nTwelve\n"


def test_files_of_other_programs(worlds, world, tmp_path):
    before = world.hash()
    done = world.import_file(MBOX, "mbox", "ada@small.example")
    assert done == {"people": 0, "messages": 1, "events": 0, "files": 0, "folders": 0, "links": 0, "channels": 0, "skipped": 0}
    (tmp_path / "people.vcf").write_bytes(CARDS)
    assert world.import_file(tmp_path / "people.vcf", "vcf")["people"] == 1
    assert world.import_file(tmp_path / "people.vcf", "vcf") == {**done, "messages": 0, "skipped": 1}
    mail = world.export_file("mbox", "ada@small.example")
    assert b"Subject: Figures" in mail and mail.startswith(b"From ") and b"nina@new.example" in world.export_file("vcf")
    with worlds.create(fixture="small") as other:
        assert other.import_file(mail, "mbox", "ada@small.example")["messages"] == mail.count(b"\nX-Gmail-Labels: ")
    after = world.hash()
    assert after != before
    (tmp_path / "wrong.mbox").write_bytes(b"Subject: x\n\ny\n")
    for bad, said in ((lambda: world.import_file(tmp_path / "wrong.mbox", "mbox", "ada@small.example"), 'wrong.mbox:1: must begin a message with a line "From '),
                      (lambda: world.import_file(MBOX, "mbox"), "person must be")):
        with pytest.raises(sosia.Invalid) as e:
            bad()
        assert e.value.reason == "transfer" and said in str(e.value)
    for bad in (lambda: world.import_file(b"x", "exe"), lambda: world.export_file("slack"), lambda: world.export_file("vcf", place="x")):
        with pytest.raises(sosia.Invalid):
            bad()
    assert world.hash() == after


def test_names_and_lists(worlds):
    with worlds.create(fixture="small", name="named") as world:
        assert worlds.world("named") == world and worlds.world(world.key) == world
        assert world in worlds.worlds() and world.info()["name"] == "named"
        with pytest.raises(sosia.Conflict):
            worlds.create(fixture="small", name="named")
    with pytest.raises(sosia.NotFound):
        worlds.world("named")
    assert "www.googleapis.com" in worlds.hosts() and "slack.com" in worlds.hosts()
    with pytest.raises(sosia.NotFound):
        worlds.create(fixture="no-such")


def test_many_worlds_are_listed(sosia_engine):
    base = sosia_engine.create(fixture="small")
    made = [base.fork() for _ in range(200)]
    listed = sosia_engine.worlds()
    assert len(set(listed)) == len(listed) and set(made) <= set(listed)
    for world in [base, *made]:
        world.drop()




def test_async(worlds):
    async def run():
        made = sosia.AsyncServer(worlds)
        async with await made.create(fixture="small") as world:
            ada = await world.as_actor("ada@small.example")
            answers = await asyncio.gather(*(ada.call("GET", EVENTS) for _ in range(10)))
            assert all(a.status == 200 for a in answers)
            await ada.call("POST", EVENTS, {"summary": "x", "start": {"date": "2026-11-25"}, "end": {"date": "2026-11-26"}})
            (await world.diff()).only(change="added")
            async with await world.fork() as fork:
                assert await fork.hash() == await world.hash()
                assert await fork.advance(60) == await fork.now()
            assert len(await world.journal()) == 1 and (await world.info())["clock"] == "frozen"
    asyncio.run(run())


def test_connect(server, monkeypatch):
    monkeypatch.setenv("SOSIA_URL", server.url)
    monkeypatch.setenv("SOSIA_CONTROL_KEY", server.key)
    assert sosia.connect().hosts()
    with pytest.raises(sosia.Unauthenticated):
        sosia.connect(server.url, "wrong-key-of-16-characters").worlds()
    with pytest.raises(sosia.Broken):
        sosia.connect("http://127.0.0.1:9", "k").worlds()
    with pytest.raises(ValueError):
        sosia.connect("localhost:8787", "k")
    monkeypatch.delenv("SOSIA_URL")
    with pytest.raises(ValueError):
        sosia.connect()


def test_errors_travel(sosia_engine):
    with pytest.raises(sosia.NotFound) as e:
        sosia_engine.world("nothing")
    again = pickle.loads(pickle.dumps(e.value))
    assert type(again) is sosia.NotFound and again.reason == e.value.reason and str(again) == str(e.value)


def test_data_directory(tmp_path):
    with sosia.Engine(str(tmp_path)) as engine:
        world = engine.create(fixture="small", name="kept")
        insert(world)
        with pytest.raises(sosia.Error):
            sosia.Engine(str(tmp_path))  # one process at a time, one engine too
    with sosia.Engine(str(tmp_path)) as engine:
        assert count(engine.world("kept")) == 4


WITHOUT = """
import sys
sys.modules["sosia._sosia"] = None  # as where it was not built
import sosia
with sosia.connect(sys.argv[1], sys.argv[2]) as server, server.create(fixture="small") as world:
    ada = world.as_actor("ada@small.example")
    answer = ada.call("PATCH", "/calendar/v3/calendars/primary/events/smallreviev01", {"summary": "Review of the final draft"})
    assert answer.ok and answer.data["summary"] and answer.headers["content-type"], answer
    assert world.grade(sosia.Suite.open(sys.argv[3]), "rename-review").passed
    with ada.stream("GET", "/calendar/v3/calendars/primary") as stream:
        assert b"".join(stream)
try:
    sosia.Engine()
except ImportError as e:
    assert "connect() to a server works without it" in str(e), e
else:
    raise AssertionError("an engine without the extension")
"""


def test_a_server_without_the_extension():
    with sosia.Server.start("--fixture", "small") as server:
        subprocess.run([sys.executable, "-c", WITHOUT, server.url, server.key, ROOT + "/examples/suites/first.yaml"], check=True)
