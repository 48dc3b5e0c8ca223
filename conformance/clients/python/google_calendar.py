# SPDX-License-Identifier: Apache-2.0
"""Google's Python client (Debian's python3-googleapi), which builds itself from the discovery document that we serve."""
import base64
import hashlib
import json
import urllib.error
import urllib.parse
import urllib.request

import google.oauth2.credentials
import google.oauth2.id_token
import google.oauth2.service_account
import google_auth_httplib2
import googleapiclient.discovery
import googleapiclient.errors
import harness
import httplib2
from harness import step

CALENDAR = "https://www.googleapis.com/auth/calendar"
READONLY = "https://www.googleapis.com/auth/calendar.readonly"
ADA, BOB, ROBOT = "ada@acme.example", "bob@acme.example", "robot@acme.example"

harness.start()
document = {
    "sosia": 1,
    "time": "2026-11-23T08:00:00Z",
    "organizations": [{"domain": "acme.example", "name": "Acme"}],
    "people": [{"email": ADA, "name": "Ada Love", "zone": "Europe/Rome"}, {"email": BOB, "name": "Bob Stone", "zone": "Europe/Rome"},
               {"email": ROBOT, "name": "Robot", "kind": "service"}],
    "oauth_clients": [{"client_id": "desk", "client_secret": "hush", "name": "Desk", "kind": "installed", "automatic": ADA}],
    "oauth_refresh_tokens": [{"token": "1//bob-token", "client_id": "desk", "actor": BOB, "scopes": CALENDAR + " openid"}],
    "service_accounts": [{"email": ROBOT, "delegation": CALENDAR}],
}
world = harness.World(document)


def api(credentials, name="calendar", version="v3", world=world):
    return googleapiclient.discovery.build(
        name, version, http=google_auth_httplib2.AuthorizedHttp(credentials, httplib2.Http(timeout=harness.PATIENCE)),
        discoveryServiceUrl=world.url + "/discovery/v1/apis/{api}/{apiVersion}/rest", cache_discovery=False)


def with_token(email):
    return google.oauth2.credentials.Credentials(world.tokens[email])


def refused(request, status, reason):
    try:
        request.execute()
    except googleapiclient.errors.HttpError as e:
        body = json.loads(e.content)["error"]
        assert (e.resp.status, body["errors"][0]["reason"]) == (status, reason), e.content
        return body
    raise AssertionError("the call was not refused")


def post(path, world=world, **form):
    """A form; gives status and parsed answer."""
    request = urllib.request.Request(world.url + path, urllib.parse.urlencode(form).encode())
    try:
        with urllib.request.urlopen(request, timeout=harness.PATIENCE) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as e:
        return e.code, json.loads(e.read())


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *unused):
        return None


ada = api(with_token(ADA))
day = {"start": {"date": "2026-11-24"}, "end": {"date": "2026-11-25"}}


def add(summary, **more):
    return ada.events().insert(calendarId="primary", body={"summary": summary, **day, **more}).execute()


@step
def the_client_builds_itself_and_knows_the_methods():
    for method in ("delete", "get", "insert", "list", "list_next", "patch", "update"):
        assert hasattr(ada.events(), method), method
    assert ada.calendarList().list().execute()["items"][0]["id"] == ADA
    # Drive has a version 3 too, so the path says the host.
    url = world.url + "/@calendar-json.googleapis.com/$discovery/rest?version=v3"
    document = json.loads(urllib.request.urlopen(url, timeout=harness.PATIENCE).read())
    assert document["id"] == "calendar:v3" and document["servicePath"] == "calendar/v3/", document["id"]
    assert document["rootUrl"].startswith(world.url), document["rootUrl"]


@step
def an_event_lives():
    event = add("Lunch <b>&", location="Here")
    assert event["summary"] == "Lunch <b>&" and event["organizer"]["self"]
    patched = ada.events().patch(calendarId="primary", eventId=event["id"], body={"location": None}).execute()
    assert "location" not in patched and patched["etag"] != event["etag"]
    ada.events().delete(calendarId="primary", eventId=event["id"]).execute()
    refused(ada.events().delete(calendarId="primary", eventId=event["id"]), 410, "deleted")


@step
def a_stale_etag_is_refused():
    event = add("Tagged")
    request = ada.events().patch(calendarId="primary", eventId=event["id"], body={"summary": "x"})
    request.headers["If-Match"] = '"1"'
    refused(request, 412, "conditionNotMet")
    request = ada.events().patch(calendarId="primary", eventId=event["id"], body={"summary": "y"})
    request.headers["If-Match"] = event["etag"]
    assert request.execute()["summary"] == "y"


@step
def pages_and_partial_answers():
    for i in range(7):
        add("Page %d" % i)
    request, pages, seen = ada.events().list(calendarId="primary", maxResults=3, fields="items(id,summary),nextPageToken"), 0, []
    while request is not None:
        page = request.execute()
        assert set(page) <= {"items", "nextPageToken"} and all(set(e) <= {"id", "summary"} for e in page["items"])
        seen += [e["id"] for e in page["items"]]
        pages += 1
        request = ada.events().list_next(request, page)
    assert pages >= 3 and len(seen) == len(set(seen)) >= 7
    assert refused(ada.events().list(calendarId="primary", fields="bogus"), 400, "invalidParameter")["message"] == "Invalid field selection bogus"
    refused(ada.events().list(calendarId="primary", pageToken="CigKGj"), 400, "invalid")


@step
def a_get_too_long_for_a_url_comes_as_a_post():
    assert ada.events().list(calendarId="primary", q="x" * 3000).execute()["items"] == []


@step
def a_batch_answers_each_part():
    event, answers = add("Batched"), {}
    batch = ada.new_batch_http_request(callback=lambda key, answer, error: answers.update({key: (answer, error)}))
    batch.add(ada.events().get(calendarId="primary", eventId=event["id"]), request_id="there")
    batch.add(ada.events().get(calendarId="primary", eventId="nowhere"), request_id="not there")
    batch.add(ada.events().insert(calendarId="primary", body={"summary": "New", **day}), request_id="new")
    batch.execute()
    assert answers["there"][0]["summary"] == "Batched" and answers["new"][0]["summary"] == "New"
    assert answers["not there"][1].resp.status == 404


@step
def two_hundred_parts_are_one_batch():
    answers = []
    batch = ada.new_batch_http_request(callback=lambda key, answer, error: answers.append(error))
    for i in range(200):
        batch.add(ada.events().list(calendarId="primary", maxResults=1))
    batch.execute()
    assert answers == [None] * 200


@step
def scopes_are_looked_at():
    status, tokens = post("/token", grant_type="refresh_token", client_id="desk", client_secret="hush", refresh_token="1//bob-token")
    assert status == 200 and tokens["scope"] == CALENDAR + " openid"
    account = google.oauth2.service_account.Credentials.from_service_account_info(
        world.credential("google_service_account", ROBOT), scopes=[READONLY])
    robot = api(account)
    assert robot.calendarList().list().execute()["kind"] == "calendar#calendarList"
    refused(robot.events().insert(calendarId="primary", body=day), 403, "insufficientPermissions")


@step
def a_service_account_acts_for_a_person():
    account = google.oauth2.service_account.Credentials.from_service_account_info(
        world.credential("google_service_account", ROBOT), scopes=[CALENDAR], subject=BOB)
    assert api(account).calendars().get(calendarId="primary").execute()["id"] == BOB


@step
def a_refresh_token_is_used_when_the_token_ends():
    info = world.credential("google_authorized_user", BOB)
    credentials = google.oauth2.credentials.Credentials(None, refresh_token=info["refresh_token"], token_uri=info["token_uri"],
                                                        client_id=info["client_id"], client_secret=info["client_secret"])
    bob = api(credentials)
    assert bob.calendars().get(calendarId="primary").execute()["id"] == BOB
    first = credentials.token
    world.advance(4000)
    assert bob.calendars().get(calendarId="primary").execute()["id"] == BOB
    assert credentials.token != first
    assert credentials.id_token.count(".") == 2


@step
def a_code_with_pkce_becomes_tokens():
    real = harness.World(document, clock="real")  # the library holds the id_token against this machine's clock
    verifier = "a" * 50
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
    query = urllib.parse.urlencode({
        "client_id": "desk", "redirect_uri": "http://127.0.0.1:9/", "response_type": "code", "state": "s",
        "scope": "openid email " + CALENDAR, "code_challenge": challenge, "code_challenge_method": "S256"})
    try:
        urllib.request.build_opener(NoRedirect).open(real.url + "/o/oauth2/v2/auth?" + query)
        raise AssertionError("no redirect")
    except urllib.error.HTTPError as e:
        assert e.code == 302
        back = urllib.parse.parse_qs(urllib.parse.urlsplit(e.headers["Location"]).query)
    assert back["state"] == ["s"]
    form = {"grant_type": "authorization_code", "client_id": "desk", "client_secret": "hush",
            "redirect_uri": "http://127.0.0.1:9/", "code": back["code"][0]}
    assert post("/token", real, **form, code_verifier="wrong" * 10)[1]["error"] == "invalid_grant"
    status, tokens = post("/token", real, **form, code_verifier=verifier)
    assert status == 200 and tokens["refresh_token"].startswith("1//")
    request = google_auth_httplib2.Request(httplib2.Http(timeout=harness.PATIENCE))
    certs = real.url + "/oauth2/v1/certs"
    claims = google.oauth2.id_token.verify_token(tokens["id_token"], request, audience="desk", certs_url=certs)
    assert claims["email"] == ADA and claims["iss"] == real.url
    who = api(google.oauth2.credentials.Credentials(tokens["access_token"]), "oauth2", "v2", real).userinfo().get().execute()
    assert who["email"] == ADA and who["verified_email"]
    assert post("/revoke", real, token=tokens["refresh_token"])[0] == 200
    info = real.url + "/tokeninfo?access_token=" + tokens["access_token"]
    try:
        urllib.request.urlopen(info, timeout=harness.PATIENCE)
        raise AssertionError("the token lives on")
    except urllib.error.HTTPError as e:
        assert (e.code, json.loads(e.read())["error"]) == (400, "invalid_token")


@step
def changes_are_pushed():
    receiver = harness.Receiver()

    def pushed():  # sent or still to be sent
        entries = harness.control("GET", "/worlds/%s/outbox" % world.key)["entries"]
        return sum(e["kind"] == "webhook" and e["to"] == receiver.url for e in entries)

    channel = ada.events().watch(calendarId="primary", body={
        "id": "c-1", "type": "web_hook", "address": receiver.url, "token": "t=1", "params": {"ttl": "3600"}}).execute()
    first = receiver.next()
    assert (first["X-Goog-Resource-State"], first["X-Goog-Channel-Token"], first["X-Goog-Message-Number"]) == ("sync", "t=1", "1")
    assert first["X-Goog-Resource-ID"] == channel["resourceId"] and first["Content-Length"] == "0"
    add("Pushed")
    second = receiver.next()
    assert second["X-Goog-Resource-State"] == "exists" and int(second["X-Goog-Message-Number"]) > 1
    ada.channels().stop(body={"id": "c-1", "resourceId": channel["resourceId"]}).execute()
    add("Not pushed")
    assert pushed() == 2
    ada.events().watch(calendarId="primary", body={
        "id": "c-2", "type": "web_hook", "address": receiver.url, "params": {"ttl": "60"}}).execute()
    assert receiver.next()["X-Goog-Resource-State"] == "sync"
    world.advance(61)
    add("After its end")
    assert pushed() == 3


harness.finish()
