# SPDX-License-Identifier: Apache-2.0
"""A server of sosia, with the methods of an engine."""
from __future__ import annotations

import json
import os
import subprocess
from types import TracebackType
from typing import Any, Optional, Type

from .connection import PATIENCE
from .remote import Remote
from .world import Worlds


class Server(Worlds):
    """A server by its URL and control key; one that start() has started ends with close(), or with its `with` statement."""

    def __init__(self, url: str, key: str, process: Optional["subprocess.Popen[bytes]"] = None) -> None:
        self._remote = Remote(url, key)
        self._process = process
        self.url, self.key = url.rstrip("/"), key
        super().__init__(self._remote)

    @classmethod
    def start(cls, *options: str, command: Optional[str] = None) -> "Server":
        """Starts `sosia serve` on a free port, without the variables of the environment that begin with SOSIA_. options: more of its
        arguments; command: of the program, None: $SOSIA, or "sosia"."""
        program = command or os.environ.get("SOSIA") or "sosia"
        clean = {k: v for k, v in os.environ.items() if not k.startswith("SOSIA_")}
        process = subprocess.Popen([program, "serve", "--port", "0", "--json", "--clock", "frozen", *options], env=clean,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            process.stdout.close()
            raise RuntimeError("%s serve did not start: status %d" % (program, process.wait()))
        said = json.loads(line)
        return cls(said["url"], said["control_key"], process)

    def control(self, method: str, path: str, body: Any = None) -> Any:
        """A request to the control interface ("/worlds"), whose rows /_sosia/v1/openapi.json lists."""
        return self._remote.control(method, path, body)

    def close(self) -> None:
        super().close()
        if self._process is not None:
            self._process.terminate()
            self._process.wait(PATIENCE)
            if self._process.stdout is not None:
                self._process.stdout.close()
            self._process = None

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        self.close()


def connect(url: Optional[str] = None, key: Optional[str] = None) -> Server:
    """A server that runs; without arguments the one at SOSIA_URL with SOSIA_CONTROL_KEY. Nothing is sent yet."""
    if url is None:
        url = os.environ.get("SOSIA_URL")
        key = key or os.environ.get("SOSIA_CONTROL_KEY")
    if not url or not key:
        raise ValueError("connect() takes the URL of a server and its control key, or SOSIA_URL and SOSIA_CONTROL_KEY must be set")
    return Server(url, key)
