# SPDX-License-Identifier: Apache-2.0
"""What the test suite of Slack's SDK for Python does against a workspace, with requests of that SDK's shape: forms in which lists
are joined and truths are digits, JSON where blocks are, multipart bodies that begin with a line's end. Of the standard library
alone, as Debian has no package of the SDK."""
import json
import re
import struct
import urllib.error
import urllib.parse
import urllib.request
import uuid
import zlib

import harness
from harness import step

ADA, BOB, BOT = "ada@acme.example", "bob@acme.example", "deploy@acme.example"


def png(side):
    """A grey picture."""
    part = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    head = struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)
    rows = zlib.compress((b"\0" + b"\x80" * side) * side)
    return b"\x89PNG\r\n\x1a\n" + part(b"IHDR", head) + part(b"IDAT", rows) + part(b"IEND", b"")


PNG = png(64)
document = {
    "sosia": 1,
    "time": "2026-02-15T20:00:00Z",
    "people": [{"email": ADA, "name": "Ada Conti"}, {"email": BOB, "name": "Bob Stone"}, {"email": BOT, "name": "Deploy", "kind": "bot"}],
    "apps": [{"client_id": "1.2", "client_secret": "hush", "name": "Deployer", "vendor": "slack", "bot": BOT}],
    "workspaces": [{
        "id": "T0ACME", "domain": "acme", "name": "Acme", "apps": [{"client_id": "1.2", "id": "A0DEPLOY", "bot": "B0DEPLOY"}],
        "members": [{"actor": ADA, "id": "U0ADA", "role": "owner"}, {"actor": BOB, "id": "U0BOB"}, {"actor": BOT, "id": "U0DEPLOY"}],
    }],
    "channels": [{"id": "C0DEV", "name": "dev", "creator": "U0ADA", "members": ["U0ADA", "U0DEPLOY"]},
                 {"id": "C0RANDOM", "name": "random", "creator": "U0ADA", "members": ["U0ADA", "U0DEPLOY"]}],
    "chatWebhooks": [{"id": "B0HOOK", "app": "1.2", "channel": "random", "user": "U0ADA", "secret": "abcdefgh12345678"}],
}
harness.start()
world = harness.World(document)
bot_token = world.credential("slack", BOT)["slack_bot"]


def post(url, body, headers):
    request = urllib.request.Request(url, body, headers)
    try:
        with urllib.request.urlopen(request, timeout=harness.PATIENCE) as answer:
            return answer.status, answer.headers, answer.read().decode()
    except urllib.error.HTTPError as e:
        return e.code, e.headers, e.read().decode()


def multipart(fields, files):
    """As the SDK builds it: a line's end in front of every boundary, the first one too."""
    boundary, body = "--------------%s" % uuid.uuid4(), b""
    for key, value in {**fields, **files}.items():
        title = 'Content-Disposition: form-data; name="%s"' % key
        if key in files:
            title += '; filename="%s"\r\nContent-Type: application/octet-stream' % fields.get("filename", "Uploaded file")
        body += ("\r\n--%s\r\n%s\r\n\r\n" % (boundary, title)).encode() + (value if key in files else str(value).encode())
    return body + ("\r\n--%s--\r\n" % boundary).encode(), "multipart/form-data; boundary=" + boundary


class Client:
    def __init__(self, token, base=None):
        self.token = token
        self.base = base or world.url + "/api/"

    def send(self, method, body, kind):
        headers = {"Content-Type": kind, "User-Agent": "Python/3.11 slackclient/3.40"}
        if self.token:
            headers["Authorization"] = "Bearer " + self.token
        return post(self.base + method, body, headers)

    def any(self, method, json_body=None, parts=None, **fields):
        """Status, headers and the parsed answer."""
        fields = {k: "10"[not v] if isinstance(v, bool) else ",".join(v) if isinstance(v, list) and method != "chat.postMessage" and
                  all(isinstance(i, str) for i in v) else json.dumps(v) if isinstance(v, (list, dict)) else v
                  for k, v in fields.items() if v is not None}
        if json_body is not None:
            body, kind = json.dumps(json_body).encode(), "application/json;charset=utf-8"
        elif parts:
            body, kind = multipart(fields, parts)
        else:
            body, kind = urllib.parse.urlencode(fields).encode(), "application/x-www-form-urlencoded"
        status, headers, text = self.send(method, body, kind)
        return status, headers, json.loads(text)

    def call(self, method, json_body=None, parts=None, **fields):
        status, _, answer = self.any(method, json_body, parts, **fields)
        assert status == 200 and answer["ok"], (method, status, answer)
        return answer

    def error(self, method, json_body=None, **fields):
        answer = self.any(method, json_body, **fields)[2]
        assert not answer["ok"], answer
        return answer["error"]

    def upload(self, files, **more):
        """files_upload_v2: an address for each file, its bytes with the type that urllib gives them, then all at once."""
        done = []
        for name, data, title in files:
            got = self.call("files.getUploadURLExternal", filename=name, length=len(data))
            status, _, text = post(got["upload_url"], data, {})
            assert (status, text) == (200, "OK - %d" % len(data)), (status, text)
            done.append({"id": got["file_id"], "title": title})
        return self.call("files.completeUploadExternal", files=done, **more)["files"]


bot, ada = Client(bot_token), Client(world.tokens[ADA])


@step
def tests_echo_and_say_who_one_is():
    assert bot.call("api.test", foo="bar")["args"]["foo"] == "bar"
    me = bot.call("auth.test")
    assert all(me[k] for k in ("url", "user", "user_id", "team", "team_id", "bot_id")), me
    assert bot.call("bots.info", bot=me["bot_id"])["bot"]["id"] == me["bot_id"]


@step
def a_message_from_its_beginning_to_its_end():
    url = bot.call("auth.test")["url"]
    text = "This message was posted by <https://slack.dev/python-slackclient/|python-slackclient>!"
    new = bot.call("chat.postMessage", {"channel": "C0DEV", "text": text})
    assert new["message"]["text"] == text
    ts = new["ts"]
    assert re.match("%sarchives/C0DEV/.+" % url, bot.call("chat.getPermalink", channel="C0DEV", message_ts=ts)["permalink"])
    bot.call("reactions.add", channel="C0DEV", timestamp=ts, name="eyes")
    assert bot.call("reactions.get", channel="C0DEV", timestamp=ts)["message"]["reactions"][0]["name"] == "eyes"
    bot.call("reactions.remove", channel="C0DEV", timestamp=ts, name="eyes")
    reply = bot.call("chat.postMessage", {"channel": "C0DEV", "thread_ts": ts, "text": "threading..."})
    bot.call("chat.update", {"channel": "C0DEV", "ts": ts, "text": "Is this intentional?"})
    bot.call("chat.delete", channel="C0DEV", ts=reply["ts"])
    bot.call("chat.delete", channel="C0DEV", ts=ts)


@step
def pages_of_channels():
    first = bot.call("conversations.list", limit=1, exclude_archived=True, types="public_channel")
    second = bot.call("conversations.list", limit=1, exclude_archived=True, types="public_channel",
                      cursor=first["response_metadata"]["next_cursor"])
    assert len(first["channels"]) == len(second["channels"]) == 1 and first["channels"] != second["channels"]


@step
def a_bookmark_is_added_listed_edited_and_removed():
    mark = bot.call("bookmarks.add", channel_id="C0DEV", title="slack!", type="link", link="https://slack.com")["bookmark"]["id"]
    titles = lambda: {b["id"]: b["title"] for b in bot.call("bookmarks.list", channel_id="C0DEV")["bookmarks"]}
    assert titles()[mark] == "slack!"
    bot.call("bookmarks.edit", bookmark_id=mark, channel_id="C0DEV", title="slack api!", type="link", link="https://api.slack.com")
    assert titles()[mark] == "slack api!"
    bot.call("bookmarks.remove", bookmark_id=mark, channel_id="C0DEV")
    assert mark not in titles()


@step
def a_call_is_shown_in_a_channel_by_its_name():
    guest = lambda n: {"external_id": "anon-%d" % n, "avatar_url": "https://example.com/a.png", "display_name": "anonymous user"}
    person = next(u["id"] for u in bot.call("users.list", limit=50)["members"] if not u["deleted"] and not u["is_bot"] and u["id"] != "USLACKBOT")
    new = bot.call("calls.add", external_unique_id=str(uuid.uuid4()), join_url="https://www.example.com/calls/12345",
                   users=[{"slack_id": person}, guest(111)])["call"]
    bot.call("chat.postMessage", {"channel": "#random", "blocks": [{"type": "call", "call_id": new["id"]}]})
    assert len(bot.call("calls.info", id=new["id"])["call"]["users"]) == 2
    bot.call("calls.participants.add", id=new["id"], users=[guest(222)])
    bot.call("calls.participants.remove", id=new["id"], users=[guest(222)])
    bot.call("calls.update", id=new["id"], join_url="https://www.example.com/calls/99999")
    bot.call("calls.end", id=new["id"])


@step
def canvases_of_a_channel_and_of_ones_own():
    content = {"type": "markdown", "markdown": "# My canvas\n\n---\n\n## Hey\n\nWhat's up?\n\n- foo\n- bar\n"}
    channel = bot.call("conversations.create", name="test-canvas")["channel"]["id"]
    bot.call("conversations.canvases.create", {"channel_id": channel, "document_content": content})
    canvas = bot.call("canvases.create", {"title": "My canvas", "document_content": content})["canvas_id"]
    sections = bot.call("canvases.sections.lookup", canvas_id=canvas, criteria={"contains_text": "Hey"})["sections"]
    bot.call("canvases.edit", {"canvas_id": canvas, "changes": [{
        "operation": "replace", "section_id": sections[0]["id"], "document_content": {"type": "markdown", "markdown": "## Hey Hey"}}]})
    me = bot.call("auth.test")["user_id"]
    bot.call("canvases.access.set", canvas_id=canvas, access_level="write", user_ids=json.dumps([me]))
    bot.call("canvases.access.delete", canvas_id=canvas, user_ids=json.dumps([me]))
    bot.call("canvases.delete", canvas_id=canvas)


@step
def everybody_is_invited_to_a_new_channel():
    me = bot.call("auth.test")["user_id"]
    channel = bot.call("conversations.create", name="test-invitations")["channel"]["id"]
    people = [u["id"] for u in bot.call("users.list", limit=100)["members"]
              if u["id"] not in ("USLACKBOT", me) and not u["is_bot"] and not u["is_restricted"] and u["is_email_confirmed"]]
    assert people == ["U0ADA", "U0BOB"], people
    bot.call("conversations.invite", channel=channel, users=people)
    bot.call("conversations.archive", channel=channel)


@step
def files_are_uploaded_in_parts_that_no_client_names():
    made = bot.upload([("test.txt", b"This is a test!", "Test code"), ("logo.png", PNG, "Good Old Slack Logo")],
                      channel_id="C0DEV", initial_comment="Here are files :wave:")
    assert [f["title"] for f in made] == ["Test code", "Good Old Slack Logo"], made
    bot.call("files.delete", file=made[1]["id"])
    private = bot.upload([("日本語.txt", "日本語の文書です。".encode(), None)])
    assert bot.call("files.info", file=private[0]["id"])["file"]["name"] == "日本語.txt"


@step
def the_old_upload_is_no_more():
    status, _, answer = bot.any("files.upload", parts={"file": b"here is my data"}, filename="output.text", filetype="text")
    assert (status, answer["error"]) == (200, "method_deprecated"), answer


@step
def a_picture_of_a_person():
    ada.call("users.setPhoto", parts={"image": png(512)})
    assert "image_512" in ada.call("users.profile.get")["profile"]


@step
def a_remote_file_takes_the_place_of_another_in_a_message():
    files = []
    for version in ("v1", "v2"):
        files.append("remote-file-%s" % version)
        bot.call("files.remote.add", parts={"preview_image": PNG, "indexable_file_contents": b"so many keywords!"},
                 external_id=files[-1], external_url="https://www.example.com/slack-logo", title="Slack Logo")
    blocks = lambda n: [{"type": "section", "text": {"type": "plain_text", "text": "This is it"}},
                        {"type": "file", "external_id": files[n], "source": "remote"}]
    new = bot.call("chat.postMessage", {"channel": "C0DEV", "text": "Slack Logo v1", "blocks": blocks(0)})
    bot.call("chat.update", {"channel": "C0DEV", "ts": new["message"]["ts"], "text": "Slack Logo v2", "blocks": blocks(1)})
    bot.call("files.remote.share", channels="C0DEV", external_id=files[0])
    bot.call("chat.postEphemeral", {"channel": "C0DEV", "user": "U0ADA", "text": "x", "blocks": blocks(0)})


@step
def dates_and_metadata_come_back():
    date = "<!date^1771185600^{date_long} {time}^https://www.example.com|fallback string>"
    new = bot.call("chat.postMessage", {"channel": "C0DEV", "text": "Here is a date link: " + date})
    assert new["message"]["text"] == "Here is a date link: " + date, new
    metadata = {"event_type": "procurement-task", "event_payload": {"id": "11111", "amount": 5000, "tags": ["foo", "bar", "baz"]}}
    bot.call("chat.postMessage", {"channel": "C0DEV", "text": "message with metadata", "metadata": metadata})
    history = bot.call("conversations.history", channel="C0DEV", limit=1, include_all_metadata=True)
    assert history["messages"][0]["metadata"] == metadata, history
    at = bot.call("chat.scheduleMessage", {"channel": "C0DEV", "text": "later", "post_at": 1771185900, "metadata": metadata})
    assert at["scheduled_message_id"]


@step
def a_list_is_made_with_a_description_and_a_schema():
    made = bot.call("slackLists.create", {
        "name": "Test Sales Pipeline",
        "description_blocks": [{"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": [{"type": "text", "text": "A test"}]}]}],
        "schema": [{"key": "deal_name", "name": "Deal Name", "type": "text", "is_primary_column": True},
                   {"key": "amount", "name": "Amount", "type": "number", "options": {"format": "currency", "precision": 2}}]})
    assert made["list_id"], made


@step
def preferences_of_the_workspace():
    ada.call("team.preferences.list")


@step
def a_manifest_as_text_and_as_an_object():
    config = Client(world.credential("slack", ADA)["slack_config"])
    manifest = {
        "display_information": {"name": "manifest-sandbox"},
        "features": {
            "app_home": {"home_tab_enabled": True, "messages_tab_enabled": False, "messages_tab_read_only_enabled": False},
            "bot_user": {"display_name": "manifest-sandbox", "always_online": True},
            "shortcuts": [{"name": "message one", "type": "message", "callback_id": "m", "description": "message"},
                          {"name": "global one", "type": "global", "callback_id": "g", "description": "global"}],
            "slash_commands": [{"command": "/hey", "url": "https://www.example.com/", "description": "What's up?",
                                "usage_hint": "What's up?", "should_escape": True}],
            "unfurl_domains": ["example.com"],
        },
        "oauth_config": {"redirect_urls": ["https://www.example.com/foo"],
                         "scopes": {"user": ["search:read", "channels:read", "groups:read", "mpim:read"],
                                    "bot": ["commands", "incoming-webhook", "app_mentions:read", "links:read"]}},
        "settings": {
            "allowed_ip_address_ranges": ["123.123.123.123/32"],
            "event_subscriptions": {"request_url": "https://www.example.com/slack/events", "bot_events": ["app_mention", "link_shared"],
                                    "user_events": ["member_joined_channel"]},
            "interactivity": {"is_enabled": True, "request_url": "https://www.example.com/",
                              "message_menu_options_url": "https://www.example.com/"},
            "org_deploy_enabled": True, "socket_mode_enabled": False, "token_rotation_enabled": True,
        },
    }
    config.call("apps.manifest.validate", manifest=json.dumps(manifest))
    config.call("apps.manifest.validate", {"manifest": manifest})
    app = config.call("apps.manifest.create", manifest=json.dumps(manifest))["app_id"]
    config.call("apps.manifest.update", app_id=app, manifest=json.dumps(manifest))
    assert config.call("apps.manifest.export", app_id=app)["manifest"]["features"]["slash_commands"][0]["command"] == "/hey"
    config.call("apps.manifest.delete", app_id=app)


@step
def a_webhook_posts_what_it_is_sent():
    url = world.url + "/@hooks.slack.com/services/T0ACME/B0HOOK/abcdefgh12345678"
    send = lambda **body: post(url, json.dumps(body).encode(), {"Content-Type": "application/json;charset=utf-8"})
    status, _, text = send(text="Hello!")
    assert (status, text) == (200, "ok")
    latest = lambda: bot.call("conversations.history", channel="C0RANDOM", limit=1)["messages"][0]
    assert latest()["text"] == "Hello!"
    send(text="<https://imgs.xkcd.com/comics/desert_golfing_2x.png|Desert Golfing>", unfurl_links=False, unfurl_media=False)
    assert "attachments" not in latest()
    plain = {"type": "plain_text", "text": "*this is plain_text text*", "emoji": True}
    button = lambda text: {"type": "button", "text": dict(plain, text=text), "value": "create_task"}
    status, _, text = send(text="fallback", blocks=[
        {"type": "section", "block_id": "sb-id", "text": {"type": "mrkdwn", "text": "This is a mrkdwn text section block."},
         "fields": [plain, {"type": "mrkdwn", "text": "*this is mrkdwn text*"}, plain]},
        {"type": "divider"}, {"type": "actions", "elements": [button("Create New Task"), button("Create New Project")]}])
    assert (status, text, latest()["text"]) == (200, "ok", "fallback")


@step
def a_rate_limit_says_when_to_ask_again():
    busy = harness.World({**document, "rates": True})
    client = Client(busy.credential("slack", BOT)["slack_bot"], busy.url + "/api/")
    for _ in range(100):
        status, headers, answer = client.any("users.list")
        if status == 429:
            break
    assert status == 429 and int(headers["Retry-After"]) > 0 and answer["error"] == "ratelimited", answer


@step
def errors_are_answers():
    assert Client(None).error("auth.test") == "not_authed"
    assert Client("xoxb-nonsense").error("auth.test") == "invalid_auth"
    assert bot.error("chat.postMessage", {"channel": "C0NONE", "text": "x"}) == "channel_not_found"
    assert bot.error("no.such.method") == "unknown_method"


harness.finish()
