# SPDX-License-Identifier: Apache-2.0
"""For TRL's GRPOTrainer: environments whose methods are the tools of a world, rows for its dataset, and the reward.

    GRPOTrainer(model, train_dataset=Dataset.from_list(rows(tasks)), environment_factory=Environments(tasks), reward_funcs=reward)

Nothing of TRL is imported: the trainer takes what has this shape.
"""
from __future__ import annotations

import inspect
import json
import types
from typing import Any, Callable, Optional, Sequence

from . import Attempt, Tasks, text_of

_TYPES: dict[Any, Any] = {"string": str, "integer": int, "number": float, "boolean": bool, "array": list[Any], "object": dict}


def rows(tasks: Tasks) -> list[dict[str, Any]]:
    """Of each task its prompt and id, so that the completions of a group are attempts at one task."""
    return [{"prompt": [{"role": "user", "content": str(tasks.task(id).get("prompt", ""))}], "task": id} for id in tasks.ids()]


def _says(schema: dict[str, Any]) -> str:
    """The description of a parameter, with what a type hint can't say."""
    more = {k: v for k, v in schema.items() if k not in ("type", "description")}
    said = [str(schema.get("description", ""))] + ([json.dumps(more, ensure_ascii=False)] if more else [])
    return " ".join(" ".join(said).split()) or str(schema.get("type", "any"))


def method(tool: dict[str, Any]) -> Callable[..., str]:
    """A function whose signature and docstring say what the tool's schema does. ValueError: a parameter's name can't be one in
    Python."""
    name = tool["name"]
    schema = tool["inputSchema"]
    properties, required = schema.get("properties", {}), schema.get("required", [])

    def call(self: "Environment", /, **arguments: Any) -> str:
        # None: what a chat template gives for one that was left out
        return self._attempted().tool(name, {k: v for k, v in arguments.items() if v is not None}).text

    parameters = [inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)]
    hints: dict[str, Any] = {}
    for key, value in properties.items():
        hint = _TYPES.get(value.get("type"), Any)
        hints[key] = hint if key in required or hint is Any else Optional[hint]
        parameters.append(inspect.Parameter(key, inspect.Parameter.KEYWORD_ONLY, annotation=hints[key],
                                            default=inspect.Parameter.empty if key in required else None))
    call.__name__ = call.__qualname__ = name
    call.__annotations__ = {**hints, "return": str}
    call.__signature__ = inspect.Signature(parameters, return_annotation=str)  # type: ignore[attr-defined]
    lines = ["", "Args:"] + ["    %s: %s" % (k, _says(v)) for k, v in properties.items()] if properties else []
    call.__doc__ = "\n".join([" ".join(tool.get("description", name).split()), *lines, "", "Returns:", "    What the tool says."])
    return call


class Environment:
    """One rollout at a time: reset() begins an attempt, the other public methods are the tools."""

    def __init__(self, tasks: Tasks, tools: Sequence[Callable[..., str]]) -> None:
        self._tasks, self._next = tasks, 0
        self._attempt: Optional[Attempt] = None
        for tool in tools:
            setattr(self, tool.__name__, types.MethodType(tool, self))

    def reset(self, task: Optional[str] = None, **row: Any) -> Optional[str]:
        """Begins an attempt at the row's task. Without one: at the next of the suite, whose prompt it gives."""
        self._close()
        if task is not None:
            self._attempt = self._tasks.begin(task)
            return None
        ids = self._tasks.ids()
        self._attempt = self._tasks.begin(ids[self._next % len(ids)])
        self._next += 1
        return self._attempt.prompt

    def _attempted(self) -> Attempt:
        if self._attempt is None:
            raise RuntimeError("reset must come first: there is no attempt")
        return self._attempt

    def _reward(self, answer: Optional[str]) -> float:
        return self._attempted().grade(answer).reward

    def _close(self) -> None:
        attempt, self._attempt = self._attempt, None
        if attempt is not None:
            attempt.close()


class Environments:
    """What environment_factory takes: called once for each rollout of a batch. close() drops their worlds."""

    def __init__(self, tasks: Tasks) -> None:
        self._tasks, self._made = tasks, list[Environment]()
        with tasks.begin(tasks.ids()[0]) as attempt:
            self._tools = [method(t) for t in attempt.tools()]

    def __call__(self) -> Environment:
        self._made.append(Environment(self._tasks, self._tools))
        return self._made[-1]

    def close(self) -> None:
        for environment in self._made:
            environment._close()


def _text(completion: Any) -> Optional[str]:
    """What the model said at the end, of a completion that is a text or messages."""
    if isinstance(completion, str):
        return completion
    if not completion or completion[-1].get("role") != "assistant":
        return None
    return text_of(completion[-1].get("content"))


def reward(completions: Sequence[Any], environments: Sequence[Environment], **others: Any) -> list[float]:
    """What reward_funcs takes: of each completion the suite's reward, from 0 to 1."""
    return [e._reward(_text(c)) for c, e in zip(completions, environments)]
