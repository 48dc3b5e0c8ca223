# SPDX-License-Identifier: Apache-2.0
"""For Harbor: the tasks of a suite as folders, which NeMo Gym and verifiers read too.

    write(sosia.Suite.open("suites/calendar.yaml"), "tasks")

Each folder has the prompt, an environment in which the agent's container has a sosia beside it, with the task's world, and a test
that asks that sosia for the grade. Needs no package.
"""
from __future__ import annotations

import json
import os
import pathlib
import re
import secrets
from typing import Any, Iterable, Optional, Union

from .._sosia import version
from ..suite import Suite

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_WORLD = "task"
_ANSWER = "/app/answer.txt"

_TEST = """#!/bin/sh
exec python3 "$(dirname "$0")/grade.py"
"""

# Runs in the agent's container, after the agent: the control key comes with it, by the verifier's environment.
_GRADE = '''"""Asks the sosia of the task for the grade, and writes the reward."""
import json
import os
import pathlib
import urllib.request

here = pathlib.Path(__file__).parent
answer = pathlib.Path(os.environ.get("SOSIA_ANSWER", "%(answer)s"))
said = answer.read_bytes()[:1 << 20].decode("utf-8", "ignore").replace("\\0", "\\ufffd") if answer.is_file() else None
ask = {"suite": (here / "suite").read_text(encoding="utf-8"), "task": "%(task)s", "worlds": ["%(world)s"], "answers": [said]}
request = urllib.request.Request(
    os.environ.get("SOSIA_URL", "http://sosia:8787") + "/_sosia/v1/worlds/grade", json.dumps(ask).encode(),
    {"Content-Type": "application/json", "Authorization": "Bearer " + os.environ["SOSIA_CONTROL_KEY"]})
with urllib.request.urlopen(request, timeout=60) as response:
    grade = json.load(response)["results"][0]
logs = pathlib.Path(os.environ.get("SOSIA_LOGS", "/logs/verifier"))
logs.mkdir(parents=True, exist_ok=True)
(logs / "grade.json").write_text(json.dumps(grade, indent=1), encoding="utf-8")
(logs / "reward.txt").write_text("%%s\\n" %% grade["reward"], encoding="utf-8")
'''


def _quoted(text: str) -> str:
    """A basic string of TOML. JSON's escapes are TOML's, but for the surrogates, which ensure_ascii=False avoids, and DEL."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _toml(task: dict[str, Any], suite: str, url: str, key: str, timeout_s: float) -> str:
    name = task.get("name") or task["id"]
    return "\n".join([
        'schema_version = "1.1"', "",
        "[task]", "name = %s" % _quoted("sosia/" + task["id"]), "description = %s" % _quoted(name), "",
        "[metadata]", "suite = %s" % _quoted(suite), "difficulty = %s" % _quoted(task.get("difficulty") or "unknown"), "",
        "[agent]", "timeout_sec = %.1f" % timeout_s, "",
        "[verifier]", "timeout_sec = 120.0", "env = { SOSIA_CONTROL_KEY = %s }" % _quoted(key), "",
        "[environment]", "build_timeout_sec = 600.0", "",
        "[[environment.mcp_servers]]", 'name = "sosia"', 'transport = "streamable-http"', "url = %s" % _quoted(url), ""])


def _serve(task: dict[str, Any], token: str) -> list[str]:
    """The arguments for the task's world, behind those that the image begins with: `sosia serve --listen 0.0.0.0 --make-key`."""
    words = ["--host", "sosia", "--world", _WORLD, "--evaluation", "--journal", "all",
             "--fixture", "/seed.json" if task.get("seed") else task["fixture"], "--clock", task.get("clock") or "frozen",
             "--token", "%s=%s" % (token, task["actor"])]
    return words + (["--step", str(task["step_ms"])] if task.get("step_ms") else [])


def _compose(words: list[str], key: str) -> str:
    """JSON is YAML."""
    return json.dumps({"services": {
        "main": {"depends_on": {"sosia": {"condition": "service_healthy"}}},
        "sosia": {"build": {"context": "./sosia"}, "command": words, "environment": {"SOSIA_CONTROL_KEY": key},
                  "healthcheck": {"test": ["CMD", "/usr/bin/sosia", "health"], "interval": "1s", "timeout": "5s", "retries": 30}}}},
        indent=2) + "\n"


def write(suite: Suite, directory: Union[str, "os.PathLike[str]"], *, tasks: Optional[Iterable[str]] = None, image: str = "python:3.12-slim",
          sosia: Optional[str] = None, tools: str = "common", timeout_s: float = 900) -> list[pathlib.Path]:
    """Makes a folder for each task, named by its id, and gives their paths.

    tasks: ids of some, None: all. image: of the agent's container; it must have python3, which the test runs. sosia: the image of
    the server beside it, None: that of this version. tools: the set of MCP tools (docs/mcp.md). timeout_s: seconds that an agent
    has. KeyError: a task is not there; ValueError: an id can't be a folder's name; FileExistsError: the folder is there.

    Each folder has a control key and a token of its own from the system's random source. The agent is given the token alone; the key
    is in the compose file and in task.toml, which no container sees.
    """
    made = []
    for task in suite.tasks() if tasks is None else [suite.task(id) for id in tasks]:
        if not _ID.fullmatch(task["id"]):
            raise ValueError("a task's id must be a folder's name of letters, digits, '.', '_' and '-', not %r" % task["id"])
        key, token = secrets.token_hex(16), secrets.token_hex(16)
        folder = pathlib.Path(directory) / task["id"]
        words = _serve(task, token)
        base = "FROM %s\n" % (sosia or "sosia:" + version()[0]) + ("COPY seed.json /seed.json\n" if task.get("seed") else "")
        files = {
            "task.toml": _toml(task, suite.name or "", "http://sosia:8787/mcp?tools=%s&token=%s" % (tools, token), key, timeout_s),
            "instruction.md": "%s\n\nThe tools of the MCP server `sosia` are what you work with. Write what you say at the end, if anything is "
                              "asked, to `%s`.\n" % (task.get("prompt", "").rstrip(), _ANSWER),
            "environment/Dockerfile": "FROM %s\nWORKDIR /app\n" % image,
            "environment/docker-compose.yaml": _compose(words, key),
            "environment/sosia/Dockerfile": base,
            "tests/test.sh": _TEST,
            "tests/grade.py": _GRADE % {"answer": _ANSWER, "task": task["id"], "world": _WORLD},
            "tests/suite": suite.text}
        if task.get("seed"):
            files["environment/sosia/seed.json"] = task["seed"] if isinstance(task["seed"], str) else json.dumps(task["seed"])
        folder.mkdir(parents=True)
        for name, text in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        (folder / "tests" / "test.sh").chmod(0o755)
        made.append(folder)
    return made
