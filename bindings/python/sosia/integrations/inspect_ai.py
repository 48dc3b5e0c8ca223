# SPDX-License-Identifier: Apache-2.0
"""For Inspect AI: a dataset, the tools and the score of a suite.

    Task(dataset=dataset(tasks), solver=[worlds(tasks), generate()], scorer=score(tasks), cleanup=cleanup(tasks))
"""
from __future__ import annotations

from typing import Any, Awaitable, Callable

from . import Attempt, Tasks, need

_KEY = "sosia_world"


def dataset(tasks: Tasks) -> list[Any]:
    """A sample for each task."""
    sample = need("inspect_ai.dataset", "inspect-ai").Sample
    return [sample(input=str(tasks.task(id).get("prompt", "")), id=id, metadata={"task": id}) for id in tasks.ids()]


def tools(attempt: Attempt) -> list[Any]:
    """The tools of an attempt, as ToolDefs."""
    module = need("inspect_ai.tool", "inspect-ai")

    def made(tool: dict[str, Any]) -> Any:
        async def execute(**arguments: Any) -> str:
            result = attempt.tool(tool["name"], arguments)
            if result.failed:
                raise module.ToolError(result.text)
            return result.text

        schema = tool["inputSchema"]
        described = {n: {**p, "description": p.get("description") or n} for n, p in schema.get("properties", {}).items()}
        return module.ToolDef(execute, name=tool["name"], description=tool.get("description") or tool["name"],
                              parameters=module.ToolParams.model_validate({**schema, "properties": described}))

    return [made(t) for t in attempt.tools()]


class _Open:
    """The attempts that go on, by the key of their world, which the state's store has: what is in it is written to the log."""

    def __init__(self) -> None:
        self.attempts: dict[str, Attempt] = {}

    def of(self, state: Any) -> Attempt:
        key = state.store.get(_KEY)
        if key not in self.attempts:
            raise RuntimeError("the solver worlds() must come first: the sample %r has no attempt" % state.sample_id)
        return self.attempts[key]


def _open(tasks: Tasks) -> _Open:
    found: _Open = tasks.__dict__.setdefault("_inspect_ai", _Open())
    return found


def worlds(tasks: Tasks) -> Any:
    """A solver, the first: begins an attempt at the sample's task and gives its tools to the model."""
    solver = need("inspect_ai.solver", "inspect-ai").solver

    @solver  # type: ignore[misc]
    def sosia_world() -> Any:
        async def solve(state: Any, generate: Any) -> Any:
            attempt = tasks.begin(state.metadata["task"])
            key = attempt.world.key
            _open(tasks).attempts[key] = attempt
            state.store.set(_KEY, key)
            state.tools = tools(attempt)
            return state

        return solve

    return sosia_world()


def score(tasks: Tasks) -> Any:
    """A scorer: the suite's reward, from 0 to 1, with the failures as its explanation."""
    module = need("inspect_ai.scorer", "inspect-ai")

    @module.scorer(metrics=[module.mean(), module.stderr()])  # type: ignore[misc]
    def sosia_suite() -> Any:
        async def judge(state: Any, target: Any) -> Any:
            answer = state.output.completion
            grade = _open(tasks).of(state).grade(answer or None)
            return module.Score(value=grade.reward, answer=answer, explanation="\n".join(map(str, grade.failures)),
                                metadata={"passed": grade.passed})

        return judge

    return sosia_suite()


def cleanup(tasks: Tasks) -> Callable[[Any], Awaitable[None]]:
    """What a Task's cleanup takes: drops the attempt's world behind each sample."""
    async def drop(state: Any) -> None:
        attempt = _open(tasks).attempts.pop(state.store.get(_KEY), None)
        if attempt is not None:
            attempt.close()

    return drop
