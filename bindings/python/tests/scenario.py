#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs ../../scenario*.json: lists of requests that give the same bytes in every language, in process and over HTTP.

  scenario.py [--write]     in process and, if SOSIA names the command, over HTTP; --write: what comes in process is what is expected
"""
from __future__ import annotations

import hashlib
import json
import os
import re
import sys
from typing import Any

import sosia

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
FILES = [os.path.join(FOLDER, name) for name in ("scenario.json", "scenario-365.json")]


def load(path: str) -> dict[str, Any]:
    with open(path, encoding="utf-8") as f:
        made: dict[str, Any] = json.load(f)
    return made


def at_path(value: Any, path: str) -> Any:
    for step in path.split("."):
        value = value[int(step)] if isinstance(value, list) else value[step]
    return value


def perform(world: sosia.World, step: dict[str, Any], saved: dict[str, str]) -> sosia.Answer:
    target = re.sub(r"\$\{(\w+)\}", lambda m: saved[m[1]], step["target"])
    headers = list(step.get("headers", {}).items())
    body = None
    if "body" in step:
        body = json.dumps(step["body"], separators=(",", ":"), ensure_ascii=False).encode()
        headers.append(("Content-Type", "application/json"))
    elif "text" in step:
        body = step["text"].encode()
        headers.append(("Content-Type", step["type"]))
    token = world.as_actor(step["as"]).token if "as" in step else None
    answer = world.call(step["method"], target, body, headers=headers, token=token)
    for name, path in step.get("save", {}).items():
        saved[name] = at_path(answer.data, path)
    return answer


def run(world: sosia.World, steps: list[dict[str, Any]]) -> list[tuple[int, str]]:
    """Of each step status and digest; a wait has 0 and nothing."""
    saved: dict[str, str] = {}
    came = []
    for step in steps:
        if "wait" in step:
            world.advance(step["wait"])
            came.append((0, ""))
        else:
            answer = perform(world, step, saved)
            came.append((answer.status, hashlib.sha256(answer.body).hexdigest()))
    return came


def in_process(scenario: dict[str, Any]) -> list[tuple[int, str]]:
    with sosia.Engine(world_secret=scenario["world_secret"]) as engine, engine.create(fixture=scenario["fixture"]) as world:
        return run(world, scenario["steps"])


def over_http(scenario: dict[str, Any], command: str) -> list[tuple[int, str]]:
    with sosia.Server.start("--world-secret", scenario["world_secret"], command=command) as server:
        with server.create(fixture=scenario["fixture"]) as world:
            return run(world, scenario["steps"])


def differences(scenario: dict[str, Any], came: list[tuple[int, str]], where: str) -> list[str]:
    found = []
    for i, (step, (status, digest)) in enumerate(zip(scenario["steps"], came)):
        if "wait" not in step and (step["status"], step["sha256"]) != (status, digest):
            found.append("%s: step %d, %s %s: expected %d %s, came %d %s" % (where, i, step["method"], step["target"], step["status"],
                                                                             step["sha256"], status, digest))
    return found


def check(path: str) -> list[str]:
    scenario = load(path)
    came = in_process(scenario)
    if "--write" in sys.argv[1:]:
        for step, (status, digest) in zip(scenario["steps"], came):
            if "wait" not in step:
                step["status"], step["sha256"] = status, digest
        with open(path, "w", encoding="utf-8") as f:
            f.write(json.dumps(scenario, indent=1, ensure_ascii=False) + "\n")
    wrong = differences(scenario, came, "in process")
    if os.environ.get("SOSIA"):
        wrong += differences(scenario, over_http(scenario, os.environ["SOSIA"]), "over HTTP")
    print("\n".join(wrong) or "%d steps: the same bytes" % len(came))
    return wrong


def main() -> int:
    return 1 if [wrong for path in FILES for wrong in check(path)] else 0


if __name__ == "__main__":
    sys.exit(main())
