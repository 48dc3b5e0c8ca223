# SPDX-License-Identifier: Apache-2.0
"""For unittest: a mix-in that gives each test a fresh world.

    class CalendarTest(sosia.unittesting.Worlds, unittest.TestCase):
        sosia_ways = {"fixture": "office"}

        def test_something(self):
            self.world.as_actor("marta.ferri@tidewater.example").call(...)

For asynchronous tests it goes before unittest.IsolatedAsyncioTestCase.
"""
from __future__ import annotations

import atexit
from typing import Any, ClassVar, Optional

from .errors import Error
from .world import Engine, World

_engine: Optional[Engine] = None
_templates: dict[str, World] = {}


def _shared() -> Engine:
    global _engine
    if _engine is None or _engine.closed:  # closed, too, in a child of a fork
        _engine = Engine()
        _templates.clear()
        atexit.register(_engine.close)
    return _engine


class Worlds:
    """sosia_ways: what World is made with (Engine.create()). self.world: a fork of it, dropped behind the test; what a failed test did
    in it is added to its error."""

    sosia_ways: ClassVar[dict[str, Any]] = {"fixture": "small"}
    world: World

    def setUp(self) -> None:
        engine = _shared()
        known = repr(sorted(self.sosia_ways.items()))
        if known not in _templates:
            _templates[known] = engine.create(**self.sosia_ways)
        self.world = _templates[known].fork()
        self.world.note_calls()
        self.addCleanup(self._drop)  # type: ignore[attr-defined]
        super().setUp()  # type: ignore[misc]

    def _drop(self) -> None:
        try:
            self.world.drop()
        except Error as e:
            if e.status != 404:
                raise

    def _callTestMethod(self, method: Any) -> Any:
        try:
            return super()._callTestMethod(method)  # type: ignore[misc]
        except AssertionError as e:
            said = "%s\n\nwhat was done in the world:\n%s\n\nlast calls:\n%s" % (
                e, self.world.diff(), "\n".join(str(c) for c in self.world.calls or ()))
            raise type(e)(said).with_traceback(e.__traceback__) from None
