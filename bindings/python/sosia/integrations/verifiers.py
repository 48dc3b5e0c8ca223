# SPDX-License-Identifier: Apache-2.0
"""For verifiers: an environment over a suite, with the suite's grade as its rubric.

    def load_environment():
        return environment(Tasks(sosia.Engine(), sosia.Suite.open("suites/calendar.yaml")))
"""
from __future__ import annotations

import json
from typing import Any

from . import Attempt, Tasks, need, text_of

_MOST_TURNS = 50


def rows(tasks: Tasks) -> list[dict[str, Any]]:
    """Of each task a row of the data set."""
    return [{"prompt": [{"role": "user", "content": str(tasks.task(id).get("prompt", ""))}], "answer": "",
             "info": json.dumps({"task": id})} for id in tasks.ids()]


async def sosia_reward(state: Any) -> float:
    """The suite's reward, from 0 to 1; 0 of a rollout that did not begin."""
    return float((state.get("sosia_grade") or {}).get("reward", 0))


async def sosia_passed(state: Any) -> float:
    """1 if the task is passed."""
    return float(bool((state.get("sosia_grade") or {}).get("passed")))


def environment(tasks: Tasks, *, max_turns: int = _MOST_TURNS, **more: Any) -> Any:
    """A MultiTurnEnv; `more` is what that takes besides. Each rollout is graded and its world dropped when it ends: state
    "sosia_grade" has the grade."""
    vf = need("verifiers", "verifiers")
    base: Any = vf.MultiTurnEnv
    tool_message = need("verifiers.types", "verifiers").ToolMessage
    attempts: dict[str, Attempt] = {}  # by "trajectory_id"; states are written to files

    class SosiaEnv(base):  # type: ignore[misc]
        async def setup_state(self, state: Any) -> Any:
            attempts[state["trajectory_id"]] = tasks.begin(state["info"]["task"])
            return state

        async def env_response(self, messages: Any, state: Any, **others: Any) -> Any:
            attempt = attempts[state["trajectory_id"]]
            return [tool_message(role="tool", tool_call_id=call.id, content=attempt.tool_by_text(call.name, call.arguments).text)
                    for call in messages[-1].tool_calls]

        @vf.stop  # type: ignore[misc]
        async def no_tools_called(self, state: Any) -> bool:
            return bool(state["trajectory"]) and not _last(state).tool_calls

        @vf.cleanup  # type: ignore[misc]
        async def sosia_end(self, state: Any) -> None:
            attempt = attempts.pop(state["trajectory_id"], None)
            if attempt is None:
                return
            with attempt:
                answered = bool(state["trajectory"]) and not _last(state).tool_calls
                state["sosia_grade"] = dict(attempt.grade(text_of(_last(state).content) if answered else None))

    with tasks.begin(tasks.ids()[0]) as attempt:
        tools = [{"name": t["name"], "description": t.get("description", ""), "parameters": t["inputSchema"]} for t in attempt.tools()]
    rubric = vf.Rubric(funcs=[sosia_reward])
    rubric.add_metric(sosia_passed)
    dataset = need("datasets", "datasets").Dataset.from_list(rows(tasks))
    return SosiaEnv(dataset=dataset, tool_defs=tools, rubric=rubric, max_turns=max_turns, **more)


def _last(state: Any) -> Any:
    """The model's last message."""
    return state["trajectory"][-1]["completion"][-1]
