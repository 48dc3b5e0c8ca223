# SPDX-License-Identifier: Apache-2.0
"""Worlds in an engine of this process."""
from __future__ import annotations

import datetime as dt
import json
import os
from typing import TYPE_CHECKING, Any, Optional

from . import errors, native, streams
from .answer import Answer
from .home import CLOCKS, JOURNALS, Document, Fields, Home, Ref, one_of
from .times import Instant, Span, from_us, instant_us, span_us

if TYPE_CHECKING:
    from . import _sosia
    from .deliveries import Hub

KEEPS = ("redacted", "full", "hashes")
OAUTHS = ("by_world", "listed", "open", "never_open")
FORMS = ("json", "patch", "tables")
FORMATS = ("jsonl", "har", "otlp", "atif", "run")
_NO_STEP = -(1 << 63)
_HERE = os.path.dirname(os.path.abspath(__file__))


def fixture_path(name: str) -> str:
    """The file of a fixture: of SOSIA_FIXTURES, else one that comes with the package."""
    if not name.replace("-", "").replace("_", "").isalnum():
        raise ValueError("a fixture's name must be of letters, digits, - and _, not %r" % name)
    for folder in (os.environ.get("SOSIA_FIXTURES"), _HERE):
        for ending in (".yaml", ".yml", ".json"):
            if folder and os.path.exists(os.path.join(folder, name + ending)):
                return os.path.join(folder, name + ending)
    raise errors.NotFound("there is no fixture %r" % name, "fixtureNotFound", "fixture")


def document_text(document: Document) -> str | bytes:
    """JSON or YAML as it is, an object as JSON."""
    return json.dumps(document) if isinstance(document, dict) else document


class Local(Home):
    """An engine of this process; see sosia.Engine for the options."""

    def __init__(self, data_dir: Optional[str], max_worlds: int, max_world_size: int, max_size: int, spool_dir: Optional[str],
                 spool_over: int, oauth: str, world_secret: Optional[str], random_secrets: bool, evaluation: bool,
                 mcp_fixture: bool, journal: str, keep: str) -> None:
        self.engine: "_sosia.Engine" = native.needed().Engine(
            data_dir, max_worlds, max_world_size, max_size, spool_dir, spool_over, one_of(OAUTHS, oauth, "oauth"), world_secret,
            random_secrets, evaluation, mcp_fixture, one_of(JOURNALS, journal, "journal"), one_of(KEEPS, keep, "keep"))
        self.hub: Optional["Hub"] = None
        self.bridges: set[Any] = set()  # of sockets.py

    def close(self) -> None:
        for bridge in list(self.bridges):
            bridge.close()
        if self.hub is not None:
            self.hub.close()
            self.hub = None
        self.engine.close()

    def listening(self) -> "Hub":
        """The thread that takes the outbox's notices; begun when it is first asked for."""
        from .deliveries import Hub
        if self.hub is None:
            self.hub = Hub(self)
        return self.hub

    def hosts(self) -> list[str]:
        # Where no vendor answers, the engine says what it serves.
        answer = self.engine.call(0, "GET", "/.", None, None, None)
        return list(dict.fromkeys(h for served in answer.data["served"] for h in served.get("hosts", [])))

    def send(self, world: Ref, method: str, target: str, headers: Fields, body: Any, base: Optional[str]) -> Answer:
        return self.open(world, method, target, headers, body, base)[0] if method == "HEAD" else self._sent(world, method, target, headers, body)

    def _sent(self, world: Ref, method: str, target: str, headers: Fields, body: Any, keep: bool = False) -> Answer:
        answer: Answer = self.engine.call(world, method, target, headers, body, None, keep)
        return answer

    def open(self, world: Ref, method: str, target: str, headers: Fields, body: Any,
             base: Optional[str]) -> tuple[Answer, Optional[streams.Pieces]]:
        answer = self._sent(world, method, target, headers, body, True)
        stream = answer.stream
        if method == "HEAD":  # which says how long the body is, and has none of it
            length = len(answer.body) if stream is None else stream.length
            if stream is not None:
                stream.close()
            said = [("Content-Length", str(length))] if length >= 0 else []
            return Answer(answer.status, [*answer.fields, *said], b""), None
        return answer, None if stream is None else streams.Local(stream)

    def spool(self, world: Ref, method: str, target: str, headers: Fields) -> Any:
        return self.engine.spool(world, method, target, headers)

    def create(self, document: Optional[Document], fixture: Optional[str], name: Optional[str], seed: int, clock: str, step: Span,
               now: Optional[Instant], journal: str, evaluation: bool, rates: bool) -> Ref:
        doc_name = None
        if fixture is not None:
            path = fixture_path(fixture)
            doc_name = os.path.basename(path)
            with open(path, "rb") as f:
                document = f.read()
        world = self.engine.create(name, None if document is None else document_text(document), doc_name, seed,
                                   one_of(CLOCKS, clock, "clock"), span_us(step), 0 if now is None else instant_us(now),
                                   one_of(JOURNALS, journal, "journal"), evaluation)
        if rates:
            self.engine.rates(world, True)
        return world

    def fork(self, world: Ref, at: Optional[int], name: Optional[str], seed: int, now: Optional[Instant], clock: Optional[str],
             step: Span, deliveries: bool, journal: Optional[str], evaluation: bool) -> Ref:
        return self.engine.fork(world, _NO_STEP if at is None else at, seed, 0 if now is None else instant_us(now), name,
                                -1 if clock is None else one_of(CLOCKS, clock, "clock"), span_us(step), deliveries,
                                -1 if journal is None else one_of(JOURNALS, journal, "journal"), evaluation)

    def worlds(self) -> list[Ref]:
        found: list[Ref] = []
        while True:
            some = self.engine.list(found[-1] if found else 0)
            if not some:
                return found
            found += [w["id"] for w in some]

    def find(self, key_or_name: str) -> Ref:
        return self.engine.find(key_or_name)

    def import_(self, path: str, name: Optional[str], secrets: bool) -> Ref:
        return self.engine.import_world(path, name, secrets)

    def key(self, world: Ref) -> str:
        return "%016x" % world

    def info(self, world: Ref) -> dict[str, Any]:
        i = self.engine.info(world)
        return {"world": i["key"], "name": i["name"] or None, "snapshot": i["snapshot"],
                "parent": self.key(i["parent"]) if i["parent"] else None, "now": from_us(i["now_us"]), "clock": CLOCKS[i["clock"]],
                "journal": JOURNALS[i["journal"]], "evaluation": i["evaluation"], "seed": i["seed"], "size": i["size"],
                "base_size": i["base_size"]}

    def snapshot(self, world: Ref, name: Optional[str]) -> Ref:
        return self.engine.snapshot(world, name)

    def reset(self, world: Ref, to: Optional[Ref], step: Optional[int]) -> None:
        self.engine.reset(world, to or 0, _NO_STEP if step is None else step)

    def drop(self, world: Ref) -> None:
        self.engine.drop(world)

    def rates(self, world: Ref, on: bool) -> None:
        self.engine.rates(world, on)

    def seed(self, world: Ref, document: Document, name: Optional[str]) -> None:
        self.engine.seed(world, document_text(document), name)

    def dump(self, world: Ref) -> dict[str, Any]:
        made: dict[str, Any] = json.loads(self.engine.dump(world))
        return made

    def diff(self, since: Optional[Ref], world: Ref, form: str, all: bool) -> Any:
        return json.loads(self.engine.diff(since or 0, world, one_of(FORMS, form, "form"), all))

    def hash(self, world: Ref) -> str:
        return self.engine.hash(world)

    def export(self, world: Ref, path: str, secrets: bool) -> None:
        self.engine.export_world(world, path, secrets)

    def import_file(self, world: Ref, data: bytes, format: str, person: Optional[str], vendor: Optional[str], place: Optional[str],
                    name: Optional[str]) -> dict[str, int]:
        done: dict[str, int] = json.loads(self.engine.import_file(world, data, format, person, vendor, place, name))
        return done

    def export_file(self, world: Ref, format: str, person: Optional[str], vendor: Optional[str], place: Optional[str]) -> bytes:
        return self.engine.export_file(world, format, person, vendor, place)

    def now(self, world: Ref) -> dt.datetime:
        return from_us(self.engine.clock_get(world))

    def set_now(self, world: Ref, now: Instant) -> None:
        self.engine.clock_set(world, instant_us(now))

    def advance(self, world: Ref, by: Span) -> None:
        self.engine.advance(world, span_us(by))

    def clock(self, world: Ref, mode: str, step: Span) -> None:
        self.engine.clock_mode(world, one_of(CLOCKS, mode, "clock"), span_us(step))

    def actors(self, world: Ref) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = json.loads(self.engine.actors(world))
        return found

    def token(self, world: Ref, actor: str, scopes: Optional[str], ttl: Span, value: Optional[str], app: Optional[str],
              kind: Optional[str], prefix: Optional[str]) -> str:
        return self.engine.token(world, actor, scopes, span_us(ttl), value, app, kind, prefix)

    def revoke(self, world: Ref, token: str) -> None:
        self.engine.revoke(world, token)

    def credential(self, world: Ref, kind: str, actor: str) -> dict[str, Any]:
        made: dict[str, Any] = json.loads(self.engine.credential(world, kind, actor, "https://oauth2.googleapis.com"))
        return made

    def journal(self, world: Ref, after: int, limit: int, bodies: bool) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = json.loads(self.engine.journal(world, after, limit, bodies))
        return found

    def journal_mode(self, world: Ref, mode: str) -> None:
        self.engine.journal_mode(world, one_of(JOURNALS, mode, "mode"))

    def journal_info(self, world: Ref) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.engine.journal_info(world))
        return found

    def journal_changes(self, world: Ref, entry: int) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.engine.journal_changes(world, entry))
        return found

    def journal_export(self, world: Ref, format: str, after: int, to: int) -> bytes:
        return self.engine.journal_export(world, one_of(FORMATS, format, "format"), after, to)

    def replay(self, world: Ref, after: int, to: int, first: bool, edits: Optional[str], keep: bool, name: Optional[str],
               journal: Optional[str]) -> tuple[Optional[Ref], dict[str, Any]]:
        made, report = self.engine.replay(world, after, to, first, edits, keep, name, journal, None)
        return made or None, json.loads(report)

    def outbox(self, world: Ref, after: int, limit: int) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = json.loads(self.engine.outbox(world, after, limit))
        return found

    def outcome(self, world: Ref, entry: int, attempt: int, status: int, error: Optional[str], content_type: Optional[str],
                body: bytes) -> Optional[dt.datetime]:
        again = self.engine.outcome(world, entry, attempt, status, error, content_type, body, None)
        return from_us(again) if again else None

    def grade(self, suite: Any, task: Optional[str], since: Optional[Ref], world: Ref, answer: Optional[str],
              judgements: Optional[dict[str, Any]]) -> dict[str, Any]:
        result, _ = self.engine.grade(suite.compiled, task, since or 0, world, answer,
                                      None if judgements is None else json.dumps(judgements), False)
        made: dict[str, Any] = json.loads(result)
        return made
