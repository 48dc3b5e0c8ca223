# SPDX-License-Identifier: Apache-2.0
"""What must be an exception and never a crash: wrong arguments, closed engines, foreign threads and processes, signals, sizes."""
from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

import sosia
from sosia import _sosia

EVENTS = "/calendar/v3/calendars/primary/events"
FULL = bool(os.environ.get("SOSIA_FULL"))


@pytest.fixture
def ada(sosia_world):
    return sosia_world.as_actor("ada@small.example")


WRONG = [
    lambda w: w.call(None, "/"), lambda w: w.call("GET", None), lambda w: w.call("GET", b"/"), lambda w: w.call("G\0ET", "/"),
    lambda w: w.call("GET", "/\0"), lambda w: w.call("GET", "/\ud800"), lambda w: w.call("GET", "/", headers={"a": 1}),
    lambda w: w.call("GET", "/", headers=[("a",)]), lambda w: w.call("GET", "/", headers=[("a", "b\0")]),
    lambda w: w.call("GET", "/", headers=[("a", "b")] * 1001), lambda w: w.call("POST", "/", 7), lambda w: w.call("POST", "/", {1, 2}),
    lambda w: w.call("POST", "/", "\ud800"), lambda w: w.call("POST", "/", {"a": object()}), lambda w: w.call("GET", "/", token=7),
    lambda w: w.token("a\0"), lambda w: w.token(None), lambda w: w.fork(seed=-1), lambda w: w.fork(seed=1 << 64), lambda w: w.fork(at="1"),
    lambda w: w.fork(name=7), lambda w: w.fork(name="x\0y"), lambda w: w.fork(now="2026"), lambda w: w.fork(now=7),
    lambda w: w.fork(now="2026-11-23T09:00:00"), lambda w: w.advance("1"), lambda w: w.advance(float("nan")), lambda w: w.advance(True),
    lambda w: w.advance(1 << 80), lambda w: w.seed(7), lambda w: w.seed("\ud800"), lambda w: w.journal(after=1 << 70),
    lambda w: w.journal_export("xml"), lambda w: w.clock("x"), lambda w: w.diff_as("x"), lambda w: w.export("a\0b"),
    lambda w: w.grade("suite"), lambda w: w.grade(None), lambda w: sosia.Suite(b"\xff"), lambda w: sosia.Suite("\ud800"),
    lambda w: sosia.Engine(7), lambda w: sosia.Engine(max_size=-1), lambda w: sosia.Engine(journal="x"),
    lambda w: _sosia.Engine(), lambda w: _sosia.Answer(), lambda w: _sosia.Answer("x", [], b""), lambda w: _sosia.Answer(200, 7, b""),
    lambda w: _sosia.Answer(200, [], "text"), lambda w: _sosia.set_answer_type(int), lambda w: _sosia.set_answer_type(7),
    lambda w: w.home.engine.call(), lambda w: w.home.engine.call(1, "GET", "/", [], None, None),
    lambda w: w.home.engine.call("1", "GET", "/", None, None, None), lambda w: w.home.engine.call(-1, "GET", "/", None, None, None),
    lambda w: w.home.engine.call(1, "GET", "/", None, "text", None), lambda w: w.home.engine.grade(1, 2, 3, 4, 5, 6, 7),
    lambda w: w.exchange("GET", "http://[")]


@pytest.mark.parametrize("i", range(len(WRONG)))
def test_wrong_arguments(sosia_world, i):
    before = sosia_world.hash()
    with pytest.raises((TypeError, ValueError, OverflowError, AttributeError, sosia.Error)):
        WRONG[i](sosia_world)
    assert sosia_world.hash() == before


@pytest.mark.parametrize("step", [-1, -(1 << 40), 1 << 40])
def test_steps_that_are_none(sosia_world, step):
    for use in (lambda: sosia_world.fork(at=step), lambda: sosia_world.reset(step=step)):
        with pytest.raises(sosia.NotFound, match="step"):
            use()


@pytest.mark.parametrize("header", [("a\n", "b"), ("a", "b\r\nc: d"), ("a", "b\n")])
def test_headers_with_line_breaks(ada, header):
    with pytest.raises(ValueError, match="line break"):
        ada.call("GET", EVENTS, headers=[header])
    with sosia.Server.start("--fixture", "small") as server, server.create(fixture="small") as world:
        with pytest.raises(ValueError, match="line break"):
            world.call("GET", EVENTS, headers=[header])


def test_answers_without_init():
    bare = sosia.Answer.__new__(sosia.Answer)
    assert (bare.status, bare.body, bare.fields, bare.why) == (0, b"", [], None)
    looped = sosia.Answer(200, [], b"")
    looped.fields.append((looped, looped))  # a circle
    del looped
    gc.collect()


def test_closed():
    engine = sosia.Engine()
    world = engine.create(fixture="small")
    ada = world.as_actor("ada@small.example")
    answer = ada.call("GET", EVENTS)
    engine.close()
    engine.close()
    assert engine.closed
    for use in (world.fork, world.dump, world.info, world.drop, world.diff, engine.worlds, lambda: ada.call("GET", "/"),
                lambda: world.call("GET", "/"), lambda: world.advance(1), engine.create, world.deliveries):
        with pytest.raises(sosia.Closed):
            use()
    assert answer.data["items"] and answer.headers["content-type"]


def test_close_while_called(sosia_world):
    """A call in another thread keeps its engine open."""
    engine = sosia.Engine()
    world = engine.create(fixture="office")
    stop, seen = threading.Event(), []

    def work():
        while not stop.is_set():
            world.dump()
    thread = threading.Thread(target=work)
    thread.start()
    for _ in range(100):
        try:
            engine.close()
            break
        except sosia.Conflict as e:
            seen.append(e.reason)
            if len(seen) == 3:
                stop.set()
                thread.join()
    stop.set()
    thread.join()
    assert not engine.closed or not seen or set(seen) == {"engineBusy"}
    if not engine.closed:
        engine.close()


def test_a_foreign_world(sosia_world):
    with sosia.Engine() as other, other.create(fixture="small") as world:
        alien = sosia.World(world.home, 12345)
        for use in (alien.fork, alien.dump, alien.info, alien.drop, alien.diff, lambda: alien.token("ada@small.example")):
            with pytest.raises(sosia.NotFound):
                use()
        assert alien.call("GET", EVENTS).status == 404


def test_threads(sosia_engine):
    base = sosia_engine.create(fixture="small")
    wrong = []

    def work(shared):
        try:
            world = base if shared else base.fork()
            ada = world.as_actor("ada@small.example")
            for i in range(60):
                made = ada.call("POST", EVENTS, {"summary": "x", "start": {"date": "2026-11-25"}, "end": {"date": "2026-11-26"}})
                assert made.status == 200
                ada.call("GET", EVENTS)
                if i % 20 == 0:
                    world.dump()
                    world.diff()
                    world.fork().drop()
            if not shared:
                assert len(world.diff()) == 60
                world.drop()
        except BaseException as e:
            wrong.append(e)
    threads = [threading.Thread(target=work, args=(i % 2 == 0,)) for i in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong and len(base.diff()) == 240
    base.drop()


def in_child(work):
    """Runs it in a child of a fork; gives the status."""
    pid = os.fork()
    if pid == 0:
        status = 9
        try:
            status = work()
        finally:
            os._exit(status)
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status)


def test_fork(sosia_world, ada):
    def child():
        for use in (sosia_world.info, sosia_world.dump, lambda: ada.call("GET", EVENTS), sosia_world.fork):
            try:
                use()
                return 1
            except sosia.Closed as e:
                if "forked" not in str(e):
                    return 2
        sosia_world.home.close()  # the parent's engine stays
        with sosia.Engine() as engine, engine.create(fixture="small") as world:  # one of its own
            return 0 if world.as_actor("ada@small.example").call("GET", EVENTS).status == 200 else 3
    assert in_child(child) == 0
    assert ada.call("GET", EVENTS).status == 200


def test_what_was_given_out_is_closed_in_a_fork(ada):
    """A stream and a spool of the parent's give nothing in a child, whatever it does with them, and go on in the parent."""
    world, body = ada.world, b"x" * 300_000
    made = ada.call("POST", "/upload/drive/v3/files?uploadType=media", body, headers={"Content-Type": "application/x-thing"})
    stream = ada.stream("GET", "/drive/v3/files/%s?alt=media" % made.data["id"])
    spool = world._home.spool(world._ref, "POST", "/upload/drive/v3/files?uploadType=media", ())
    first = next(stream)

    def child():
        inner = stream._pieces
        try:
            inner.take()
            return 1
        except sosia.Closed:
            pass
        inner.close()
        if inner.take() is not None:
            return 2
        for _ in range(2):
            try:
                spool.write(b"x")
                return 3
            except sosia.Closed:
                spool.close()
        return 0
    assert in_child(child) == 0
    spool.write(b"x")
    spool.close()
    assert first + b"".join(stream) == body


def test_fork_amid_calls(sosia_engine):
    """Other threads are in the engine while the process forks."""
    base, stop = sosia_engine.create(fixture="small"), threading.Event()

    def work():
        world = base.fork()
        ada = world.as_actor("ada@small.example")
        while not stop.is_set():
            ada.call("GET", EVENTS)
            world.dump()
        world.drop()

    def child():
        try:
            base.dump()
            return 1
        except sosia.Closed:
            pass
        with sosia.Engine() as engine, engine.create(fixture="small") as world:
            return 0 if world.dump() else 2
    threads = [threading.Thread(target=work) for _ in range(3)]
    for t in threads:
        t.start()
    try:
        assert [in_child(child) for _ in range(5)] == [0] * 5
    finally:
        stop.set()
        for t in threads:
            t.join()
        base.drop()


FORKS_AMID = '''
import os, signal, threading
import sosia
engine = sosia.Engine()
world = engine.create({"sosia": 1, "time": "2026-11-23T09:00:00", "people": [{"email": "a@x.example"}]})
children = []
def fork(*unused):
    children.append(os.fork())
    if children[-1] == 0:
        signal.alarm(20)  # should it hang
signal.signal(signal.SIGUSR1, fork)
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGUSR1)).start()
threading.Timer(1, signal.raise_signal, (signal.SIGINT,)).start()
try:
    world.seed({"sosia": 1, "people": [{"email": "b%d@x.example" % i} for i in range(60000)]})
except KeyboardInterrupt:
    assert children and children[-1], children
    _, status = os.waitpid(children[-1], 0)
    print("the child ended with", os.waitstatus_to_exitcode(status))
except sosia.Closed as e:
    os._exit(7 if children[-1] == 0 and "forked" in str(e) else 8)
'''


def test_handler_forks_amid_a_call():
    """The child of a handler that forks while a call is under way: the call is the parent's."""
    made = subprocess.run([sys.executable, "-c", FORKS_AMID], stdout=subprocess.PIPE, text=True, timeout=500, check=True)
    assert made.stdout == "the child ended with 7\n"


def spawned(name):
    with sosia.Engine() as engine, engine.create(fixture="small") as world:
        return world.as_actor(name).call("GET", EVENTS).status


def test_spawn():
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(spawned, ["ada@small.example"]) == [200]


SLOW = '''
import signal, sys, threading, os, time
import sosia
engine = sosia.Engine()
world = engine.create(fixture="office")
world.call("GET", "/")  # what is due happens with the first call
before = world.hash()
def stop():
    time.sleep(%s)
    os.kill(os.getpid(), signal.SIGINT)
start = time.monotonic()
try:
    threading.Thread(target=stop).start()
    while time.monotonic() - start < 400: # it is interrupted long before
        %s
    print("not interrupted")
except KeyboardInterrupt:
    print("interrupted after %%.2f" %% (time.monotonic() - start), world.hash() == before)
'''


LONG = '''
import os, signal, threading, time
import sosia
engine = sosia.Engine()
world = engine.create({"sosia": 1, "time": "2026-11-23T09:00:00", "people": [{"email": "a%d@x.example" % i} for i in range(10)]})
before, start = world.hash(), world.now
document = {"sosia": 1, "people": [{"email": "b%d@x.example" % i} for i in range(60000)]}
began = time.monotonic()
try:
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    world.seed(document)
    print("not interrupted", time.monotonic() - began)
except KeyboardInterrupt:
    print("interrupted after %.2f" % (time.monotonic() - began), world.hash() == before)
print(len(world.actors()))
'''


def test_control_c_ends_a_long_call():
    """One call: it is ended, and the world is as it was."""
    made = subprocess.run([sys.executable, "-c", LONG], stdout=subprocess.PIPE, text=True, timeout=500, check=True)
    assert made.stdout.startswith("interrupted") and made.stdout.endswith("True\n10\n"), made.stdout


@pytest.mark.parametrize("work", ["world.dump()", "world.call('GET', '/')", "world.fork().drop()", "world.diff(all=True)",
                                  "world.clock('frozen'); world.hash()"])
def test_control_c(work):
    made = subprocess.run([sys.executable, "-c", SLOW % (0.3, work)], stdout=subprocess.PIPE, text=True, timeout=500, check=True)
    assert made.stdout.startswith("interrupted") and made.stdout.endswith("True\n"), made.stdout


def test_handlers_run_in_long_calls(sosia_world):
    """A handler that doesn't raise ends nothing."""
    seen = []
    old = signal.signal(signal.SIGUSR1, lambda *a: seen.append(1))
    try:
        threading.Timer(0.02, os.kill, (os.getpid(), signal.SIGUSR1)).start()
        until = time.monotonic() + 500
        while not seen and time.monotonic() < until:
            assert sosia_world.dump()
        assert seen
    finally:
        signal.signal(signal.SIGUSR1, old)


def test_large_bodies(ada):
    huge = b"x" * (70 << 20)
    before = ada.world.hash()
    with pytest.raises(sosia.TooLarge):
        ada.call("POST", EVENTS, huge, headers={"Content-Type": "application/json"})
    assert ada.world.hash() == before
    blob = os.urandom(1 << 20) * 3
    made = ada.call("POST", "/upload/drive/v3/files?uploadType=media", blob, headers={"Content-Type": "application/octet-stream"})
    assert ada.call("GET", "/drive/v3/files/%s?alt=media" % made.data["id"]).body == blob


@pytest.mark.skipif(not FULL, reason="takes 4 GB: SOSIA_FULL")
def test_two_gigabytes(ada):
    with pytest.raises(sosia.TooLarge):
        ada.call("POST", EVENTS, b"x" * (2 << 30), headers={"Content-Type": "application/json"})


def rss():
    with open("/proc/self/statm", encoding="ascii") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def grows(work, n):
    """Bytes that n more rounds took, behind as many that warm up."""
    for _ in range(n // 4):
        work()
    gc.collect()
    before = rss()
    for _ in range(n):
        work()
    gc.collect()
    return rss() - before


def test_no_growth(sosia_world, ada):
    """Forks and drops, calls, refusals, exceptions: memory stays as it is."""
    many = 100000 if FULL else 20000
    assert grows(lambda: sosia_world.fork().drop(), many) < 2 << 20
    assert grows(lambda: ada.call("GET", EVENTS).fields, many // 4) < 2 << 20

    def refused():
        try:
            sosia_world.home.find("nothing")
        except sosia.NotFound:
            pass
    assert grows(refused, many // 4) < 2 << 20
    assert grows(lambda: (sosia_world.diff(), sosia_world.journal(), sosia_world.actors()), many // 20) < 2 << 20

    def whole():
        with sosia.Engine() as engine:
            engine.create(fixture="small")
    assert grows(whole, 40) < 8 << 20


def test_references():
    """What the extension's functions give is nobody's else."""
    with sosia.Engine() as engine, engine.create(fixture="small") as world:
        answer = world.call("GET", EVENTS)
        assert sys.getrefcount(answer) == 2
        body = answer.body
        assert sys.getrefcount(body) == 3  # the answer's, too
        before = sys.gettotalrefcount() if hasattr(sys, "gettotalrefcount") else sys.getrefcount(None)
        for _ in range(1000):
            world.call("GET", EVENTS).why
            world.reset()
        assert abs((sys.gettotalrefcount() if hasattr(sys, "gettotalrefcount") else sys.getrefcount(None)) - before) < 100


ANYWHERE = '''
import os, signal, threading, time
import sosia
engine = sosia.Engine()
world = engine.create(fixture="office")
world.call("GET", "/")
before, n = world.hash(), 0
for i in range(150):
    try:
        threading.Timer(0.001 + i % 29 / 1000, os.kill, (os.getpid(), signal.SIGINT)).start()
        while True:
            world.hash()
    except KeyboardInterrupt:
        n += 1
print(n, world.hash() == before)
'''


def test_interrupted_anywhere():
    """At many places of a dump's work: none of them leaves something half done."""
    made = subprocess.run([sys.executable, "-c", ANYWHERE], stdout=subprocess.PIPE, text=True, timeout=500, check=True)
    assert made.stdout == "150 True\n"
