# SPDX-License-Identifier: Apache-2.0
"""sosia.integrations, with doubles of the frameworks' interfaces as these versions have them: inspect_ai 0.3.260 (Sample, ToolDef, ToolParams,
ToolError, solver, scorer, Score, TaskState's store and tools, Task's cleanup), skyrl-gym 0.4.0 (BaseTextEnv, register, make), TRL 1.9.0
(GRPOTrainer's environment_factory and reward_funcs) with what transformers' get_json_schema asks of a tool, verifiers 0.3.0
(MultiTurnEnv, Rubric, stop, cleanup, ToolMessage), ors-sdk 0.1.0 (Environment, tool, Server, its types), NeMo Gym of November 2026
(SimpleResourcesServer, its requests, the four hooks of an exported server's sessions). And each snippet of
docs/integrations.md runs as it stands, with these doubles."""
from __future__ import annotations

import asyncio
import importlib
import inspect
import json
import os
import re
import subprocess
import sys
import types
import typing
import urllib.request

import pytest

import sosia
import sosia.integrations
from sosia.integrations import Tasks, harbor, need

ROOT = os.environ["SOSIA_ROOT"]
CALENDAR = os.path.join(ROOT, "suites/calendar.yaml")
PATCH = {"calendarId": "primary", "eventId": "review01", "sendUpdates": "none", "body": {"location": "Shelf"}}
TOOLS = ["calendar_events_list", "calendar_events_patch"]
with open(os.path.join(ROOT, "docs/integrations.md"), encoding="utf-8") as f:
    SNIPPETS = re.findall(r"^```python\n(.*?)^```", f.read(), re.S | re.M)


@pytest.fixture
def tasks(sosia_engine):
    with Tasks(sosia_engine, sosia.Suite.open(CALENDAR), TOOLS) as tasks:
        yield tasks


def module(monkeypatch, name, **members):
    made = types.ModuleType(name)
    made.__dict__.update(members)
    monkeypatch.setitem(sys.modules, name, made)
    return made


# ---- Inspect AI ----


class ToolError(Exception):
    pass


class ToolParams:
    @classmethod
    def model_validate(cls, schema):
        assert schema["type"] == "object" and all(p["description"] for p in schema["properties"].values())
        made = cls()
        made.properties, made.required = schema["properties"], schema.get("required", [])
        return made


class ToolDef:
    def __init__(self, tool, name=None, description=None, parameters=None):
        assert inspect.iscoroutinefunction(tool) and name and description and isinstance(parameters, ToolParams)
        self.tool, self.name, self.description, self.parameters = tool, name, description, parameters


class Sample:
    def __init__(self, input, choices=None, target="", id=None, metadata=None):
        self.input, self.target, self.id, self.metadata = input, target, id, metadata


class Score:
    def __init__(self, *, value, answer=None, explanation=None, metadata=None):
        self.value, self.answer, self.explanation, self.metadata = value, answer, explanation, metadata


class Store(dict):
    set = dict.__setitem__


def registered(maker):
    """What @solver does, and @scorer(...): the maker's product must be a coroutine function."""
    def made(*args, **kwargs):
        product = maker(*args, **kwargs)
        assert inspect.iscoroutinefunction(product)
        return product
    return made


def scorer(metrics):
    assert metrics == ["mean", "stderr"]
    return registered


class Inspect:
    """A Task and its eval, with a model that is a function of the state."""

    def __init__(self, dataset, solver, scorer, cleanup):
        self.dataset, self.solver, self.scorer, self.cleanup = dataset, solver, scorer, cleanup
        self.scores, self.states = {}, {}

    async def run(self):
        for sample in self.dataset:
            state = types.SimpleNamespace(sample_id=sample.id, metadata=dict(sample.metadata), store=Store(), tools=[],
                                          output=types.SimpleNamespace(completion=""))
            self.states[sample.id] = state
            try:
                for step in self.solver:
                    state = await step(state, None)
                self.scores[sample.id] = await self.scorer(state, sample.target)
            finally:
                await self.cleanup(state)


@pytest.fixture
def inspect_ai(monkeypatch):
    async def idle(state, generate):
        assert state.tools
        return state
    module(monkeypatch, "inspect_ai", Task=Inspect, eval=lambda task, model: asyncio.run(task.run()))
    module(monkeypatch, "inspect_ai.dataset", Sample=Sample)
    module(monkeypatch, "inspect_ai.tool", ToolDef=ToolDef, ToolError=ToolError, ToolParams=ToolParams)
    module(monkeypatch, "inspect_ai.solver", solver=registered, generate=lambda: idle)
    module(monkeypatch, "inspect_ai.scorer", scorer=scorer, Score=Score, mean=lambda: "mean", stderr=lambda: "stderr")
    return importlib.import_module("sosia.integrations.inspect_ai")


def test_inspect_ai(inspect_ai, tasks, sosia_engine):
    async def model(state, generate):
        tools = {t.name: t for t in state.tools}
        assert set(tools) == set(TOOLS) and "eventId" in tools["calendar_events_patch"].parameters.required
        with pytest.raises(ToolError, match="[Nn]ot"):
            await tools["calendar_events_patch"].tool(calendarId="primary", eventId="nothing", body={})
        if state.sample_id == "correct-room":
            assert "Shelf" in await tools["calendar_events_patch"].tool(**PATCH)
        state.output.completion = "Done."
        return state

    task = Inspect(inspect_ai.dataset(tasks), [inspect_ai.worlds(tasks), model], inspect_ai.score(tasks), inspect_ai.cleanup(tasks))
    assert task.dataset[0].input == tasks.task(task.dataset[0].id)["prompt"]
    del task.dataset[2:]
    asyncio.run(task.run())
    good, bad = (task.scores[s.id] for s in task.dataset)
    assert (good.value, good.answer, good.metadata) == (1, "Done.", {"passed": True})
    assert bad.value < 1 and bad.explanation and bad.metadata == {"passed": False}
    for state in task.states.values():  # cleanup drops the worlds, and what the store has can be written to a log
        with pytest.raises(sosia.NotFound):
            sosia_engine.world(state.store["sosia_world"])


def test_inspect_ai_without_its_solver(inspect_ai, tasks):
    state = types.SimpleNamespace(sample_id="s", store=Store(), output=types.SimpleNamespace(completion=""))
    with pytest.raises(RuntimeError, match="worlds.. must come first"):
        asyncio.run(inspect_ai.score(tasks)(state, ""))
    asyncio.run(inspect_ai.cleanup(tasks)(state))  # after a solver that failed


# ---- SkyRL ----


class BaseTextEnv:
    def __init__(self):
        self.turns, self.max_turns = 0, 1
        self.tool_groups, self.tool_to_toolgroup = [], {}


@pytest.fixture
def skyrl_gym(monkeypatch):
    known = {}

    def make(id, **kwargs):
        name, attribute = known[id].split(":")
        env = getattr(importlib.import_module(name), attribute)(**kwargs)
        assert isinstance(env, BaseTextEnv)
        return env
    made = module(monkeypatch, "skyrl_gym", register=lambda id, entry_point: known.update({id: entry_point}), make=make)
    module(monkeypatch, "skyrl_gym.envs")
    module(monkeypatch, "skyrl_gym.envs.base_text_env", BaseTextEnv=BaseTextEnv)
    adapter = importlib.import_module("sosia.integrations.skyrl")
    yield made
    del sys.modules["sosia.integrations.skyrl"], sosia.integrations.skyrl  # its base class is a double's
    for tasks in adapter._known.values():
        tasks.close()
        tasks.worlds.close()


def call(text):
    return "Let me see. <tool_call>%s</tool_call>" % text


def test_skyrl(skyrl_gym):
    from sosia.integrations import skyrl
    skyrl_gym.register(id="sosia", entry_point="sosia.integrations.skyrl:SosiaEnv")
    row = next(r for r in skyrl.rows(CALENDAR, TOOLS) if r["task"] == "correct-room")
    assert row["env_class"] == "sosia" and row["prompt"][0]["role"] == "user"
    env = skyrl_gym.make("sosia", env_config=None, extras={**row, "max_turns": 5})
    with pytest.raises(RuntimeError, match="init must come first"):
        env.step("hello")
    prompt, info = env.init(row["prompt"])
    assert [m["role"] for m in prompt] == ["system", "user"] and "calendar_events_patch" in prompt[0]["content"]
    assert "drive_files" not in prompt[0]["content"] and info == {"task": "correct-room"}
    for wrong, says in ((call("{"), "must be JSON"), (call("[" * 100000), "must be JSON"), (call("[]"), "must be an object"),
                        (call('{"name": "drive_files_list"}'), "Unknown tool"),
                        (call('{"name": "calendar_events_list", "arguments": 3}'), "must be an object")):
        env.turns = 0
        step = env.step(wrong)
        assert says in step["observations"][0]["content"] and (step["reward"], step["done"]) == (0, False)
    two = call('{"name": "calendar_events_list", "arguments": {"calendarId": "primary"}}') + call(
        '{"name": "calendar_events_patch", "arguments": %s}' % json.dumps(PATCH))
    assert env.step(two)["observations"][0]["content"].count("<tool_response>") == 2
    step = env.step("Done.")
    assert step == {"observations": [], "reward": 1, "done": True, "metadata": {"passed": True, "failures": []}}
    assert env.get_metrics() == {"passed": 1, "turns": 3}
    assert env.init([{"role": "system", "content": "Be brief."}])[0][0]["content"].startswith("Be brief.\n\nYou can call")
    env.max_turns = 1
    step = env.step(call('{"name": "calendar_events_list", "arguments": {"calendarId": "primary"}}'))
    assert step["done"] and step["reward"] < 1 and step["metadata"]["failures"]  # a fresh world, and its turns are over
    env.close()
    env.close()


def test_skyrl_rows_that_are_none(skyrl_gym):
    from sosia.integrations import skyrl
    with pytest.raises(ValueError, match="extras must have suite"):
        skyrl.SosiaEnv()
    with pytest.raises(KeyError, match="the task must be one of"):
        skyrl.SosiaEnv(extras={"suite": CALENDAR, "task": "nothing"}).init([])


# ---- TRL ----


def json_schema(tool):
    """What transformers makes of a tool: a description for each parameter in the docstring's Args, and a type hint for each."""
    head, _, args = inspect.getdoc(tool).partition("\n\nArgs:\n")
    described = dict(re.findall(r"^\s+(\w+): (.+)$", args.partition("\n\nReturns:")[0], re.M))
    hints = typing.get_type_hints(tool)
    assert hints.pop("return") is str
    parameters = inspect.signature(tool).parameters
    assert set(hints) == set(parameters) == set(described), tool.__name__
    return {"name": tool.__name__, "description": head, "required": [n for n, p in parameters.items() if p.default is p.empty], "of": described}


class GRPOTrainer:
    """A batch of two rollouts for each row. The model makes the calls of `scripts`, by task, in the second one."""

    scripts = {"correct-room": [("calendar_events_patch", PATCH)]}

    def __init__(self, model, args, train_dataset, environment_factory, reward_funcs):
        self.rows, self.factory, self.reward = train_dataset, environment_factory, reward_funcs
        self.pool = [environment_factory()]
        assert callable(self.pool[0].reset) and not hasattr(self.pool[0], "get_reward")
        self.schemas = [json_schema(t) for t in self.tools(self.pool[0]).values()]

    @staticmethod
    def tools(environment):
        return {n: m for n, m in inspect.getmembers(environment, predicate=inspect.ismethod)
                if n not in ("reset", "get_reward") and not n.startswith("_")}

    def train(self):
        batch = [row for row in self.rows for _ in range(2)]
        self.pool += [self.factory() for _ in range(len(batch) - len(self.pool))]
        for environment, row in zip(self.pool, batch):
            assert environment.reset(**row) is None  # else it is added to the row's prompt
        for i in range(1, len(batch), 2):
            for name, arguments in self.scripts.get(batch[i]["task"], []):
                assert "Shelf" in self.tools(self.pool[i])[name](**arguments)
        completions = [[{"role": "assistant", "content": "Done."}] for _ in batch]
        self.rewards = self.reward(prompts=[r["prompt"] for r in batch], completions=completions, completion_ids=[[1]] * len(batch),
                                   environments=self.pool, task=[r["task"] for r in batch], trainer_state=None)


@pytest.fixture
def trl(monkeypatch):
    module(monkeypatch, "trl", GRPOTrainer=GRPOTrainer, GRPOConfig=dict)
    module(monkeypatch, "datasets", Dataset=types.SimpleNamespace(from_list=list))
    return importlib.import_module("sosia.integrations.trl")


def test_trl(trl, tasks):
    environments = trl.Environments(tasks)
    rows = trl.rows(tasks)
    first = [r["task"] for r in rows].index("correct-room")
    trainer = GRPOTrainer("m", {}, rows, environments, trl.reward)
    assert {s["name"] for s in trainer.schemas} == set(TOOLS)
    schema = next(s for s in trainer.schemas if s["name"] == "calendar_events_patch")
    assert "eventId" in schema["required"] and "sendUpdates" not in schema["required"] and '"properties"' in schema["of"]["body"]
    trainer.train()
    assert all(type(r) is float for r in trainer.rewards) and len(trainer.rewards) == 2 * len(rows)
    assert trainer.rewards[2 * first] < 1 and trainer.rewards[2 * first + 1] == 1
    environments.close()


def test_trl_by_itself(trl, tasks):
    environment = trl.Environments(tasks)()
    with pytest.raises(RuntimeError, match="reset must come first"):
        environment.calendar_events_list(calendarId="primary")
    prompts = [environment.reset(prompt=[]) for _ in tasks.ids()]
    assert prompts == [tasks.task(i)["prompt"] for i in tasks.ids()]
    assert "items" in environment.calendar_events_list(calendarId="primary", q=None)
    environment._close()


def test_trl_has_all_tools(trl, sosia_engine):
    with Tasks(sosia_engine, sosia.Suite.open(CALENDAR)) as tasks:
        made = GRPOTrainer("m", {}, [], trl.Environments(tasks), trl.reward).schemas
        with tasks.begin("correct-room") as attempt:
            assert {s["name"]: set(s["of"]) for s in made} == {t["name"]: set(t["inputSchema"]["properties"]) for t in attempt.tools()}


def test_trl_completions(trl):
    assert trl._text("Done.") == "Done."
    assert trl._text([{"role": "assistant", "content": [{"type": "text", "text": "Done."}]}]) == "Done."
    assert trl._text([{"role": "assistant", "content": "x"}, {"role": "tool", "content": "y"}]) is None and trl._text([]) is None


# ---- verifiers ----


class Rubric:
    def __init__(self, funcs=None, weights=None):
        self.funcs, self.weights = funcs or [], weights or [1.0] * len(funcs or [])

    def add_metric(self, func, weight=0.0):
        self.funcs.append(func)
        self.weights.append(weight)

    async def score(self, state):
        """The sum by weights, and each by its name."""
        each = {}
        for func in self.funcs:
            assert list(inspect.signature(func).parameters) == ["state"]
            each[func.__name__] = await func(state=state)
        return sum(w * each[f.__name__] for f, w in zip(self.funcs, self.weights)), each


def marked(name):
    def mark(method):
        setattr(method, name, True)
        return method
    return mark


class MultiTurnEnv:
    """Rollouts as they are there, of a model that is a list of messages."""

    def __init__(self, max_turns=-1, dataset=None, tool_defs=None, rubric=None, system_prompt=None):
        self.max_turns, self.dataset, self.tool_defs, self.rubric, self.system_prompt = max_turns, dataset, tool_defs, rubric, system_prompt
        assert all(set(t) == {"name", "description", "parameters"} for t in tool_defs)

    def decorated(self, name):
        return [m for _, m in inspect.getmembers(self, predicate=inspect.ismethod) if hasattr(m, name)]

    async def rollout(self, row, model):
        state = {**row, "info": json.loads(row["info"]), "trajectory": [], "trajectory_id": str(id(model)), "completion": None}
        try:
            state = await self.setup_state(state) or state
            said = list(row["prompt"])
            while len(state["trajectory"]) != self.max_turns and not any([await m(state) for m in self.decorated("stop")]):
                if state["trajectory"]:
                    said += await self.env_response(said, state)
                said.append(model[len(state["trajectory"])])
                state["trajectory"].append({"prompt": said[:-1], "completion": said[-1:]})
            state["said"] = said
        finally:
            for m in self.decorated("cleanup"):
                await m(state)
        return state


def message(content, *calls):
    return types.SimpleNamespace(role="assistant", content=content, tool_calls=[
        types.SimpleNamespace(id="c%d" % i, name=name, arguments=arguments) for i, (name, arguments) in enumerate(calls)] or None)


@pytest.fixture
def verifiers(monkeypatch):
    module(monkeypatch, "verifiers", MultiTurnEnv=MultiTurnEnv, Rubric=Rubric, stop=marked("stop"), cleanup=marked("cleanup"))
    module(monkeypatch, "verifiers.types", ToolMessage=types.SimpleNamespace)
    module(monkeypatch, "datasets", Dataset=types.SimpleNamespace(from_list=list))
    return importlib.import_module("sosia.integrations.verifiers")


def test_verifiers(verifiers, tasks, sosia_engine):
    env = verifiers.environment(tasks, max_turns=3, system_prompt="Be brief.")
    assert env.system_prompt == "Be brief." and {t["name"] for t in env.tool_defs} == set(TOOLS)
    row = next(r for r in env.dataset if json.loads(r["info"])["task"] == "correct-room")
    before = len(sosia_engine.worlds())
    patch = ("calendar_events_patch", json.dumps(PATCH))
    good = asyncio.run(env.rollout(row, [message("", ("calendar_events_list", "{"), patch), message("Done.")]))
    answers = [m for m in good["said"] if getattr(m, "role", None) == "tool"]
    assert [m.tool_call_id for m in answers] == ["c0", "c1"] and "must be JSON" in answers[0].content and "Shelf" in answers[1].content
    assert asyncio.run(env.rubric.score(good)) == (1, {"sosia_reward": 1, "sosia_passed": 1})
    json.dumps(good["sosia_grade"])
    lost = asyncio.run(env.rollout(row, [message("", ("calendar_events_list", ""))] * 3))
    assert len(lost["trajectory"]) == 3 and asyncio.run(env.rubric.score(lost))[1]["sosia_passed"] == 0 and lost["sosia_grade"]["failures"]
    assert len(sosia_engine.worlds()) == before  # each world is dropped
    with pytest.raises(KeyError):
        asyncio.run(env.rollout({**row, "info": '{"task": "nothing"}'}, []))
    assert asyncio.run(env.rubric.score({})) == (0, {"sosia_reward": 0, "sosia_passed": 0})


def test_verifiers_judges_the_answer(verifiers, tasks, monkeypatch):
    said = []
    monkeypatch.setattr(sosia.integrations.Attempt, "grade", lambda self, answer=None: said.append(answer) or sosia.Grade(reward=1))
    env = verifiers.environment(tasks, max_turns=1)
    for last in (message("Yes."), message([{"type": "text", "text": "Yes."}]), message("Wait.", ("calendar_events_list", "{}"))):
        asyncio.run(env.rollout(env.dataset[0], [last]))
    assert said == ["Yes.", "Yes.", None]


# ---- Open Reward Standard ----


class Model:
    def __init__(self, **members):
        self.__dict__.update(members)

    def model_dump(self, exclude_unset=False):
        return dict(self.__dict__)


class ToolOutput(Model):
    def __init__(self, blocks, metadata=None, reward=None, finished=False):
        super().__init__(blocks=blocks, metadata=metadata, reward=reward, finished=finished)


class OrsEnvironment:
    def __init__(self, task_spec={}, secrets={}):
        self.task_spec = task_spec

    def call(self, name, input):
        """A tool is a marked method of one parameter, which a model of pydantic types."""
        method = getattr(self, name, None)
        if not getattr(method, "_env_tool", False):
            return "not a valid tool"
        hints = typing.get_type_hints(method)
        (parameter,) = inspect.signature(method).parameters
        assert issubclass(hints[parameter], Model) and hints[parameter].model_config == {"extra": "allow"} and hints["return"] is ToolOutput
        return method(hints[parameter](**input))


class OrsServer:
    """One that opens a session of the first task when it is run."""

    def __init__(self, environments):
        (self.environment,) = environments

    def run(self, port):
        split = self.environment.list_splits()[0].name
        session = self.environment(task_spec=self.environment.list_tasks(split)[0], secrets={})
        session.setup()
        assert session.get_prompt()[0].text and session.call("submit", {"answer": "x"}).finished
        session.teardown()


@pytest.fixture
def ors(monkeypatch):
    module(monkeypatch, "ors", Environment=OrsEnvironment, Server=OrsServer, tool=marked("_env_tool"), ToolOutput=ToolOutput,
           **{n: types.SimpleNamespace for n in ("TextBlock", "Split", "ToolSpec", "ListToolsOutput")})
    module(monkeypatch, "pydantic", BaseModel=Model)
    return importlib.import_module("sosia.integrations.ors")


def test_ors(ors, tasks, sosia_engine):
    made = ors.environment(tasks, split="test")
    before = len(sosia_engine.worlds())
    assert [(s.name, s.type) for s in made.list_splits()] == [("test", "test")]
    with pytest.raises(ValueError, match="the split must be test, not 'train'"):
        made.list_tasks("train")
    assert [t["id"] for t in made.list_tasks("test")] == tasks.ids()
    specs = {t.name: t.input_schema for t in made.list_tools().tools}
    assert set(specs) == {*TOOLS, "submit"} and "eventId" in specs["calendar_events_patch"]["required"]
    with pytest.raises(KeyError, match="the task must be one of"):
        made(task_spec={"id": "nothing"})
    session = made(task_spec={"id": "correct-room"})
    with pytest.raises(RuntimeError, match="setup must come first"):
        session.call("submit", {})
    session.setup()
    assert session.get_prompt()[0].text == tasks.task("correct-room")["prompt"]
    assert session.call("calendar_events_patch", {"calendarId": "primary", "eventId": "no", "body": {}}).metadata == {"failed": True}
    assert session.call("_attempted", {}) == session.call("drive_files_list", {}) == "not a valid tool"
    out = session.call("calendar_events_patch", PATCH)
    assert "Shelf" in out.blocks[0].text and (out.reward, out.finished, out.metadata) == (None, False, {"failed": False})
    out = session.call("submit", {"answer": 3})
    assert (out.reward, out.finished, out.metadata) == (1, True, {"passed": True})
    session.teardown()
    session.teardown()
    assert len(sosia_engine.worlds()) == before


# ---- NeMo Gym ----


class Gym:
    """A resources server's base, which calls its routes as an app does: by path, with the session's cookie and a parsed body."""

    checkpoint_mode = "restart_only"

    def setup_webserver(self):
        self.routes = {}
        return types.SimpleNamespace(post=lambda path: lambda handler: self.routes.setdefault(path, handler))

    def post(self, path, session, **body):
        handler = {"seed_session": self.seed_session, "verify": self.verify, "close_session": self.close_resources_session}.get(path)
        given = {"path": path} if handler is None else {}
        handler = handler or self.routes["/{path}"]
        hints = typing.get_type_hints(handler)
        if "request" in hints:
            given["request"] = types.SimpleNamespace(session=session)
        return asyncio.run(handler(body=hints["body"](**body), **given))


class HTTPException(Exception):
    def __init__(self, status_code, detail):
        super().__init__(detail)
        self.status_code = status_code


@pytest.fixture
def nemo_gym(monkeypatch):
    made = {n: type(n, (Model,), {}) for n in (
        "BaseSeedSessionRequest", "BaseSeedSessionResponse", "BaseVerifyRequest", "BaseVerifyResponse", "ResourcesSeedSessionResponse",
        "ResourcesCloseSessionRequest", "ResourcesCloseSessionResponse")}
    module(monkeypatch, "nemo_gym.base_resources_server", SimpleResourcesServer=Gym, **made)
    module(monkeypatch, "nemo_gym.server_utils", SESSION_ID_KEY="session_id")
    module(monkeypatch, "fastapi", HTTPException=HTTPException, Request=types.SimpleNamespace)
    module(monkeypatch, "pydantic", BaseModel=Model, ConfigDict=dict)
    return importlib.import_module("sosia.integrations.nemo_gym")


def test_nemo_gym(nemo_gym, tasks):
    made = nemo_gym.server(nemo_gym.Sessions(tasks))()
    made.setup_webserver()
    assert made.checkpoint_mode == "exported"
    catchall = types.SimpleNamespace(tool=lambda name, schema, description: (name, schema["type"]))
    assert sorted(made.mcp_tools([], catchall)) == [(t, "object") for t in TOOLS]
    cookie = {"session_id": "s1"}
    for path, body in (("calendar_events_patch", PATCH), ("verify", {}), ("seed_session", {"task_id": "nothing"})):
        with pytest.raises(HTTPException) as e:
            made.post(path, cookie, **body)
        assert e.value.status_code == 400
    made.post("seed_session", cookie, task_id="correct-room")
    assert made.post("calendar_events_patch", cookie, calendarId="primary", eventId="no", body={}).failed
    assert "Shelf" in made.post("calendar_events_patch", cookie, **PATCH).output
    said = {"output": [{"type": "message", "content": [{"type": "output_text", "text": "Done."}]}, {"type": "function_call"}]}
    assert made.post("verify", cookie, response=said).reward == 1
    with pytest.raises(HTTPException, match="must be open"):
        made.post("seed_session", cookie, task_id="correct-room")
    # As an environment server seeds it, under an identifier of its own.
    cookie = {"session_id": "s2"}
    seeded = made.post("seed_session", cookie, resources_session_id="r", task_id={"id": "correct-room"}, task_data={})
    assert seeded.resources_session_id == cookie["session_id"] == "r"
    for _ in range(2):
        assert made.post("close_session", {}, resources_session_id="r").resources_session_id == "r"


def run_hooks(sessions, name, given):
    return asyncio.run(getattr(sessions, name)(given))


def test_nemo_gym_checkpoint(nemo_gym, tmp_path):
    suite, wrong = sosia.Suite.open(CALENDAR), {**PATCH, "body": {"location": "Cellar"}}
    with sosia.Engine(str(tmp_path / "worlds")) as engine, Tasks(engine, suite, TOOLS) as tasks:
        sessions = nemo_gym.Sessions(tasks)
        a, b = sessions.seed("a", "correct-room"), sessions.seed("b", "correct-room")
        assert sessions.seed("a", "correct-room") is a and sessions.seed("c", "correct-room") is not b
        with pytest.raises(ValueError, match="must be 'correct-room', not"):
            sessions.seed("a", "another")
        a.tool("calendar_events_patch", PATCH)
        run_hooks(sessions, "retire_session_state", "c")
        run_hooks(sessions, "retire_session_state", "c")
        with pytest.raises(ValueError, match="'c' is ended"):
            sessions.attempt("c")
        states = json.loads(json.dumps(run_hooks(sessions, "export_session_states", ["a", "b", "c"])))
        assert set(states) == {"a", "b"} and (states["a"]["revision"], states["b"]["revision"]) == (1, 0)
        a.tool("calendar_events_patch", wrong)  # what is done behind the checkpoint, until the process ends
        b.tool("calendar_events_patch", wrong)
        later = run_hooks(sessions, "export_session_states", ["a"])
        run_hooks(sessions, "park_session_states", ["a", "b"])
    with sosia.Engine(str(tmp_path / "worlds")) as engine, Tasks(engine, suite, TOOLS) as tasks:
        sessions = nemo_gym.Sessions(tasks)
        kept = [w.hash() for w in engine.worlds()]
        for broken in ({"hash": "0" * 64}, {"revision": 9}, {"world": "1"}, {"task": "x"}, {"form": 2}):
            with pytest.raises(ValueError, match="the state of the session 'b' can't be restored"):
                run_hooks(sessions, "restore_session_states", {**states, "b": {**states["b"], **broken}})
            assert [w.hash() for w in engine.worlds()] == kept
        with pytest.raises(KeyError, match="'a' is not"):
            sessions.attempt("a")
        run_hooks(sessions, "restore_session_states", states)
        assert run_hooks(sessions, "export_session_states", ["a", "b"]) == states
        assert sessions.revision("a") == 1 and sessions.attempt("a").grade().reward == 1
        assert sessions.attempt("b").grade().reward == 0 and not sessions.attempt("b").tool("calendar_events_patch", PATCH).failed
        assert sessions.attempt("b").grade().reward == 1
        with pytest.raises(ValueError, match="must not be open"):
            run_hooks(sessions, "restore_session_states", states)
        with pytest.raises(ValueError, match="can't be restored"):  # it is behind the state that was restored
            run_hooks(nemo_gym.Sessions(tasks), "restore_session_states", later)


# ---- all ----


def test_tasks(sosia_engine):
    before = len(sosia_engine.worlds())
    with Tasks(sosia_engine, sosia.Suite.open(CALENDAR), ["no_such_tool"]) as tasks:
        with tasks.begin("correct-room") as attempt, tasks.begin("correct-room") as other:
            with pytest.raises(KeyError, match="no_such_tool"):
                attempt.tools()
            assert attempt.tool("calendar_events_patch", PATCH) == ("Unknown tool: calendar_events_patch", True)
            assert attempt.tool("no_such_tool", {}).failed and attempt.tool("no_such_tool", [1]).failed
            assert attempt.world != other.world and len(sosia_engine.worlds()) == before + 3
        with pytest.raises(KeyError, match="the task must be one of correct-room"):
            tasks.begin("nothing")
    assert len(sosia_engine.worlds()) == before


def test_tasks_on_a_server():
    suite = sosia.Suite({"version": "1.1", "name": "s", "actor": "ada@small.example", "fixture": "small", "tests": [
        {"id": "tea", "prompt": "Coffee is tea.", "clock": "step", "step_ms": 1500, "assertions": [
            {"diff_type": "changed", "entity": "event", "where": {"id": "smallcoffee01"}, "expected_changes": {"summary": {"to": "Tea"}}}]}]})
    with sosia.Server.start() as server, Tasks(server, suite) as tasks, tasks.begin("tea") as attempt:
        began = attempt.world.now
        patch = {"calendarId": "primary", "eventId": "smallcoffee01", "body": {"summary": "Tea"}}
        assert not attempt.tool("calendar_events_patch", patch).failed and attempt.grade().reward == 1
        assert (attempt.world.now - began).total_seconds() == 1.5  # the task's clock


def test_what_models_make_up(tasks):
    with tasks.begin("correct-room") as attempt:
        for arguments in ({"calendarId": "\0"}, {"calendarId": "\ud800"}, {"maxResults": float("nan")}, {"q": "x" * 20000000}, {"q": []}, 3, None):
            assert attempt.tool("calendar_events_list", arguments).failed, arguments
        for answer in ("a\0b", "\ud800", "\u20ac" * 1000000, ""):
            assert attempt.grade(answer).reward < 1


# ---- Harbor ----

TEA = {"version": "1.1", "name": "s", "actor": "ada@small.example", "fixture": "small", "tests": [
    {"id": "tea", "name": "\"Tea\"", "prompt": "Coffee is tea.", "clock": "step", "step_ms": 1500, "assertions": [
        {"diff_type": "changed", "entity": "event", "where": {"id": "smallcoffee01"}, "expected_changes": {"summary": {"to": "Tea"}}},
        {"answer": {"mentions": "tea"}}]}]}


def verified(folder, url, key, logs, answer):
    """Runs the folder's test as Harbor does, in the place of the agent's container."""
    env = {"PATH": os.environ["PATH"], "SOSIA_URL": url, "SOSIA_CONTROL_KEY": key, "SOSIA_LOGS": str(logs), "SOSIA_ANSWER": str(answer)}
    subprocess.run([str(folder / "tests" / "test.sh")], env=env, check=True)
    return float((logs / "reward.txt").read_text())


def test_harbor(tmp_path):
    tomllib = pytest.importorskip("tomllib")
    folder, = harbor.write(sosia.Suite(TEA, "tea.json"), tmp_path / "tasks")
    with (folder / "task.toml").open("rb") as f:
        config = tomllib.load(f)
    service = json.loads((folder / "environment" / "docker-compose.yaml").read_text())["services"]["sosia"]
    server, key = config["environment"]["mcp_servers"][0], config["verifier"]["env"]["SOSIA_CONTROL_KEY"]
    assert config["task"] == {"name": "sosia/tea", "description": '"Tea"'} and config["schema_version"] == "1.1"
    assert server["transport"] == "streamable-http" and service["environment"] == {"SOSIA_CONTROL_KEY": key}
    assert (folder / "instruction.md").read_text().startswith("Coffee is tea.\n") and "Coffee is tea" not in json.dumps(service)
    assert (folder / "environment" / "sosia" / "Dockerfile").read_text() == "FROM sosia:%s\n" % sosia.version()[0]
    shown = [p for p in folder.rglob("*") if p.is_file() and p.name not in ("task.toml", "docker-compose.yaml")]
    assert len(shown) == 6 and not any(key in p.read_text() for p in shown)  # the agent's container has none of it
    said = tmp_path / "answer.txt"
    with sosia.Server.start(*service["command"], "--key", key) as running:
        url = server["url"].replace("http://sosia:8787", running.url)
        assert verified(folder, running.url, key, tmp_path / "before", said) == 0
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "calendar_events_patch", "arguments": {
            "calendarId": "primary", "eventId": "smallcoffee01", "body": {"summary": "Tea"}}}}
        request = urllib.request.Request(url, json.dumps(call).encode(), {
            "Content-Type": "application/json", "Accept": "application/json, text/event-stream"})
        assert not json.load(urllib.request.urlopen(request))["result"].get("isError")
        assert verified(folder, running.url, key, tmp_path / "unsaid", said) < 1  # it was to be said too
        said.write_text("It is tea now.")
        assert verified(folder, running.url, key, tmp_path / "after", said) == 1
        assert json.loads((tmp_path / "after" / "grade.json").read_text())["passed"] is True


def test_harbor_with_a_seed(tmp_path):
    people = {"sosia": 1, "people": [{"email": "ada@acme.example"}]}
    suite = sosia.Suite({"version": "1.1", "name": "s", "actor": "ada@acme.example", "seed": people, "tests": [
        {"id": "a", "prompt": "", "assertions": [{"diff_type": "unchanged", "entity": "event"}]},
        {"id": "b", "prompt": "", "assertions": [{"diff_type": "unchanged", "entity": "event"}]}]})
    folder, = harbor.write(suite, tmp_path, tasks=["b"], image="mine", sosia="theirs")
    seed = folder / "environment" / "sosia" / "seed.json"
    assert json.loads(seed.read_text()) == people and "COPY seed.json /seed.json" in (seed.parent / "Dockerfile").read_text()
    assert (folder / "environment" / "Dockerfile").read_text().startswith("FROM mine\n")
    command = json.loads((folder / "environment" / "docker-compose.yaml").read_text())["services"]["sosia"]["command"]
    with sosia.Server.start(*[str(seed) if word == "/seed.json" else word for word in command]) as running:
        assert len(running.worlds()) == 1
    with pytest.raises(FileExistsError):
        harbor.write(suite, tmp_path, tasks=["b"])
    with pytest.raises(KeyError):
        harbor.write(suite, tmp_path, tasks=["c"])
    other = {**TEA, "tests": [{**TEA["tests"][0], "id": "../up"}]}
    with pytest.raises(ValueError, match="a task's id must be a folder's name"):
        harbor.write(sosia.Suite(other), tmp_path)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["b"]


def test_a_missing_framework_is_named():
    with pytest.raises(ImportError, match="the package skyrl-gym is needed for this"):
        importlib.import_module("sosia.integrations.skyrl")
    with pytest.raises(ImportError, match="the package inspect-ai is needed for this"):
        importlib.import_module("sosia.integrations.inspect_ai").dataset(Tasks)
    with pytest.raises(ImportError, match="the package verifiers is needed for this"):
        importlib.import_module("sosia.integrations.verifiers").environment(Tasks)
    assert need("json", "json").loads("1") == 1


def test_importing_loads_nothing():
    text = "import sys, sosia; assert not [m for m in sys.modules if m.startswith('sosia.')]"
    subprocess.run([sys.executable, "-c", text], check=True)


def test_there_are_snippets():
    assert len(SNIPPETS) == 8


@pytest.mark.parametrize("i", range(len(SNIPPETS)))
def test_snippet(i, monkeypatch, inspect_ai, skyrl_gym, trl, verifiers, ors, nemo_gym):
    monkeypatch.chdir(ROOT)
    exec(compile(SNIPPETS[i], "docs/integrations.md", "exec"), {"__name__": "snippet"})
