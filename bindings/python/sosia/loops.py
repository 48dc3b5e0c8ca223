# SPDX-License-Identifier: Apache-2.0
"""What loops of many attempts are made of: groups of forks, suites with reference actions, grades in one request. The programs of
examples/loops use it.

Python 3.9 or later; unlike the rest of the package it needs no extension.
"""
import atexit
import base64
import json
import os
import re
import signal
import subprocess
import threading
from urllib.parse import quote

from . import connection

BINARY = os.environ.get("SOSIA") or os.environ.get("SOSIA_BIN") or "sosia"
PATIENCE = connection.PATIENCE
CALLS = 100  # that one request takes


class Refused(Exception):
    """The control interface said no; status and the error's members are kept."""

    def __init__(self, status, error):
        super().__init__("%d: %s" % (status, error.get("message", error)))
        self.status, self.error = status, error


class Answer:
    """Of one call: its status, header fields and bytes; data is what they say if they are JSON, else their text."""

    def __init__(self, status, headers, raw):
        self.status, self.headers, self.raw = status, headers, raw

    @property
    def data(self):
        try:
            return json.loads(self.raw) if self.raw else None
        except ValueError:
            return self.raw.decode("utf-8", "replace")


class Connection(connection.Connection):
    """Requests to one server, whose responses are Answers."""

    def request(self, method, target, body=None, headers=None):
        status, fields, raw = self.ask(method, target, body, list((headers or {}).items()))
        return Answer(status, dict(fields), raw)


class Sosia:
    """The control interface of a server: the one at SOSIA_URL with SOSIA_CONTROL_KEY, or start()'s."""

    def __init__(self, url=None, key=None, process=None):
        self.url = (url or os.environ["SOSIA_URL"]).rstrip("/")
        self.key = key or os.environ["SOSIA_CONTROL_KEY"]
        self.process = process
        self.connection = Connection(self.url)
        self.made = []  # worlds, to be dropped at the end

    @classmethod
    def start(cls, *options):
        """Starts `sosia serve` on a free port; options: more of its arguments."""
        clean = {k: v for k, v in os.environ.items() if not k.startswith("SOSIA_")}
        process = subprocess.Popen([BINARY, "serve", "--port", "0", "--json", "--clock", "frozen", *options], env=clean,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        atexit.register(process.terminate)  # of a program that an error ends, too
        line = process.stdout.readline()
        if not line:
            raise RuntimeError("%s serve did not start: status %s" % (BINARY, process.wait()))
        info = json.loads(line)
        return cls(info["url"], info["control_key"], process)

    @classmethod
    def find(cls, *options):
        """The server that the environment names, else one of our own, started with these options."""
        return cls() if os.environ.get("SOSIA_URL") else cls.start(*options)

    def close(self):
        """Ends a server that start() has started; of another one the worlds that were created go, forks are their makers'."""
        if not self.process:
            for world in self.made:
                try:
                    self.drop([world])
                except Refused as e:
                    if e.status != 404:
                        raise
        self.made = []
        self.connection.close()
        if self.process:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(PATIENCE)
            atexit.unregister(self.process.terminate)
            self.process.stdout.close()
            self.process = None

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()

    def control(self, method, path, body=None):
        answer = self.connection.request(method, "/_sosia/v1" + path, None if body is None else json.dumps(body),
                                     {"Authorization": "Bearer " + self.key, "Content-Type": "application/json"})
        if answer.status >= 300:
            data = answer.data
            raise Refused(answer.status, data["error"] if isinstance(data, dict) and "error" in data else {"message": data})
        return answer.data

    def put_policy(self, world, text):
        """Sets a policy (docs/guardrails.md), which is the text of a YAML or JSON document."""
        answer = self.connection.request("POST", "/_sosia/v1/worlds/%s/policies" % quote(world), text.encode(),
                                         {"Authorization": "Bearer " + self.key, "Content-Type": "application/yaml"})
        if answer.status >= 300:
            raise Refused(answer.status, answer.data["error"])
        return answer.data

    def raw(self, method, path):
        """The bytes of a file that the control interface gives."""
        answer = self.connection.request(method, "/_sosia/v1" + path, None, {"Authorization": "Bearer " + self.key})
        if answer.status >= 300:
            data = answer.data
            raise Refused(answer.status, data["error"] if isinstance(data, dict) and "error" in data else {"message": data})
        return answer.raw

    # Worlds are named by their keys, forks too. All are evaluations: nothing leaves them, nobody gets in, and every call is in the journal.

    def create(self, **members):
        """seed_document, fixture, name, clock, seed, ttl_seconds: as worlds.create takes them; gives the key."""
        self.made.append(self.control("POST", "/worlds", {"evaluation": True, **members})["world"])
        return self.made[-1]

    def fork(self, world, actor, **members):
        """One World in which actor acts."""
        made = self.control("POST", "/worlds/%s/fork" % quote(world), {"actors": [actor], "evaluation": True, **members})
        return World(self, made["world"], actor, made["tokens"][0]["token"])

    def fork_many(self, world, actor, count, **members):
        """count of them, in one request."""
        made = self.control("POST", "/worlds/%s/fork" % quote(world), {"actors": [actor], "count": count, "evaluation": True,
                                                                        **members})
        return [World(self, t["world"], actor, t["token"]) for t in made["tokens"]]

    def grade(self, suite, task, worlds, then="keep", answers=None, judgements=None):
        """The results for worlds (keys), in their order, in one request. suite: the text of its file; then: "reset" or "drop" the
        worlds, or keep them; answers, judgements: what was said in each of them, and what others made of it, or None."""
        more = {k: v for k, v in (("answers", answers), ("judgements", judgements)) if v is not None}
        return self.control("POST", "/worlds/grade", {"suite": suite, "task": task, "worlds": list(worlds), "then": then,
                                                      **more})["results"]

    def reset(self, worlds, to=None):
        """Back to how they were made, or to a snapshot's state; tokens stay good."""
        self.control("POST", "/worlds/reset", {"worlds": list(worlds), **({"to": to} if to else {})})

    def drop(self, worlds):
        self.control("POST", "/worlds/drop", {"worlds": list(worlds)})

    def wait(self, world, seconds):
        """Lets the world's clock go on; what is due meanwhile happens. Gives what it shows then."""
        return self.control("POST", "/worlds/%s/clock/advance" % quote(world), {"seconds": seconds})["now"]

    def diff(self, world, since=None, form="json"):
        """What was done in a world, since another state or since it was made."""
        query = "to=%s&form=%s" % (quote(world), form) + ("&from=" + quote(since) if since else "")
        return self.control("GET", "/diff?" + query)


class World:
    """One world and a person who acts in it. Its base URL is what a vendor's SDK is given."""

    def __init__(self, sosia, key, actor, token):
        self.sosia, self.key, self.actor, self.token = sosia, key, actor, token
        self.path = "/w/" + key
        self.url = sosia.url + self.path

    def call(self, method, target, body=None, token=None):
        """A native call ("POST", "/calendar/v3/..."); body: JSON, or None."""
        headers = {"Authorization": "Bearer " + (token or self.token)}
        if body is not None:
            headers["Content-Type"] = "application/json"
            body = json.dumps(body)
        return self.sosia.connection.request(method, self.path + target, body, headers)

    def calls(self, calls):
        """The Answers of several in one request, each as if it had been sent alone: of (method, target), or with a body, or with a
        body (or None) and a token behind these. More than one request takes go in several."""
        answers, calls = [], list(calls)
        while len(answers) < len(calls):
            asked = []
            for method, target, *more in calls[len(answers):len(answers) + CALLS]:
                body, token = (more + [None, None])[:2]
                asked.append({"method": method, "target": target, **({} if body is None else {"body": body}),
                              **({"token": token} if token else {})})
            made = self.sosia.control("POST", "/worlds/%s/calls" % self.key, {"token": self.token, "calls": asked})["responses"]
            answers += [Answer(r["status"], dict(r["headers"]), base64.b64decode(r["base64"]) if "base64" in r
                               else r.get("text", "").encode()) for r in made]
        return answers

    def token_of(self, actor):
        """Another person's token."""
        if actor == self.actor:
            return self.token
        return self.sosia.control("POST", "/worlds/%s/tokens" % self.key, {"actor": actor})["token"]


_making = threading.Lock()


class Task:
    """One of a suite: .id, .prompt, .difficulty, .actor; .judges, what others are to judge; .reference and .answer, what a reference
    agent does and says."""

    def __init__(self, suite, members):
        self.suite = suite
        self.id, self.prompt, self.actor = members["id"], members.get("prompt", ""), members.get("actor")
        self.difficulty = members.get("difficulty", "medium")
        self.fixture, self.seed = members.get("fixture"), members.get("seed")
        self.reference, self.answer = members.get("reference", []), members.get("answer")
        self.judges = members.get("judges", [])
        self.clock = {"clock": members.get("clock", "frozen"), **{k: members[k] for k in ("step_ms",) if k in members}}

    @property
    def name(self):
        return "%s/%s" % (self.suite.name, self.id)

    @property
    def origin(self):
        """What makes the world that it begins in: members of worlds.create."""
        return {**({"seed_document": self.seed} if self.seed else {"fixture": self.fixture}), **self.clock}

    def base(self, sosia, bases, tools=None):
        """The world that attempts are forked from; bases: a dict in which those that are made are kept; tools: the set that
        MCP has there (default: the world's own)."""
        known = json.dumps([self.origin, tools], sort_keys=True)
        with _making:
            if known not in bases:
                bases[known] = sosia.create(**self.origin, **({"tools": tools} if tools else {}))
            return bases[known]


class Suite:
    """A suite's file, read by `sosia suite list`, which knows YAML too."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as f:
            self.text = f.read()
        listed = json.loads(subprocess.run([BINARY, "suite", "list", path, "--reference"], check=True,
                                           stdout=subprocess.PIPE).stdout)
        self.name, self.version = listed["suite"], listed["version"]
        self.tables = listed.get("tables", False)  # its assertions are about rows of tables
        self.tasks = [Task(self, t) for t in listed["tasks"]]

    def task(self, name):
        for t in self.tasks:
            if t.id == name:
                return t
        raise KeyError("the task must be one of %s's, not %r" % (self.name, name))


def own_suites():
    """The suites of the source tree that the package is in."""
    there = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../suites")
    return [Suite(os.path.join(there, n)) for n in sorted(os.listdir(there)) if n.endswith((".yaml", ".json"))]


# ---- reference actions ----


def mail(headers):
    """What Gmail takes as `raw`: headers, and a text."""
    head = "".join("%s: %s\r\n" % (k, v) for k, v in headers.items() if k != "text")
    text = head + "Content-Type: text/plain; charset=utf-8\r\n\r\n" + headers.get("text", "") + "\r\n"
    return base64.urlsafe_b64encode(text.encode()).decode()


def put(value, saved):
    """value with each ${name} in its texts replaced by what was saved under it."""
    if isinstance(value, str):
        return re.sub(r"\$\{([^}]*)\}", lambda m: str(saved.get(m[1], m[0])), value)
    if isinstance(value, list):
        return [put(v, saved) for v in value]
    return {k: put(v, saved) for k, v in value.items()} if isinstance(value, dict) else value


def at_path(value, path):
    for step in path.split("."):
        try:
            value = value[int(step)] if isinstance(value, list) else value[step]
        except (KeyError, IndexError, ValueError, TypeError):
            return None
    return value


def asked(world, action, saved):
    """The call that a reference action is, as World.calls() takes them."""
    body = put(action.get("body"), saved)
    if "mail" in action:
        body = {**(body or {}), "raw": mail(put(action["mail"], saved))}
    return action["method"], put(action["target"], saved), body, world.token_of(action["as"])


def keep(action, answer, saved):
    for name, path in action.get("save", {}).items():
        found = at_path(answer.data, path)
        if found is not None:
            saved[name] = found


def perform(world, action, saved):
    """Does one reference action; saved: values of answers by name, which later actions name. None: it was a wait."""
    if "wait" in action:
        world.sosia.wait(world.key, action["wait"])
        return None
    answer = world.call(*asked(world, action, saved))
    keep(action, answer, saved)
    return answer


def perform_all(world, actions, saved):
    """Does them in their order, in as few requests as there can be: a group ends at a wait, and at an action that names what
    one of its group saves. Gives what perform() does, of each."""
    answers, group, names = [], [], set()

    def flush():
        for action, answer in zip(group, world.calls([asked(world, a, saved) for a in group])):
            keep(action, answer, saved)
            answers.append(answer)
        group.clear()
        names.clear()

    for action in actions:
        text = json.dumps(action)
        if "wait" in action or any("${%s}" % n in text for n in names):
            flush()
        if "wait" in action:
            answers.append(perform(world, action, saved))
        else:
            group.append(action)
            names.update(action.get("save", {}))
    flush()
    return answers
