# SPDX-License-Identifier: Apache-2.0
"""Instants and spans: datetime and timedelta here, microseconds there."""
from __future__ import annotations

import datetime as dt
from typing import Union

Span = Union[float, dt.timedelta]
Instant = Union[str, dt.datetime]

_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.timezone.utc)
_US = dt.timedelta(microseconds=1)


def span_us(span: Span) -> int:
    """Seconds, or a timedelta, in microseconds."""
    if isinstance(span, dt.timedelta):
        return span // _US
    if isinstance(span, bool) or not isinstance(span, (int, float)):
        raise TypeError("a span must be seconds or a timedelta, not %r" % (span,))
    if isinstance(span, float) and not abs(span) < 1e12:
        raise ValueError("a span must be a number of seconds below 1e12, not %r" % (span,))
    return span * 1000000 if isinstance(span, int) else round(span * 1000000)


def read(instant: Instant) -> dt.datetime:
    """A datetime with a zone, or a string in the form of RFC 3339."""
    if isinstance(instant, str):
        text = instant[:-1] + "+00:00" if instant[-1:] in ("Z", "z") else instant
        instant = dt.datetime.fromisoformat(text)
    if not isinstance(instant, dt.datetime):
        raise TypeError("an instant must be a datetime or a string, not %r" % (instant,))
    if instant.tzinfo is None:
        raise ValueError("an instant must have a zone, %s has none" % instant.isoformat())
    return instant


def instant_us(instant: Instant) -> int:
    """Microseconds since 1970."""
    return (read(instant) - _EPOCH) // _US


def from_us(us: int) -> dt.datetime:
    """In UTC."""
    return _EPOCH + dt.timedelta(microseconds=us)


def text(instant: Instant) -> str:
    """As the control interface takes it."""
    return read(instant).astimezone(dt.timezone.utc).isoformat().replace("+00:00", "Z")
