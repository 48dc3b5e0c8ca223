#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Google's official client for Python as Debian has it, through `sosia run`.

It builds itself from the discovery document, with the real host names and nothing set.
usage: scenario.py        (SOSIA_BIN: the `sosia` to run)
"""
import json
import os
import sys
import traceback

if "SOSIA_TOKEN" not in os.environ:
    sosia = os.environ.get("SOSIA_BIN", "sosia")
    program = os.path.abspath(__file__)
    os.execvp(sosia, [sosia, "run", "--show", program, "--fixture", "small", "--clock", "real", "--", sys.executable, program])

from google.oauth2.credentials import Credentials
from googleapiclient.discovery import build
from googleapiclient.errors import HttpError

passed = failed = 0


def step(name):
    """Runs the function behind it as one thing that must hold."""

    def run(check):
        global passed, failed
        try:
            check()
            passed += 1
            print(f"ok     {name}")
        except Exception:
            failed += 1
            print(f"FAILED {name}")
            traceback.print_exc(file=sys.stdout)

    return run


def refused(request):
    try:
        request.execute()
    except HttpError as error:
        return error
    raise AssertionError("the call was not refused")


def reason(error):
    return json.loads(error.content)["error"]["errors"][0]["reason"]


credentials = Credentials(os.environ["SOSIA_TOKEN"])
service = build("calendar", "v3", credentials=credentials, cache_discovery=False)
events = service.events()
actor = os.environ["SOSIA_ACTOR"]
ids = []


def made():
    calendar = service.calendars().insert(body={"summary": "Scenario", "timeZone": "Europe/Rome"}).execute()
    return calendar["id"]


calendar_id = made()


def body(day, hour, summary):
    return {
        "summary": summary,
        "start": {"dateTime": f"2027-03-{day:02}T{hour:02}:00:00", "timeZone": "Europe/Rome"},
        "end": {"dateTime": f"2027-03-{day:02}T{hour + 1:02}:00:00", "timeZone": "Europe/Rome"},
    }


@step("the client has the resources of the API")
def _():
    for resource in ("acl", "calendarList", "calendars", "channels", "colors", "events", "freebusy", "settings"):
        assert hasattr(service, resource), resource
    for method in ("get", "list", "insert", "patch", "update", "delete", "instances", "move", "watch"):
        assert hasattr(events, method), method
    assert hasattr(events, "list_next")


@step("events are inserted")
def _():
    for day in range(1, 8):
        event = events.insert(calendarId=calendar_id, body=body(day, 9, f"Day {day}")).execute()
        assert event["organizer"] == {"email": calendar_id, "displayName": "Scenario", "self": True}, event["organizer"]
        assert event["creator"]["email"] == actor
        ids.append(event["id"])


@step("they are listed page by page with list_next")
def _():
    request = events.list(calendarId=calendar_id, maxResults=3)
    seen, pages = [], 0
    while request is not None:
        answer = request.execute()
        seen += [e["id"] for e in answer["items"]]
        pages += 1
        request = events.list_next(request, answer)
    assert sorted(seen) == sorted(ids), seen
    assert pages >= 3, pages
    assert "nextSyncToken" in answer


@step("a patch changes one field")
def _():
    event = events.patch(calendarId=calendar_id, eventId=ids[0], body={"location": "Harbour"}).execute()
    assert (event["summary"], event["location"]) == ("Day 1", "Harbour")


@step("a stale etag is refused")
def _():
    before = events.get(calendarId=calendar_id, eventId=ids[0]).execute()
    events.patch(calendarId=calendar_id, eventId=ids[0], body={"location": "Pier"}).execute()
    request = events.patch(calendarId=calendar_id, eventId=ids[0], body={"location": "Beach"})
    request.headers["If-Match"] = before["etag"]
    error = refused(request)
    assert error.resp.status == 412, error.resp.status
    assert reason(error) == "conditionNotMet", error.content
    assert events.get(calendarId=calendar_id, eventId=ids[0]).execute()["location"] == "Pier"


@step("an unchanged event is not sent again")
def _():
    before = events.get(calendarId=calendar_id, eventId=ids[1]).execute()
    request = events.get(calendarId=calendar_id, eventId=ids[1])
    request.headers["If-None-Match"] = before["etag"]
    assert refused(request).resp.status == 304


@step("a very long query goes as a POST")
def _():
    answer = events.list(calendarId=calendar_id, q="Day 2 " + "Day " * 700).execute()
    assert [e["summary"] for e in answer["items"]] == ["Day 2"], answer["items"]


@step("a batch is answered part by part")
def _():
    answers = {}

    def got(request_id, response, exception):
        answers[request_id] = exception.resp.status if exception else response["summary"]

    batch = service.new_batch_http_request(callback=got)
    for day in range(1, 4):
        batch.add(events.get(calendarId=calendar_id, eventId=ids[day - 1]), request_id=f"day-{day}")
    batch.add(events.get(calendarId=calendar_id, eventId="nosuchevent"), request_id="missing")
    batch.add(events.insert(calendarId=calendar_id, body=body(20, 9, "From a batch")), request_id="insert")
    batch.execute()
    assert answers == {"day-1": "Day 1", "day-2": "Day 2", "day-3": "Day 3", "missing": 404, "insert": "From a batch"}, answers


@step("free/busy has what was inserted")
def _():
    answer = service.freebusy().query(body={
        "timeMin": "2027-03-01T00:00:00Z", "timeMax": "2027-03-03T00:00:00Z", "items": [{"id": calendar_id}],
    }).execute()
    assert answer["calendars"][calendar_id]["busy"] == [
        {"start": "2027-03-01T08:00:00Z", "end": "2027-03-01T09:00:00Z"},
        {"start": "2027-03-02T08:00:00Z", "end": "2027-03-02T09:00:00Z"},
    ], answer


@step("a sync has the changes alone")
def _():
    token = events.list(calendarId=calendar_id).execute()["nextSyncToken"]
    events.delete(calendarId=calendar_id, eventId=ids[6]).execute()
    answer = events.list(calendarId=calendar_id, syncToken=token).execute()
    assert [(e["id"], e["status"]) for e in answer["items"]] == [(ids[6], "cancelled")], answer["items"]


@step("a deleted event is gone")
def _():
    assert events.delete(calendarId=calendar_id, eventId=ids[0]).execute() == ""
    error = refused(events.delete(calendarId=calendar_id, eventId=ids[0]))
    assert (error.resp.status, reason(error)) == (410, "deleted"), error


@step("the calendar too")
def _():
    service.calendars().delete(calendarId=calendar_id).execute()
    assert refused(events.list(calendarId=calendar_id)).resp.status == 404


print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed or not passed else 0)
