#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Suites of tasks as an environment of OpenEnv: HTTP and WebSocket, one session a fork.

    sosia serve --clock frozen &                     # or none: then one is started
    ./openenv.py --port 8000 --suite ../../suites/office.yaml

    from openenv.core.generic_client import GenericEnvClient
    with GenericEnvClient(base_url=client_url).sync() as env:    # as it was printed: http://localhost:8000/k/KEY
        result = env.reset(task="office/tell-sara", seed=1)
        result = env.step({"method": "GET", "path": "/gmail/v1/users/me/labels"})
        result = env.step({"type": "finish"})        # result.reward, result.done

Each WebSocket has a fork of its own, from its first reset to its end. Requests over HTTP (/reset, /step, /state) share one session; header
X-Session-Id names others. /mcp speaks the Model Context Protocol to a session's world. The tasks are listed by the task API
(/list_environments, /sosia/splits, /sosia/tasks, ...): a split is a suite. A session does not reach the control interface.
"""
import argparse
import asyncio
import itertools
import json
import os
import secrets
import sys
import time

import episode
import siblings
from sosia import loops
import web

NAME = "sosia"
FAULTS = (episode.Invalid, loops.Refused, OSError)
OF_SESSIONS = ("/state", "/reset", "/step", "/mcp")  # paths over HTTP whose session is in one process


def result(observation, reward, done, metadata):
    return {"observation": observation, "reward": reward, "done": done, **({"metadata": metadata} if metadata else {})}


class Session:
    """An episode and the lock by which its calls come one after the other."""

    def __init__(self, front):
        self.episode = episode.Episode(front.sosia, front.named, front.bases, front.max_steps, front.tools, front.episodes)
        self.lock = asyncio.Lock()
        self.used = time.monotonic()

    async def do(self, fn, *args, **named):
        self.used = time.monotonic()
        async with self.lock:
            return await asyncio.get_running_loop().run_in_executor(None, lambda: fn(*args, **named))

    async def reset(self, data):
        known = {k: v for k, v in data.items() if k in ("seed", "episode_id", "task", "reward", "max_steps")}
        return result(await self.do(self.episode.reset, **known), None, False, None)

    async def step(self, action):
        return result(*await self.do(self.episode.step, action))


class Front:
    def __init__(self, server, suites, bases, o, others):
        self.sosia, self.suites, self.max_sessions, self.max_steps, self.idle = server, suites, o.max_sessions, o.max_steps, o.idle
        self.tools, self.others = o.tools, others
        self.named, self.bases, self.sessions, self.numbers = episode.by_name(suites), bases, {}, itertools.count(1)
        self.episodes = itertools.count(others.me + 1, others.n)  # numbers that no other process gives
        self.rows = {
            ("GET", "/health"): lambda r: {"status": "healthy"},
            ("GET", "/metadata"): self.metadata,
            ("GET", "/schema"): lambda r: {"action": episode.ACTION, "observation": episode.OBSERVATION, "state": episode.STATE},
            ("GET", "/state"): self.state,
            ("POST", "/reset"): self.reset,
            ("POST", "/step"): self.step,
            ("POST", "/mcp"): self.mcp,
            ("GET", "/list_environments"): lambda r: [NAME],
            ("GET", "/sosia/splits"): lambda r: [{"name": s.name, "type": "test"} for s in self.suites],
            ("POST", "/sosia/tasks"): lambda r: {"tasks": self.split(r), "env_name": NAME},
            ("POST", "/sosia/num_tasks"): lambda r: {"num_tasks": len(self.split(r))},
            ("POST", "/sosia/task"): self.task,
            ("POST", "/sosia/task_range"): self.task_range,
        }

    # ---- sessions ----

    async def open(self, name):
        """The session; a new one, if it is not there. Where there is no room, one over HTTP that was not used for a while is ended, in
        whatever process."""
        for attempt in range(2):
            if name in self.sessions:
                return self.sessions[name]
            if self.others.take(self.max_sessions):
                self.sessions[name] = Session(self)
                return self.sessions[name]
            if attempt or not await self.make_room():
                raise Full(self.others.used.value, self.max_sessions)

    def oldest(self):
        """Of those here over HTTP that nobody has used for a while: when it was used, its name; None: there is none."""
        return min(((s.used, n) for n, s in self.sessions.items() if n.startswith("http/") and time.monotonic() - s.used >= self.idle),
                   default=None)

    async def make_room(self):
        """Ends the session over HTTP that was not used for the longest time; whether there was one."""
        old = []
        for which in range(self.others.n):
            oldest = self.oldest() if which == self.others.me else await self.others.ask(which, {"oldest": True})
            old += [(*oldest, which)] if oldest else []
        if not old:
            return False
        _, name, which = min(old)
        if which == self.others.me:
            await self.close(name)
        else:
            await self.others.ask(which, {"close": name})
        return True

    async def of_others(self, message):
        """What another process asks: its oldest session, to close one, a message or a request to a session of this process."""
        if "oldest" in message:
            return self.oldest()
        if "close" in message:
            return await self.close(message["close"])
        if "rpc" in message:
            return await self.rpc(message["rpc"], None)
        try:
            return await self.answer(web.Request(message["method"], message["target"], message["headers"], message["body"].encode()))
        except web.Error as e:
            return e.status, e.body

    async def close(self, name):
        session = self.sessions.pop(name, None)
        if session:
            self.others.give_back()
            try:
                await session.do(session.episode.close)
            except FAULTS as e:
                print("openenv: a fork was not dropped: %s" % e, file=sys.stderr)

    async def end(self):
        for name in list(self.sessions):
            await self.close(name)

    @staticmethod
    def named_by(request):
        return "http/" + request.headers.get("x-session-id", "")[:255]

    async def of(self, request):
        return await self.open(self.named_by(request))

    # ---- HTTP ----

    async def answer(self, r):
        handler = self.rows.get((r.method, r.path))
        if not handler:
            there = any(path == r.path for _, path in self.rows)
            raise web.Error(405 if there else 404, {"detail": "Method Not Allowed" if there else "Not Found"})
        name = self.named_by(r)
        if r.path in OF_SESSIONS and (r.path != "/mcp" or "x-session-id" in r.headers) and not self.others.is_mine(name):
            return await self.others.ask(siblings.owner_of(name, self.others.n), {
                "method": r.method, "target": r.target, "headers": r.headers, "body": r.body.decode("utf-8", "replace")})
        try:
            done = handler(r)
            return 200, await done if asyncio.iscoroutine(done) else done
        except episode.Invalid as e:
            raise web.Error(422, {"detail": [{"type": "value_error", "loc": ["body"], "msg": str(e)}]}) from e
        except Full as e:
            raise web.Error(409, {"detail": str(e)}) from e
        except (loops.Refused, OSError) as e:
            raise web.Error(502, {"detail": str(e)}) from e

    def metadata(self, r):
        return {"name": NAME, "description": "Office work over Google Calendar, Gmail, Drive and Slack, in forks of worlds",
                "version": "1", "author": None, "readme_content": __doc__, "documentation_url": None}

    @staticmethod
    def body(r):
        data = r.json()
        if not isinstance(data, dict):
            raise episode.Invalid("the body must be an object")
        return data

    async def state(self, r):
        return (await self.of(r)).episode.state()

    async def reset(self, r):
        data = self.body(r)
        return await (await self.of(r)).reset(data)

    async def step(self, r):
        data = self.body(r)
        if "action" not in data:
            raise episode.Invalid("the body must have an action")
        return await (await self.of(r)).step(data["action"])

    async def mcp(self, r):
        data = self.body(r)
        return await self.rpc(data, await self.of(r) if "x-session-id" in r.headers else None)

    # ---- the task API ----

    def split(self, r):
        """The tasks of the suite that is asked for, as an agent may see them."""
        name = self.body(r).get("split")
        for s in self.suites:
            if s.name == name:
                return [{"task": t.name, "prompt": t.prompt, "difficulty": t.difficulty, "actor": t.actor} for t in s.tasks]
        raise web.Error(404, {"detail": "split must be one of %s, not %.80r" % (", ".join(s.name for s in self.suites), name)})

    def task(self, r):
        index, tasks = self.body(r).get("index"), self.split(r)
        if isinstance(index, bool) or not isinstance(index, int) or not 0 <= index < len(tasks):
            raise web.Error(400, {"detail": "Invalid task index"})
        return {"task": tasks[index]}

    def task_range(self, r):
        data, tasks = self.body(r), self.split(r)
        start, stop = data.get("start"), data.get("stop")
        if any(not (x is None or isinstance(x, int) and x >= 0) for x in (start, stop)):
            raise web.Error(400, {"detail": "Invalid task index"})
        return {"tasks": tasks[start:stop]}

    # ---- MCP ----

    async def rpc(self, message, session):
        """A JSON-RPC message to a session's world, or about sessions."""
        method, params, number = message.get("method"), message.get("params") or {}, message.get("id")
        refuse = lambda code, text: {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": text}}
        if message.get("jsonrpc") != "2.0" or not isinstance(method, str) or not isinstance(params, dict):
            return refuse(-32600, "a message must be a request of JSON-RPC 2.0")
        if method == "openenv/session/create":
            name = "mcp-" + secrets.token_urlsafe(16)
            while not self.others.is_mine("http/" + name):
                name = "mcp-" + secrets.token_urlsafe(16)
            try:
                await (await self.open("http/" + name)).reset({k: v for k, v in params.items() if k != "session_id"})
            except Full as e:
                return refuse(-32000, str(e))
            except FAULTS as e:
                await self.close("http/" + name)
                return refuse(-32602, str(e))
            return {"jsonrpc": "2.0", "id": number, "result": {"session_id": name}}
        name = params.get("session_id")
        if isinstance(name, str) and not self.others.is_mine("http/" + name):
            return await self.others.ask(siblings.owner_of("http/" + name, self.others.n), {"rpc": message})
        if method == "openenv/session/close":
            if "http/%s" % name not in self.sessions:
                return refuse(-32602, "Unknown session_id: %.80s" % name)
            await self.close("http/%s" % name)
            return {"jsonrpc": "2.0", "id": number, "result": {"session_id": name, "closed": True}}
        if name is not None:
            session = self.sessions.get("http/%s" % name)
            message = {**message, "params": {k: v for k, v in params.items() if k != "session_id"}}
        if session is None:
            return refuse(-32602, "Unknown session_id: %.80s" % name if name else "a session_id is needed: openenv/session/create gives one")
        try:
            status, data = await session.do(session.episode.mcp, message)
        except FAULTS as e:
            return refuse(-32603, str(e))
        return data if isinstance(data, dict) else refuse(-32603, "the world answered %d" % status)

    # ---- WebSocket ----

    async def socket(self, ws):
        name = "ws/%d" % next(self.numbers)
        try:
            session = await self.open(name)
        except Full as e:
            await ws.send(fault("CAPACITY_REACHED", str(e), active_sessions=e.active, max_sessions=e.most))
            return
        try:
            while await self.message(ws, session, await ws.receive()):
                pass
        finally:
            await asyncio.shield(self.close(name))

    async def message(self, ws, session, text):
        """Whether another one may follow."""
        try:
            message = json.loads(text)
        except (ValueError, RecursionError) as e:
            await ws.send(fault("INVALID_JSON", "Invalid JSON: %s" % e))
            return True
        kind = message.get("type") if isinstance(message, dict) else None
        data = message.get("data") if isinstance(message, dict) else None
        if kind == "close":
            return False
        try:
            if kind in ("reset", "step", "mcp") and not isinstance({} if kind == "reset" and data is None else data, dict):
                await ws.send(fault("VALIDATION_ERROR", "Invalid message", errors=["data must be an object"]))
            elif kind == "reset":
                await ws.send({"type": "observation", "data": await session.reset(data or {})})
            elif kind == "step":
                await ws.send({"type": "observation", "data": await session.step(data)})
            elif kind == "state":
                await ws.send({"type": "state", "data": session.episode.state()})
            elif kind == "mcp":
                await ws.send({"type": "mcp", "data": await self.rpc(data, session)})
            else:
                await ws.send(fault("UNKNOWN_TYPE", "Unknown message type: %.80s" % kind))
        except episode.Invalid as e:
            await ws.send(fault("VALIDATION_ERROR", str(e), errors=[str(e)]))
        except (loops.Refused, OSError) as e:
            await ws.send(fault("EXECUTION_ERROR", str(e)))
        return True



class Full(Exception):
    def __init__(self, active, most):
        super().__init__("%d of %d sessions are open" % (active, most))
        self.active, self.most = active, most


def fault(code, message, **more):
    return {"type": "error", "data": {"message": message, "code": code, **more}}


def main():
    p = argparse.ArgumentParser(description="Suites of tasks as an environment of OpenEnv")
    web.options(p)
    p.add_argument("--port", type=int, default=8000)
    p.add_argument("--suite", action="append", help="a suite's file; may be repeated (default: those that come with sosia)")
    p.add_argument("--max-sessions", type=int, default=1024)
    p.add_argument("--idle", type=float, default=600, help="seconds after which a session over HTTP makes room (default: 600)")
    p.add_argument("--max-steps", type=int, default=50, help="after which an episode ends (default: 50)")
    p.add_argument("--tools", metavar="SET", help="the set of tools that MCP has (default: the world's own)")
    p.add_argument("--processes", type=int, default=os.cpu_count(), help="how many serve (default: one a core)")
    o = p.parse_args()
    if not 1 <= o.processes <= 1024:
        p.error("--processes must be from 1 to 1024, not %d" % o.processes)
    suites = [loops.Suite(path) for path in o.suite] if o.suite else loops.own_suites()
    key = web.key_of(p, o)
    with loops.Sosia.find(*(("--webhook-deny", str(o.port)) if o.port else ())) as server:
        bases = {}
        for task in (t for s in suites for t in s.tasks):  # once, for all processes
            task.base(server, bases, o.tools)
        server.connection.close()
        listening = siblings.listen(o.host, o.port)
        url = "http://%s:%d" % ("[%s]" % o.host if ":" in o.host else o.host, listening.getsockname()[1])

        def work(others, up):
            front = Front(loops.Sosia(server.url, server.key), suites, bases, o, others)
            serving = web.Server(front.answer, key, {"/ws": front.socket}, o.name, in_path=True, keyless=lambda path: path == "/health")
            asyncio.run(web.run(serving, o.host, None, lambda port: up(), front.end, listening, lambda: others.answer(front.of_others)))

        def ready():
            print(json.dumps({"url": url, "key": key, "client_url": url + "/k/" + key, "sosia": server.url}), flush=True)
        return siblings.run(o.processes, work, ready)


if __name__ == "__main__":
    sys.exit(main())
