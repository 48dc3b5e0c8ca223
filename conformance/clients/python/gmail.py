# SPDX-License-Identifier: Apache-2.0
"""Google's Python client (Debian's python3-googleapi) with Gmail: mail, a resumable upload, batches, filters, vacation, a watch."""
import base64
import email
import email.message
import email.policy
import io
import json
import random

import google.oauth2.credentials
import google.oauth2.service_account
import google_auth_httplib2
import googleapiclient.discovery
import googleapiclient.errors
import googleapiclient.http
import harness
from harness import step

ADA, BOB, ROBOT = "ada@acme.example", "bob@acme.example", "robot@acme.example"
SETTINGS = "https://www.googleapis.com/auth/gmail.settings.sharing"
ALL = "https://mail.google.com/"

harness.start()
world = harness.World({
    "sosia": 1,
    "time": "2026-11-23T08:00:00Z",
    "organizations": [{"domain": "acme.example", "name": "Acme"}],
    "people": [{"email": ADA, "name": "Ada Love"}, {"email": BOB, "name": "Bob Stone"},
               {"email": ROBOT, "name": "Robot", "kind": "service"}],
    "oauth_clients": [{"client_id": "desk", "client_secret": "hush", "name": "Desk", "kind": "installed", "automatic": ADA}],
    "oauth_refresh_tokens": [{"token": "1//ada-token", "client_id": "desk", "actor": ADA, "scopes": SETTINGS + " " + ALL}],
    "service_accounts": [{"email": ROBOT, "delegation": SETTINGS + " " + ALL}],
})


def users(credentials):
    return googleapiclient.discovery.build(
        "gmail", "v1", http=google_auth_httplib2.AuthorizedHttp(credentials, googleapiclient.http.build_http()),
        discoveryServiceUrl=world.url + "/discovery/v1/apis/{api}/{apiVersion}/rest", cache_discovery=False).users()


ada, bob = (users(google.oauth2.credentials.Credentials(world.tokens[who])) for who in (ADA, BOB))


def letter(to, subject, text, **headers):
    m = email.message.EmailMessage(policy=email.policy.SMTP)
    m["To"], m["Subject"] = to, subject
    for name, value in headers.items():
        m[name.replace("_", "-")] = value
    m.set_content(text)
    return m


def raw(m):
    return {"raw": base64.urlsafe_b64encode(m.as_bytes()).decode()}


def found(box, q):
    return [m["id"] for m in box.messages().list(userId="me", q=q).execute().get("messages", [])]


def parsed(box, id):
    data = box.messages().get(userId="me", id=id, format="raw").execute()["raw"]
    return email.message_from_bytes(base64.urlsafe_b64decode(data), policy=email.policy.default)


def refused(request, status, message):
    try:
        request.execute()
    except googleapiclient.errors.HttpError as e:
        error = json.loads(e.content)["error"]
        assert (e.resp.status, error["message"]) == (status, message), e.content
        return
    raise AssertionError("the call was not refused")


@step
def a_message_with_accents_arrives_as_it_was_written():
    sent = ada.messages().send(userId="me", body=raw(letter(BOB, "Caffè alle 10?", "Perché no: è lunedì.\n"))).execute()
    assert sent["labelIds"] == ["SENT"], sent
    (id,) = found(bob, "caffe")
    m = parsed(bob, id)
    assert (m["Subject"], m.get_content()) == ("Caffè alle 10?", "Perché no: è lunedì.\r\n"), m
    full = bob.messages().get(userId="me", id=id).execute()
    assert full["snippet"] == "Perché no: è lunedì.", full["snippet"]


@step
def a_20_mb_go_up_in_pieces_and_come_down_as_they_are():
    data = random.Random(1).randbytes(20 << 20)  # of what packs too well httplib2 refuses the response
    m = letter(BOB, "Soundings", "Attached.\n")
    m.add_attachment(data, maintype="application", subtype="octet-stream", filename="soundings.bin")
    media = googleapiclient.http.MediaIoBaseUpload(io.BytesIO(m.as_bytes()), "message/rfc822", chunksize=8 << 20, resumable=True)
    request = ada.messages().send(userId="me", body={}, media_body=media)
    progress, answer = [], None
    while answer is None:
        status, answer = request.next_chunk()
        if status:
            progress.append(status.resumable_progress)
    assert progress == [8 << 20, 16 << 20, 24 << 20], progress
    (id,) = found(bob, "has:attachment filename:soundings larger:20M")
    part = bob.messages().get(userId="me", id=id).execute()["payload"]["parts"][1]
    assert part["body"]["size"] == len(data), part
    got = bob.messages().attachments().get(userId="me", messageId=id, id=part["body"]["attachmentId"]).execute()
    assert base64.urlsafe_b64decode(got["data"]) == data


@step
def a_batch_asks_for_many_messages_at_once():
    for n in range(5):
        ada.messages().insert(userId="me", body={**raw(letter(ADA, "Note %d" % n, "x")), "labelIds": ["INBOX"]}).execute()
    ids, got = found(ada, "subject:note"), {}
    batch = googleapiclient.http.BatchHttpRequest(
        callback=lambda name, answer, error: got.update({name: error or answer["id"]}), batch_uri=world.url + "/batch/gmail/v1")
    for id in ids:
        batch.add(ada.messages().get(userId="me", id=id, format="minimal"), request_id=id)
    batch.execute(http=google_auth_httplib2.AuthorizedHttp(google.oauth2.credentials.Credentials(world.tokens[ADA]),
                                                           googleapiclient.http.build_http()))
    assert len(ids) == 5 and got == {id: id for id in ids}, got


@step
def a_filter_files_what_comes_after_it():
    label = bob.labels().create(userId="me", body={"name": "Tides"}).execute()
    made = bob.settings().filters().create(userId="me", body={
        "criteria": {"from": ADA, "subject": "tide"}, "action": {"addLabelIds": [label["id"], "STARRED"], "removeLabelIds": ["INBOX"]}}).execute()
    ada.messages().send(userId="me", body=raw(letter(BOB, "The tide of Friday", "Low at ten."))).execute()
    ada.messages().send(userId="me", body=raw(letter(BOB, "The price", "High."))).execute()
    (id,) = found(bob, "label:tides is:starred -in:inbox")
    assert parsed(bob, id)["Subject"] == "The tide of Friday"
    assert len(found(bob, "in:inbox subject:price")) == 1
    bob.settings().filters().delete(userId="me", id=made["id"]).execute()
    assert bob.settings().filters().list(userId="me").execute() == {}


@step
def who_is_away_answers_once():
    bob.settings().updateVacation(userId="me", body={"enableAutoReply": True, "responseSubject": "At sea", "responseBodyPlainText": "Back in May."}).execute()
    for n in range(3):
        ada.messages().send(userId="me", body=raw(letter(BOB, "Question %d" % n, "?"))).execute()
    answers = found(ada, 'subject:"at sea"')
    assert len(answers) == 1, answers
    m = parsed(ada, answers[0])
    assert (m["Auto-Submitted"], m.get_content().strip()) == ("auto-replied", "Back in May."), m
    bob.settings().updateVacation(userId="me", body={"enableAutoReply": False}).execute()


@step
def a_service_account_that_speaks_for_a_person_forwards_her_mail():
    info = world.credential("google_authorized_user", ADA)
    herself = google.oauth2.credentials.Credentials(None, refresh_token=info["refresh_token"], token_uri=info["token_uri"],
                                                    client_id=info["client_id"], client_secret=info["client_secret"])
    refused(users(herself).settings().forwardingAddresses().create(userId="me", body={"forwardingEmail": BOB}), 403,
            "Access restricted to service accounts that have been delegated domain-wide authority")
    account = google.oauth2.service_account.Credentials.from_service_account_info(
        world.credential("google_service_account", ROBOT), scopes=[SETTINGS, ALL], subject=ADA)
    settings = users(account).settings()
    made = settings.forwardingAddresses().create(userId="me", body={"forwardingEmail": BOB}).execute()
    assert made == {"forwardingEmail": BOB, "verificationStatus": "accepted"}, made
    settings.updateAutoForwarding(userId="me", body={"enabled": True, "emailAddress": BOB, "disposition": "archive"}).execute()
    bob.messages().send(userId="me", body=raw(letter(ADA, "Round trip", "There and back."))).execute()
    assert len(found(bob, 'subject:"round trip" in:inbox')) == 1
    assert found(ada, 'subject:"round trip" in:inbox') == [] and len(found(ada, 'subject:"round trip"')) == 1


@step
def two_drafts_one_of_them_sent():
    drafts = [ada.drafts().create(userId="me", body={"message": raw(letter(BOB, "Draft %d" % n, "text"))}).execute() for n in range(2)]
    ada.drafts().send(userId="me", body={"id": drafts[0]["id"]}).execute()
    assert [d["id"] for d in ada.drafts().list(userId="me").execute()["drafts"]] == [drafts[1]["id"]]
    refused(ada.drafts().get(userId="me", id=drafts[0]["id"]), 404, "Requested entity was not found.")


harness.finish()
