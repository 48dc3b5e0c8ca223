# SPDX-License-Identifier: Apache-2.0
"""What a world delivers: by iterator, async iterator and callback."""
from __future__ import annotations

import asyncio
import json
import threading

import pytest

import sosia

EVENTS = "/calendar/v3/calendars/primary/events"


@pytest.fixture
def ada(sosia_world):
    return sosia_world.as_actor("ada@small.example")


def watch(ada):
    made = ada.call("POST", EVENTS + "/watch", {"id": "channel-1", "type": "web_hook", "address": "https://app.example/hook"})
    assert made.status == 200, made.text


def insert(ada):
    made = ada.call("POST", EVENTS, {"summary": "Plan", "start": {"date": "2026-11-25"}, "end": {"date": "2026-11-26"}})
    assert made.status == 200, made.text


def states(d):
    return [d.headers.get("X-Goog-Resource-State")]


def test_now(sosia_world, ada):
    with sosia_world.deliveries() as deliveries:
        assert deliveries.now() == []
        watch(ada)
        (sync,) = deliveries.now()
        assert sync.url == "https://app.example/hook" and states(sync) == ["sync"] and sync.attempt == 1
        assert sync.answer(200) is None
        assert deliveries.now() == []
        insert(ada)
        (change,) = deliveries.now()
        assert states(change) == ["exists"]
        change.answer()
        with pytest.raises(sosia.NotFound):
            change.answer()


def test_again_by_the_clock(sosia_world, ada):
    watch(ada)
    with sosia_world.deliveries() as deliveries:
        insert(ada)
        first = deliveries.get(10)
        again = first.answer(503)
        assert again is not None and again > sosia_world.now
        sosia_world.advance(again - sosia_world.now)
        second = deliveries.get(10)
        assert (second.id, second.attempt) == (first.id, 2)
        assert second.fail("no such host") is not None


def test_iterator(sosia_world, ada):
    watch(ada)
    with sosia_world.deliveries() as deliveries:
        for _ in range(3):
            insert(ada)
        seen = []
        for d in deliveries:
            d.answer()
            seen.append(d.id)
            if len(seen) == 3:
                break
        assert seen == sorted(seen)
        threading.Timer(0.05, deliveries.close).start()
        assert list(deliveries) == []  # close() ends it
        with pytest.raises(sosia.Closed):
            deliveries.get(1)


def test_timeout(sosia_world):
    with sosia_world.deliveries() as deliveries, pytest.raises(TimeoutError):
        deliveries.get(0.01)


def test_async_iterator(sosia_world, ada):
    watch(ada)

    async def run():
        seen = []
        with sosia_world.deliveries() as deliveries:
            async def take():
                async for d in deliveries:
                    d.answer()
                    seen.append(d)
                    if len(seen) == 4:
                        return
            task = asyncio.create_task(take())
            for _ in range(4):
                await asyncio.sleep(0)
                insert(ada)
            await asyncio.wait_for(task, 200)
        return seen
    assert len(asyncio.run(run())) == 4


@pytest.mark.sosia(fixture="small")
def test_callback(sosia_world, ada):
    watch(ada)
    done = threading.Semaphore(0)

    def receive(d):
        ada.call("GET", EVENTS)  # the receiver may call the world
        done.release()
        return 202, "taken"
    with sosia_world.deliveries().each(receive):
        for _ in range(5):
            insert(ada)
        for _ in range(5):
            assert done.acquire(timeout=200)


def test_callback_raises(sosia_world, ada):
    watch(ada)
    done = threading.Event()

    def receive(d):
        done.set()
        raise KeyError("no")
    deliveries = sosia_world.deliveries().each(receive)
    insert(ada)
    assert done.wait(200)
    with pytest.raises(KeyError):
        deliveries.close()
    (entry,) = [e for e in sosia_world.outbox() if e.get("delivery", {}).get("status") == 500]
    assert entry["delivery"]["state"] == "waiting"


def test_busy_threads(sosia_engine, sosia_world):
    """Writers in many threads, whose worlds notify while others hold the interpreter."""
    worlds = [sosia_world.fork() for _ in range(4)]
    counts = []

    def work(world):
        ada = world.as_actor("ada@small.example")
        watch(ada)
        seen = []
        with world.deliveries().each(lambda d: seen.append(d.id)):
            for _ in range(25):
                insert(ada)
            for _ in range(20000):
                if len(seen) == 25:
                    break
                threading.Event().wait(0.01)
        counts.append(len(seen))
        world.drop()
    threads = [threading.Thread(target=work, args=(w,)) for w in worlds]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert counts == [25] * 4


def test_dropped_world_and_closed_engine():
    engine = sosia.Engine()
    world = engine.create(fixture="small")
    ada = world.as_actor("ada@small.example")
    deliveries = world.deliveries()
    watch(ada)
    world.drop()
    assert json.dumps(len(deliveries.now())) in ("0", "1")
    engine.close()
    with pytest.raises(StopIteration):
        while True:
            next(deliveries)
