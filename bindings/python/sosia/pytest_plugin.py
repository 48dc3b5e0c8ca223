# SPDX-License-Identifier: Apache-2.0
"""Fixtures for pytest. Nothing is loaded before one is asked for.

sosia_engine   an engine of this process, for the session
sosia_world    a fresh fork for each test, of a world that is made once for each way to make it:
               @pytest.mark.sosia(fixture="office", seed_file="tests/world.yaml", document={...}, actor="ada@acme.example",
                                  now="2026-11-23T09:00:00Z", clock="step", step=1, rates=True, seed=7)
sosia_actor    that world's Actor, of the marker's `actor`, else the first one who has an address
sosia_intercept  the world answers whatever in the process asks a vendor's host
sosia_server   a server that is started for the session, by the `sosia` of $SOSIA or PATH
sosia_noproc   a server that runs elsewhere: --sosia-url and --sosia-key, or SOSIA_URL and SOSIA_CONTROL_KEY
make_sosia_world(name, **options)  a factory of more fixtures like sosia_world

A test that fails shows what was done in its world, and its last calls with the line of each. Options: --sosia-fixture (ini:
sosia_fixture) for worlds whose marker names nothing, --sosia-keep=DIR to keep the worlds of failed tests.
"""
from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
from typing import TYPE_CHECKING, Any, Callable, Generator, Iterator, Optional

import pytest

if TYPE_CHECKING:
    from .server import Server
    from .world import Actor, Engine, World

MARKER = "sosia"
WAYS = ("fixture", "seed_file", "document", "now", "clock", "step", "rates", "seed", "actor", "journal", "evaluation")
_held = pytest.StashKey[list[Any]]()
_templates = pytest.StashKey["Templates"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("sosia", "worlds of sosia")
    group.addoption("--sosia-fixture", default=None, help="the fixture of worlds whose marker names nothing (small)")
    group.addoption("--sosia-keep", default=None, metavar="DIR", help="the worlds of failed tests are exported to this directory")
    group.addoption("--sosia-url", default=None, help="of a server for sosia_noproc")
    group.addoption("--sosia-key", default=None, help="its control key")
    parser.addini("sosia_fixture", "the fixture of worlds whose marker names nothing", default="")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "sosia(%s): how sosia_world is made" % ", ".join(WAYS))


def _setting(config: pytest.Config, name: str, usual: str) -> str:
    return str(config.getoption(name) or config.getini(name) or usual)


class Templates:
    """Worlds that are made once, and forked for each test."""

    def __init__(self, engine: "Engine") -> None:
        self.engine = engine
        self._made: dict[Any, "World"] = {}

    def get(self, ways: dict[str, Any]) -> "World":
        known: Any = tuple(ways.items())
        try:
            hash(known)
        except TypeError:
            known = json.dumps(ways, sort_keys=True, default=str)
        if known not in self._made:
            ways = dict(ways)
            path = ways.pop("seed_file", None)
            if path is not None:
                with open(path, encoding="utf-8") as f:
                    ways["document"] = f.read()
            self._made[known] = self.engine.create(ways.pop("document", None), **ways)
        return self._made[known]


@pytest.fixture(scope="session")
def sosia_engine() -> Iterator["Engine"]:
    from .world import Engine
    with Engine() as engine:
        yield engine


@pytest.fixture(scope="session")
def sosia_templates(sosia_engine: "Engine") -> Templates:
    return Templates(sosia_engine)


def _ways(request: pytest.FixtureRequest, options: dict[str, Any]) -> dict[str, Any]:
    ways = dict(options)
    for marker in reversed(list(request.node.iter_markers(MARKER))):  # the closest one last
        if marker.args:
            raise pytest.UsageError("the marker %s takes names and values, not %r" % (MARKER, marker.args))
        if any(k in marker.kwargs for k in ("fixture", "seed_file", "document")):
            ways = {k: v for k, v in ways.items() if k not in ("fixture", "seed_file", "document")}
        ways.update(marker.kwargs)
    wrong = sorted(set(ways) - set(WAYS))
    if wrong:
        raise pytest.UsageError("the marker %s must have names of %s, not %s" % (MARKER, ", ".join(WAYS), ", ".join(wrong)))
    if not any(k in ways for k in ("fixture", "seed_file", "document")):
        ways["fixture"] = _setting(request.config, "sosia_fixture", "small")
    if "seed_file" in ways:
        ways["seed_file"] = os.path.join(os.fspath(request.config.rootpath), ways["seed_file"])
    return ways


def _templates_of(request: pytest.FixtureRequest) -> Templates:
    """Those of the fixture, which is looked up once for the tests of a class or module: a look-up costs more than a fork."""
    parent = request.node.parent
    known: Optional[Templates] = parent.stash.get(_templates, None)
    if known is not None and not known.engine.closed:
        return known
    fresh: Templates = request.getfixturevalue("sosia_templates")
    parent.stash[_templates] = fresh
    return fresh


def _fork(request: pytest.FixtureRequest, options: dict[str, Any]) -> Iterator["World"]:
    from .errors import Error
    ways = _ways(request, options)
    ways.pop("actor", None)
    origin = _templates_of(request).get(ways)
    world = origin.fork()
    world.note_calls()
    request.node.stash.setdefault(_held, []).append((origin, world))
    yield world
    request.node.stash[_held].remove((origin, world))
    try:
        world.drop()
    except Error as e:  # the test has dropped it
        if e.status != 404:
            raise


def make_sosia_world(name: str = "sosia_world", **options: Any) -> Callable[..., Iterator["World"]]:
    """A fixture like sosia_world, made in another way; what the marker says comes first."""
    @pytest.fixture(name=name)
    def made(request: pytest.FixtureRequest) -> Iterator["World"]:
        yield from _fork(request, options)
    return made


sosia_world = make_sosia_world()


@pytest.fixture
def sosia_actor(request: pytest.FixtureRequest, sosia_world: "World") -> "Actor":
    name: Optional[str] = _ways(request, {}).get("actor")
    if name is None:
        name = next(a["email"] for a in sosia_world.actors() if a.get("email"))
    return sosia_world.as_actor(name)


@pytest.fixture
def sosia_intercept(sosia_world: "World") -> Iterator["World"]:
    from .interception import intercept
    with intercept(sosia_world):
        yield sosia_world


@pytest.fixture(scope="session")
def sosia_server() -> Iterator["Server"]:
    from .server import Server
    with Server.start() as server:
        yield server


@pytest.fixture(scope="session")
def sosia_noproc(pytestconfig: pytest.Config) -> Iterator["Server"]:
    from .server import connect
    url, key = pytestconfig.getoption("sosia_url"), pytestconfig.getoption("sosia_key")
    if not (url or os.environ.get("SOSIA_URL")):
        pytest.skip("sosia_noproc needs a server: --sosia-url and --sosia-key, or SOSIA_URL and SOSIA_CONTROL_KEY")
    server = connect(url, key)
    yield server
    server.close()


# ---- what a failing test shows ----


def _keep(item: pytest.Item, origin: "World", world: "World", folder: str) -> str:
    """Writes the world, and the page of what was done in it where the command is there. Gives what to say."""
    worker = getattr(item.config, "workerinput", {}).get("workerid")
    if worker:
        folder = os.path.join(folder, worker)
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, re.sub(r"[^A-Za-z0-9_.-]+", "_", item.nodeid)[-150:] + "-" + world.key)
    world.export(path + ".db")
    command = os.environ.get("SOSIA") or shutil.which("sosia")
    if not command:
        return "kept: %s.db (without a page: there is no `sosia` in PATH or $SOSIA)" % path
    return "kept: %s.db, %s" % (path, _page(command, origin, path))


def _page(command: str, origin: "World", path: str) -> str:
    """`sosia diff --html` of the world and what it was forked from, in a data directory for it."""
    from .world import Engine
    with tempfile.TemporaryDirectory() as data:
        before = os.path.join(data, "before.db")
        origin.export(before)
        with Engine(os.path.join(data, "data")) as engine:
            engine.import_world(before, "before")
            engine.import_world(path + ".db", "after")
        made = subprocess.run([command, "diff", "before", "after", "--data", os.path.join(data, "data"), "--html", path + ".html"],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    return path + ".html" if made.returncode == 0 else "and no page: " + made.stderr.decode("utf-8", "replace").strip()


def _sections(item: pytest.Item, origin: "World", world: "World") -> Iterator[tuple[str, str]]:
    from .errors import Error
    try:
        yield "sosia: what was done in %s" % world.key, str(world.diff())
        if world.calls:
            yield "sosia: last calls", "\n".join(str(c) for c in world.calls)
        folder = item.config.getoption("sosia_keep")
        if folder:
            yield "sosia: kept", _keep(item, origin, world, folder)
    except (Error, OSError) as e:
        yield "sosia", "nothing can be said of the world %s: %s" % (world.key, e)


@pytest.hookimpl(hookwrapper=True)  # type: ignore[misc]
def pytest_runtest_makereport(item: pytest.Item, call: "pytest.CallInfo[None]") -> Generator[None, Any, None]:
    outcome = yield
    report = outcome.get_result()
    if report.when == "call" and report.failed:
        for origin, world in item.stash.get(_held, []):
            report.sections.extend(_sections(item, origin, world))
