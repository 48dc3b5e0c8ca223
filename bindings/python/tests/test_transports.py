# SPDX-License-Identifier: Apache-2.0
"""Each client against a world of this process: no socket is opened."""
from __future__ import annotations

import asyncio
import json
import socket
import urllib.error
import urllib.parse
import urllib.request

import pytest

import sosia

EVENTS = "https://www.googleapis.com/calendar/v3/calendars/primary/events"
EVENT = {"summary": "Plan", "start": {"dateTime": "2026-11-25T09:00:00Z"}, "end": {"dateTime": "2026-11-25T09:30:00Z"}}


@pytest.fixture(autouse=True)
def no_socket(monkeypatch):
    def refuse(self, address):
        raise AssertionError("a connection to %r" % (address,))
    monkeypatch.setattr(socket.socket, "connect", refuse)


@pytest.fixture
def ada(sosia_world):
    return sosia_world.as_actor("ada@small.example")


def summaries(data):
    return sorted(e["summary"] for e in data["items"])


WITH_PLAN = ["Coffee with Bo", "Day off", "Plan", "Review of the draft"]


def test_google_client(ada):
    import googleapiclient.discovery
    import googleapiclient.errors
    import googleapiclient.http
    from sosia.transports.httplib2 import Http
    http = Http(ada)
    service = googleapiclient.discovery.build("calendar", "v3", http=http, cache_discovery=False)
    made = service.events().insert(calendarId="primary", body=EVENT).execute()
    assert summaries(service.events().list(calendarId="primary").execute()) == WITH_PLAN
    page = service.events().list(calendarId="primary", maxResults=1)
    n = 0
    while page is not None:
        answer = page.execute()
        n += len(answer["items"])
        page = service.events().list_next(page, answer)
    assert n == 4
    with pytest.raises(googleapiclient.errors.HttpError) as e:
        service.events().get(calendarId="primary", eventId="nothing").execute()
    assert e.value.resp.status == 404
    seen = []
    batch = service.new_batch_http_request(callback=lambda i, answer, error: seen.append(answer["summary"]))
    batch.add(service.events().get(calendarId="primary", eventId=made["id"]))
    batch.add(service.events().get(calendarId="primary", eventId="smallcoffee01"))
    batch.execute()
    assert sorted(seen) == ["Coffee with Bo", "Plan"]


def test_google_uploads(ada):
    import io
    import googleapiclient.discovery
    import googleapiclient.http
    from sosia.transports.httplib2 import Http
    drive = googleapiclient.discovery.build("drive", "v3", http=Http(ada), cache_discovery=False)
    data = bytes(range(256)) * 4096
    media = googleapiclient.http.MediaIoBaseUpload(io.BytesIO(data), "application/octet-stream", chunksize=262144, resumable=True)
    request, pieces = drive.files().create(body={"name": "blob"}, media_body=media), 0
    made = None
    while made is None:
        _, made = request.next_chunk()
        pieces += 1
    assert pieces == 4
    to = io.BytesIO()
    load = googleapiclient.http.MediaIoBaseDownload(to, drive.files().get_media(fileId=made["id"]), chunksize=300000)
    done = False
    while not done:
        _, done = load.next_chunk()
    assert to.getvalue() == data


def test_small_file_comes_whole(ada):
    """A file's content of five bytes is pulled, as a large one is."""
    made = ada.call("POST", "/upload/drive/v3/files?uploadType=media", b"abcde", headers={"Content-Type": "text/plain"}).data
    assert ada.call("GET", "/drive/v3/files/%s?alt=media" % made["id"]).body == b"abcde"


def test_requests(ada):
    import sosia.transports.requests
    with sosia.transports.requests.session(ada) as session:
        assert session.post(EVENTS, json=EVENT).json()["summary"] == "Plan"
        answer = session.get(EVENTS, params={"maxResults": 10})
        assert summaries(answer.json()) == WITH_PLAN
        assert answer.headers["content-type"].startswith("application/json")
        assert session.get(EVENTS + "/nothing").status_code == 404
        assert session.post(EVENTS, data=iter([json.dumps(EVENT).encode()]), headers={"Content-Type": "application/json"}).ok
        with session.get(EVENTS, stream=True) as streamed:
            assert json.loads(b"".join(streamed.iter_content(100)))["items"]


def test_httpx(ada):
    import sosia.transports.httpx
    with sosia.transports.httpx.client(ada) as client:
        assert client.post(EVENTS, json=EVENT).status_code == 200
        assert summaries(client.get(EVENTS).json()) == WITH_PLAN
        assert client.get(EVENTS + "/nothing").status_code == 404


def test_httpx_async(ada):
    import sosia.transports.httpx

    async def run():
        async with sosia.transports.httpx.async_client(ada) as client:
            assert (await client.post(EVENTS, json=EVENT)).status_code == 200
            several = await asyncio.gather(*(client.get(EVENTS) for _ in range(10)))
            assert all(summaries(a.json()) == WITH_PLAN for a in several)
    asyncio.run(run())


def test_urllib(ada):
    import sosia.transports.urllib
    opener = sosia.transports.urllib.opener(ada)
    request = urllib.request.Request(EVENTS, json.dumps(EVENT).encode(), {"Content-Type": "application/json"})
    with opener.open(request) as answer:
        assert answer.status == 200 and json.load(answer)["summary"] == "Plan"
    with pytest.raises(urllib.error.HTTPError) as e:
        opener.open(EVENTS + "/nothing")
    assert e.value.code == 404 and json.load(e.value)["error"]["errors"][0]["reason"] == "notFound"


def test_aiohttp(ada):
    import sosia.transports.aiohttp

    async def run():
        async with sosia.transports.aiohttp.session(ada) as session:
            async with session.post(EVENTS, json=EVENT) as answer:
                assert answer.status == 200
            async with session.get(EVENTS, params={"maxResults": "10"}) as answer:
                assert summaries(await answer.json()) == WITH_PLAN

            async def pieces():
                yield b'{"summary": "Piece", "start": {"date": "2026-11-25"},'
                yield b' "end": {"date": "2026-11-26"}}'
            async with session.post(EVENTS, data=pieces(), headers={"Content-Type": "application/json"}) as answer:
                assert (await answer.json())["summary"] == "Piece"
            async with session.get(EVENTS + "/nothing", expect100=True) as answer:
                assert answer.status == 404
            several = await asyncio.gather(*(get(session) for _ in range(20)))
            assert several == [5] * 20

    async def get(session):
        async with session.get(EVENTS) as answer:
            return len((await answer.json())["items"])
    asyncio.run(run())


@pytest.mark.parametrize("size", [10, 300_000])
def test_head(ada, size):
    """It says how long the body is, and has none of it; a large body that is asked for says so as well."""
    import sosia.transports.aiohttp
    import sosia.transports.httplib2
    import sosia.transports.httpx
    import sosia.transports.requests
    import sosia.transports.urllib
    made = ada.call("POST", "/upload/drive/v3/files?uploadType=media", b"x" * size, headers={"Content-Type": "application/x-thing"})
    url = "https://www.googleapis.com/drive/v3/files/%s?alt=media" % made.data["id"]
    answer = ada.call("HEAD", url.partition(".com")[2])
    assert (answer.status, answer.headers["content-length"], answer.body) == (200, str(size), b"")
    for client in (sosia.transports.requests.session(ada), sosia.transports.httpx.client(ada)):
        for got, there in ((client.head(url), 0), (client.get(url), size)):
            assert (got.headers.get("content-length", "none"), len(got.content)) in ((str(size), there), ("none", 10))
    head = sosia.transports.urllib.opener(ada).open(urllib.request.Request(url, method="HEAD"))
    assert (head.headers["content-length"], head.read()) == (str(size), b"")
    head, body = sosia.transports.httplib2.Http(ada).request(url, "HEAD")
    assert (head["content-length"], body) == (str(size), b"")

    async def by_aiohttp():
        async with sosia.transports.aiohttp.session(ada) as session:
            for method, there in (("HEAD", 0), ("GET", size)):
                async with session.request(method, url) as got:
                    assert (got.content_length, len(await got.read())) == (size, there)

    asyncio.run(by_aiohttp())


def test_own_credential_wins(sosia_world, ada):
    """A transport of an actor adds its token only where a request has none; one of a world adds nothing."""
    import sosia.transports.requests
    bo = sosia_world.as_actor("bo@small.example").token
    about = "https://www.googleapis.com/drive/v3/about?fields=user"
    with sosia.transports.requests.session(ada) as session:
        assert session.get(about).json()["user"]["emailAddress"] == "ada@small.example"
        assert session.get(about, headers={"Authorization": "Bearer " + bo}).json()["user"]["emailAddress"] == "bo@small.example"
    with sosia.transports.requests.session(sosia_world) as session:
        assert session.get(about).status_code in (401, 403)


class SlackProgram:
    """In the shape of slack_sdk's synchronous client: urlopen() of a form, with a token in its header."""

    def __init__(self, token):
        self.token = token

    def call(self, method, **fields):
        request = urllib.request.Request("https://slack.com/api/" + method, urllib.parse.urlencode(fields).encode(), {
            "Authorization": "Bearer " + self.token, "Content-Type": "application/x-www-form-urlencoded;charset=utf-8"})
        with urllib.request.urlopen(request, context=None, timeout=500) as answer:
            return json.loads(answer.read().decode(answer.headers.get_content_charset("utf-8")))


@pytest.mark.sosia(fixture="office")
def test_slack_program(sosia_world):
    token = sosia_world.as_actor("marta.ferri@tidewater.example").token
    with sosia.intercept(sosia_world):
        program = SlackProgram(token)
        assert program.call("auth.test")["ok"]
        channel = program.call("conversations.list")["channels"][0]["id"]
        program.call("conversations.join", channel=channel)
        said = program.call("chat.postMessage", channel=channel, text="Grüße")
        assert said["ok"] and said["message"]["text"] == "Grüße"


GRAPH = "https://graph.microsoft.com/v1.0"
ROUND = {"subject": "Tide round", "start": {"dateTime": "2026-11-24T08:00:00", "timeZone": "UTC"},
         "end": {"dateTime": "2026-11-24T08:30:00", "timeZone": "UTC"}}
DOOR = "11111111-0000-4000-8000-000000000001"
PORT = {
    "sosia": 1,
    "people": [{"email": "ada@port.example", "name": "Ada"}], "accounts": [{"actor": "ada@port.example", "vendor": "microsoft"}],
    "apps": [{"client_id": DOOR, "name": "Door", "kind": "installed", "vendor": "microsoft"}],
    "microsoftTenants": [{"domain": "port.example", "id": "7c0f0000-0000-4000-8000-000000000001", "name": "Port"}],
    "microsoftUsers": [{"actor": "ada@port.example", "password": "hush"}],
    "microsoftApps": [{"app": DOOR, "tenant": "port.example", "delegated": "User.Read"}],
}


@pytest.fixture
def quay():
    with sosia.Engine() as engine, engine.create(fixture="small-365") as world:
        yield world


def graph_days(client, world):
    """What a program does with a client of requests or httpx."""
    made = client.post(GRAPH + "/me/events", json=ROUND)
    assert made.status_code == 201, made.text
    event = GRAPH + "/me/events/" + made.json()["id"]
    assert client.patch(event, json={"location": {"displayName": "Pier"}}).json()["location"]["displayName"] == "Pier"
    seen, link = [], GRAPH + "/me/events?$orderby=start/dateTime&$top=2"
    while link:
        page = client.get(link).json()
        seen += [e["subject"] for e in page["value"]]
        link = page.get("@odata.nextLink")
    assert seen[:2] == ["Morning round", "Dentist"] and len(seen) == 6
    sent = client.post(GRAPH + "/me/sendMail", json={"message": {"subject": "Hi", "toRecipients": [
        {"emailAddress": {"address": "olaf@quay.example"}}]}})
    assert sent.status_code == 202
    inbox = world.as_actor("olaf@quay.example").call("GET", "/v1.0/me/mailFolders/inbox/messages").data["value"]
    assert inbox[0]["subject"] == "Hi"
    assert client.delete(event).status_code == 204
    assert client.get(event).json()["error"]["code"] == "ErrorItemNotFound"


@pytest.mark.parametrize("how", ["requests", "httpx", "intercept requests", "intercept httpx"])
def test_microsoft_graph(quay, how):
    import httpx
    import requests
    import sosia.transports.httpx
    import sosia.transports.requests
    nora = quay.as_actor("nora@quay.example")
    if how == "requests":
        graph_days(sosia.transports.requests.session(nora), quay)
    elif how == "httpx":
        graph_days(sosia.transports.httpx.client(nora), quay)
    else:
        client = requests.Session() if how.endswith("requests") else httpx.Client()
        client.headers["Authorization"] = "Bearer " + nora.token
        with sosia.intercept(quay):
            graph_days(client, quay)


@pytest.mark.parametrize("intercepted", [False, True])
def test_msal(intercepted):
    msal = pytest.importorskip("msal")
    import requests
    import sosia.transports.requests
    with sosia.Engine() as engine, engine.create(PORT, clock="real") as world:  # msal holds tokens against its own clock
        http = requests.Session() if intercepted else sosia.transports.requests.session(world)
        with sosia.intercept(world):
            app = msal.PublicClientApplication(DOOR, authority="https://login.microsoftonline.com/port.example", http_client=http)
            got = app.acquire_token_by_username_password("ada@port.example", "hush", ["User.Read"])
            assert "access_token" in got, got
            me = requests.get(GRAPH + "/me", headers={"Authorization": "Bearer " + got["access_token"]}).json()
            assert me["displayName"] == "Ada"
            assert app.acquire_token_silent(["User.Read"], app.get_accounts()[0])["access_token"]
            wrong = app.acquire_token_by_username_password("ada@port.example", "no", ["User.Read"])
            assert wrong["error"] == "invalid_grant"
