/* SPDX-License-Identifier: Apache-2.0 */
/* Online meetings, their chats and transcripts. Functions give 1 found, 0 not, -1 unless it says
 * otherwise. */
#ifndef SOSIA_TEAMS_MEETING_H
#define SOSIA_TEAMS_MEETING_H

#include "engine/state/stored.h"
#include "services/chat/teams/teams.h"
#include "vendors/microsoft/meeting.h"

struct teams_meeting {
    int64_t workspace; /* of the chat; not of rows that queries give */
    int64_t id, channel, user, start_us, end_us, created_us;
    const char *subject, *external, *number, *passcode, *url, *settings, *event;
};
struct teams_transcript {
    int64_t workspace;
    int64_t id, channel, start_us, end_us;
    const char *key, *content;
};
struct teams_recording { /* content: base64 */
    int64_t workspace;
    int64_t id, channel, start_us, end_us;
    const char *key, *content;
};
struct teams_attendance {
    int64_t workspace;
    int64_t id, channel, start_us, end_us;
    const char *key, *people; /* JSON: [{email, name, role, stays: [{from, to}]}] */
};
extern struct stored teams_meeting_stored, teams_transcript_stored, teams_recording_stored,
    teams_attendance_stored;

/* The meeting of a call's path. */
struct meeting_at {
    struct teams_at at;
    struct teams_meeting m;
    struct chat_user organizer;
    struct graph_online event; /* of a meeting without a row: m.id is 0 */
};
/* change: as who may change it. 0, -1 refused. */
int teams_meeting_open(struct call *c, struct meeting_at *k, bool change);
/* The chat and the organizer of k->m, into k. 0, -1. */
int teams_meeting_complete(struct meeting_at *k);
/* The meeting of a chat, with what belongs to it. 1, 0, -1. */
int teams_meeting_at(struct meeting_at *k, const char *chat);
/* May the caller see it, or change it? 0, -1 refused. */
int teams_meeting_may(struct meeting_at *k, bool change);
/* The id of a meeting, by its organizer and its chat; NULL: without memory. */
const char *teams_meeting_id(struct arena *a, const char *oid, const char *chat);
/* An instant of what is about meetings, with a fraction where there is one. */
const char *teams_meeting_time(struct arena *a, int64_t us);
/* The members of what a meeting leaves behind; kind: "recording", "transcript". */
void teams_write_record(struct meeting_at *k, const char *kind, const char *key, int64_t start_us,
                        int64_t end_us);
/* "users('ID')/onlineMeetings('ID')/WHAT", for contexts. */
const char *teams_meeting_place(struct meeting_at *k, const char *what);

int teams_meeting_of_chat(struct tx *tx, int64_t channel, struct teams_meeting *ret);
int teams_meeting_by_external(struct tx *tx, int64_t user, const char *external,
                              struct teams_meeting *ret);
/* By the address with which people join; by the number that they type. */
int teams_meeting_by_url(struct tx *tx, const char *url, struct teams_meeting *ret);
int teams_meeting_by_number(struct tx *tx, const char *number, struct teams_meeting *ret);
/* Makes one, with its chat (key: the chat's id; NULL: a new one) and the organizer in it, and fills
 * what is not said. 0, -1. */
int teams_meeting_add(struct tx *tx, const struct chat_user *organizer, const char *tenant,
                      const char *key, struct teams_meeting *m);
/* What people type to join, thirteen digits and six signs, of the chat's id; what is said stays. */
void teams_meeting_codes(struct arena *a, const char *chat, struct teams_meeting *m);
/* The meeting of a chat by the chat's id, or of an event of the caller's calendar that has this
 * chat, of which there is no row yet: id 0, and *ret_event is the event. */
struct graph_online;
int teams_meeting_reach(struct teams_at *at, const char *chat, struct teams_meeting *ret,
                        struct chat_user *ret_organizer, struct graph_online *ret_event);
/* A meeting of an event becomes one with a chat, in which are those whom the event names. 0, -1. */
int teams_meeting_settle(struct teams_at *at, const char *chat, const struct chat_user *organizer,
                         const struct graph_online *event, struct teams_meeting *m);
/* The id of the chat that an address to join names; NULL: none. */
const char *teams_chat_of_url(struct arena *a, const char *url);
int teams_meeting_save(struct tx *tx, const struct teams_meeting *m);
/* It goes, and its chat stays to be read. 0, -1. */
int teams_meeting_drop(struct tx *tx, const struct teams_meeting *m);
/* The address of a meeting's chat: the tenant's id and the organizer's are in it. */
const char *teams_join_url(struct arena *a, const char *chat, const char *tenant, const char *oid);

#endif
