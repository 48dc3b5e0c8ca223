/* SPDX-License-Identifier: Apache-2.0 */
/* What meetings leave behind besides transcripts, as it is kept: recordings, and who was there. */
#include "engine/base/codec.h"
#include "engine/json/doc.h"
#include "services/chat/core/form.h"
#include "services/chat/teams/meetings/meeting.h"

static int check_chat(const struct form_in *in, int64_t channel)
{
    struct teams_meeting m;
    int r = teams_meeting_of_chat(in->tx, channel, &m);
    return r == 1  ? 0
           : r < 0 ? -1
                   : doc_fail(in->d, json_get(in->value, "channel"), "channel",
                              "must be the chat of an online meeting");
}

/* ---- recordings ---- */

static const struct member recording_members[] = {
    CHAT_WORKSPACE_BY(struct teams_recording, channel, chat_write_workspace_of_channel),
    STORED_ID(struct teams_recording),
    {"channel", "The meeting's chat, by its id", CHAT_CHANNEL_AT(struct teams_recording, channel),
     .flags = MEMBER_REQUIRED},
    {"id", "Its id", TEXT_AT(struct teams_recording, key), .flags = MEMBER_REQUIRED},
    {"start", "When it begins", CHAT_INSTANT_AT(struct teams_recording, start_us)},
    {"end", "When it ends", CHAT_INSTANT_AT(struct teams_recording, end_us)},
    {"content", "The video, as base64", TEXT_AT(struct teams_recording, content),
     .flags = MEMBER_REQUIRED},
};

static int check_recording(const struct form_in *in, void *row)
{
    const struct teams_recording *t = row;
    uint8_t *bytes;
    size_t n;
    if (base64_decode(in->tx->arena, t->content, strlen(t->content), &bytes, &n) < 0)
        return doc_fail(in->d, json_get(in->value, "content"), "content", "must be base64");
    return check_chat(in, t->channel);
}

STORED(teams_recording_stored, "The video of a meeting", struct teams_recording, recording_members,
       check_recording, .table = "teams_recording", .key = "channel id");

/* ---- who was there ---- */

static const struct member attendance_members[] = {
    CHAT_WORKSPACE_BY(struct teams_attendance, channel, chat_write_workspace_of_channel),
    STORED_ID(struct teams_attendance),
    {"channel", "The meeting's chat, by its id", CHAT_CHANNEL_AT(struct teams_attendance, channel),
     .flags = MEMBER_REQUIRED},
    {"id", "Its id", TEXT_AT(struct teams_attendance, key), .flags = MEMBER_REQUIRED},
    {"start", "When the meeting began", CHAT_INSTANT_AT(struct teams_attendance, start_us)},
    {"end", "When it ended", CHAT_INSTANT_AT(struct teams_attendance, end_us)},
    {"people", "Who was there: email, name, role, and stays with from and to",
     KEPT_AT(struct teams_attendance, people, JSON_ARRAY), .flags = MEMBER_REQUIRED},
};

static bool is_time(const struct json *v, const char *name)
{
    const char *text = v->type == JSON_OBJECT ? json_get_str(v, name) : NULL;
    int64_t us;
    return text && teams_read_time(text, &us) == 0;
}

static bool is_person(const struct json *v)
{
    const struct json *stays = v->type == JSON_OBJECT ? json_get(v, "stays") : NULL;
    if (v->type != JSON_OBJECT || (!json_get_str(v, "email") && !json_get_str(v, "name")) ||
        !stays || stays->type != JSON_ARRAY || !stays->n)
        return false;
    for (uint32_t i = 0; i < stays->n; i++)
        if (!is_time(&stays->items[i], "from") || !is_time(&stays->items[i], "to"))
            return false;
    return true;
}

static int check_attendance(const struct form_in *in, void *row)
{
    const struct teams_attendance *t = row;
    const struct json *people = json_get(in->value, "people");
    for (uint32_t i = 0; people && i < people->n; i++)
        if (!is_person(&people->items[i]))
            return doc_fail(in->d, people, "people",
                            "must have objects with an email or a name, and stays with from and "
                            "to");
    return check_chat(in, t->channel);
}

STORED(teams_attendance_stored, "Who was in a meeting", struct teams_attendance, attendance_members,
       check_attendance, .table = "teams_attendance", .key = "channel id");
