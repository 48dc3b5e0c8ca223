# SPDX-License-Identifier: Apache-2.0
"""Processes that serve one port together, as many as there are cores.

All accept connections of the same listening socket, so that whoever is free takes the next one. What belongs to one of them, such as a
session over HTTP, is asked of it by a Unix socket in a directory that only this user can enter: a message is a length and JSON.
"""
import asyncio
import json
import multiprocessing
import multiprocessing.connection
import os
import signal
import socket
import sys
import tempfile
import zlib

MAX_MESSAGE = 64 << 20
FORK = multiprocessing.get_context("fork")


def owner_of(name, n):
    """Which of n processes has what is called so."""
    return zlib.crc32(name.encode("utf-8", "replace")) % n


class Siblings:
    """What one process, `me` of n, knows of all; `used` counts in all of them together."""

    def __init__(self, me, n, where, used):
        self.me, self.n, self.where, self.used, self.server = me, n, where, used, None

    def path(self, which):
        return os.path.join(self.where, str(which))

    def is_mine(self, name):
        return owner_of(name, self.n) == self.me

    def take(self, most):
        """One more, if there are fewer than most."""
        with self.used.get_lock():
            if self.used.value >= most:
                return False
            self.used.value += 1
            return True

    def give_back(self):
        with self.used.get_lock():
            self.used.value -= 1

    async def answer(self, handler):
        """Begins to answer the others: `await handler(message)` gives JSON."""
        async def serve(reader, writer):
            try:
                await send(writer, await handler(await receive(reader)))
            except (ConnectionError, asyncio.IncompleteReadError, ValueError):
                pass
            finally:
                writer.close()
        self.server = await asyncio.start_unix_server(serve, self.path(self.me), backlog=4096)

    async def ask(self, which, message):
        reader, writer = await asyncio.open_unix_connection(self.path(which))
        try:
            await send(writer, message)
            return await receive(reader)
        finally:
            writer.close()


async def send(writer, value):
    data = json.dumps(value).encode()
    writer.write(len(data).to_bytes(4, "big") + data)
    await writer.drain()


async def receive(reader):
    n = int.from_bytes(await reader.readexactly(4), "big")
    if n > MAX_MESSAGE:
        raise ValueError("a message must have %d bytes at most, not %d" % (MAX_MESSAGE, n))
    return json.loads(await reader.readexactly(n))


def listen(host, port):
    """A socket that all processes accept on."""
    s = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.bind((host, port))
    s.listen(4096)
    return s


def run(n, work, ready):
    """Runs work(siblings, up) in n processes, each of which calls up() when it serves, and ready() when all do. Ends with SIGINT or
    SIGTERM, or when one of them ends; gives the exit code."""
    with tempfile.TemporaryDirectory(prefix="siblings-") as where:
        used, ups = FORK.Value("i", 0), FORK.Semaphore(0)
        processes = [FORK.Process(target=work, args=(Siblings(i, n, where, used), ups.release)) for i in range(n)]

        stopped = []

        def stop(*unused):
            if stopped:
                return  # a second signal would meet a process that has no handler any more
            stopped.append(True)
            for p in processes:
                if p.is_alive():
                    p.terminate()
        for p in processes:
            p.start()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, stop)
        missing = n
        while missing and all(p.is_alive() for p in processes):
            missing -= ups.acquire(timeout=0.1)
        if not missing:
            ready()
        multiprocessing.connection.wait([p.sentinel for p in processes])
        stop()
        for p in processes:
            p.join()
        bad = [p.exitcode for p in processes if p.exitcode]
        if bad:
            print("a process ended with %d" % bad[0], file=sys.stderr)
        return 1 if bad or missing else 0
