# SPDX-License-Identifier: Apache-2.0
"""Suites of tasks, and grades."""
from __future__ import annotations

import json
import os
from typing import Any, Optional, Union

from . import native


class Grade(dict[str, Any]):
    """What is made of an attempt: "passed", "reward", "parts", "failures", "unexpected", "reason"."""

    @property
    def passed(self) -> bool:
        return bool(self.get("passed"))

    @property
    def reward(self) -> float:
        """From 0 to 1."""
        return float(self.get("reward", 0))

    @property
    def failures(self) -> list[Any]:
        found: list[Any] = self.get("failures", [])
        return found


class Suite:
    """Tasks with assertions (docs/grading.md), of a document in JSON or YAML.

    Invalid "suite", with a line: it can't be one. Any number of threads may use it at once.
    """

    def __init__(self, document: Union[str, dict[str, Any]], name: Optional[str] = None) -> None:
        self.text = json.dumps(document) if isinstance(document, dict) else document
        self.name = name
        # Without the engine nobody looks at it before the server does.
        self.compiled = native.needed().Suite(self.text, name) if native.present() else None

    @classmethod
    def open(cls, path: Union[str, "os.PathLike[str]"]) -> "Suite":
        """Of a file."""
        with open(path, encoding="utf-8") as f:
            return cls(f.read(), os.path.basename(os.fspath(path)))

    def tasks(self) -> list[dict[str, Any]]:
        """Of each: id, name, difficulty, prompt, actor, fixture, seed. ImportError: the engine can't be loaded here."""
        listed = json.loads(self.compiled.list() if self.compiled else native.needed().Suite(self.text, self.name).list())
        found: list[dict[str, Any]] = listed["tasks"] if isinstance(listed, dict) else listed
        return found

    def task(self, id: str) -> dict[str, Any]:
        """One of them. KeyError: there is none."""
        for t in self.tasks():
            if t["id"] == id:
                return t
        raise KeyError("the task must be one of the suite's, not %r" % id)
