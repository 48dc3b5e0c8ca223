# SPDX-License-Identifier: Apache-2.0
"""The extension, which has the engine. Worlds of a server need none: where it can't be loaded (another system, a checkout that was not
built), connect() works all the same."""
from __future__ import annotations

import platform
import sys
from typing import TYPE_CHECKING, Any, Optional

if TYPE_CHECKING:
    from . import _sosia
    from ._sosia import Answer as Answer
    missing: Optional[str] = None
else:
    try:
        from . import _sosia
        Answer = _sosia.Answer
        missing = None
    except ImportError as e:
        _sosia, missing = None, str(e)

        class Answer:
            """As the extension's."""

            why = stream = None

            def __init__(self, status, fields, body):
                self.status, self.fields, self.body = status, list(fields), body


def present() -> bool:
    return missing is None


def needed() -> Any:
    """The extension. ImportError, which says why: it can't be loaded."""
    if missing is None:
        return _sosia
    why = missing
    if not sys.platform.startswith("linux"):
        why = "there is none for %s %s" % (platform.system(), platform.machine())
    elif getattr(sys, "_is_gil_enabled", lambda: True)() is False:
        why = "there is none for a free-threaded Python"
    raise ImportError("sosia's engine can't be loaded: %s; sosia.connect() to a server works without it" % why, name="sosia._sosia")
