# SPDX-License-Identifier: Apache-2.0
"""Suites about tables and seeds in tables, as evaluators of diffs by table have them; and what does each task right, and what wrong:
calls as (method, path below the service, body), in which $NAME is what the call before kept under that name."""


def table(columns, *rows):
    names = columns.split()
    return [{k: v for k, v in zip(names, row) if v is not None} for row in rows]


def added(entity, n=1, **where):
    return {"diff_type": "added", "entity": entity, "where": where, "expected_count": n}


def removed(entity, n=1, **where):
    return {"diff_type": "removed", "entity": entity, "where": where, "expected_count": n}


def changed(entity, where, **changes):
    return {"diff_type": "changed", "entity": entity, "where": where, "expected_changes": {k: {"to": v} for k, v in changes.items()}}


def test(name, user, seed, *assertions):
    return {"id": name, "name": "About " + name, "prompt": "Please: %s." % name, "type": "actionEval", "seed_template": seed,
            "impersonate_user_id": user, "assertions": list(assertions)}


# Ids of a workspace's shape, and some that are not: a person, a channel and a message.
CHAT_SEED = {
    "teams": table("team_id team_name", ("T0PIER", "The Pier")),
    "users": table("user_id username email real_name display_name timezone is_bot",
                   ("U0NORA", "nora", "nora@pier.example", "Nora Vale", "Nora", "Europe/Oslo", True),
                   ("U0_IVO", "ivo", "ivo@pier.example", "Ivo Brandt", "Ivo", "Europe/Rome", False),
                   ("cleo-7", "cleo", "cleo@pier.example", "Cleo Marsh", "Cleo", None, False)),
    "user_teams": table("user_id team_id role", ("U0NORA", "T0PIER", "admin"), ("U0_IVO", "T0PIER", "member")),
    "channels": table("channel_id channel_name team_id is_private is_dm is_gc topic_text",
                      ("C0_QUAY", "quay", "T0PIER", False, False, False, "Moorings"),
                      ("ropes", "ropes", "T0PIER", False, False, False, None),
                      ("D0ALONE", "dm-alone", "T0PIER", True, True, False, None)),
    "channel_members": table("channel_id user_id", ("C0_QUAY", "U0NORA"), ("C0_QUAY", "U0_IVO"), ("ropes", "U0NORA"), ("ropes", "cleo-7")),
    "messages": table("message_id channel_id user_id message_text parent_id",
                      ("1760000000.000100", "C0_QUAY", "U0NORA", "Berth 4 is free, <@cleo-7>", None),
                      ("note-1", "ropes", "cleo-7", "The old rope is worn", None),
                      ("1760000100.000200", "C0_QUAY", "U0_IVO", "I take it", "1760000000.000100")),
    "message_reactions": table("message_id user_id reaction_type", ("1760000000.000100", "U0_IVO", "thumbsup")),
    "message_edits": table("edit_id message_id", ("e1", "note-1")),
}
CHAT_LEFT = ["left out: table message_edits: 1", "left out: users.is_bot (who is one acts as a person): 1",
             "left out: channels that are direct and have nobody in them: 1"]
_quay = {"channel_id": {"eq": "C0_QUAY"}}
CHAT_SUITE = {
    "id": "pier-chat", "name": "Pier chat", "service": "slack", "ignore_fields": {"global": ["created_at", "updated_at"]},
    "tests": [test(*t) for t in [
        ("post", "U0NORA", "pier", added("messages", channel_id={"eq": "C0_QUAY"}, user_id="U0NORA", message_text={"contains": "high tide"})),
        ("mention", "U0NORA", "pier", added("messages", channel_id={"eq": "C0_QUAY"}, message_text={"contains": "<@cleo-7>"})),
        ("invite", "U0NORA", "pier", added("channel_members", channel_id={"eq": "C0_QUAY"}, user_id={"in": ["cleo-7", "nobody"]})),
        ("kick", "U0NORA", "pier", removed("channel_members", channel_id={"eq": "C0_QUAY"}, user_id={"eq": "U0_IVO"})),
        ("react", "U0NORA", "pier", added("message_reactions", message_id={"eq": "note-1"}, user_id={"eq": "U0NORA"}, reaction_type={"eq": "thumbsup"})),
        ("unreact", "U0_IVO", "pier", removed("message_reactions", message_id="1760000000.000100", reaction_type="thumbsup")),
        ("reply", "U0NORA", "pier", added("messages", parent_id={"eq": "note-1"}, message_text={"i_contains": "new one"})),
        ("topic", "U0NORA", "pier", changed("channels", _quay, topic_text={"contains": "Storm"})),
        ("archive", "U0NORA", "pier", changed("channels", {"channel_id": {"eq": "ropes"}}, is_archived=True)),
        ("open", "U0NORA", "pier", added("channels", channel_name={"eq": "winches"}, is_private={"eq": True}),
         added("channel_members", user_id={"eq": "U0_IVO"})),
        ("direct", "U0NORA", "pier", added("channels", is_dm={"eq": True}, channel_id={"regex": "^D"}),
         added("channel_members", user_id={"eq": "cleo-7"}), added("messages", message_text={"contains": "rope"})),
        ("edit", "U0NORA", "pier", changed("messages", {"message_id": {"eq": "1760000000.000100"}}, message_text={"contains": "Berth 5"})),
        ("delete", "U0_IVO", "pier", removed("messages", channel_id={"eq": "C0_QUAY"}, message_text={"contains": "take it"}),
         {"diff_type": "unchanged", "entity": "channels"}),
    ]]}


def said(path, **body):
    return ("POST", path, body)


# C0ROPES, UCLEO_7 and 1700000000.000002: what the ids of other shapes are here.
_dm = ("POST", "conversations.open", {"users": "UCLEO_7"}, "dm", "channel.id")
CHAT_RIGHT = {
    "post": [said("chat.postMessage", channel="C0_QUAY", text="It is high tide")],
    "mention": [said("chat.postMessage", channel="C0_QUAY", text="Look here <@UCLEO_7>")],
    "invite": [said("conversations.invite", channel="C0_QUAY", users="UCLEO_7")],
    "kick": [said("conversations.kick", channel="C0_QUAY", user="U0_IVO")],
    "react": [said("reactions.add", channel="CROPES", timestamp="1700000000.000002", name="thumbsup")],
    "unreact": [said("reactions.remove", channel="C0_QUAY", timestamp="1760000000.000100", name="+1")],
    "reply": [said("chat.postMessage", channel="CROPES", thread_ts="1700000000.000002", text="Take the new one")],
    "topic": [said("conversations.setTopic", channel="C0_QUAY", topic="Storm at eight")],
    "archive": [said("conversations.archive", channel="CROPES")],
    "open": [("POST", "conversations.create", {"name": "winches", "is_private": True}, "new", "channel.id"),
             said("conversations.invite", channel="$new", users="U0_IVO")],
    "direct": [_dm, said("chat.postMessage", channel="$dm", text="About the rope")],
    "edit": [said("chat.update", channel="C0_QUAY", ts="1760000000.000100", text="Berth 5 is free")],
    "delete": [said("chat.delete", channel="C0_QUAY", ts="1760000100.000200")],
}
CHAT_WRONG = {
    "post": [[said("chat.postMessage", channel="CROPES", text="It is high tide")], CHAT_RIGHT["post"] * 2],
    "mention": [[said("chat.postMessage", channel="C0_QUAY", text="Look here <@U0_IVO>")]],
    "invite": [[said("conversations.invite", channel="CROPES", users="U0_IVO")]],
    "kick": [[said("conversations.kick", channel="CROPES", user="UCLEO_7")]],
    "react": [[said("reactions.add", channel="CROPES", timestamp="1700000000.000002", name="eyes")],
              [said("reactions.add", channel="C0_QUAY", timestamp="1760000000.000100", name="thumbsup")]],
    "unreact": [[said("reactions.add", channel="C0_QUAY", timestamp="1760000000.000100", name="eyes")]],
    "reply": [[said("chat.postMessage", channel="CROPES", text="Take the new one")]],
    "topic": [[said("conversations.setPurpose", channel="C0_QUAY", purpose="Storm at eight")],
              CHAT_RIGHT["topic"] + [said("conversations.setPurpose", channel="C0_QUAY", purpose="Storm")]],
    "archive": [[said("conversations.archive", channel="C0_QUAY")]],
    "open": [CHAT_RIGHT["open"][:1]],
    "direct": [[_dm]],
    "edit": [[said("chat.postMessage", channel="C0_QUAY", text="Berth 5 is free")]],
    "delete": [CHAT_RIGHT["delete"] + [said("conversations.create", name="more")]],
}

CALENDAR_SEED = {
    "calendar_users": table("id email display_name", ("user_nora", "nora@pier.example", "Nora Vale"), ("user_ivo", "ivo@pier.example", "Ivo Brandt")),
    "calendars": table("id summary description owner_id time_zone etag",
                       ("nora@pier.example", "Nora", None, "user_nora", "Europe/Oslo", "\"1\""),
                       ("ivo@pier.example", "Ivo", None, "user_ivo", "Europe/Rome", "\"2\""),
                       ("cal_berths", "Berths", "Who moors where", "user_nora", "Europe/Oslo", "\"3\""),
                       ("cal_repairs", "Repairs", None, "user_nora", "Europe/Oslo", "\"4\""),
                       ("cal_tides", "Tides", None, "user_ivo", "Europe/Rome", "\"5\"")),
    "calendar_list_entries": table("id user_id calendar_id access_role primary selected hidden deleted color_id",
                                   ("l1", "user_nora", "nora@pier.example", "owner", True, True, False, False, None),
                                   ("l2", "user_nora", "cal_berths", "owner", False, True, False, False, "3"),
                                   ("l3", "user_nora", "cal_repairs", "owner", False, True, False, False, None),
                                   ("l4", "user_nora", "cal_tides", "reader", False, True, False, False, None)),
    "calendar_events": [
        {"id": number, "calendar_id": where, "ical_uid": number + "@pier.example", "summary": summary, "status": "confirmed",
         "visibility": "default", "transparency": "opaque", "event_type": "default",
         "start": {"dateTime": start + "+01:00", "timeZone": "Europe/Oslo"}, "end": {"dateTime": end + "+01:00", "timeZone": "Europe/Oslo"},
         "creator_email": "nora@pier.example", "organizer_email": "nora@pier.example", "recurrence": rule, "sequence": 0,
         "html_link": "https://calendar.example/" + number, "created_at": "2026-02-01T08:00:00", "updated_at": "2026-02-01T08:00:00"}
        for number, where, summary, start, end, rule in (
            ("evt_gull", "cal_berths", "Gull comes in", "2026-02-09T09:00:00", "2026-02-09T10:00:00", None),
            ("evt_heron", "cal_berths", "Heron leaves", "2026-02-10T09:00:00", "2026-02-10T10:00:00", None),
            ("evt_round", "nora@pier.example", "Round", "2026-02-02T08:00:00", "2026-02-02T08:30:00", ["RRULE:FREQ=WEEKLY;BYDAY=MO"]))],
    "calendar_event_attendees": table("event_id email response_status", ("evt_heron", "ivo@pier.example", "accepted")),
    "calendar_acl_rules": table("id calendar_id role scope_type scope_value",
                                ("a1", "cal_berths", "owner", "user", "nora@pier.example"),
                                ("a2", "cal_berths", "reader", "user", "ivo@pier.example"),
                                ("a3", "cal_repairs", "freeBusyReader", "user", "mate@far.example")),
    "calendar_channels": [{"id": "chan_1", "resource_id": "res_1", "resource_uri": "/calendars/cal_berths/events", "type": "web_hook",
                           "address": "https://hooks.example/c", "expiration": 1780000000000, "user_id": "user_nora", "params": {"ttl": "60"}}],
    "calendar_settings": table("id user_id setting_id value", (1, "user_nora", "timezone", "Europe/Oslo"), (2, "user_nora", "weekStart", "1"),
                               (3, "user_nora", "plumage", "grey")),
}
CALENDAR_LEFT = ["left out: calendar_channels.params: 1", "left out: calendar_settings that no calendar has: 1",
                 "left out: calendars that their owners don't have on the list (here they do): 1"]
_me = {"eq": "user_nora"}
CALENDAR_SUITE = {
    "id": "pier-calendar", "name": "Pier calendar", "service": "calendar",
    "ignore_fields": {"global": ["created_at", "updated_at", "etag", "html_link", "sequence", "start_datetime", "end_datetime"]},
    "tests": [test(*t) for t in [
        ("add", "user_nora", "pier", added("calendar_events", calendar_id={"eq": "cal_berths"}, summary={"contains": "Tern"},
                                           **{"start.dateTime": {"contains": "2026-02-11T14:00"}, "start.timeZone": {"eq": "Europe/Oslo"},
                                              "recurrence": {"contains": "RRULE:FREQ=DAILY"}}),
         added("calendar_event_attendees", email={"eq": "ivo@pier.example"})),
        ("cancel", "user_nora", "pier", changed("calendar_events", {"id": {"eq": "evt_gull"}}, status={"eq": "cancelled"}),
         removed("calendar_events", 0)),
        ("move", "user_nora", "pier", changed("calendar_events", {"id": {"eq": "evt_gull"}}, calendar_id={"eq": "cal_repairs"})),
        ("later", "user_nora", "pier", changed("calendar_events", {"id": {"eq": "evt_gull"}}, start={"contains": "2026-02-09T11:00"},
                                               end={"contains": "2026-02-09T12:00"})),
        ("skip", "user_nora", "pier", added("calendar_events", recurring_event_id={"eq": "evt_round"}, status={"eq": "cancelled"})),
        ("share", "user_nora", "pier", added("calendar_acl_rules", calendar_id={"eq": "cal_repairs"}, scope_value={"eq": "ivo@pier.example"}, role={"eq": "writer"})),
        ("raise", "user_nora", "pier", changed("calendar_acl_rules", {"calendar_id": "cal_berths", "scope_value": "ivo@pier.example"}, role={"eq": "writer"})),
        ("unshare", "user_nora", "pier", changed("calendar_acl_rules", {"calendar_id": "cal_berths", "deleted": {"eq": True}}, deleted=True)),
        ("make", "user_nora", "pier", added("calendars", summary={"eq": "Winches"}, owner_id=_me), added("calendar_list_entries", user_id=_me),
         added("calendar_acl_rules", role={"eq": "owner"})),
        ("drop", "user_nora", "pier", changed("calendars", {"id": {"eq": "cal_repairs"}}, deleted=True), {"diff_type": "unchanged", "entity": "calendar_list_entries"}),
        ("describe", "user_nora", "pier", changed("calendars", {"id": {"eq": "cal_repairs"}}, description={"contains": "wood"}, time_zone="Europe/Berlin")),
        ("hide", "user_nora", "pier", changed("calendar_list_entries", {"calendar_id": {"eq": "cal_repairs"}, "user_id": _me}, hidden=True, color_id={"eq": "9"})),
        ("unlist", "user_nora", "pier", changed("calendar_list_entries", {"calendar_id": {"eq": "cal_tides"}}, deleted=True)),
        ("watch", "user_nora", "pier", added("calendar_channels", resource_uri={"eq": "/users/user_nora/settings"}, user_id=_me)),
        ("stop", "user_nora", "pier", removed("calendar_channels", id={"eq": "chan_1"}, resource_id={"eq": "res_1"})),
    ]]}


def _hours(day, first, last):
    return {k: {"dateTime": "%sT%s:00" % (day, v), "timeZone": "Europe/Oslo"} for k, v in (("start", first), ("end", last))}


_tern = {"summary": "Tern comes in", "recurrence": ["RRULE:FREQ=DAILY;COUNT=3"], "attendees": [{"email": "ivo@pier.example"}],
         **_hours("2026-02-11", "14:00", "15:00")}
CALENDAR_RIGHT = {
    "add": [("POST", "calendars/cal_berths/events", _tern)],
    "cancel": [("DELETE", "calendars/cal_berths/events/evt_gull", None)],
    "move": [("POST", "calendars/cal_berths/events/evt_gull/move?destination=cal_repairs", None)],
    "later": [("PATCH", "calendars/cal_berths/events/evt_gull", _hours("2026-02-09", "11:00", "12:00"))],
    "skip": [("DELETE", "calendars/primary/events/evt_round_20260209T070000Z", None)],
    "share": [("POST", "calendars/cal_repairs/acl", {"role": "writer", "scope": {"type": "user", "value": "ivo@pier.example"}})],
    "raise": [("PATCH", "calendars/cal_berths/acl/user:ivo@pier.example", {"role": "writer"})],
    "unshare": [("DELETE", "calendars/cal_berths/acl/user:ivo@pier.example", None)],
    "make": [("POST", "calendars", {"summary": "Winches"})],
    "drop": [("DELETE", "calendars/cal_repairs", None)],
    "describe": [("PATCH", "calendars/cal_repairs", {"description": "Of wood and rope", "timeZone": "Europe/Berlin"})],
    "hide": [("PATCH", "users/me/calendarList/cal_repairs", {"hidden": True, "colorId": "9"})],
    "unlist": [("DELETE", "users/me/calendarList/cal_tides", None)],
    "watch": [("POST", "users/me/settings/watch", {"id": "chan-2", "type": "web_hook", "address": "https://hooks.example/s"})],
    "stop": [("POST", "channels/stop", {"id": "chan_1", "resourceId": "res_1"})],
}
CALENDAR_WRONG = {
    "add": [[("POST", "calendars/primary/events", _tern)], [("POST", "calendars/cal_berths/events", {**_tern, "attendees": []})],
            [("POST", "calendars/cal_berths/events", {**_tern, **_hours("2026-02-11", "15:00", "16:00")})]],
    "cancel": [[("DELETE", "calendars/cal_berths/events/evt_heron", None)]],
    "move": [[("POST", "calendars/cal_berths/events/evt_heron/move?destination=cal_repairs", None)]],
    "later": [[("PATCH", "calendars/cal_berths/events/evt_gull", {"location": "Berth 4", **_hours("2026-02-09", "11:00", "12:00")})]],
    "skip": [[("DELETE", "calendars/primary/events/evt_round", None)]],
    "share": [[("POST", "calendars/cal_repairs/acl", {"role": "reader", "scope": {"type": "user", "value": "ivo@pier.example"}})]],
    "raise": [[("PATCH", "calendars/cal_berths/acl/user:ivo@pier.example", {"role": "freeBusyReader"})]],
    "unshare": [[("PATCH", "calendars/cal_berths/acl/user:ivo@pier.example", {"role": "writer"})]],
    "make": [[("POST", "calendars", {"summary": "Ropes"})]],
    "drop": [[("DELETE", "calendars/cal_berths", None)]],
    "describe": [[("PATCH", "calendars/cal_repairs", {"description": "Of wood", "timeZone": "Europe/Berlin", "summary": "More"})]],
    "hide": [[("PATCH", "users/me/calendarList/cal_repairs", {"hidden": True})]],
    "unlist": [[("PATCH", "users/me/calendarList/cal_tides", {"hidden": True})]],
    "watch": [[("POST", "users/me/calendarList/watch", {"id": "chan-2", "type": "web_hook", "address": "https://hooks.example/s"})]],
    "stop": [[("POST", "calendars/cal_berths/events/watch", {"id": "chan-2", "type": "web_hook", "address": "https://hooks.example/s"})]],
}

SERVICES = {
    "slack": ("/api/", CHAT_SUITE, CHAT_SEED, CHAT_RIGHT, CHAT_WRONG, CHAT_LEFT),
    "calendar": ("/calendar/v3/", CALENDAR_SUITE, CALENDAR_SEED, CALENDAR_RIGHT, CALENDAR_WRONG, CALENDAR_LEFT),
}
