# SPDX-License-Identifier: Apache-2.0
"""For NeMo Gym: a suite as a resources server whose sessions take part in its checkpoints.

    Server = server(Sessions(tasks))
    Server.run_webserver()
"""
from __future__ import annotations

import threading
from typing import Any, Optional

from . import Attempt, Tasks, need, text_of

_FORM = 1


class Sessions:
    """The attempts of sessions, and what a checkpoint asks of them: the hooks of a server whose mode is "exported".

    tasks: of worlds that outlast the process, so of an engine with a data directory or of a server; a state names a world there and
    the number of its last call. A session that is closed or retired never comes back under its identifier. Any thread may use it.
    """

    def __init__(self, tasks: Tasks) -> None:
        self.tasks = tasks
        self._lock = threading.Lock()
        self._open: dict[str, Attempt] = {}
        self._ended: set[str] = set()

    def seed(self, session: str, task: str, *, seed: int = 0) -> Attempt:
        """Begins an attempt, or gives the one that the session has. KeyError: there is no such task. ValueError: the session is
        ended, or has another task."""
        with self._lock:
            self._refuse_ended(session)
            known = self._open.get(session)
            if known is None:
                known = self._open[session] = self.tasks.begin(task, seed=seed)
            elif known.id != task:
                raise ValueError("the task of the session %r must be %r, not %r" % (session, known.id, task))
            return known

    def attempt(self, session: str) -> Attempt:
        """KeyError: it was not seeded. ValueError: it is ended."""
        with self._lock:
            self._refuse_ended(session)
            if session not in self._open:
                raise KeyError("the session must be seeded first: %r is not" % session)
            return self._open[session]

    def revision(self, session: str) -> int:
        """How many calls its world has had: what a state of it says, too."""
        return int(self.attempt(session).world.journal_info()["entries"])

    def close(self, session: str) -> None:
        """Drops its world. One that is closed already, or was never seeded, is closed as well."""
        with self._lock:
            attempt = self._open.get(session)
            if attempt is not None:
                attempt.close()  # if this fails the session is open still
                del self._open[session]
            self._ended.add(session)

    async def export_session_states(self, session_ids: list[str]) -> dict[str, Any]:
        """The state of each session that is open; the others are left out."""
        states = {}
        with self._lock:
            for session in session_ids:
                attempt = self._open.get(session)
                if attempt is not None:
                    states[session] = {"form": _FORM, "task": attempt.id, "world": attempt.world.key,
                                       "revision": int(attempt.world.journal_info()["entries"]), "hash": attempt.world.hash()}
        return states

    async def restore_session_states(self, states: dict[str, Any]) -> None:
        """Takes each world back to its revision: all of them or, with a ValueError that names the session, none. What a world did
        behind that revision is discarded, so that a later state of it can't be restored any more."""
        with self._lock:
            found = {session: self._check(session, state) for session, state in states.items()}
            for session, attempt in found.items():
                attempt.world.reset(step=states[session]["revision"])
            self._open.update(found)

    async def retire_session_state(self, session_id: str) -> None:
        """Drops its world. It may run twice."""
        self.close(session_id)

    async def park_session_states(self, session_ids: list[str]) -> None:
        """Nothing: a world that nobody calls costs the bytes on its disk."""

    def _refuse_ended(self, session: str) -> None:
        if session in self._ended:
            raise ValueError("the session must be open: %r is ended" % session)

    def _check(self, session: str, state: Any) -> Attempt:
        self._refuse_ended(session)
        if session in self._open:
            raise ValueError("the session %r must not be open when its state is restored" % session)
        try:
            if state["form"] != _FORM:
                raise ValueError("its form must be %d, not %r" % (_FORM, state["form"]))
            task, world = self.tasks.task(state["task"]), self.tasks.worlds.world(state["world"])
            with world.fork(at=state["revision"]) as then:
                ours = then.hash()
            if ours != state["hash"]:
                raise ValueError("its world must have the hash %s at %d, not %s" % (state["hash"], state["revision"], ours))
        except Exception as e:
            raise ValueError("the state of the session %r can't be restored: %s" % (session, e)) from e
        return Attempt(self.tasks.suite, task, world, self.tasks.tools)


def server(sessions: Sessions) -> Any:
    """A class of resources server: a session has the task that its seed names ("task_id" in the row, or the task of an environment
    server), each tool of the world is a route and, over MCP, a tool; /verify grades and ends it. Its checkpoints have the state of
    each session, and wait for /verify."""
    base = need("nemo_gym.base_resources_server", "nemo-gym")
    fastapi, pydantic = need("fastapi", "fastapi"), need("pydantic", "pydantic")
    session_key = need("nemo_gym.server_utils", "nemo-gym").SESSION_ID_KEY
    free: Any = {"model_config": pydantic.ConfigDict(extra="allow"), "__module__": __name__}
    body_of_tool = type("ToolRequest", (pydantic.BaseModel,), dict(free))
    body_of_seed = type("SeedRequest", (base.BaseSeedSessionRequest,), dict(free))
    body_of_verify = type("VerifyRequest", (base.BaseVerifyRequest,), dict(free))
    parent: Any = base.SimpleResourcesServer

    def refused(e: Exception) -> Any:
        return fastapi.HTTPException(status_code=400, detail=str(e.args[0]) if e.args else str(e))

    class Server(parent):  # type: ignore[misc]
        checkpoint_mode = "exported"
        checkpoint_verify = "wait"

        def setup_webserver(self) -> Any:
            app = super().setup_webserver()
            app.post("/{path}")(self.call_tool)
            return app

        def mcp_tools(self, harvested: Any, catchall: Any) -> Any:
            with sessions.tasks.begin(sessions.tasks.ids()[0]) as attempt:
                return harvested + [catchall.tool(t["name"], t["inputSchema"], t.get("description")) for t in attempt.tools()]

        async def seed_session(self, request: Any, body: Any) -> Any:
            given = body.model_dump()
            by_environment = "resources_session_id" in given
            if by_environment:
                request.session[session_key] = given["resources_session_id"]
            named = given.get("task_id")
            try:
                sessions.seed(request.session[session_key], str(named.get("id", "") if isinstance(named, dict) else named))
            except (KeyError, ValueError) as e:
                raise refused(e) from e
            if by_environment:
                return base.ResourcesSeedSessionResponse(resources_session_id=given["resources_session_id"])
            return base.BaseSeedSessionResponse()

        async def call_tool(self, path: str, body: Any, request: Any) -> Any:
            try:
                result = sessions.attempt(request.session[session_key]).tool(path, body.model_dump(exclude_unset=True))
            except (KeyError, ValueError) as e:
                raise refused(e) from e
            return body_of_tool(output=result.text, failed=result.failed)

        async def verify(self, request: Any, body: Any) -> Any:
            session = request.session[session_key]
            try:
                grade = sessions.attempt(session).grade(_last_text(body.model_dump()))
            except (KeyError, ValueError) as e:
                raise refused(e) from e
            sessions.close(session)
            return base.BaseVerifyResponse(**body.model_dump(), reward=grade.reward)

        async def close_resources_session(self, body: Any) -> Any:
            sessions.close(body.resources_session_id)
            return base.ResourcesCloseSessionResponse(resources_session_id=body.resources_session_id)

    for name in ("export_session_states", "restore_session_states", "retire_session_state", "park_session_states"):
        setattr(Server, name, _hook(sessions, name))
    Server.seed_session.__annotations__ = {"request": fastapi.Request, "body": body_of_seed, "return": pydantic.BaseModel}
    Server.call_tool.__annotations__ = {"path": str, "body": body_of_tool, "request": fastapi.Request, "return": body_of_tool}
    Server.verify.__annotations__ = {"request": fastapi.Request, "body": body_of_verify, "return": base.BaseVerifyResponse}
    Server.close_resources_session.__annotations__ = {"body": base.ResourcesCloseSessionRequest,
                                                      "return": base.ResourcesCloseSessionResponse}
    return Server


def _hook(sessions: Sessions, name: str) -> Any:
    async def hook(self: Any, given: Any) -> Any:
        return await getattr(sessions, name)(given)

    hook.__name__ = name
    return hook


def _last_text(verify: dict[str, Any]) -> Optional[str]:
    """What the model said at the end, of a response's output items."""
    for item in reversed((verify.get("response") or {}).get("output") or []):
        if item.get("type") == "message":
            return text_of(item.get("content"))
    return None
