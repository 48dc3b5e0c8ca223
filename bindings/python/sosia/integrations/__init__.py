# SPDX-License-Identifier: Apache-2.0
"""Suites of tasks in the shapes that frameworks of training and evaluation expect: a module for each, which needs that framework.

    tasks = sosia.integrations.Tasks(engine, sosia.Suite.open("suites/calendar.yaml"))
    with tasks.begin("correct-room") as attempt:
        attempt.tool("calendar_events_list", {"calendarId": "primary"})
        attempt.grade().reward

docs/integrations.md has more.
"""
from __future__ import annotations

import importlib
import json
import threading
from types import TracebackType
from typing import Any, Iterable, NamedTuple, Optional, Type, Union

from ..suite import Grade, Suite
from ..world import World, Worlds

_MOST_ANSWER = 1 << 20
_MCP = {"Accept": "application/json, text/event-stream"}


def need(module: str, package: str) -> Any:
    """A module of a framework. ImportError, which names the package to install."""
    try:
        return importlib.import_module(module)
    except ImportError as e:
        raise ImportError("the package %s is needed for this and can't be used: %s" % (package, e), name=module) from e


def text_of(content: Any) -> Optional[str]:
    """The text of a message's content, which is a text or parts of several kinds."""
    if isinstance(content, (list, tuple)):
        content = "".join((p.get("text") if isinstance(p, dict) else getattr(p, "text", None)) or "" for p in content)
    return content or None


class Result(NamedTuple):
    """What a tool gave: its text, and whether it failed."""

    text: str
    failed: bool


class Attempt:
    """One attempt at a task, in a world of its own, which a `with` statement drops."""

    def __init__(self, suite: Suite, task: dict[str, Any], world: World, tools: Optional[frozenset[str]]) -> None:
        self.suite, self.task, self.world = suite, task, world
        self.actor = world.as_actor(task["actor"])
        self._tools = tools

    def __enter__(self) -> "Attempt":
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        self.close()

    @property
    def id(self) -> str:
        return str(self.task["id"])

    @property
    def prompt(self) -> str:
        return str(self.task.get("prompt", ""))

    def tools(self) -> list[dict[str, Any]]:
        """The tools of MCP: of each name, description, inputSchema. KeyError: one that was asked for is not there."""
        listed = self._rpc("tools/list", {})["result"]["tools"]
        found: list[dict[str, Any]] = [t for t in listed if self._tools is None or t["name"] in self._tools]
        missing = (self._tools or frozenset()) - {t["name"] for t in found}
        if missing:
            raise KeyError("tools must be some of the world's, %r is not" % sorted(missing)[0])
        return found

    def tool(self, name: str, arguments: Any) -> Result:
        """Calls one. What a model made up (another name, arguments that are none) is a result that failed."""
        if self._tools is not None and name not in self._tools:
            return Result("Unknown tool: %s" % name, True)
        answer = self._rpc("tools/call", {"name": name, "arguments": arguments})
        if "error" in answer:
            return Result(str(answer["error"]["message"]), True)
        result = answer["result"]
        texts = [c["text"] if c.get("type") == "text" else json.dumps(c) for c in result["content"]]
        return Result("\n".join(texts), bool(result.get("isError")))

    def tool_by_text(self, name: str, arguments: str) -> Result:
        """The same with the arguments as a model wrote them: the text of a JSON object."""
        try:
            made = json.loads(arguments) if arguments.strip() else {}
        except (ValueError, RecursionError) as e:
            return Result("arguments must be JSON: %s" % e, True)
        return self.tool(name, made)

    def grade(self, answer: Optional[str] = None) -> Grade:
        """Judges what was done up to now. answer: what the model said at the end; what can't be in one is replaced, and what is
        beyond 1 MiB left out, so that no model's text ends a loop."""
        if answer is not None:
            answer = answer.replace("\0", "\ufffd").encode("utf-8", "replace")[:_MOST_ANSWER].decode("utf-8", "ignore")
        return self.world.grade(self.suite, self.id, answer=answer)

    def close(self) -> None:
        self.world.drop()

    def _rpc(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        answer = self.actor.call("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}, headers=_MCP)
        data = answer.data
        if not isinstance(data, dict) or not ("result" in data or "error" in data):
            return {"error": {"message": "status %d: %s" % (answer.status, answer.text)}}
        return data


class Tasks:
    """The tasks of a suite, each with the world that its attempts are forked from, which is made when the first one begins.

    worlds: an engine or a server. tools: names of those that a model is given, None: all. Any thread may use it; a `with` statement
    drops the worlds.
    """

    def __init__(self, worlds: Worlds, suite: Suite, tools: Optional[Iterable[str]] = None) -> None:
        self.worlds, self.suite = worlds, suite
        self.tools = None if tools is None else frozenset(tools)
        self._tasks = {str(t["id"]): t for t in suite.tasks()}
        self._bases: dict[str, World] = {}
        self._making = threading.Lock()

    def __enter__(self) -> "Tasks":
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        self.close()

    def ids(self) -> list[str]:
        return list(self._tasks)

    def task(self, id: str) -> dict[str, Any]:
        """KeyError: there is none."""
        if id not in self._tasks:
            raise KeyError("the task must be one of %s, not %r" % (", ".join(self._tasks), id))
        return self._tasks[id]

    def begin(self, id: str, *, seed: int = 0) -> Attempt:
        """A fork of its world. seed: of ids, 0: the task's. KeyError: there is none."""
        task = self.task(id)
        return Attempt(self.suite, task, self._base(task).fork(seed=seed, evaluation=True), self.tools)

    def close(self) -> None:
        """Drops what attempts are forked from; those that go on live on."""
        with self._making:
            bases, self._bases = self._bases, {}
        for base in bases.values():
            base.drop()

    def _base(self, task: dict[str, Any]) -> World:
        origin = {k: task[k] for k in ("seed", "fixture", "clock", "step_ms") if task.get(k) is not None}
        known = json.dumps(origin, sort_keys=True)
        with self._making:
            if known not in self._bases:
                seed: Union[None, str, dict[str, Any]] = origin.get("seed")
                self._bases[known] = self.worlds.create(
                    seed, fixture=None if seed else origin.get("fixture"), clock=origin.get("clock", "frozen"),
                    step=origin.get("step_ms", 0) / 1000, journal="all", evaluation=True)
            return self._bases[known]
