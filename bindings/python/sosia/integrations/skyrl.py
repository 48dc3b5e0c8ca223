# SPDX-License-Identifier: Apache-2.0
"""For SkyRL: an environment of skyrl_gym in which a model calls the tools of a world by text.

    skyrl_gym.register(id="sosia", entry_point="sosia.integrations.skyrl:SosiaEnv")

A model calls tools by <tool_call>{"name": ..., "arguments": {...}}</tool_call>; a turn without one ends the episode and is its answer.
"""
from __future__ import annotations

import json
import os
import re
import threading
from typing import Any, Optional

from ..suite import Suite
from ..world import Engine
from . import Attempt, Tasks, need

_base: Any = need("skyrl_gym.envs.base_text_env", "skyrl-gym").BaseTextEnv
_CALL = re.compile(r"<tool_call>(.*?)</tool_call>", re.S)
_MOST_TURNS = 50
_known: dict[tuple[int, str, Optional[tuple[str, ...]]], Tasks] = {}
_making = threading.Lock()


def _tasks(path: str, tools: Optional[list[str]]) -> Tasks:
    """One engine for each process, suite and choice of tools: SkyRL makes an environment for each episode."""
    known = (os.getpid(), os.path.abspath(path), None if tools is None else tuple(tools))
    with _making:
        if known not in _known:
            _known[known] = Tasks(Engine(), Suite.open(path), tools)
        return _known[known]


def rows(suite: str, tools: Optional[list[str]] = None, env_class: str = "sosia") -> list[dict[str, Any]]:
    """Of each task of a suite's file a row of a data set. tools: names of those that the model is given, None: all."""
    more = {} if tools is None else {"tools": list(tools)}
    return [{"prompt": [{"role": "user", "content": t.get("prompt", "")}], "env_class": env_class, "suite": suite, "task": t["id"], **more}
            for t in Suite.open(suite).tasks()]


class SosiaEnv(_base):  # type: ignore[misc]
    """One episode. extras: the row's suite (a path), task and tools, and max_turns."""

    def __init__(self, env_config: Any = None, extras: Optional[dict[str, Any]] = None) -> None:
        super().__init__()
        extras = extras or {}
        for name in ("suite", "task"):
            if not isinstance(extras.get(name), str):
                raise ValueError("extras must have %s, a text, not %r" % (name, extras.get(name)))
        self.max_turns = int(extras.get("max_turns", _MOST_TURNS))
        self._attempt: Optional[Attempt] = None
        self._begin = _tasks(extras["suite"], extras.get("tools")).begin
        self._task = extras["task"]
        self._metrics: dict[str, Any] = {}

    def init(self, prompt: list[dict[str, str]]) -> tuple[list[dict[str, str]], dict[str, Any]]:
        """Begins the attempt. The prompt, behind what says which tools there are."""
        self.close()
        self.turns = 0
        self._attempt = self._begin(self._task)
        tools = "\n".join(json.dumps({"name": t["name"], "description": t.get("description", ""), "parameters": t["inputSchema"]},
                                     ensure_ascii=False) for t in self._attempt.tools())
        said = ('You can call these tools, each as <tool_call>{"name": "...", "arguments": {...}}</tool_call>. When you are done, answer '
                "without a call.\n<tools>\n%s\n</tools>" % tools)
        if prompt and prompt[0]["role"] == "system":
            return [{**prompt[0], "content": prompt[0]["content"] + "\n\n" + said}, *prompt[1:]], {"task": self._task}
        return [{"role": "system", "content": said}, *prompt], {"task": self._task}

    def step(self, action: str) -> dict[str, Any]:
        """A turn of the model: its calls, in their order. The reward comes with the last turn."""
        if self._attempt is None:
            raise RuntimeError("init must come first: there is no attempt")
        self.turns += 1
        calls = _CALL.findall(action)
        said = "\n".join("<tool_response>\n%s\n</tool_response>" % self._call(c) for c in calls)
        done = not calls or self.turns >= self.max_turns
        if not done:
            return {"observations": [{"role": "user", "content": said}], "reward": 0.0, "done": False, "metadata": {}}
        grade = self._attempt.grade(None if calls else action)
        self._metrics = {"passed": float(grade.passed), "turns": self.turns}
        return {"observations": [], "reward": grade.reward, "done": True,
                "metadata": {"passed": grade.passed, "failures": grade.failures}}

    def close(self) -> None:
        attempt, self._attempt = self._attempt, None
        if attempt is not None:
            attempt.close()

    def get_metrics(self) -> dict[str, Any]:
        return self._metrics

    def _call(self, text: str) -> str:
        assert self._attempt is not None
        try:
            call = json.loads(text)
        except (ValueError, RecursionError) as e:
            return "a call must be JSON: %s" % e
        if not isinstance(call, dict) or not isinstance(call.get("name"), str) or not isinstance(call.get("arguments", {}), dict):
            return "a call must be an object with name, a text, and arguments, an object"
        return self._attempt.tool(call["name"], call.get("arguments", {})).text
