# SPDX-License-Identifier: Apache-2.0
"""intercept(): unmodified clients, made before and after, are answered; everything else is refused by name."""
from __future__ import annotations

import asyncio
import http.client
import json
import socket
import subprocess
import sys
import threading
import unittest
import urllib.request

import pytest
import requests

import sosia

ABOUT = "https://www.googleapis.com/drive/v3/about?fields=user"


@pytest.fixture
def ada(sosia_world):
    return sosia_world.as_actor("ada@small.example")


def bearer(actor):
    return {"Authorization": "Bearer " + actor.token}


def test_clients(sosia_world, ada):
    import aiohttp
    import httplib2
    import httpx
    session, client = requests.Session(), httpx.Client()  # made before

    async def run():
        async with httpx.AsyncClient() as c:
            assert (await c.get(ABOUT, headers=bearer(ada))).json()["user"]["emailAddress"] == "ada@small.example"
        async with aiohttp.ClientSession() as s:
            async with s.get(ABOUT, headers=bearer(ada)) as answer:
                assert (await answer.json())["user"]["emailAddress"] == "ada@small.example"

    with sosia.intercept(sosia_world):
        assert session.get(ABOUT, headers=bearer(ada)).json()["user"]["emailAddress"] == "ada@small.example"
        assert client.get(ABOUT, headers=bearer(ada)).status_code == 200
        response, body = httplib2.Http().request(ABOUT, headers=bearer(ada))
        assert response.status == 200 and json.loads(body)["user"]
        assert urllib.request.urlopen(urllib.request.Request(ABOUT, headers=bearer(ada))).status == 200
        asyncio.run(run())


def test_google_client_unmodified(sosia_world, ada):
    import googleapiclient.discovery
    import httplib2
    with sosia.intercept(ada):
        calendar = googleapiclient.discovery.build("calendar", "v3", http=httplib2.Http(), cache_discovery=False)
        assert len(calendar.events().list(calendarId="primary").execute()["items"]) == 3


def test_refused(sosia_world):
    import aiohttp
    import httpx
    with sosia.intercept(sosia_world):
        with pytest.raises(sosia.Refused, match=r"GET https://example.com/x is refused: example.com is no host"):
            requests.get("https://example.com/x")
        with pytest.raises(sosia.Refused, match=r"POST https://example.com/"):
            httpx.post("https://example.com/")
        with pytest.raises(sosia.Refused, match=r"a connection to example.org:443"):
            http.client.HTTPSConnection("example.org").request("GET", "/")
        with pytest.raises(sosia.Refused, match=r"www.googleapis.com:443 is refused: a service of the world has this host"):
            http.client.HTTPSConnection("www.googleapis.com").request("GET", "/")
        for connect in ("connect", "connect_ex"):
            with socket.socket() as s, pytest.raises(sosia.Refused, match="192.0.2.1:9"):
                getattr(s, connect)(("192.0.2.1", 9))

        async def run():
            async with aiohttp.ClientSession() as s:
                await s.get("https://example.com/")
        with pytest.raises(sosia.Refused):
            asyncio.run(run())
        with pytest.raises(sosia.Refused):
            asyncio.run(asyncio.wait_for(asyncio.open_connection("192.0.2.1", 9), 5))
        left, right = socket.socketpair()  # the loop's own kind
        left.close(), right.close()


@pytest.fixture
def local_server():
    import http.server

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(204)
            self.end_headers()

        def log_message(self, *unused):
            pass
    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield "http://localhost:%d/" % server.server_port
    server.shutdown()
    thread.join()
    server.server_close()


def test_allowed(sosia_world, local_server):
    with sosia.intercept(sosia_world, allow=["localhost"]):
        assert requests.get(local_server).status_code == 204
        assert urllib.request.urlopen(local_server).status == 204
    with sosia.intercept(sosia_world):
        with pytest.raises(sosia.Refused):
            requests.get(local_server)
    assert requests.get(local_server).status_code == 204  # as before


def test_nested_and_restored(sosia_engine, sosia_world):
    before = requests.adapters.HTTPAdapter.send, socket.getaddrinfo, urllib.request.AbstractHTTPHandler.do_open
    with sosia_engine.create(fixture="office") as office:
        marta, ada = office.as_actor("marta.ferri@tidewater.example"), sosia_world.as_actor("ada@small.example")
        with sosia.intercept(ada):
            with sosia.intercept(marta):
                assert requests.get(ABOUT).json()["user"]["emailAddress"] == "marta.ferri@tidewater.example"
            assert requests.get(ABOUT).json()["user"]["emailAddress"] == "ada@small.example"
            with pytest.raises(ValueError), sosia.intercept(marta):
                raise ValueError
            assert requests.get(ABOUT).json()["user"]["emailAddress"] == "ada@small.example"
    assert before == (requests.adapters.HTTPAdapter.send, socket.getaddrinfo, urllib.request.AbstractHTTPHandler.do_open)


def test_decorators(sosia_engine, sosia_world, ada):
    @sosia.intercept(ada)
    def plain(x):
        return requests.get(ABOUT).status_code + x
    assert plain(1) == 201

    @sosia.intercept(ada)
    async def later():
        import httpx
        async with httpx.AsyncClient() as client:
            return (await client.get(ABOUT)).status_code
    assert asyncio.run(later()) == 200
    made = []

    def fresh():
        made.append(sosia_world.fork())
        return made[-1].as_actor("ada@small.example")

    @sosia.intercept(fresh)
    class Case(unittest.TestCase):
        def test_one(self):
            self.assertEqual(requests.get(ABOUT).status_code, 200)

        def test_two(self):
            self.assertEqual(requests.get(ABOUT).status_code, 200)

    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(Case).run(result)
    assert result.testsRun == 2 and result.wasSuccessful(), result.errors
    assert len(made) == 2
    for world in made:
        with pytest.raises(sosia.NotFound):
            world.info()


def test_later_imports():
    """Clients that are imported while it holds."""
    program = '''
import sosia
with sosia.Engine() as engine, engine.create(fixture="small") as world, sosia.intercept(world.as_actor("ada@small.example")):
    import sys
    assert "requests" not in sys.modules and "httpx" not in sys.modules and "httplib2" not in sys.modules
    import requests, httpx, httplib2
    assert requests.get("%s").status_code == httpx.get("%s").status_code == httplib2.Http().request("%s")[0].status == 200
import requests.adapters
assert requests.adapters.HTTPAdapter.send.__module__ == "requests.adapters"
''' % (ABOUT, ABOUT, ABOUT)
    subprocess.run([sys.executable, "-c", program], check=True)


def test_threads(sosia_world, ada):
    seen = []
    with sosia.intercept(ada):
        threads = [threading.Thread(target=lambda: seen.append(requests.get(ABOUT).status_code)) for _ in range(8)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    assert seen == [200] * 8
