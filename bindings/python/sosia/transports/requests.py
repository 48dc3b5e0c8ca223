# SPDX-License-Identifier: Apache-2.0
"""For requests: session(source), or session.mount("https://", Adapter(source))."""
from __future__ import annotations

import io
from typing import Any, Optional

import requests
import requests.adapters
import urllib3

from ..answer import Answer
from ..streams import Pieces
from . import Reader, Source, body_of, reason


def response(answer: Answer, pieces: Optional[Pieces], head: bool) -> Any:
    body = io.BytesIO(b"" if head else answer.body) if pieces is None else io.BufferedReader(Reader(pieces))
    fields = list(answer.fields)
    if pieces is not None and pieces.length is not None and "content-length" not in answer.headers:
        fields.append(("Content-Length", str(pieces.length)))
    return urllib3.HTTPResponse(body=body, headers=fields, status=answer.status,
                                reason=reason(answer.status), version=11, preload_content=False)


def send(adapter: Any, source: Source, request: Any) -> Any:
    headers = [(n, v.decode() if isinstance(v, bytes) else v) for n, v in request.headers.items()]
    answer, pieces = source.exchange_open(request.method, request.url, headers, body_of(request.body))
    return adapter.build_response(request, response(answer, pieces, request.method == "HEAD"))


class Adapter(requests.adapters.HTTPAdapter):  # type: ignore[misc]
    """Answers for every host below the prefix that it is mounted at."""

    def __init__(self, source: Source) -> None:
        super().__init__()
        self._source = source

    def send(self, request: Any, *unused: Any, **options: Any) -> Any:
        return send(self, self._source, request)


def session(source: Source) -> requests.Session:
    """A session whose requests the world answers."""
    made = requests.Session()
    for prefix in ("http://", "https://"):
        made.mount(prefix, Adapter(source))
    return made
