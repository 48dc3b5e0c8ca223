# SPDX-License-Identifier: Apache-2.0
"""For httplib2, and Google's client on it: build("calendar", "v3", http=Http(source), cache_discovery=False)."""
from __future__ import annotations

from typing import Any, Mapping, Optional
from urllib.parse import urljoin

import httplib2

from ..answer import Answer
from . import Source, body_of, reason


def request(source: Source, uri: str, method: str, body: Any, headers: Optional[Mapping[str, Any]],
            redirections: int) -> tuple[Any, bytes]:
    sent = [(n, v.decode() if isinstance(v, bytes) else str(v)) for n, v in (headers or {}).items()]
    data = body_of(body)
    answer = source.exchange(method, uri, sent, data)
    while answer.status in (301, 302, 303, 307, 308) and method in ("GET", "HEAD") and redirections > 0:
        uri = urljoin(uri, answer.headers.get("Location", uri))
        answer = source.exchange(method, uri, sent, None)
        redirections -= 1
    return response(answer, uri), b"" if method == "HEAD" else answer.body


def response(answer: Answer, uri: str) -> Any:
    made = httplib2.Response({})
    made.update([(n.lower(), v) for n, v in answer.fields])
    made.status, made.reason, made["status"] = answer.status, reason(answer.status), str(answer.status)
    made["content-location"] = uri
    made.setdefault("content-length", str(len(answer.body)))
    return made


class Http(httplib2.Http):  # type: ignore[misc]
    """As httplib2.Http, and no connection is made."""

    def __init__(self, source: Source) -> None:
        super().__init__()
        self._source = source

    def request(self, uri: str, method: str = "GET", body: Any = None, headers: Optional[Mapping[str, Any]] = None,
                redirections: int = httplib2.DEFAULT_MAX_REDIRECTS, connection_type: Any = None) -> tuple[Any, bytes]:
        return request(self._source, uri, method, body, headers, redirections if self.follow_redirects else 0)
