# SPDX-License-Identifier: Apache-2.0
"""Worlds behind a server's control interface."""
from __future__ import annotations

import datetime as dt
import http.client
import json
from typing import IO, Any, Optional, Union
from urllib.parse import quote, urlencode

from . import errors
from .answer import Answer
from .connection import Connection
from .home import Document, Fields, Home, Ref
from .streams import PIECE, Pieces
from .times import Instant, Span, read, span_us, text

FORBIDDEN = ("connection", "content-length", "host", "transfer-encoding", "accept-encoding")


def _check(method: str, target: str, headers: Fields) -> None:
    for s in (method, target, *(part for pair in headers for part in pair)):
        if "\0" in s:
            raise ValueError("a request must have no NUL in it")
    for pair in headers:
        if any("\r" in part or "\n" in part for part in pair):
            raise ValueError("a header must have no line break in it")


class Held:
    """A body that is put together before its request, in an unnamed file."""

    def __init__(self) -> None:
        import tempfile  # which takes long to load
        self.file: IO[bytes] = tempfile.TemporaryFile(buffering=PIECE)

    def write(self, data: bytes) -> None:
        self.file.write(data)

    def close(self) -> None:
        self.file.close()


class Carried(Pieces):
    """A body as it comes on a connection of its own."""

    def __init__(self, connection: http.client.HTTPConnection, response: http.client.HTTPResponse) -> None:
        self._connection, self._response = connection, response
        self._length, self._came = response.length, 0  # the response counts its own down

    @property
    def length(self) -> Optional[int]:
        return self._length

    def take(self) -> Optional[bytes]:
        try:
            piece = self._response.read1(PIECE)
            self._came += len(piece)
            if not piece and self._length is not None and self._came < self._length:
                raise errors.Broken("the rest of an answer does not come: %d bytes of %d came" % (self._came, self._length))
            return piece or None
        except (OSError, ValueError, http.client.HTTPException) as e:
            raise errors.Broken("the rest of an answer does not come: %s" % e) from e

    async def take_async(self) -> Optional[bytes]:
        import asyncio
        return await asyncio.to_thread(self.take)

    def close(self) -> None:
        self._response.close()
        self._connection.close()


class Remote(Home):
    """A server, by its URL and control key."""

    def __init__(self, url: str, key: str) -> None:
        self.url, self.secret = url.rstrip("/"), key
        self._connection = Connection(url)

    def close(self) -> None:
        """Closes the calling thread's connection."""
        self._connection.close()

    def _ask(self, method: str, target: str, body: Union[None, bytes, IO[bytes]], headers: Fields, host: Optional[str] = None) -> Answer:
        _check(method, target, headers)
        try:
            return Answer(*self._connection.ask(method, target, body, list(headers), host))
        except (OSError, http.client.HTTPException) as e:
            raise errors.Broken("%s does not answer: %s" % (self.url, e)) from e

    def control(self, method: str, path: str, body: Any = None, raw: Optional[bytes] = None, **query: Any) -> Any:
        """A request to the control interface: what it gives; what it refuses is raised."""
        answer = self._control(method, path, body, raw, query)
        return answer.data

    def _control(self, method: str, path: str, body: Any, raw: Optional[bytes], query: dict[str, Any]) -> Answer:
        asked = {k.rstrip("_"): v if not isinstance(v, bool) else str(v).lower() for k, v in query.items() if v is not None}
        sent = raw if raw is not None else None if body is None else json.dumps(body).encode()
        answer = self._ask(method, "/_sosia/v1" + path + ("?" + urlencode(asked) if asked else ""), sent,
                           (("Authorization", "Bearer " + self.secret),
                            ("Content-Type", "application/octet-stream" if raw is not None else "application/json")))
        if answer.status >= 300:
            data = answer.data
            said = data["error"] if isinstance(data, dict) and isinstance(data.get("error"), dict) else {"message": str(data)}
            raise errors.from_control(answer.status, said)
        return answer

    def _of(self, world: Ref, more: str = "") -> str:
        return "/worlds/" + quote(world, safe="") + more

    def hosts(self) -> list[str]:
        served = self._ask("GET", "/.", None, ()).data["served"]
        return list(dict.fromkeys(h for s in served for h in s.get("hosts", [])))

    def _request(self, world: Ref, target: str, headers: Fields) -> tuple[str, Fields, Optional[str]]:
        """Target, header fields and host of a call on the wire."""
        if not target.startswith("/"):
            raise ValueError("a target must begin with /, not %r" % target)
        fields = tuple(h for h in headers if h[0].lower() not in FORBIDDEN)
        host = next((v for n, v in headers if n.lower() == "host"), None)
        if host is None:
            return "/w/" + quote(world, safe="") + target, fields, None
        return target, fields + (("X-Sosia-World", world), ("X-Forwarded-Proto", "https"), ("X-Forwarded-Host", host)), host

    def send(self, world: Ref, method: str, target: str, headers: Fields, body: Any, base: Optional[str]) -> Answer:
        target, fields, host = self._request(world, target, headers)
        return self._ask(method, target, body.file if isinstance(body, Held) else body, fields, host)

    def open(self, world: Ref, method: str, target: str, headers: Fields, body: Any,
             base: Optional[str]) -> tuple[Answer, Optional[Pieces]]:
        target, fields, host = self._request(world, target, headers)
        _check(method, target, fields)
        try:
            connection, response = self._connection.begin(method, target, body.file if isinstance(body, Held) else body, list(fields), host)
        except (OSError, http.client.HTTPException) as e:
            raise errors.Broken("%s does not answer: %s" % (self.url, e)) from e
        if method == "HEAD":
            connection.close()
            return Answer(response.status, response.getheaders(), b""), None
        return Answer(response.status, response.getheaders(), b""), Carried(connection, response)

    def spool(self, world: Ref, method: str, target: str, headers: Fields) -> Held:
        return Held()

    def create(self, document: Optional[Document], fixture: Optional[str], name: Optional[str], seed: int, clock: str, step: Span,
               now: Optional[Instant], journal: str, evaluation: bool, rates: bool) -> Ref:
        members: dict[str, Any] = {"clock": clock, "evaluation": evaluation}
        if not evaluation:
            members["journal"] = journal
        if clock == "step":
            members["step_ms"] = span_us(step) / 1000
        given = (("seed_document", document.decode() if isinstance(document, bytes) else document), ("fixture", fixture),
                 ("name", name), ("seed", seed or None), ("now", None if now is None else text(now)), ("rates", rates or None))
        members.update((k, v) for k, v in given if v is not None)
        return self.control("POST", "/worlds", members)["world"]

    def fork(self, world: Ref, at: Optional[int], name: Optional[str], seed: int, now: Optional[Instant], clock: Optional[str],
             step: Span, deliveries: bool, journal: Optional[str], evaluation: bool) -> Ref:
        given = (("step", at), ("name", name), ("seed", seed or None), ("now", None if now is None else text(now)),
                 ("deliveries", "inherit" if deliveries else None), ("journal", journal), ("evaluation", evaluation or None))
        made = self.control("POST", self._of(world, "/fork"), {"actors": [], **{k: v for k, v in given if v is not None}})["world"]
        if clock is not None:
            self.clock(made, clock, step)
        return made

    def worlds(self) -> list[Ref]:
        found: list[Ref] = []
        after = None
        while True:
            page = self.control("GET", "/worlds", after=after)
            found += [w["world"] for w in page["worlds"]]
            after = page["next"]
            if after is None:
                return found

    def find(self, key_or_name: str) -> Ref:
        return self.control("GET", self._of(key_or_name))["world"]

    def import_(self, path: str, name: Optional[str], secrets: bool) -> Ref:
        with open(path, "rb") as f:
            return self.control("POST", "/worlds/import", raw=f.read(), name=name, secrets=secrets or None)["world"]

    def key(self, world: Ref) -> str:
        return str(world)

    def info(self, world: Ref) -> dict[str, Any]:
        i = self.control("GET", self._of(world))
        names = ("world", "name", "snapshot", "parent", "now", "clock", "journal", "evaluation", "seed", "size", "base_size")
        return {n: read(i[n]) if n == "now" else i[n] for n in names}

    def snapshot(self, world: Ref, name: Optional[str]) -> Ref:
        return self.control("POST", self._of(world, "/snapshot"), {} if name is None else {"name": name})["world"]

    def reset(self, world: Ref, to: Optional[Ref], step: Optional[int]) -> None:
        given = (("to", to), ("step", step))
        self.control("POST", self._of(world, "/reset"), {k: v for k, v in given if v is not None})

    def drop(self, world: Ref) -> None:
        self.control("DELETE", self._of(world))

    def rates(self, world: Ref, on: bool) -> None:
        self.control("PUT", self._of(world, "/rates"), {"on": on})

    def seed(self, world: Ref, document: Document, name: Optional[str]) -> None:
        sent = json.dumps(document) if isinstance(document, dict) else document
        self.control("POST", self._of(world, "/seed"), raw=sent.encode() if isinstance(sent, str) else sent, document_name=name)

    def dump(self, world: Ref) -> dict[str, Any]:
        made: dict[str, Any] = self.control("GET", self._of(world, "/dump"))
        return made

    def diff(self, since: Optional[Ref], world: Ref, form: str, all: bool) -> Any:
        return self.control("GET", "/diff", to=world, from_=since, form=form, all=all or None)

    def hash(self, world: Ref) -> str:
        return str(self.control("GET", self._of(world, "/hash"))["sha256"])

    def export(self, world: Ref, path: str, secrets: bool) -> None:
        answer = self._control("GET", self._of(world, "/export"), None, None, {"secrets": secrets or None})
        with open(path, "wb") as f:
            f.write(answer.body)

    def import_file(self, world: Ref, data: bytes, format: str, person: Optional[str], vendor: Optional[str], place: Optional[str],
                    name: Optional[str]) -> dict[str, int]:
        done: dict[str, int] = self.control("POST", self._of(world, "/transfer"), raw=data, format=format, person=person, vendor=vendor,
                                            place=place, name=name)
        return done

    def export_file(self, world: Ref, format: str, person: Optional[str], vendor: Optional[str], place: Optional[str]) -> bytes:
        asked = {"format": format, "person": person, "vendor": vendor, "place": place}
        return self._control("GET", self._of(world, "/transfer"), None, None, asked).body

    def now(self, world: Ref) -> dt.datetime:
        return read(self.control("GET", self._of(world, "/clock"))["now"])

    def set_now(self, world: Ref, now: Instant) -> None:
        self.control("PUT", self._of(world, "/clock"), {"now": text(now)})

    def advance(self, world: Ref, by: Span) -> None:
        self.control("POST", self._of(world, "/clock/advance"), {"us": span_us(by)})

    def clock(self, world: Ref, mode: str, step: Span) -> None:
        self.control("PUT", self._of(world, "/clock"), {"clock": mode, **({"step_ms": span_us(step) / 1000} if mode == "step" else {})})

    def actors(self, world: Ref) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        while True:
            page = self.control("GET", self._of(world, "/actors"), after=found[-1]["id"] if found else None)["actors"]
            if not page:
                return found
            found += page

    def token(self, world: Ref, actor: str, scopes: Optional[str], ttl: Span, value: Optional[str], app: Optional[str],
              kind: Optional[str], prefix: Optional[str]) -> str:
        given = (("scopes", scopes), ("value", value), ("app", app), ("kind", kind), ("prefix", prefix),
                 ("ttl_seconds", span_us(ttl) // 1000000 or None))
        return str(self.control("POST", self._of(world, "/tokens"),
                                {"actor": actor, **{k: v for k, v in given if v is not None}})["token"])

    def revoke(self, world: Ref, token: str) -> None:
        self.control("POST", self._of(world, "/tokens/revoke"), {"token": token})

    def credential(self, world: Ref, kind: str, actor: str) -> dict[str, Any]:
        made: dict[str, Any] = self.control("GET", self._of(world, "/credentials"), kind=kind, actor=actor)
        return made

    def journal(self, world: Ref, after: int, limit: int, bodies: bool) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        while True:
            page = self.control("GET", self._of(world, "/journal"), after=after, limit=limit or None, bodies=bodies or None)
            found += page["entries"]
            after = page.get("next", 0)
            if not after or (limit and len(found) >= limit):
                return found

    def journal_mode(self, world: Ref, mode: str) -> None:
        self.control("PUT", self._of(world, "/journal"), {"mode": mode})

    def journal_info(self, world: Ref) -> dict[str, Any]:
        found: dict[str, Any] = self.control("GET", self._of(world, "/journal/info"))
        return found

    def journal_changes(self, world: Ref, entry: int) -> dict[str, Any]:
        found: dict[str, Any] = self.control("GET", self._of(world, "/journal/%d/changes" % entry))
        return found

    def journal_export(self, world: Ref, format: str, after: int, to: int) -> bytes:
        return self._control("GET", self._of(world, "/journal/export"), None, None,
                             {"format": format, "after": after, "to": to or None}).body

    def replay(self, world: Ref, after: int, to: int, first: bool, edits: Optional[str], keep: bool, name: Optional[str],
               journal: Optional[str]) -> tuple[Optional[Ref], dict[str, Any]]:
        given = (("from", after or None), ("to", to or None), ("first", first or None), ("edits", edits), ("keep", keep or None),
                 ("name", name), ("journal", journal))
        report = self.control("POST", self._of(world, "/journal/replay"), {k: v for k, v in given if v is not None})
        return report.pop("world", None), report

    def outbox(self, world: Ref, after: int, limit: int) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        while not limit or len(found) < limit:
            page = self.control("GET", self._of(world, "/outbox"), after=found[-1]["id"] if found else after,
                                limit=limit - len(found) if limit else None)["entries"]
            if not page:
                break
            found += page
        return found

    def outcome(self, world: Ref, entry: int, attempt: int, status: int, error: Optional[str], content_type: Optional[str],
                body: bytes) -> Optional[dt.datetime]:
        given = (("error", error), ("content_type", content_type), ("status", status or None), ("body", body.decode() or None))
        again = self.control("POST", self._of(world, "/outbox/%d/outcome" % entry),
                             {"attempt": attempt, **{k: v for k, v in given if v is not None}})["again"]
        return None if again is None else read(again)

    def grade(self, suite: Any, task: Optional[str], since: Optional[Ref], world: Ref, answer: Optional[str],
              judgements: Optional[dict[str, Any]]) -> dict[str, Any]:
        given = (("suite_name", suite.name), ("task", task), ("from", since), ("answer", answer), ("judgements", judgements))
        made: dict[str, Any] = self.control("POST", "/worlds/grade", {"suite": suite.text, "worlds": [world], "then": "keep",
                                                                       **{k: v for k, v in given if v is not None}})["results"][0]
        return made
