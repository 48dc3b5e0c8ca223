# SPDX-License-Identifier: Apache-2.0
"""The pytest plugin, by runs of pytest inside; and the unittest mix-in."""
from __future__ import annotations

import glob
import os
import subprocess
import sys

import pytest

ADA = 'ada = sosia_world.as_actor("ada@small.example")\n'
INSERT = '''ada.call("POST", "/calendar/v3/calendars/primary/events", {
        "summary": "Plan", "start": {"date": "2026-11-25"}, "end": {"date": "2026-11-26"}})'''


def run(pytester, text, *options, apart=False):
    """apart: in a process of its own."""
    pytester.makeconftest('pytest_plugins = ["sosia.pytest_plugin"]')
    pytester.makepyfile(text)
    start = pytester.runpytest_subprocess if apart else pytester.runpytest_inprocess
    return start("-p", "no:cacheprovider", *options)


def test_each_test_has_a_fresh_fork(pytester):
    result = run(pytester, '''
import pytest
@pytest.mark.parametrize("i", range(3))
def test_insert(sosia_world, i):
    %s
    %s
    assert len(ada.call("GET", "/calendar/v3/calendars/primary/events").data["items"]) == 4
    assert len(sosia_world.diff()) == 1
''' % (ADA, INSERT))
    result.assert_outcomes(passed=3)


def test_marker(pytester):
    pytester.makefile(".yaml", world="sosia: 1\ntime: 2026-11-23T09:00:00\npeople:\n  - email: zoe@tiny.example\n")
    result = run(pytester, '''
import datetime, pytest
from sosia.pytest_plugin import make_sosia_world
other = make_sosia_world("other", fixture="office")

@pytest.mark.sosia(seed_file="world.yaml", now="2027-01-02T03:04:05Z", clock="step", step=2)
def test_file(sosia_world, sosia_actor):
    assert sosia_actor.name == "zoe@tiny.example"
    before = sosia_world.now
    assert before.isoformat() == "2027-01-02T03:04:05+00:00"
    sosia_actor.call("GET", "/calendar/v3/users/me/calendarList")
    assert sosia_world.now - before == datetime.timedelta(seconds=2)

@pytest.mark.sosia(fixture="office", actor="davide.longo@tidewater.example")
def test_fixture(sosia_world, sosia_actor):
    assert sosia_actor.call("GET", "/gmail/v1/users/me/profile").data["emailAddress"] == "davide.longo@tidewater.example"

def test_usual(sosia_world, other):
    assert [a["email"] for a in sosia_world.actors()] == ["ada@small.example", "bo@small.example"]
    assert len(other.actors()) > 10

@pytest.mark.sosia(fixture="small", rates=True)
def test_rates(sosia_world, sosia_actor):
    statuses = {sosia_actor.call("GET", "/calendar/v3/users/me/calendarList").status for _ in range(1000)}
    assert statuses & {403, 429}
''')
    result.assert_outcomes(passed=4)


def test_engines_of_the_program_s_own(pytester):
    result = run(pytester, '''
import pytest, sosia

@pytest.fixture(scope="session", params=["one", "two"])
def sosia_engine(request):
    with sosia.Engine(world_secret=request.param) as engine:
        engine.tag = request.param
        yield engine

@pytest.mark.parametrize("i", range(2))
def test_it(sosia_engine, sosia_world, i):
    assert sosia_world in sosia_engine.worlds()

class TestOther:
    @pytest.fixture(scope="class")
    def sosia_engine(self):
        with sosia.Engine() as engine:
            yield engine

    @pytest.fixture(scope="class")
    def sosia_templates(self, sosia_engine):
        from sosia.pytest_plugin import Templates
        return Templates(sosia_engine)

    def test_it(self, sosia_engine, sosia_world):
        assert sosia_world in sosia_engine.worlds()
''')
    result.assert_outcomes(passed=5)


def test_hosts_of_every_vendor(pytester):
    """Fixtures and hosts are the engine's: nothing here names a service."""
    result = run(pytester, '''
import pytest, requests

@pytest.mark.sosia(fixture="small-365", actor="nora@quay.example")
def test_graph(sosia_world, sosia_actor, sosia_intercept):
    url = "https://graph.microsoft.com/v1.0/me/events?$select=subject"
    assert requests.get(url).status_code == 401
    answer = requests.get(url, headers={"Authorization": "Bearer " + sosia_actor.token})
    assert "Morning round" in [e["subject"] for e in answer.json()["value"]]

@pytest.mark.sosia(fixture="small-365")
def test_who(sosia_actor):
    assert sosia_actor.call("GET", "/v1.0/me").data["mail"] == sosia_actor.name
''')
    result.assert_outcomes(passed=2)


def test_wrong_marker_says_so(pytester):
    result = run(pytester, '''
import pytest
@pytest.mark.sosia(fixtrue="office")
def test_it(sosia_world):
    pass
''')
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*must have names of fixture, *not fixtrue*"])


FAILS = '''
def test_fails(sosia_world):
    %s
    %s
    assert False
''' % (ADA, INSERT)


def test_failure_shows_what_was_done(pytester):
    result = run(pytester, FAILS)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*sosia: what was done in*", "calendar added event *Plan*of ada@small.example*", "*sosia: last calls*",
                                 "POST /calendar/v3/calendars/primary/events -> 200 *test_failure_shows_what_was_done.py:4"])


def test_success_shows_nothing(pytester):
    result = run(pytester, FAILS.replace("assert False", "assert True"), "-rA")
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("*what was done*")


def test_keep(pytester):
    result = run(pytester, FAILS, "--sosia-keep=kept")
    result.assert_outcomes(failed=1)
    (world,) = glob.glob(str(pytester.path / "kept" / "*.db"))
    import sosia
    with sosia.Engine() as engine, engine.import_world(world) as again:
        assert len(again.as_actor("ada@small.example").call("GET", "/calendar/v3/calendars/primary/events").data["items"]) == 4
    with open(world[:-3] + ".html", encoding="utf-8") as f:
        assert "Plan" in f.read()


def test_xdist(pytester):
    text = '''
import pytest
@pytest.mark.parametrize("i", range(6))
def test_insert(sosia_world, i):
    %s
    %s
    assert len(sosia_world.diff()) == 1 and i != 3
''' % (ADA, INSERT)
    result = run(pytester, text, "-n", "2", "--sosia-keep=kept", apart=True)
    result.assert_outcomes(passed=5, failed=1)
    result.stdout.fnmatch_lines(["*what was done in*", "*POST /calendar/v3/calendars/primary/events -> 200*"])
    (world,) = glob.glob(str(pytester.path / "kept" / "gw*" / "*.db"))
    assert os.path.getsize(world)


def test_asyncio(pytester):
    pytest.importorskip("pytest_asyncio")
    result = run(pytester, '''
import pytest, sosia
@pytest.mark.asyncio
async def test_async(sosia_world):
    world = sosia.AsyncWorld(sosia_world)
    ada = await world.as_actor("ada@small.example")
    assert (await ada.call("GET", "/calendar/v3/users/me/calendarList")).status == 200
    async with await world.fork() as fork:
        await fork.advance(60)
        assert await fork.now() > await world.now()
''', "--asyncio-mode=strict")
    result.assert_outcomes(passed=1)


def test_intercept_fixture_and_server(pytester):
    result = run(pytester, '''
import json, pytest, urllib.request
def test_fixture(sosia_intercept, sosia_actor):
    asked = urllib.request.Request("https://www.googleapis.com/drive/v3/about?fields=user", headers={
        "Authorization": "Bearer " + sosia_actor.token})
    assert json.load(urllib.request.urlopen(asked))["user"]["emailAddress"] == "ada@small.example"
    with pytest.raises(Exception, match="GET https://example.com/ is refused"):
        urllib.request.urlopen("https://example.com/")

def test_server(sosia_server):
    with sosia_server.create(fixture="small") as world:
        assert world.as_actor("bo@small.example").call("GET", "/calendar/v3/users/me/calendarList").status == 200

def test_noproc(sosia_noproc):
    pass
''')
    result.assert_outcomes(passed=2, skipped=1)


def test_nothing_is_loaded_before(pytester):
    result = run(pytester, '''
import sys
def test_it():
    assert "sosia._sosia" not in sys.modules and "sosia.world" not in sys.modules
''', apart=True)
    result.assert_outcomes(passed=1)


def test_unittest(pytester):
    pytester.makepyfile(test_it='''
import unittest
import sosia.unittesting

class EventTest(sosia.unittesting.Worlds, unittest.TestCase):
    def insert(self):
        ada = self.world.as_actor("ada@small.example")
        ada.call("POST", "/calendar/v3/calendars/primary/events", {"summary": "Plan", "start": {"date": "2026-11-25"},
                                                                   "end": {"date": "2026-11-26"}})
    def test_first(self):
        self.insert()
        self.assertEqual(len(self.world.diff()), 1)
    def test_second(self):
        self.insert()
        self.assertEqual(len(self.world.diff()), 1)
    def test_fails(self):
        self.insert()
        self.fail("no")

class AsyncTest(sosia.unittesting.Worlds, unittest.IsolatedAsyncioTestCase):
    async def test_async(self):
        self.assertEqual(self.world.as_actor("bo@small.example").call("GET", "/calendar/v3/users/me/calendarList").status, 200)
''')
    made = subprocess.run([sys.executable, "-m", "unittest", "-v", "test_it"], cwd=pytester.path, stderr=subprocess.PIPE, text=True)
    assert "Ran 4 tests" in made.stderr and "failures=1" in made.stderr, made.stderr
    assert "calendar added event" in made.stderr and "POST /calendar/v3/calendars/primary/events -> 200" in made.stderr
