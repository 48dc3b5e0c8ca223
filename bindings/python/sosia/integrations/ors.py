# SPDX-License-Identifier: Apache-2.0
"""For the Open Reward Standard: a suite as an environment that its server serves.

    ors.Server([environment(tasks)]).run(port=8080)
"""
from __future__ import annotations

from typing import Any, Optional

from . import Attempt, Tasks, need

_SUBMIT = {"type": "object", "properties": {"answer": {"type": "string", "description": "What is to be said about it"}}}


def environment(tasks: Tasks, *, split: str = "train") -> Any:
    """A class for ors.Server: its tasks are the suite's, in one split ("train", "validation", "test"); its tools are the world's, and
    submit, which ends the session with the suite's reward."""
    ors, model = need("ors", "ors-sdk"), need("pydantic", "pydantic").BaseModel
    base: Any = ors.Environment
    arguments = type("Arguments", (model,), {"__module__": __name__, "model_config": {"extra": "allow"}})

    def output(text: str, **more: Any) -> Any:
        return ors.ToolOutput(blocks=[ors.TextBlock(text=text)], **more)

    class Sosia(base):  # type: ignore[misc]
        def __init__(self, task_spec: Optional[dict[str, Any]] = None, secrets: Optional[dict[str, str]] = None) -> None:
            super().__init__(task_spec or {}, secrets or {})
            self._task = str(tasks.task((task_spec or {}).get("id", ""))["id"])
            self._attempt: Optional[Attempt] = None

        def setup(self) -> None:
            self._attempt = tasks.begin(self._task)

        def teardown(self) -> None:
            attempt, self._attempt = self._attempt, None
            if attempt is not None:
                attempt.close()

        def get_prompt(self) -> Any:
            return [ors.TextBlock(text=str(tasks.task(self._task).get("prompt", "")))]

        @classmethod
        def list_splits(cls) -> Any:
            return [ors.Split(name=split, type=split)]

        @classmethod
        def list_tasks(cls, split: str) -> Any:
            if split not in [s.name for s in cls.list_splits()]:
                raise ValueError("the split must be %s, not %r" % (cls.list_splits()[0].name, split))
            return [{"id": id} for id in tasks.ids()]

        @classmethod
        def list_tools(cls) -> Any:
            return ors.ListToolsOutput(tools=[ors.ToolSpec(name=n, description=d, input_schema=s) for n, d, s in specs])

        def _attempted(self) -> Attempt:
            if self._attempt is None:
                raise RuntimeError("setup must come first: there is no attempt")
            return self._attempt

    def tool(name: str) -> Any:
        def call(self: Sosia, params: Any) -> Any:
            result = self._attempted().tool(name, params.model_dump())
            return output(result.text, metadata={"failed": result.failed})

        return call

    def submit(self: Sosia, params: Any) -> Any:
        said = params.model_dump().get("answer")
        grade = self._attempted().grade(said if isinstance(said, str) else None)
        return output("The task is over.", reward=grade.reward, finished=True, metadata={"passed": grade.passed})

    with tasks.begin(tasks.ids()[0]) as attempt:
        specs = [(t["name"], t.get("description", ""), t["inputSchema"]) for t in attempt.tools()]
    methods = {name: tool(name) for name, _, _ in specs}
    specs.append(("submit", "Says that the task is done, and what was asked about it", _SUBMIT))
    for name, method in {**methods, "submit": submit}.items():
        method.__name__, method.__annotations__ = name, {"params": arguments, "return": ors.ToolOutput}
        setattr(Sosia, name, ors.tool(method))
    return Sosia
