# SPDX-License-Identifier: Apache-2.0
"""Where worlds are: in an engine of this process (local.py), or behind a server's control interface (remote.py). World speaks to
either through this."""
from __future__ import annotations

import abc
import datetime as dt
from typing import Any, Optional, Sequence, Union

from .answer import Answer
from .streams import Pieces
from .times import Instant, Span

Ref = Any  # an engine's number, a server's key
Document = Union[str, bytes, dict[str, Any]]
Fields = tuple[tuple[str, str], ...]

CLOCKS = ("frozen", "step", "real")
JOURNALS = ("writes", "none", "all")


def one_of(words: Sequence[str], word: str, what: str) -> int:
    """The place of a word in a list."""
    if word not in words:
        raise ValueError("%s must be one of %s, not %r" % (what, ", ".join(words), word))
    return words.index(word)


class Home(abc.ABC):
    """One engine, whoever runs it."""

    url: Optional[str] = None  # of a server

    @abc.abstractmethod
    def close(self) -> None: ...

    @abc.abstractmethod
    def hosts(self) -> list[str]:
        """The vendors' hosts that are served: "api.example.com", "*.example.com"."""

    @abc.abstractmethod
    def send(self, world: Ref, method: str, target: str, headers: Fields, body: Any, base: Optional[str]) -> Answer:
        """body: bytes, None, or what spool() gives. base: scheme and host that the program asked, or None: of a vendor."""

    @abc.abstractmethod
    def open(self, world: Ref, method: str, target: str, headers: Fields, body: Any,
             base: Optional[str]) -> tuple[Answer, Optional[Pieces]]:
        """The same; of an answer that goes on, or is large, what gives its body."""

    @abc.abstractmethod
    def spool(self, world: Ref, method: str, target: str, headers: Fields) -> Any:
        """Takes the body of such a request, by write(bytes), until close()."""

    @abc.abstractmethod
    def create(self, document: Optional[Document], fixture: Optional[str], name: Optional[str], seed: int, clock: str,
               step: Span, now: Optional[Instant], journal: str, evaluation: bool, rates: bool) -> Ref: ...

    @abc.abstractmethod
    def fork(self, world: Ref, at: Optional[int], name: Optional[str], seed: int, now: Optional[Instant], clock: Optional[str],
             step: Span, deliveries: bool, journal: Optional[str], evaluation: bool) -> Ref: ...

    @abc.abstractmethod
    def worlds(self) -> list[Ref]: ...

    @abc.abstractmethod
    def find(self, key_or_name: str) -> Ref: ...

    @abc.abstractmethod
    def import_(self, path: str, name: Optional[str], secrets: bool) -> Ref: ...

    @abc.abstractmethod
    def key(self, world: Ref) -> str: ...

    @abc.abstractmethod
    def info(self, world: Ref) -> dict[str, Any]: ...

    @abc.abstractmethod
    def snapshot(self, world: Ref, name: Optional[str]) -> Ref: ...

    @abc.abstractmethod
    def reset(self, world: Ref, to: Optional[Ref], step: Optional[int]) -> None: ...

    @abc.abstractmethod
    def drop(self, world: Ref) -> None: ...

    @abc.abstractmethod
    def rates(self, world: Ref, on: bool) -> None: ...

    @abc.abstractmethod
    def seed(self, world: Ref, document: Document, name: Optional[str]) -> None: ...

    @abc.abstractmethod
    def dump(self, world: Ref) -> dict[str, Any]: ...

    @abc.abstractmethod
    def diff(self, since: Optional[Ref], world: Ref, form: str, all: bool) -> Any: ...

    @abc.abstractmethod
    def hash(self, world: Ref) -> str: ...

    @abc.abstractmethod
    def export(self, world: Ref, path: str, secrets: bool) -> None: ...

    @abc.abstractmethod
    def import_file(self, world: Ref, data: bytes, format: str, person: Optional[str], vendor: Optional[str], place: Optional[str],
                    name: Optional[str]) -> dict[str, int]: ...

    @abc.abstractmethod
    def export_file(self, world: Ref, format: str, person: Optional[str], vendor: Optional[str], place: Optional[str]) -> bytes: ...

    @abc.abstractmethod
    def now(self, world: Ref) -> dt.datetime: ...

    @abc.abstractmethod
    def set_now(self, world: Ref, now: Instant) -> None: ...

    @abc.abstractmethod
    def advance(self, world: Ref, by: Span) -> None: ...

    @abc.abstractmethod
    def clock(self, world: Ref, mode: str, step: Span) -> None: ...

    @abc.abstractmethod
    def actors(self, world: Ref) -> list[dict[str, Any]]: ...

    @abc.abstractmethod
    def token(self, world: Ref, actor: str, scopes: Optional[str], ttl: Span, value: Optional[str], app: Optional[str],
              kind: Optional[str], prefix: Optional[str]) -> str: ...

    @abc.abstractmethod
    def revoke(self, world: Ref, token: str) -> None: ...

    @abc.abstractmethod
    def credential(self, world: Ref, kind: str, actor: str) -> dict[str, Any]: ...

    @abc.abstractmethod
    def journal(self, world: Ref, after: int, limit: int, bodies: bool) -> list[dict[str, Any]]: ...

    @abc.abstractmethod
    def journal_mode(self, world: Ref, mode: str) -> None: ...

    @abc.abstractmethod
    def journal_info(self, world: Ref) -> dict[str, Any]: ...

    @abc.abstractmethod
    def journal_changes(self, world: Ref, entry: int) -> dict[str, Any]: ...

    @abc.abstractmethod
    def journal_export(self, world: Ref, format: str, after: int, to: int) -> bytes: ...

    @abc.abstractmethod
    def replay(self, world: Ref, after: int, to: int, first: bool, edits: Optional[str], keep: bool, name: Optional[str],
               journal: Optional[str]) -> tuple[Optional[Ref], dict[str, Any]]: ...

    @abc.abstractmethod
    def outbox(self, world: Ref, after: int, limit: int) -> list[dict[str, Any]]: ...

    @abc.abstractmethod
    def outcome(self, world: Ref, entry: int, attempt: int, status: int, error: Optional[str], content_type: Optional[str],
                body: bytes) -> Optional[dt.datetime]: ...

    @abc.abstractmethod
    def grade(self, suite: Any, task: Optional[str], since: Optional[Ref], world: Ref, answer: Optional[str],
              judgements: Optional[dict[str, Any]]) -> dict[str, Any]: ...
