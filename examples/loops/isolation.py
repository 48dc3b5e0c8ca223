#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The interface of open evaluators of diffs before sosia: initEnv, startRun, diffRun, evaluateRun, so that their clients work unchanged.

    sosia serve --clock frozen &                     # or none: then one is started
    ./isolation.py --port 8001 --suite my_suite.json

    AgentDiff(base_url="http://localhost:8001", api_key="...").init_env(templateService="slack", templateName="office", ...)

A template is a fixture or the seed of a suite; an environment is a fork of it, which the service's own addresses reach below
/api/env/ID/services/SERVICE. A run begins with a snapshot, and the diff between it and the present is what a test is judged by:
{inserts, updates, deletes} of entities, each with its kind in __table__, or of rows of tables where the suite is about tables. An
environment's id is enough to act in it, as the person for whom it was made; for everything else the front's key is required, which it
prints, as X-API-Key or Authorization: Bearer.
"""
import argparse
import asyncio
import datetime
import itertools
import json
import uuid

from sosia import loops
import web

SERVICES = {"slack": "/api/", "calendar": "/calendar/v3/", "gmail": "/gmail/v1/", "drive": "/drive/v3/"}
NAMESPACE = uuid.UUID("5b0f6f0a-8d0c-5d3c-9a5e-2f6a3c1d7e40")  # of the ids of what is there from the beginning
PASSED_ON = ("content-type", "accept", "if-match", "if-none-match", "range")
BACK = ("Content-Type", "ETag", "Location", "Retry-After", "Content-Range", "Link")


def id_of(*words):
    return str(uuid.uuid5(NAMESPACE, "/".join(words)))


def refuse(status, text):
    return web.Error(status, {"detail": text})


def rows_of(diff):
    """A diff as {inserts, updates, deletes}."""
    out = {"inserts": [], "updates": [], "deletes": []}
    for c in diff["changes"]:
        row = {"__table__": c["entity"], **c.get("key", {})}
        if c["change"] == "changed":
            before, after = dict(row), dict(row)
            for path, change in c["fields"].items():
                before[path], after[path] = change.get("from"), change.get("to")
            out["updates"].append({"__table__": c["entity"], "before": before, "after": after})
        else:
            out["inserts" if c["change"] == "added" else "deletes"].append({**row, **c["value"]})
    return out


def world_of(task):
    """The name of what a task begins in: with a seed of its suite the one that the suite has for it."""
    return task.fixture if task.seed and task.fixture else task.suite.name


def members_of(task):
    """What makes the world in which a task begins."""
    return {"seed_document": task.seed} if task.seed else {"fixture": task.fixture}


class Front:
    def __init__(self, server, suites, fixtures):
        self.sosia, self.bases, self.envs, self.runs = server, {}, {}, {}
        self.dates = dict.fromkeys(("created_at", "updated_at"), datetime.datetime.now(datetime.timezone.utc).isoformat())
        self.numbers = itertools.count(1)
        self.templates = {}  # id -> service, name, the members that make the world, actor
        self.suites = {id_of("suite", s.name): s for s in suites}
        self.tests = {id_of("test", s.name, t.id): t for s in suites for t in s.tasks}
        for name in fixtures:
            self.template("all", name, {"fixture": name}, None)
        for s in suites:
            for name in dict.fromkeys((s.name, *(world_of(t) for t in s.tasks))):
                first = next((t for t in s.tasks if world_of(t) == name), s.tasks[0])
                self.template("all", name, members_of(first), first.actor, s.tables)
        self.rows = {
            ("GET", "health"): lambda r: (200, {"status": "healthy", "service": "sosia"}),
            ("GET", "templates"): lambda r: (200, {"templates": [self.shown(i) for i in self.templates]}),
            ("GET", "testSuites"): lambda r: (200, {"testSuites": [self.suite(i) for i in self.suites]}),
            ("POST", "initEnv"): self.init_env,
            ("POST", "startRun"): self.start_run,
            ("POST", "endRun"): self.evaluate_run,
            ("POST", "evaluateRun"): self.evaluate_run,
            ("POST", "diffRun"): self.diff_run,
            ("POST", "templates/from-environment"): self.template_from,
        }

    async def end(self):
        """Drops what was made; an environment's time may be over."""
        worlds = [*self.envs, *(run["before"] for run in self.runs.values())]
        worlds += [t["members"]["world"] for t in self.templates.values() if "world" in t["members"]]
        for world in worlds:
            try:
                await asyncio.get_running_loop().run_in_executor(None, self.sosia.drop, [world])
            except loops.Refused as e:
                if e.status != 404:
                    raise

    # ---- what is there ----

    def template(self, service, name, members, actor, tables=False):
        """tables: what is done in it is shown as rows of tables."""
        number = id_of("template", service, name)
        self.templates[number] = {"service": service, "name": name, "members": members, "actor": actor, "tables": tables}
        return number

    def shown(self, number):
        t = self.known(self.templates, number, "template")
        return {"id": number, "service": t["service"], "name": t["name"], "description": None}

    def suite(self, number):
        return {"id": number, "name": self.suites[number].name, "description": ""}

    def suite_tests(self, number, expand):
        suite = self.known(self.suites, number, "test suite")
        tests = [self.test(i) for i, t in self.tests.items() if t.suite is suite]
        more = {**self.suite(number), "owner": "", "visibility": "public", **self.dates} if "tests" in expand.split(",") else {}
        return 200, {**more, "tests": tests}

    def test(self, number):
        """expected_output names what it is judged by, which is not shown: who is measured may have the key too."""
        t = self.tests[number]
        return {"id": number, "name": t.id, "prompt": t.prompt, "type": "actionEval", "seed_template": world_of(t),
                "expected_output": {"suite": t.suite.name, "test": t.id}, **self.dates}

    # ---- requests ----

    async def answer(self, r):
        if r.path.startswith("/api/env/"):
            return await self.run(self.service, r)
        if not r.path.startswith("/api/platform/"):
            raise refuse(404, "not found")
        name = r.path[len("/api/platform/"):]
        handler = self.rows.get((r.method, name)) or self.one(r.method, name.split("/"))
        return await self.run(handler, r)

    @staticmethod
    async def run(handler, r):
        try:
            return await asyncio.get_running_loop().run_in_executor(None, handler, r)
        except loops.Refused as e:
            raise refuse(e.status if e.status in (400, 404, 409) else 502, str(e)) from e
        except OSError as e:
            raise refuse(502, str(e)) from e

    def one(self, method, parts):
        """Of a path with an id."""
        kind, number = parts if len(parts) == 2 else (None, None)
        if (method, kind) == ("GET", "templates"):
            return lambda r: (200, {**self.shown(number), "version": "v1", "schemaName": self.templates[number]["name"]})
        if (method, kind) == ("GET", "testSuites"):
            return lambda r: self.suite_tests(number, r.query.get("expand", ""))
        if (method, kind) == ("GET", "tests"):
            return lambda r: (200, self.known(self.tests, number, "test") and self.test(number))
        if (method, kind) == ("GET", "results"):
            return lambda r: self.results(number)
        if (method, kind) == ("DELETE", "env"):
            return lambda r: self.delete(number)
        raise refuse(404, "not found")

    @staticmethod
    def known(there, number, what):
        if not isinstance(number, str) or number not in there:
            raise refuse(404, "%s not found" % what)
        return there[number]

    @staticmethod
    def body(r):
        data = r.json()
        if not isinstance(data, dict):
            raise refuse(400, "the body must be an object")
        return data

    # ---- environments ----

    def template_for(self, b):
        """The template and service that a body of initEnv selects."""
        if b.get("testId"):
            test = self.known(self.tests, b["testId"], "test")
            template = {"name": world_of(test), "members": members_of(test), "actor": test.actor, "tables": test.suite.tables}
            return template, b.get("templateService") or "all", test.actor
        if b.get("templateId"):
            t = self.known(self.templates, b["templateId"], "template")
            return t, b.get("templateService") or t["service"], None
        name = b.get("templateName") or b.get("templateSchema")
        if not isinstance(name, str):
            raise refuse(400, "one of testId, templateId, templateName and templateSchema must be given")
        for t in self.templates.values():
            if t["name"] == name and b.get("templateService") in (None, "all", t["service"]) or \
                    t["name"] == name and t["service"] == "all":
                return t, b.get("templateService") or t["service"], None
        raise refuse(404, "template not found")

    def actor_of(self, world, b, otherwise):
        """Whom the agent is: an address, an account's id of a service, else the template's."""
        email, user = b.get("impersonateEmail"), b.get("impersonateUserId")
        if email:
            return email
        if user:
            dump = self.sosia.control("GET", "/worlds/%s/dump" % world)
            known = [m for w in dump.get("workspaces", []) for m in w.get("members", [])] + dump.get("accounts", [])
            for m in known:
                if m.get("id") == user:
                    return m["actor"]
            raise refuse(400, "impersonateUserId must be a member of a workspace or an account's id, not %.80r" % (user,))
        return otherwise or self.sosia.control("GET", "/worlds/%s/actors" % world)["actors"][0]["email"]

    def init_env(self, r):
        b = self.body(r)
        t, service, actor = self.template_for(b)
        if service != "all" and service not in SERVICES:
            raise refuse(400, "templateService must be one of %s, not %.80r" % (", ".join(SERVICES), service))
        ttl = b.get("ttlSeconds") or 1800
        if isinstance(ttl, bool) or not isinstance(ttl, int) or not 1 <= ttl <= 86400:
            raise refuse(400, "ttlSeconds must be a number from 1 to 86400, not %.80r" % (ttl,))
        known = json.dumps(t["members"], sort_keys=True)
        if known not in self.bases:
            self.bases[known] = t["members"].get("world") or self.sosia.create(clock="frozen", **t["members"])
        base = self.bases[known]
        world = self.sosia.fork(base, self.actor_of(base, b, actor or t["actor"]))
        self.sosia.control("PUT", "/worlds/%s/ttl" % world.key, {"seconds": ttl})
        self.envs[world.key] = {"world": world, "service": service, "test": b.get("testId"), "tables": t["tables"]}
        expires = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=ttl)
        return 201, {"environmentId": world.key, "templateSchema": t["name"], "schemaName": "state_" + world.key, "service": service,
                     "environmentUrl": "/api/env/%s/services/%s/" % (world.key, service), "expiresAt": expires.isoformat()}

    def delete(self, number):
        self.known(self.envs, number, "environment")
        del self.envs[number]
        try:
            self.sosia.drop([number])
        except loops.Refused as e:
            if e.status != 404:  # its time may be over
                raise
        return 200, {"environmentId": number, "status": "deleted"}

    def template_from(self, r):
        b = self.body(r)
        env = self.known(self.envs, b.get("environmentId"), "environment")
        name = b.get("name")
        if not isinstance(name, str) or not name:
            raise refuse(400, "name must be given")
        world = self.sosia.control("POST", "/worlds/%s/snapshot" % env["world"].key, {})["world"]
        number = self.template(b.get("service") or env["service"], name, {"world": world}, env["world"].actor, env["tables"])
        return 201, {"templateId": number, "templateName": name, "service": self.templates[number]["service"]}

    def service(self, r):
        """A call of the agent, to the service's own address."""
        parts = r.path.split("/", 6)  # "", api, env, ID, services, SERVICE, the rest
        if len(parts) < 7 or parts[4] != "services" or parts[5] not in (*SERVICES, "all"):
            raise refuse(404, "not found")
        env = self.known(self.envs, parts[3], "environment")
        rest = r.target[len("/".join(parts[:6])) + 1:]
        if parts[5] != "all" and not rest.startswith(SERVICES[parts[5]][1:]):
            rest = SERVICES[parts[5]][1:] + rest
        world = env["world"]
        headers = {k: v for k, v in r.headers.items() if k in PASSED_ON}
        a = self.sosia.connection.request(r.method, world.path + "/" + rest, r.body or None,
                                      {**headers, "Authorization": "Bearer " + world.token})
        return a.status, a.raw, {k: a.headers[k] for k in BACK if k in a.headers}

    # ---- runs ----

    def start_run(self, r):
        b = self.body(r)
        env = self.known(self.envs, b.get("envId"), "environment")
        test = b.get("testId") or env["test"]
        if test is not None:
            self.known(self.tests, test, "test")
        before = self.sosia.control("POST", "/worlds/%s/snapshot" % env["world"].key, {})["world"]
        number = id_of("run", env["world"].key, str(next(self.numbers)))
        self.runs[number] = {"env": env, "test": test, "before": before, "status": "running", "result": None, "diff": None,
                             "created": datetime.datetime.now(datetime.timezone.utc).isoformat()}
        return 201, {"runId": number, "status": "running", "beforeSnapshot": before}

    def rows_since(self, env, before):
        """What was done: rows of tables where the environment was made for a suite about them, else of entities."""
        if env["tables"]:
            return self.sosia.diff(env["world"].key, before, "tables")
        return rows_of(self.sosia.diff(env["world"].key, before))

    def diff_run(self, r):
        b = self.body(r)
        if b.get("runId"):
            run = self.known(self.runs, b["runId"], "run")
            env, before = run["env"], run["before"]
        else:
            env, before = self.known(self.envs, b.get("envId"), "environment"), b.get("beforeSuffix")
            if not any(run["env"] is env and run["before"] == before for run in self.runs.values()):
                raise refuse(400, "runId, or envId and the beforeSnapshot of one of its runs as beforeSuffix, must be given")
        diff = self.rows_since(env, before)
        return 200, {"beforeSnapshot": before, "afterSnapshot": env["world"].key, "diff": diff}

    def evaluate_run(self, r):
        number = self.body(r).get("runId")
        run = self.known(self.runs, number, "run")
        if not run["test"]:
            raise refuse(400, "the run must have been started with a testId")
        task, world = self.tests[run["test"]], run["env"]["world"].key
        graded = self.sosia.control("POST", "/worlds/grade", {"suite": task.suite.text, "task": task.id, "worlds": [world],
                                                             "from": run["before"]})["results"][0]
        run["diff"] = self.rows_since(run["env"], run["before"])
        run["result"], run["status"] = graded, "passed" if graded["passed"] else "failed"
        return 200, {"runId": number, "status": run["status"], "passed": graded["passed"], "score": graded["score"]}

    def results(self, number):
        run = self.known(self.runs, number, "run")
        graded = run["result"] or {"passed": False, "score": None, "failures": []}
        return 200, {"runId": number, "status": run["status"], "passed": graded["passed"], "score": graded["score"],
                     "failures": graded["failures"], "diff": run["diff"], "createdAt": run["created"]}


def main():
    p = argparse.ArgumentParser(description="initEnv, startRun, diffRun and evaluateRun before sosia")
    web.options(p)
    p.add_argument("--port", type=int, default=8001)
    p.add_argument("--suite", action="append", help="a suite's file; may be repeated (default: those that come with sosia)")
    p.add_argument("--fixture", action="append", help="may be repeated (default: office and small)")
    o = p.parse_args()
    suites = [loops.Suite(path) for path in o.suite] if o.suite else loops.own_suites()
    key = web.key_of(p, o)
    with loops.Sosia.find(*(("--webhook-deny", str(o.port)) if o.port else ())) as server:
        front = Front(server, suites, o.fixture or ["office", "small"])
        ready = lambda port: print(json.dumps({"url": "http://%s:%d" % (o.host, port), "key": key, "sosia": server.url}), flush=True)
        web_server = web.Server(front.answer, key, names=o.name, keyless=lambda path: path.startswith("/api/env/"))
        asyncio.run(web.run(web_server, o.host, o.port, ready, front.end))


if __name__ == "__main__":
    main()
