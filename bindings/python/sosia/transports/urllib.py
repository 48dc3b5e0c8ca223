# SPDX-License-Identifier: Apache-2.0
"""For urllib.request, and programs on it: opener(source), or install_opener() of it."""
from __future__ import annotations

import http.client
import urllib.request
from typing import Any

from . import Source, as_response, body_of


def open_request(source: Source, request: urllib.request.Request) -> http.client.HTTPResponse:
    method, url = request.get_method(), request.full_url
    headers = [(n, str(v)) for n, v in request.header_items() if n.lower() != "host"]
    answer, pieces = source.exchange_open(method, url, headers, body_of(request.data))
    response = as_response(answer, pieces, method, url)
    response.msg = response.reason  # type: ignore[assignment]
    return response


class Handler(urllib.request.HTTPSHandler):
    """Answers for every host, as http and https."""

    handler_order = 100

    def __init__(self, source: Source) -> None:
        super().__init__()
        self._source = source

    def http_open(self, request: urllib.request.Request) -> http.client.HTTPResponse:
        return open_request(self._source, request)

    def https_open(self, request: urllib.request.Request) -> http.client.HTTPResponse:
        return open_request(self._source, request)

    http_request = urllib.request.AbstractHTTPHandler.do_request_
    https_request = urllib.request.AbstractHTTPHandler.do_request_


def opener(source: Source, *handlers: Any) -> urllib.request.OpenerDirector:
    """An opener whose requests the world answers. Errors are HTTPError, and redirects are followed, as always."""
    return urllib.request.build_opener(Handler(source), *handlers)
