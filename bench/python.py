#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One turn of bench/python.c: a line a figure, "key value". SOSIA: the command, for what goes over loopback."""
import os
import resource
import subprocess
import sys
import tempfile
import time

cpu = time.process_time
# As a package that is installed: its modules have been compiled.
IMPORT = "import time; begin = time.process_time(); import sosia; sosia.Engine; print('import %f' % ((time.process_time() - begin) * 1e3))"
with tempfile.TemporaryDirectory() as compiled:
    kept = {**{k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}, "PYTHONPYCACHEPREFIX": compiled}
    for stdout in (subprocess.DEVNULL, None):
        subprocess.run([sys.executable, "-c", IMPORT], env=kept, check=True, stdout=stdout)

import sosia  # noqa: E402
sosia.Engine

start = cpu()
with sosia.Engine() as engine:
    engine.create(fixture="office")
print("office %f" % ((cpu() - start) * 1e3))

engine = sosia.Engine()
world = engine.create(fixture="small")
ada = world.as_actor("ada@small.example")
EVENTS = "/calendar/v3/calendars/primary/events"
N = 20000


def each(n, do):
    """Microseconds of CPU time."""
    begin = cpu()
    for _ in range(n):
        do()
    return (cpu() - begin) / n * 1e6


def call():
    answer = ada.call("GET", EVENTS + "/smallcoffee01")
    return answer.status, answer.body


print("call %f" % each(N, call))
print("fork %f" % each(N, lambda: world.fork().drop()))

SUITE = sosia.Suite({"version": "1.1", "name": "bench", "tests": [{
    "id": "plan", "prompt": "Make an event.", "actor": "ada@small.example", "fixture": "small",
    "assertions": [{"diff_type": "added", "entity": "event", "where": {"summary": "Plan"}}]}]})
BODY = b'{"summary":"Plan","start":{"date":"2026-11-25"},"end":{"date":"2026-11-26"}}'
HEADERS = [("Content-Type", "application/json")]


def episode():
    fork = world.fork()
    actor = fork.as_actor("ada@small.example")
    for _ in range(4):
        actor.call("GET", EVENTS + "/smallcoffee01")
    actor.call("POST", EVENTS, BODY, headers=HEADERS)
    assert fork.grade(SUITE, "plan").passed
    fork.drop()


print("episodes %f" % (1e6 / each(1000, episode)))


def pytest_cpu(text):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "test_it.py")
        with open(path, "w", encoding="utf-8") as f:
            f.write("import pytest\n@pytest.mark.parametrize('i', range(1500))\n" + text)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "sosia.pytest_plugin", "-p", "no:cacheprovider", path], check=True,
                       stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


print("test %f" % ((pytest_cpu("def test_it(sosia_world, i): pass\n") - pytest_cpu("def test_it(i): pass\n")) / 1500 * 1e6))


def google(http, base=None, kept=True):
    """Inserts by Google's client, with the resource kept or, as most people write it, asked for each time: what gives wall and CPU
    microseconds of one."""
    import googleapiclient.discovery
    import googleapiclient.http
    options = {} if base is None else {"discoveryServiceUrl": base + "/discovery/v1/apis/{api}/{apiVersion}/rest"}
    service = googleapiclient.discovery.build("calendar", "v3", http=http, cache_discovery=False, **options)
    resource = service.events()

    def some(n=100 if kept else 20):
        begin, begun = time.perf_counter(), cpu()
        for _ in range(n):
            (resource if kept else service.events()).insert(calendarId="primary", body={"summary": "x", "start": {"date": "2026-11-25"}, "end": {"date": "2026-11-26"}}).execute()
        return (time.perf_counter() - begin) / n * 1e6, (cpu() - begun) / n * 1e6

    return some


class Bearer:
    """httplib2 with a token."""

    def __init__(self, token):
        import httplib2
        self._http, self._token = httplib2.Http(), token

    def request(self, uri, method="GET", body=None, headers=None, **more):
        return self._http.request(uri, method, body, {**(headers or {}), "Authorization": "Bearer " + self._token}, **more)


from sosia.transports.httplib2 import Http  # noqa: E402
with sosia.Server.start() as server:
    for name, kept in (("google", True), ("google_plain", False)):
        inside = google(Http(world.fork().as_actor("ada@small.example")), kept=kept)
        remote = server.create(fixture="small")
        outside = google(Bearer(remote.as_actor("ada@small.example").token), remote.url, kept)
        # In turns, and the best of each: what else the machine does disturbs some of them.
        turns = [(inside(), outside()) for _ in range(12)]
        least = [[min(t[where][kind] for t in turns) for kind in (0, 1)] for where in (0, 1)]
        print("%s_in %f" % (name, least[0][0]))
        print("%s_wall %f" % (name, least[1][0] / least[0][0]))
        print("%s_cpu %f" % (name, least[1][1] / least[0][1]))
