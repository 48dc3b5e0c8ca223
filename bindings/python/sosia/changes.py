# SPDX-License-Identifier: Apache-2.0
"""What somebody did in a world, to look at and to assert."""
from __future__ import annotations

import json
from typing import Any, Iterator, Mapping, Optional, Sequence, Union, overload


class Change(dict[str, Any]):
    """One change, as docs/grading.md describes it: "change" (added, changed, removed), "entity", "name", "service", "person",
    "title", "fields" with "from" and "to", or "value", and "consequences". Members are attributes too."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return self.get(name)

    def matches(self, wanted: Mapping[str, Any]) -> bool:
        """Whether each wanted member is as it says. A member of "fields" is what it became."""
        return all(_same(self.get(k), v) if k != "fields" else _fields_same(self, v) for k, v in wanted.items())

    def line(self) -> str:
        """For people."""
        said = [str(self[k]) for k in ("service", "change", "entity", "name") if self.get(k)]
        if self.get("title") and self.get("title") != self.get("name"):
            said.append(json.dumps(self["title"], ensure_ascii=False))
        if self.get("person"):
            said.append("of " + str(self["person"]))
        for name, of in (self.get("fields") or {}).items():
            if isinstance(of, dict):
                said.append("\n    %s: %s -> %s" % (name, _short(of.get("from")), _short(of.get("to"))))
        return " ".join(said)


def _same(has: Any, wanted: Any) -> bool:
    return bool(wanted(has)) if callable(wanted) else bool(has == wanted)


def _fields_same(change: Change, wanted: Mapping[str, Any]) -> bool:
    fields, value = change.get("fields") or {}, change.get("value") or {}
    for name, want in wanted.items():
        of = fields.get(name)
        if not _same(of.get("to") if isinstance(of, dict) else value.get(name), want):
            return False
    return True


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 120 else text[:117] + "..."


class Diff(Sequence[Change]):
    """The changes, in their order; what follows from one is among its "consequences"."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.document = document
        self._changes = [Change(c) for c in document.get("changes", [])]

    @overload
    def __getitem__(self, index: int) -> Change: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Change]: ...

    def __getitem__(self, index: Union[int, slice]) -> Union[Change, Sequence[Change]]:
        return self._changes[index]

    def __len__(self) -> int:
        return len(self._changes)

    def __iter__(self) -> Iterator[Change]:
        return iter(self._changes)

    def __str__(self) -> str:
        return "\n".join(c.line() for c in self._changes) or "nothing has changed"

    def __repr__(self) -> str:
        return "<Diff of %d changes>" % len(self)

    def of(self, **members: Any) -> list[Change]:
        """Those with such members: of(service="gmail", change="added")."""
        return [c for c in self._changes if c.matches(members)]

    def only(self, *wanted: Mapping[str, Any], **members: Any) -> "Diff":
        """Asserts that there is one change for each wanted one, and no other. Without a wanted one: that each change has these
        members, and that there is one at least. Gives the diff.

        A member's value may be a function of it. Raises AssertionError, which says what is missing and what is too much.
        """
        if wanted and members:
            raise TypeError("only() takes changes or members, not both")
        left: list[Optional[Change]] = list(self._changes)
        missing = []
        for want in wanted:
            for i, c in enumerate(left):
                if c is not None and c.matches(want):
                    left[i] = None
                    break
            else:
                missing.append(want)
        if not wanted:
            left = [c for c in self._changes if not c.matches(members)]
            if len(left) == len(self._changes):
                missing = [members]
        too_much = [c for c in left if c is not None]
        if missing or too_much:
            raise AssertionError("\n".join(["missing: %s" % (dict(m),) for m in missing] +
                                           ["too much: " + c.line() for c in too_much]))
        return self

    def empty(self) -> "Diff":
        """Asserts that nothing has changed."""
        if self._changes:
            raise AssertionError("nothing must have changed, but\n" + str(self))
        return self
