# SPDX-License-Identifier: Apache-2.0
"""Engines and worlds. The same classes serve an engine of this process and one behind a server."""
from __future__ import annotations

import collections
import contextlib
import datetime as dt
import functools
import json
import os
import sys
from types import TracebackType
from typing import TYPE_CHECKING, Any, Callable, Mapping, NamedTuple, Optional, Type, TypeVar, Union
from urllib.parse import urlsplit

from .answer import Answer
from .changes import Diff
from .home import Document, Fields, Home, Ref
from .streams import Pieces, Stream, Streamed, is_streamed, pieces_of
from .suite import Grade, Suite
from .times import Instant, Span

if TYPE_CHECKING:
    from .deliveries import Deliveries
    from .sockets import Sockets

Body = Union[None, bytes, bytearray, memoryview, str, Mapping[str, Any], list[Any], Streamed]
Sent = Union[None, bytes, Streamed]
T = TypeVar("T")
HeadersIn = Union[None, Mapping[str, str], list[tuple[str, str]], Fields]
CALLS_NOTED = 20
_HERE = os.path.dirname(os.path.abspath(__file__)) + os.sep
_OTHERS = ("site-packages", "dist-packages", os.path.dirname(os.path.abspath(os.__file__)) + os.sep)


class Call(NamedTuple):
    """One that was made, and the line of the program that made it."""

    method: str
    target: str
    status: int
    line: str

    def __str__(self) -> str:
        return "%s %s -> %d   %s" % (self.method, self.target, self.status, self.line)


def _line() -> str:
    """The innermost frame that is neither ours nor a library's."""
    frame = sys._getframe(2)
    while frame is not None:
        name = frame.f_code.co_filename
        if not name.startswith(_HERE) and not any(o in name for o in _OTHERS):
            return "%s:%d" % (name, frame.f_lineno)
        if frame.f_back is None:
            break
        frame = frame.f_back
    return "?"


def _body(body: Body) -> tuple[Any, Optional[str]]:
    """Its bytes, or what gives them, and its media type where that is clear."""
    if body is None or isinstance(body, bytes):
        return body, None
    if isinstance(body, (bytearray, memoryview)):
        return bytes(body), None
    if isinstance(body, str):
        return body.encode("utf-8"), None
    if isinstance(body, (dict, list, Mapping)):
        return json.dumps(body).encode("utf-8"), "application/json"
    if is_streamed(body):
        return body, None
    raise TypeError("a body must be bytes, str, what JSON can be made of, a file, or an iterable of bytes, not %r" % type(body))


def _fields(headers: HeadersIn) -> Fields:
    if not headers:
        return ()
    pairs = headers.items() if isinstance(headers, Mapping) else headers
    return tuple([(n, v) for n, v in pairs])


@functools.lru_cache(maxsize=256)  # programs ask the same few URLs
def _place(url: str) -> tuple[str, tuple[str, str], str]:
    """Target, field of the host, scheme and host."""
    at = urlsplit(url)
    return (at.path or "/") + ("?" + at.query if at.query else ""), ("Host", at.hostname or "localhost"), "%s://%s" % (at.scheme, at.netloc)


def _by_url(url: str, headers: HeadersIn) -> tuple[str, Fields, str]:
    """Target, header fields with the host, and scheme and host."""
    target, host, base = _place(url)
    fields = [h for h in _fields(headers) if h[0].lower() != "host"]
    fields.append(host)
    return target, tuple(fields), base


def _has(fields: Fields, name: str) -> bool:
    for n, _ in fields:
        if n.lower() == name:
            return True
    return False


class World:
    """One isolated universe: people, calendars, mail, files and conversations, with a clock and ids of its own.

    In a `with` statement it is dropped at the end. Any thread may use it; calls to one world are served one by one. What its
    methods raise besides what is said with them: NotFound (it was dropped), Forbidden (it is a snapshot, and would change), Invalid,
    Full, Closed, and TypeError and ValueError for arguments that are none.
    """

    def __init__(self, home: Home, ref: Ref) -> None:
        self._home, self._ref = home, ref
        self._tokens: dict[tuple[Any, ...], str] = {}
        self.calls: Optional[collections.deque[Call]] = None  # the last ones, if they are noted
        self._sockets: Optional["Sockets"] = None

    @property
    def key(self) -> str:
        """16 hexadecimal digits: its name in URLs."""
        return self._home.key(self._ref)

    @property
    def home(self) -> Home:
        return self._home

    @property
    def url(self) -> Optional[str]:
        """The base URL of its calls, behind a server; None in an engine of this process."""
        return None if self._home.url is None else self._home.url + "/w/" + self.key

    def __repr__(self) -> str:
        return "<World %s>" % self.key

    def __eq__(self, other: object) -> bool:
        return isinstance(other, World) and other._home is self._home and other._ref == self._ref

    def __hash__(self) -> int:
        return hash(self._ref)

    def __enter__(self) -> "World":
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        self.drop()

    # ---- calls ----

    def call(self, method: str, target: str, body: Body = None, *, headers: HeadersIn = None, token: Optional[str] = None) -> Answer:
        """A native call: call("GET", "/calendar/v3/calendars/primary/events?maxResults=10", token=t).

        target: path and query, as on the wire. body: bytes or str as they are, what JSON is made of, or a file or an iterable of
        bytes, which is not held in memory as a whole. A refusal by the service is an answer. Of one that goes on it is what there
        is by now: stream() gives all.
        """
        fields, sent = self._native(body, headers, token)
        answer = self._send(method, target, fields, sent, None)
        if self.calls is not None:
            self.calls.append(Call(method, target, answer.status, _line()))
        return answer

    def stream(self, method: str, target: str, body: Body = None, *, headers: HeadersIn = None, token: Optional[str] = None) -> Stream:
        """The same, with the body in pieces as they come: of answers that go on (Server-Sent Events), and of large files."""
        fields, sent = self._native(body, headers, token)
        answer, pieces = self._open(method, target, fields, sent, None)
        if self.calls is not None:
            self.calls.append(Call(method, target, answer.status, _line()))
        return Stream(answer, pieces)

    def exchange(self, method: str, url: str, headers: HeadersIn = None, body: Sent = None) -> Answer:
        """A request as a program makes it, by its whole URL: what the transports are made of. The URL's host decides which vendor
        answers."""
        target, fields, base = _by_url(url, headers)
        answer = self._send(method, target, fields, body, base)
        if self.calls is not None:
            self.calls.append(Call(method, url, answer.status, _line()))
        return answer

    def exchange_open(self, method: str, url: str, headers: HeadersIn = None, body: Sent = None) -> tuple[Answer, Optional[Pieces]]:
        """The same; of an answer that goes on, or has a large body, what gives it."""
        target, fields, base = _by_url(url, headers)
        answer, pieces = self._open(method, target, fields, body, base)
        if self.calls is not None:
            self.calls.append(Call(method, url, answer.status, _line()))
        return answer, pieces

    def spool(self, method: str, url: str, headers: HeadersIn = None) -> Any:
        """For transports: takes the body of such a request by write(bytes), is then the body of exchange(), and has close()."""
        target, fields, _ = _by_url(url, headers)
        return self._home.spool(self._ref, method, target, fields)

    def _native(self, body: Body, headers: HeadersIn, token: Optional[str]) -> tuple[Fields, Any]:
        sent, kind = _body(body)
        fields = _fields(headers)
        if token is not None:
            fields += (("Authorization", "Bearer " + token),)
        if kind is not None and not _has(fields, "content-type"):
            fields += (("Content-Type", kind),)
        return fields, sent

    def _send(self, method: str, target: str, fields: Fields, body: Any, base: Optional[str]) -> Answer:
        answer = self._whole(self._home.send, method, target, fields, body, base)
        return answer if self._sockets is None else self._sockets.lead(answer)

    def _open(self, method: str, target: str, fields: Fields, body: Any, base: Optional[str]) -> tuple[Answer, Optional[Pieces]]:
        answer, pieces = self._whole(self._home.open, method, target, fields, body, base)
        return (answer if self._sockets is None or pieces is not None else self._sockets.lead(answer)), pieces

    def _whole(self, send: Callable[..., T], method: str, target: str, fields: Fields, body: Any, base: Optional[str]) -> T:
        """With a body that comes in pieces put together first."""
        if body is None or isinstance(body, bytes) or not is_streamed(body):
            return send(self._ref, method, target, fields, body, base)
        with contextlib.closing(self._home.spool(self._ref, method, target, fields)) as spool:
            for piece in pieces_of(body):
                spool.write(piece)
            return send(self._ref, method, target, fields, spool, base)

    def note_calls(self, most: int = CALLS_NOTED) -> None:
        """From now on the last calls are kept in .calls, with the line of the program that made each."""
        self.calls = collections.deque(maxlen=most)

    # ---- people ----

    def actors(self) -> list[dict[str, Any]]:
        """Who can act: of each id, email or handle, kind, name, zone."""
        return self._home.actors(self._ref)

    def token(self, actor: str, *, scopes: Optional[str] = None, ttl: Span = 0, value: Optional[str] = None,
              app: Optional[str] = None, kind: Optional[str] = None, prefix: Optional[str] = None) -> str:
        """A token of somebody, good in this world alone; with `value` a fixed one, which passes on to forks.

        actor: an address, a handle or an alias; scopes: separated by spaces, None: everything; ttl: seconds of the world's clock, 0:
        for ever; kind: "user", "bot", "app". NotFound "actorNotFound".
        """
        return self._home.token(self._ref, actor, scopes, ttl, value, app, kind, prefix)

    def revoke(self, token: str) -> None:
        """Ends a token in this world. NotFound: there is none."""
        self._home.revoke(self._ref, token)
        self._tokens = {k: t for k, t in self._tokens.items() if t != token}

    def as_actor(self, actor: str, *, scopes: Optional[str] = None, app: Optional[str] = None,
                 kind: Optional[str] = None) -> "Actor":
        """Somebody who acts in this world. The token is made once for each world and actor; a fork makes its own."""
        known = (actor, scopes, app, kind)
        if known not in self._tokens:
            self._tokens[known] = self.token(actor, scopes=scopes, app=app, kind=kind)
        return Actor(self, actor, self._tokens[known])

    def credential(self, kind: str, actor: str) -> dict[str, Any]:
        """A file that a vendor's programs load, as sosia_credential() in sosia.h describes them."""
        return self._home.credential(self._ref, kind, actor)

    # ---- states ----

    def fork(self, *, at: Optional[int] = None, name: Optional[str] = None, seed: int = 0, now: Optional[Instant] = None,
             clock: Optional[str] = None, step: Span = 0, deliveries: bool = False, journal: Optional[str] = None,
             evaluation: bool = False) -> "World":
        """A new world with this one's state, which it resets to. at: the state after that entry of the journal. seed: of ids, 0:
        the parent's. deliveries: what the parent has not delivered is delivered for the fork too. What is left out is as in the
        parent. NotFound "stepNotFound"; Conflict: the name is taken.
        """
        world = World(self._home, self._home.fork(self._ref, at, name, seed, now, clock, step, deliveries, journal, evaluation))
        if self.calls is not None:
            world.note_calls(self.calls.maxlen or CALLS_NOTED)
        return world

    def snapshot(self, name: Optional[str] = None) -> "World":
        """The present state, as a world that nobody can write."""
        return World(self._home, self._home.snapshot(self._ref, name))

    def reset(self, to: Optional["World"] = None, *, step: Optional[int] = None) -> None:
        """Back to how it was made, or to another world's state, or to that after an entry of its journal."""
        self._home.reset(self._ref, None if to is None else to._ref, step)

    def drop(self) -> None:
        """Frees it; forks live on."""
        self._home.drop(self._ref)

    def seed(self, document: Document, name: Optional[str] = None) -> None:
        """Applies a seed document (docs/seed.md): all of it or nothing. name: of the document, in messages."""
        self._home.seed(self._ref, document, name)

    def dump(self) -> dict[str, Any]:
        """The world as a seed document."""
        return self._home.dump(self._ref)

    def hash(self) -> str:
        """SHA-256 of its content, whatever way it came to it."""
        return self._home.hash(self._ref)

    def export(self, path: Union[str, "os.PathLike[str]"], *, secrets: bool = False) -> None:
        """Writes it as an SQLite file. secrets: with what its codes and tokens come from."""
        self._home.export(self._ref, os.fspath(path), secrets)

    def import_file(self, file: Union[bytes, str, "os.PathLike[str]"], format: str, person: Optional[str] = None, *,
                    vendor: Optional[str] = None, place: Optional[str] = None) -> dict[str, int]:
        """Puts in what another program's file holds (docs/import.md), all of it or nothing: a path, or its bytes. How much came."""
        if isinstance(file, bytes):
            return self._home.import_file(self._ref, file, format, person, vendor, place, None)
        with open(file, "rb") as f:
            return self._home.import_file(self._ref, f.read(), format, person, vendor, place, os.path.basename(os.fspath(file)))

    def export_file(self, format: str, person: Optional[str] = None, *, vendor: Optional[str] = None, place: Optional[str] = None) -> bytes:
        """The file that another program reads: mbox, ics, vcf, csv, drive, workspace."""
        return self._home.export_file(self._ref, format, person, vendor, place)

    def info(self) -> dict[str, Any]:
        """world (its key), name, snapshot, parent, now, clock, journal, evaluation, seed, size and base_size in bytes."""
        return self._home.info(self._ref)

    def rates(self, on: bool = True) -> None:
        """Whether the vendors' rate limits hold, counted by its clock."""
        self._home.rates(self._ref, on)

    # ---- time ----

    @property
    def now(self) -> dt.datetime:
        """The world's time, in UTC; it does not move by being asked."""
        return self._home.now(self._ref)

    def set_now(self, now: Instant) -> None:
        """Sets it; what would have been due in between does not happen."""
        self._home.set_now(self._ref, now)

    def advance(self, by: Span) -> dt.datetime:
        """Goes forward by seconds or a timedelta; what is due happens, each at its instant. Gives the time then."""
        self._home.advance(self._ref, by)
        return self.now

    def clock(self, mode: str, step: Span = 0) -> None:
        """How it goes on: "frozen", "step" (by so many seconds with each call), "real"."""
        self._home.clock(self._ref, mode, step)

    # ---- what was done ----

    def diff(self, since: Optional["World"] = None, *, all: bool = False) -> Diff:
        """What was done since another state, or since it was made. all: with what changes by itself."""
        return Diff(self._home.diff(None if since is None else since._ref, self._ref, "json", all))

    def diff_as(self, form: str, since: Optional["World"] = None, *, all: bool = False) -> Any:
        """The same as "patch" (RFC 6902) or "tables"."""
        return self._home.diff(None if since is None else since._ref, self._ref, form, all)

    def grade(self, suite: Suite, task: Optional[str] = None, *, since: Optional["World"] = None, answer: Optional[str] = None,
              judgements: Optional[dict[str, Any]] = None) -> Grade:
        """Judges what was done since another state, or since it was made. task: its id, None: the only one. answer: what an agent
        said at the end. judgements: what others made of it, by name. NotFound "taskNotFound"."""
        return Grade(self._home.grade(suite, task, None if since is None else since._ref, self._ref, answer, judgements))

    def assert_suite(self, suite: Suite, task: Optional[str] = None, *, since: Optional["World"] = None,
                     answer: Optional[str] = None, judgements: Optional[dict[str, Any]] = None) -> Grade:
        """The same, and an AssertionError with the failures if the task is not passed."""
        grade = self.grade(suite, task, since=since, answer=answer, judgements=judgements)
        if not grade.passed:
            raise AssertionError("the task %s is not passed: %s" % (task or "", json.dumps(grade, indent=1, ensure_ascii=False)))
        return grade

    def journal(self, after: int = 0, limit: int = 0, *, bodies: bool = False) -> list[dict[str, Any]]:
        """Entries behind a number, oldest first; limit 0: all. Calls that may write, unless the journal's mode is another."""
        return self._home.journal(self._ref, after, limit, bodies)

    def journal_mode(self, mode: str) -> None:
        """Which calls it keeps from now on: "writes", "all", "none"."""
        self._home.journal_mode(self._ref, mode)

    def journal_info(self) -> dict[str, Any]:
        """How much there is of it (docs/replay.md)."""
        return self._home.journal_info(self._ref)

    def journal_changes(self, entry: int) -> Diff:
        """What the call of an entry changed."""
        return Diff(self._home.journal_changes(self._ref, entry))

    def journal_export(self, format: str = "jsonl", *, after: int = 0, to: int = 0) -> bytes:
        """Entries as "jsonl", "har", "otlp", "atif" or "run"."""
        return self._home.journal_export(self._ref, format, after, to)

    def replay(self, *, after: int = 0, to: int = 0, first: bool = False, edits: Optional[str] = None, keep: bool = False,
               name: Optional[str] = None, journal: Optional[str] = None) -> tuple[Optional["World"], dict[str, Any]]:
        """Runs its journal again beside it: the world that is kept, or None, and a report with "equal" and "differences"
        (docs/replay.md). first: stops at the first difference. journal: an exported one."""
        made, report = self._home.replay(self._ref, after, to, first, edits, keep, name, journal)
        return None if made is None else World(self._home, made), report

    def outbox(self, after: int = 0, limit: int = 0) -> list[dict[str, Any]]:
        """What would have left the world, behind a number, oldest first."""
        return self._home.outbox(self._ref, after, limit)

    def deliveries(self) -> "Deliveries":
        """What is to be delivered to programs from now on, of an engine of this process: webhooks, events, pushes."""
        from .deliveries import Deliveries
        return Deliveries(self)

    def sockets(self) -> "Sockets":
        """A port of loopback for its WebSockets, of a world in this process: until close(), the addresses that answers to this
        object's calls give out (Slack's apps.connections.open, rtm.connect) lead to it. To be used in a `with` statement."""
        from .sockets import Sockets
        return Sockets(self)


class Actor:
    """Somebody in a world, with a token: calls go out in its name."""

    def __init__(self, world: World, name: str, token: str) -> None:
        self.world, self.name, self.token = world, name, token

    def __repr__(self) -> str:
        return "<Actor %s of %r>" % (self.name, self.world)

    def call(self, method: str, target: str, body: Body = None, *, headers: HeadersIn = None) -> Answer:
        """As World.call(), with its token."""
        return self.world.call(method, target, body, headers=headers, token=self.token)

    def stream(self, method: str, target: str, body: Body = None, *, headers: HeadersIn = None) -> Stream:
        """As World.stream(), with its token."""
        return self.world.stream(method, target, body, headers=headers, token=self.token)

    def exchange(self, method: str, url: str, headers: HeadersIn = None, body: Sent = None) -> Answer:
        """As World.exchange(), with its token where the request has none."""
        return self.world.exchange(method, url, self._with_token(headers), body)

    def exchange_open(self, method: str, url: str, headers: HeadersIn = None, body: Sent = None) -> tuple[Answer, Optional[Pieces]]:
        """As World.exchange_open(), with its token where the request has none."""
        return self.world.exchange_open(method, url, self._with_token(headers), body)

    def spool(self, method: str, url: str, headers: HeadersIn = None) -> Any:
        """As World.spool()."""
        return self.world.spool(method, url, headers)

    def _with_token(self, headers: HeadersIn) -> Fields:
        fields = _fields(headers)
        return fields if _has(fields, "authorization") else fields + (("Authorization", "Bearer " + self.token),)


class Worlds:
    """What engines and servers have in common: they make worlds and find them."""

    def __init__(self, home: Home) -> None:
        self._home = home

    @property
    def home(self) -> Home:
        return self._home

    def hosts(self) -> list[str]:
        """The vendors' hosts that are served, as "api.example.com" and "*.example.com"."""
        return self._home.hosts()

    def create(self, document: Optional[Document] = None, *, fixture: Optional[str] = None, name: Optional[str] = None,
               seed: int = 0, clock: str = "frozen", step: Span = 0, now: Optional[Instant] = None, journal: str = "writes",
               evaluation: bool = False, rates: bool = False) -> World:
        """A new world, of a seed document (an object, or JSON or YAML) or of a fixture's, or an empty one.

        name: unique; seed: of ids, 0: the document's; clock: "frozen", "step" (by `step` seconds with each call), "real"; now: where
        it starts; journal: "writes", "all", "none"; evaluation: somebody is judged in it (docs/server.md); rates: the vendors' rate
        limits hold. Invalid, with a line: the document can't be one; NotFound "fixtureNotFound"; Conflict: the name is taken.
        """
        if document is not None and fixture is not None:
            raise TypeError("a world is made of a document or of a fixture, not of both")
        return World(self._home, self._home.create(document, fixture, name, seed, clock, step, now, journal, evaluation, rates))

    def worlds(self) -> list[World]:
        """All of them, and snapshots."""
        return [World(self._home, r) for r in self._home.worlds()]

    def world(self, key_or_name: str) -> World:
        """One of them. NotFound: there is none."""
        return World(self._home, self._home.find(key_or_name))

    def import_world(self, path: Union[str, "os.PathLike[str]"], name: Optional[str] = None, *, secrets: bool = False) -> World:
        """Of an exported file. Invalid "notAnExport"."""
        return World(self._home, self._home.import_(os.fspath(path), name, secrets))

    def close(self) -> None:
        """Ends the use of it; of an engine in memory the worlds are gone. Conflict "engineBusy": another thread is in a call."""
        self._home.close()


class Engine(Worlds):
    """An engine in this process, in a `with` statement or until close().

    data_dir: where worlds survive the process; None: in memory. max_worlds, max_world_size, max_size (bytes): limits, 0: none.
    spool_dir, spool_over: where bodies of more bytes lie until their call. oauth: "by_world", "listed", "open", "never_open".
    world_secret, random_secrets: what codes and tokens of new worlds come from besides the seed; with neither they are always the
    same. evaluation: all worlds are evaluations. journal, keep: of new worlds ("writes", "all", "none"; "redacted", "full",
    "hashes"). DataFailed: the data directory.

    Worlds belong to the process that opened the engine: in a child of a fork they raise Closed. A child opens an engine of its own.
    """

    def __init__(self, data_dir: Optional[str] = None, *, max_worlds: int = 0, max_world_size: int = 0, max_size: int = 0,
                 spool_dir: Optional[str] = None, spool_over: int = 0, oauth: str = "by_world", world_secret: Optional[str] = None,
                 random_secrets: bool = False, evaluation: bool = False, mcp_fixture: bool = False, journal: str = "writes",
                 keep: str = "redacted") -> None:
        from .local import Local
        self._local = Local(data_dir, max_worlds, max_world_size, max_size, spool_dir, spool_over, oauth, world_secret,
                            random_secrets, evaluation, mcp_fixture, journal, keep)
        super().__init__(self._local)

    @property
    def closed(self) -> bool:
        return self._local.engine.closed

    @property
    def size(self) -> int:
        """Bytes that all worlds hold of their own."""
        return self._local.engine.sizes()[1]

    def __enter__(self) -> "Engine":
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        self.close()
