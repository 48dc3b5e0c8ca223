/* SPDX-License-Identifier: Apache-2.0 */
/* Teams' own tables, and its place in the engine. */
#include "engine/blob/blob.h"
#include "services/chat/teams/app.h"
#include "services/chat/teams/meetings/meeting.h"
#include "services/chat/teams/activity.h"
#include "services/chat/teams/tag.h"
#include "vendors/microsoft/find.h"
#include "vendors/microsoft/folder.h"
#include "vendors/microsoft/subscription.h"

extern const char chat_teams_sql[];

static const struct section sections[] = {
    {.name = "microsoftTeams", .seed = teams_complete},
};

static const struct section rest[] = {
    {.name = "presences",
     .stored = &teams_presence_stored,
     .ids = SECTION_IDS("select user from teams_presence order by user")},
    {.name = "messagePictures",
     .seed_one = teams_picture_seed,
     .ids = SECTION_IDS("select id from teams_hosted order by id"),
     .dump_one = teams_picture_dump,
     .form = &teams_picture_form},
    {.name = "onlineMeetings",
     .stored = &teams_meeting_stored,
     .ids = SECTION_IDS("select id from teams_meeting order by id")},
    {.name = "meetingTranscripts",
     .stored = &teams_transcript_stored,
     .ids = SECTION_IDS("select id from teams_transcript order by id")},
    {.name = "meetingRecordings",
     .stored = &teams_recording_stored,
     .ids = SECTION_IDS("select id from teams_recording order by id")},
    {.name = "meetingAttendance",
     .stored = &teams_attendance_stored,
     .ids = SECTION_IDS("select id from teams_attendance order by id")},
    {.name = "activityNotifications",
     .stored = &teams_activity_stored,
     .ids = SECTION_IDS("select id from teams_activity order by id")},
    {.name = "teamTags",
     .stored = &teams_tag_stored,
     .ids = SECTION_IDS("select id from teams_tag order by id")},
    {.name = "teamTabs",
     .stored = &teams_tab_stored,
     .ids = SECTION_IDS("select id from teams_tab order by id")},
    {.name = "teamApps",
     .stored = &teams_installed_stored,
     .ids = SECTION_IDS("select id from teams_installed order by id")},
};

static const struct entity entities[] = {
    {.name = "presence", .table = "teams_presence", .stored = &teams_presence_stored},
    {.name = "onlineMeeting", .table = "teams_meeting", .stored = &teams_meeting_stored},
    {.name = "meetingTranscript", .table = "teams_transcript", .stored = &teams_transcript_stored},
    {.name = "meetingRecording", .table = "teams_recording", .stored = &teams_recording_stored},
    {.name = "meetingAttendance", .table = "teams_attendance", .stored = &teams_attendance_stored},
    {.name = "activityNotification", .table = "teams_activity", .stored = &teams_activity_stored},
    {.name = "teamTag", .table = "teams_tag", .stored = &teams_tag_stored},
    {.name = "teamTab", .table = "teams_tab", .stored = &teams_tab_stored},
    {.name = "teamApp", .table = "teams_installed", .stored = &teams_installed_stored},
};

static const struct entity_addition additions[] = {
    {"chatMessage",
     {"teams_hosted", ENTITY_OWNER("select message from teams_hosted where id = ?1")}},
    {NULL, {NULL, NULL}},
};

#define NO_INSTANT(column) column " not between 0 and 8589934591000000"
#define NO_WORDS(column)   column " not glob '?*/?*'" /* "Busy/InACall" */

static const struct core_rule rules[] = {
    {"teams_change", "channel <> message >> 43"},
    {"teams_change", "number not between 1 and 4611686018427387904"},
    {"teams_change", "made not between 1 and number"},
    {"teams_change", NO_INSTANT("modified_us")},
    {"teams_hosted", "not exists (select 1 from blob b where b.id = teams_hosted.blob)"},
    {"teams_operation", NO_INSTANT("at_us")},
    {"teams_presence", NO_WORDS("preferred")},
    {"teams_presence", NO_WORDS("session")},
    {"teams_presence", NO_INSTANT("preferred_until_us")},
    {"teams_presence", NO_INSTANT("session_until_us")},
    {"teams_presence", NO_INSTANT("status_us")},
    {"teams_presence", "case when status is null then 0 when json_valid(status) then "
                       "json_type(status) <> 'object' else 1 end"},
    {"teams_meeting", NO_INSTANT("start_us")},
    {"teams_meeting", NO_INSTANT("end_us")},
    {"teams_meeting", NO_INSTANT("created_us")},
    {"teams_meeting", "case when settings is null then 0 when json_valid(settings) then "
                      "json_type(settings) <> 'object' else 1 end"},
    {"teams_activity", NO_INSTANT("at_us")},
    {"teams_activity", "case when json_valid(topic) then json_type(topic) <> 'object' else 1 end"},
    {"teams_activity", "case when parameters is null then 0 when json_valid(parameters) then "
                       "json_type(parameters) <> 'array' else 1 end"},
    {"teams_tag", "case when json_valid(members) then json_type(members) <> 'array' else 1 end"},
    {"teams_tab", "case when configuration is null then 0 when json_valid(configuration) then "
                  "json_type(configuration) <> 'object' else 1 end"},
    {"teams_transcript", NO_INSTANT("start_us")},
    {"teams_transcript", NO_INSTANT("end_us")},
    {"teams_recording", NO_INSTANT("start_us")},
    {"teams_recording", NO_INSTANT("end_us")},
    {"teams_attendance", NO_INSTANT("start_us")},
    {"teams_attendance", NO_INSTANT("end_us")},
    {NULL, NULL},
};

static const struct chat_vendor teams_vendor = {
    .key = teams_key,
    .key_of = teams_key_of,
    .letters = {"", "", "", ""},
    .is_key = teams_is_key,
    .parts = true,
    .hosts = true,
    .groups_repeat = true,
    .step_us = 1000,
    .belongs = teams_belongs,
    .team_came = teams_team_came,
    .plain = teams_plain,
    .was_deleted = teams_was_deleted,
    .channel_was_deleted = teams_is_deleted,
    .has = teams_has,
    .came = teams_message_came,
    .gone = teams_message_gone,
    .act_is = teams_act_is,
    .act = teams_act,
};

static const struct core_policy policies[] = {{CHAT_CORE, "microsoft", &teams_vendor},
                                              {GRAPH_CORE, "microsoft", &teams_channel_feed},
                                              {GRAPH_CORE, "microsoft", &teams_chat_feed},
                                              {GRAPH_FIND, "microsoft", &teams_finder},
                                              {GRAPH_CHANNELS, "microsoft", &teams_channels_record},
                                              {GRAPH_TEAM, "microsoft", &teams_group_record},
                                              {NULL, NULL, NULL}};

/* Each row that names a blob has a reference of it. */
static int derive(struct tx *tx)
{
    static struct sql_text q = SQL_TEXT("select blob from teams_hosted order by id");
    sqlite3_stmt *st = TX_PLAIN(tx, &q);
    int r = st ? 1 : -1;
    while (r == 1 && (r = TX_STEP(tx, st)) == 1)
        if (blob_ref(tx, sqlite3_column_int64(st, 0)) < 0) {
            sql_done(st);
            return -1;
        }
    return r;
}

const struct sosia_core chat_teams_core = {
    .name = "chat.teams",
    .schema = chat_teams_sql,
    .sections = sections,
    .n_sections = SOSIA_LEN(sections),
    .rules = rules,
    .policies = policies,
    .derive = derive,
    .views = teams_views,
};

const struct sosia_core chat_teams_rest_core = {
    .name = "chat.teams.rest",
    .schema = "",
    .sections = rest,
    .n_sections = SOSIA_LEN(rest),
    .entities = entities,
    .n_entities = SOSIA_LEN(entities),
    .additions = additions,
};
