# SPDX-License-Identifier: Apache-2.0
"""Google's Python client (Debian's python3-googleapi) with Drive: uploads in one piece and in chunks, one of which is cut, downloads,
lists in pages, sharing, batches, shared drives, changes."""
import hashlib
import io
import json

import google.oauth2.credentials
import google_auth_httplib2
import googleapiclient.discovery
import googleapiclient.errors
import googleapiclient.http
import harness
from harness import step

ADA, BOB = "ada@acme.example", "bob@acme.example"
FOLDER = "application/vnd.google-apps.folder"
CHUNK = 256 * 1024

harness.start()
world = harness.World({
    "sosia": 1,
    "time": "2026-11-23T08:00:00Z",
    "organizations": [{"domain": "acme.example", "name": "Acme"}],
    "people": [{"email": ADA, "name": "Ada Love"}, {"email": BOB, "name": "Bob Stone"}],
})


def drive_of(who):
    credentials = google.oauth2.credentials.Credentials(world.tokens[who])
    return googleapiclient.discovery.build(
        "drive", "v3", http=google_auth_httplib2.AuthorizedHttp(credentials, googleapiclient.http.build_http()),
        discoveryServiceUrl=world.url + "/discovery/v1/apis/{api}/{apiVersion}/rest", cache_discovery=False)


ada, bob = drive_of(ADA), drive_of(BOB)
LARGE = bytes((i * 7 + (i >> 8)) & 255 for i in range(4 * CHUNK + 77))


def media(data, kind="application/octet-stream", chunk=-1, resumable=False):
    return googleapiclient.http.MediaIoBaseUpload(io.BytesIO(data), mimetype=kind, chunksize=chunk, resumable=resumable)


def create(drive, name, data=None, **body):
    return drive.files().create(body={"name": name, **body}, media_body=None if data is None else media(data), fields="*").execute()


def content(drive, file_id, chunk=CHUNK):
    out = io.BytesIO()
    download = googleapiclient.http.MediaIoBaseDownload(out, drive.files().get_media(fileId=file_id), chunksize=chunk)
    done = False
    while not done:
        _, done = download.next_chunk()
    return out.getvalue()


def everything(resource, member, request):
    items = []
    while request is not None:
        answer = request.execute()
        items += answer.get(member, [])
        request = resource.list_next(request, answer)
    return items


def refusal(request):
    try:
        request.execute()
    except googleapiclient.errors.HttpError as e:
        return e.resp.status, json.loads(e.content)["error"]["errors"][0]["reason"]
    raise AssertionError("the call was not refused")


@step
def one_request_holds_metadata_and_media():
    made = create(ada, "small.txt", b"small", mimeType="text/plain")
    assert (made["size"], made["md5Checksum"]) == ("5", hashlib.md5(b"small").hexdigest())
    assert content(ada, made["id"]) == b"small"


@step
def a_resumable_upload_goes_in_chunks():
    request = ada.files().create(body={"name": "large.bin"}, media_body=media(LARGE, chunk=CHUNK, resumable=True), fields="id,sha256Checksum")
    seen, made = [], None
    while made is None:
        status, made = request.next_chunk()
        seen += [status.resumable_progress] if status else []
    assert seen == [CHUNK, 2 * CHUNK, 3 * CHUNK, 4 * CHUNK], seen
    assert made["sha256Checksum"] == hashlib.sha256(LARGE).hexdigest()
    assert content(ada, made["id"], chunk=CHUNK + 1) == LARGE


@step
def a_chunk_that_is_lost_is_sent_again():
    request = ada.files().create(body={"name": "cut.bin"}, media_body=media(LARGE, chunk=CHUNK, resumable=True), fields="id,size")
    request.next_chunk()
    real, lost = request.http.request, []

    def losing(uri, method="GET", body=None, headers=None, **more):
        if not lost and (headers or {}).get("Content-Range", "").startswith("bytes %d-" % CHUNK):
            lost.append(uri)
            real(uri, method=method, body=body, headers=headers, **more)  # it arrives, and its answer does not
            raise ConnectionResetError("cut")
        return real(uri, method=method, body=body, headers=headers, **more)

    request.http.request = losing
    try:
        request.next_chunk()
    except ConnectionResetError:
        request._in_error_state = True
    made = None
    while made is None:
        _, made = request.next_chunk()
    request.http.request = real
    assert lost and made["size"] == str(len(LARGE))
    assert content(ada, made["id"]) == LARGE


@step
def new_content_is_uploaded_in_chunks_too():
    made = create(ada, "grows", b"x")
    request = ada.files().update(fileId=made["id"], media_body=media(LARGE, chunk=2 * CHUNK, resumable=True), fields="id,size")
    changed = None
    while changed is None:
        _, changed = request.next_chunk()
    assert changed == {"id": made["id"], "size": str(len(LARGE))}


@step
def pages_add_up():
    top = create(ada, "many", mimeType=FOLDER)["id"]
    names = ["n%02d" % i for i in range(23)]
    for name in names:
        ada.files().create(body={"name": name, "parents": [top]}).execute()
    request = ada.files().list(q="'%s' in parents" % top, orderBy="name desc", pageSize=5)
    assert [f["name"] for f in everything(ada.files(), "files", request)] == names[::-1]


@step
def shared_then_not():
    made = create(ada, "shared", b"text")["id"]
    assert refusal(bob.files().get(fileId=made)) == (404, "notFound")
    grant = ada.permissions().create(fileId=made, body={"type": "user", "role": "reader", "emailAddress": BOB}).execute()
    assert content(bob, made) == b"text"
    assert refusal(bob.files().update(fileId=made, body={"name": "his"})) == (403, "insufficientFilePermissions")
    assert [f["id"] for f in bob.files().list(q="sharedWithMe").execute()["files"]] == [made]
    roles = {p["emailAddress"]: p["role"] for p in ada.permissions().list(fileId=made, fields="permissions(emailAddress,role)").execute()["permissions"]}
    assert roles == {ADA: "owner", BOB: "reader"}, roles
    ada.permissions().delete(fileId=made, permissionId=grant["id"]).execute()
    assert refusal(bob.files().get(fileId=made)) == (404, "notFound")


@step
def a_batch_has_answers_for_each():
    ids = [create(ada, "b%d" % i)["id"] for i in range(3)]
    got = {}
    batch = ada.new_batch_http_request(callback=lambda key, answer, error: got.update({key: error.resp.status if error else answer["name"]}))
    for n, file_id in enumerate([*ids, "nowhere"]):
        batch.add(ada.files().get(fileId=file_id), request_id=str(n))
    batch.execute()
    assert got == {"0": "b0", "1": "b1", "2": "b2", "3": 404}, got


@step
def a_shared_drive_lives_and_ends():
    drive = ada.drives().create(requestId="r", body={"name": "Port"}).execute()["id"]
    ada.permissions().create(fileId=drive, supportsAllDrives=True, body={"type": "user", "role": "writer", "emailAddress": BOB}).execute()
    made = bob.files().create(body={"name": "in it", "parents": [drive]}, media_body=media(b"x"), supportsAllDrives=True, fields="id,driveId").execute()
    assert made["driveId"] == drive
    assert refusal(bob.files().delete(fileId=made["id"], supportsAllDrives=True))[0] == 403
    ada.files().delete(fileId=made["id"], supportsAllDrives=True).execute()
    ada.drives().delete(driveId=drive).execute()
    assert everything(ada.drives(), "drives", ada.drives().list()) == []


@step
def changes_are_followed():
    token = ada.changes().getStartPageToken().execute()["startPageToken"]
    kept, gone = create(ada, "kept")["id"], create(ada, "gone")["id"]
    ada.files().update(fileId=kept, body={"name": "renamed"}).execute()
    ada.files().delete(fileId=gone).execute()
    changes = everything(ada.changes(), "changes", ada.changes().list(pageToken=token, pageSize=1))
    assert [(c["fileId"], c["removed"], c.get("file", {}).get("name")) for c in changes] == [(kept, False, "renamed"), (gone, True, None)], changes


@step
def ids_are_good_once():
    file_id = ada.files().generateIds(count=1).execute()["ids"][0]
    assert create(ada, "with an id", id=file_id)["id"] == file_id
    assert refusal(ada.files().create(body={"name": "again", "id": file_id}))[0] == 409


harness.finish()
