# SPDX-License-Identifier: Apache-2.0
"""What a call gives."""
from __future__ import annotations

import json
from typing import Any, Iterator, Mapping

from . import native


class Headers(Mapping[str, str]):
    """Header fields by name, whatever its case; of several the first."""

    __slots__ = ("_fields",)

    def __init__(self, fields: list[tuple[str, str]]) -> None:
        self._fields = fields

    def __getitem__(self, name: str) -> str:
        wanted = name.lower()
        for n, value in self._fields:
            if n.lower() == wanted:
                return value
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(n for n, _ in self._fields))

    def __len__(self) -> int:
        return len(dict.fromkeys(n.lower() for n, _ in self._fields))

    def __repr__(self) -> str:
        return "Headers(%r)" % self._fields


class Answer(native.Answer):
    """Of one call: .status, .body (bytes), .fields (a list of pairs) as they came, and .why, where a service's own words don't say
    why it refuses. A refusal by a service (404, 401) is an answer and raises nothing.
    """

    __slots__ = ()

    @property
    def ok(self) -> bool:
        """Whether the status is below 400."""
        return self.status < 400

    @property
    def headers(self) -> Headers:
        """The header fields by name, whatever its case."""
        return Headers(self.fields)

    @property
    def raw(self) -> bytes:
        """The bytes of the body."""
        return self.body

    @property
    def text(self) -> str:
        """The body as UTF-8; what is not is replaced."""
        return self.body.decode("utf-8", "replace")

    @property
    def data(self) -> Any:
        """What the body says if it is JSON, else its text; None: there is none."""
        body = self.body
        try:
            return json.loads(body) if body else None
        except ValueError:
            return self.text

    def __repr__(self) -> str:
        return "<Answer %d, %d bytes>" % (self.status, len(self.body))


if native.present():
    native.needed().set_answer_type(Answer)
