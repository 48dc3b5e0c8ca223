# SPDX-License-Identifier: Apache-2.0
"""An agent that makes two mistakes, for `sosia explore` to find: what fails it does again, whether it was done or not, and what it marks
as done it never looks at.

    sosia explore office --actor sara@contoso.example --command 'python3 examples/loops/careless_agent.py'

It sends a letter, and puts a reminder into the calendar. SOSIA_URL and SOSIA_TOKEN say where and as whom.
"""
import base64
import http.client
import json
import os
import urllib.error
import urllib.request

TO = os.environ.get("AGENT_TO", "nina@contoso.example")


def call(method, path, body):
    request = urllib.request.Request(os.environ["SOSIA_URL"] + path, json.dumps(body).encode(), {
        "Authorization": "Bearer " + os.environ["SOSIA_TOKEN"], "Content-Type": "application/json"}, method=method)
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.loads(answer.read() or b"{}")


def send():
    letter = "To: %s\r\nSubject: Offer\r\n\r\nHere it is.\r\n" % TO
    for _ in range(3):
        try:
            return call("POST", "/gmail/v1/users/me/messages/send", {"raw": base64.urlsafe_b64encode(letter.encode()).decode()})
        except (OSError, ValueError, http.client.HTTPException):
            pass  # the first mistake: it may have been sent
    raise SystemExit("the letter was not sent")


def remind():
    try:
        call("POST", "/calendar/v3/calendars/primary/events", {
            "summary": "Ask about the offer", "start": {"date": "2026-12-01"}, "end": {"date": "2026-12-02"}})
    except (OSError, ValueError, http.client.HTTPException):
        pass  # the second one: nobody will know that it is missing


send()
remind()
