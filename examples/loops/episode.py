# SPDX-License-Identifier: Apache-2.0
"""An episode: one attempt at a task in a fork of its world, as environments of reinforcement learning have it.

An action is an object of one of these types ("type" may be left out of a call):

    {"type": "call", "method": "POST", "path": "/calendar/v3/calendars/primary/events", "body": {...}}
    {"type": "call_tool", "tool_name": "calendar_events_list", "arguments": {...}}    the same over MCP
    {"type": "list_tools"}
    {"type": "wait", "seconds": 60}                                                   the world's clock goes on
    {"type": "finish", "answer": "..."}                                               it is done

The reward comes when the episode ends, by the action "finish" or after max_steps; with reward="dense" each step brings what it
has added to the reward, so that the sum is the same.
"""
import itertools
import json

ACTION = {
    "type": "object",
    "properties": {
        "type": {"enum": ["call", "call_tool", "list_tools", "wait", "finish"], "default": "call"},
        "method": {"type": "string", "description": "GET, POST, PUT, PATCH or DELETE"},
        "path": {"type": "string", "description": "Of the vendor's API, with its query"},
        "body": {"description": "JSON"},
        "tool_name": {"type": "string"},
        "arguments": {"type": "object"},
        "seconds": {"type": "integer", "minimum": 1, "description": "To wait, by the world's clock"},
        "answer": {"type": "string"},
        "metadata": {"type": "object"},
    },
    "additionalProperties": False,
}
OBSERVATION = {
    "type": "object",
    "properties": {
        "task": {"type": "string"},
        "prompt": {"type": "string", "description": "What is to be done; after a reset"},
        "actor": {"type": "string", "description": "Who does it; after a reset"},
        "now": {"type": "string", "description": "What the world's clock shows; after a wait"},
        "status": {"type": ["integer", "null"], "description": "Of the call's response"},
        "body": {"description": "Of the response: JSON, or its text"},
        "tools": {"type": "array"},
        "tool_name": {"type": "string", "description": "Of a tool that was called"},
        "result": {"description": "Of the tool, as clients of OpenEnv read it: content, structured_content, data, is_error"},
        "error": {"type": ["object", "null"], "description": "In its place: error_type, message"},
        "steps_left": {"type": "integer"},
    },
}
STATE = {
    "type": "object",
    "properties": {
        "episode_id": {"type": ["string", "null"]},
        "step_count": {"type": "integer"},
        "task": {"type": ["string", "null"]},
        "world": {"type": ["string", "null"]},
        "done": {"type": "boolean"},
    },
}
MAX_WAIT = 31622400  # seconds
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD")
_numbers = itertools.count(1)


class Invalid(ValueError):
    """An action or a reset that makes no sense; the episode goes on."""


class Episode:
    def __init__(self, sosia, tasks, bases=None, max_steps=50, tools=None, numbers=None):
        """tasks: by name ("office/tell-sara"), and those of one suite by their ids as well. tools: the set that MCP has.
        numbers: of episodes that get no id."""
        self.numbers = numbers or _numbers
        self.sosia, self.bases, self.max_steps, self.tools = sosia, {} if bases is None else bases, max_steps, tools
        self.tasks, self.order = tasks, list({id(t): t for t in tasks.values()}.values())
        self.world = self.task = self.id = None
        self.steps, self.earned, self.done, self.grade = 0, 0.0, True, None

    def reset(self, seed=None, episode_id=None, task=None, reward="final", max_steps=None):
        """A fork of the task's world: of the named one, else of the seed-th. seed also seeds its ids."""
        if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 1 << 62):
            raise Invalid("seed must be a whole number from 0, not %.80r" % (seed,))
        if episode_id is not None and (not isinstance(episode_id, str) or len(episode_id) > 255):
            raise Invalid("episode_id must be a text of 255 characters at most, not %.80r" % (episode_id,))
        if task is not None and (not isinstance(task, str) or task not in self.tasks):
            raise Invalid("task must be one of %d names such as %r, not %.80r" % (len(self.tasks), next(iter(self.tasks)), task))
        if reward not in ("final", "dense"):
            raise Invalid("reward must be final or dense, not %.80r" % (reward,))
        if max_steps is not None and (isinstance(max_steps, bool) or not isinstance(max_steps, int) or not 1 <= max_steps <= 10000):
            raise Invalid("max_steps must be a number from 1 to 10000, not %.80r" % (max_steps,))
        self.close()
        self.task = self.tasks[task] if task else self.order[(seed or 0) % len(self.order)]
        more = {} if seed is None else {"seed": seed + 1}
        self.world = self.sosia.fork(self.task.base(self.sosia, self.bases, self.tools), self.task.actor, **more)
        self.id = episode_id or "episode-%d" % next(self.numbers)
        self.steps, self.earned, self.done, self.grade, self.dense = 0, 0.0, False, None, reward == "dense"
        self.limit = max_steps or self.max_steps
        return {"task": self.task.name, "prompt": self.task.prompt, "actor": self.task.actor, "status": None,
                "steps_left": self.limit}

    def step(self, action):
        """Gives (observation, reward, done, metadata); reward: None where there is none yet."""
        if self.world is None or self.done:
            raise Invalid("reset must come first: there is no episode" if self.world is None else
                          "the episode has ended, reset begins another one")
        kind, target = self._check(action)
        seen, meta = {"status": None}, {}
        if kind == "call":
            answer = self.world.call(action["method"].upper(), target, action.get("body"))
            seen = {"status": answer.status, "body": answer.data}
        elif kind == "call_tool":
            seen = self._tool("tools/call", {"name": action["tool_name"], "arguments": action.get("arguments") or {}})
            seen.update(tool_name=action["tool_name"], **result_of(seen["body"]))
        elif kind == "list_tools":
            seen = self._tool("tools/list", {})
            seen["tools"] = (seen.pop("body") or {}).get("tools", [])
        elif kind == "wait":
            seen["now"] = self.sosia.wait(self.world.key, action["seconds"])
        self.steps += 1
        self.done = kind == "finish" or self.steps >= self.limit
        reward = None
        if self.done or self.dense:
            said = action.get("answer") if kind == "finish" else None
            self.grade = self.sosia.grade(self.task.suite.text, self.task.id, [self.world.key], answers=[said])[0]
            reward = self.grade["reward"] - (self.earned if self.dense else 0)
            self.earned = self.grade["reward"]
        if self.done:
            meta = {"passed": self.grade["passed"], "failures": self.grade["failures"]}
        return {"task": self.task.name, **seen, "steps_left": self.limit - self.steps}, reward, self.done, meta

    def state(self):
        return {"episode_id": self.id, "step_count": self.steps, "task": self.task.name if self.task else None,
                "world": self.world.key if self.world else None, "done": self.done}

    def close(self):
        """Drops the fork."""
        if self.world:
            world, self.world, self.task, self.done = self.world, None, None, True
            self.sosia.drop([world.key])

    def mcp(self, message):
        """A JSON-RPC message of MCP to the fork; gives the response's status and text."""
        if self.world is None:
            raise Invalid("reset must come first: there is no episode")
        answer = self.sosia.connection.request(
            "POST", self.world.path + "/mcp", json.dumps(message),
            {"Authorization": "Bearer " + self.world.token, "Content-Type": "application/json",
             "Accept": "application/json, text/event-stream"})
        return answer.status, answer.data

    def _tool(self, method, params):
        status, data = self.mcp({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        data = data if isinstance(data, dict) else {"error": {"message": data}}
        return {"status": status, "body": data["error"] if "error" in data else data.get("result")}

    @staticmethod
    def _check(action):
        if not isinstance(action, dict):
            raise Invalid("an action must be an object, not %.80r" % (action,))
        unknown = set(action) - set(ACTION["properties"])
        if unknown:
            raise Invalid("members of an action must be %s, %r is not" % (", ".join(ACTION["properties"]), sorted(unknown)[0]))
        kind = action.get("type", "call")
        if kind not in ACTION["properties"]["type"]["enum"]:
            raise Invalid("type must be call, call_tool, list_tools, wait or finish, not %.80r" % (kind,))
        if not isinstance(action.get("answer", ""), str):
            raise Invalid("answer must be a text, not %.80r" % (action["answer"],))
        seconds = action.get("seconds")
        if kind == "wait" and (isinstance(seconds, bool) or not isinstance(seconds, int) or not 1 <= seconds <= MAX_WAIT):
            raise Invalid("seconds must be a whole number from 1 to %d, not %.80r" % (MAX_WAIT, seconds))
        if kind == "call_tool" and not isinstance(action.get("tool_name"), str):
            raise Invalid("tool_name must be a text, not %.80r" % (action.get("tool_name"),))
        if kind == "call_tool" and not isinstance(action.get("arguments") or {}, dict):
            raise Invalid("arguments must be an object, not %.80r" % (action["arguments"],))
        if kind != "call":
            return kind, None
        method, path = action.get("method"), action.get("path")
        if not isinstance(method, str) or method.upper() not in METHODS:
            raise Invalid("method must be one of %s, not %.80r" % (", ".join(METHODS), method))
        if not isinstance(path, str) or not path.startswith("/") or not path.isascii() or any(c <= " " or c == "\x7f" for c in path):
            raise Invalid("path must begin with / and have printable ASCII characters alone, not %.80r" % (path,))
        return kind, path


def result_of(body):
    """The result of a tool, or its error, in the words of OpenEnv."""
    body = body if isinstance(body, dict) else {"message": str(body)}
    if "content" not in body:  # JSON-RPC's error
        kind = "tool_not_found" if "unknown tool" in str(body.get("message")).lower() else "invalid_args"
        return {"result": None, "error": {"error_type": kind, "message": str(body.get("message"))}}
    text = "\n".join(c["text"] for c in body["content"] if c.get("type") == "text")
    if body.get("isError"):
        return {"result": None, "error": {"error_type": "execution_error", "message": text}}
    structured = body.get("structuredContent")
    return {"result": {"content": body["content"], "structured_content": structured, "data": text if structured is None else structured,
                       "is_error": False}, "error": None}


def by_name(suites):
    """Tasks for Episode: by suite and id, by id alone as well where one suite is given."""
    named = {t.name: t for s in suites for t in s.tasks}
    if len(suites) == 1:
        named.update({t.id: t for t in suites[0].tasks})
    return named
