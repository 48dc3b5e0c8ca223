/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Teams by Microsoft Graph, on the chat core. A tenant is a workspace, whose key is the tenant's
 * id; its users are the workspace's, with their object ids as keys. A team is one of the core with
 * the id of its group, a chat is a direct channel or a group's. Workspaces and people come when
 * something is written; until then there is nothing to read.
 */
#ifndef SOSIA_TEAMS_H
#define SOSIA_TEAMS_H

#include "services/chat/core/mention.h"
#include "services/chat/core/team.h"
#include "services/chat/core/vendor.h"
#include "vendors/microsoft/directory/directory.h"
#include "vendors/microsoft/graph.h"
#include "vendors/microsoft/odata/odata.h"

extern const struct dialect teams_dialect;
extern const struct sosia_core chat_teams_core;
/* Behind the messages, of which it has pictures. */
extern const struct sosia_core chat_teams_rest_core;
extern const struct dialect_tools teams_tools;
extern const struct entity_view teams_views[];
struct graph_feed;
struct graph_finder;
struct graph_channels;
extern const struct graph_channels teams_channels_record;           /* channel_site.c */
extern const struct graph_finder teams_finder;                      /* find.c */
extern const struct graph_feed teams_channel_feed, teams_chat_feed; /* feed.c */
#define TEAMS_CHANGED "teams.messages" /* events; scope: channel, entity: message */

enum {
    TEAMS_PAGE = 20,
    TEAMS_MAX_PAGE = 50,       /* of messages and chats (MG-14) */
    TEAMS_MAX_BODY = 28 << 10, /* of a message (MG-134) */
    TEAMS_NAME = 50,           /* characters of a channel's name */
    TEAMS_ADDED = 200,         /* members that one call adds */
    TEAMS_REMOVED = 20         /* and takes out */
};

/* ---- at.c: who calls, and what the path names ---- */

struct teams_at {
    struct call *c;
    struct ms_tenant tenant;
    struct chat_workspace workspace; /* id 0: nothing was written yet */
    struct chat_user me;             /* id 0: an app, or somebody who is in nothing */
    struct ms_user user;             /* id 0: an app */
    bool app;
    struct chat_team team;
    struct chat_channel channel; /* of a team, or a chat */
    struct chat_message message;
};
/* The tenant and who calls. 0, -1. */
int teams_open(struct call *c, struct teams_at *ret);
/* Archived teams and channels are read only but for their members. 0, -1. */
int teams_is_open(struct teams_at *at);
/* As teams_open(), with whom the path names, who may be another one of the tenant. */
int teams_open_any(struct call *c, struct teams_at *ret, struct ms_user *user);
/* The same, and the workspace is there from now on, and the caller in it. */
int teams_open_write(struct call *c, struct teams_at *ret);
/* The user of the directory in the workspace, who is made if need be. 0, -1. */
int teams_person(struct teams_at *at, const struct ms_user *user, struct chat_user *ret);
/* The same, in a workspace. 0, -1. */
int teams_user_in(struct tx *tx, int64_t workspace, const struct ms_user *user,
                  struct chat_user *ret);
/* The user that a text names ("user@odata.bind", an id). 1, 0, -1. */
int teams_find_user(struct teams_at *at, const char *text, struct ms_user *ret);
/* What the path names, which the caller may see. 0, -1. */
int teams_team(struct teams_at *at);
int teams_channel(struct teams_at *at);
int teams_chat(struct teams_at *at);
/* The message of the path, of its channel or chat; reply: that of {chatMessage-id1}. 0, -1. */
int teams_message(struct teams_at *at);
/* oneOnOne, group, meeting. */
const char *teams_chat_type(const struct chat_channel *ch);
/* From when on somebody sees messages of a chat; 0: all. */
int64_t teams_history(struct arena *a, const struct chat_channel *ch, const struct chat_user *u);
/* Does the caller see that message of it, by the history's begin? */
bool teams_is_shown(struct teams_at *at, const struct chat_channel *ch,
                    const struct chat_message *m);
/* Is the caller an owner of the team, or an app? 1, 0, -1. */
int teams_owns(struct teams_at *at);
/* May the caller do in the team what one of its settings lets members or guests do? Guests only
 * what it says, members what it does not forbid, owners and apps anything. 1, 0, -1. */
int teams_may(struct teams_at *at, const char *setting);
/* Does the caller own the team of the open channel, or the channel where it has members of its
 * own? 1, 0, -1. */
int teams_owns_channel(struct teams_at *at);
/* A member of a team's settings; without it the usual value. */
bool teams_setting(const struct chat_team *t, struct arena *a, const char *group, const char *name,
                   bool usual);
/* The members of the JSON that a row keeps; NULL: none. */
const struct json *teams_properties(struct arena *a, const char *text);
/* The same text with one member more, or another value; value NULL: without it. In the arena. */
const char *teams_with(struct arena *a, const char *text, const char *name,
                       const struct json *value);
const char *teams_with_text(struct arena *a, const char *text, const char *name, const char *value);
bool teams_is_deleted(const struct chat_channel *ch);
/* A channel that people are in who may not be in its team. */
bool teams_is_shared(const struct chat_channel *ch);
/* standard, private, shared */
const char *teams_membership(const struct chat_channel *ch);
/* The next number of a page's token; 0: the first page. -1: it is not such a token. */
int64_t teams_skiptoken(struct call *c, const char *purpose);
const char *teams_next(struct call *c, const char *purpose, int64_t number);
int teams_bad(struct call *c, const char *text);
/* What a team may be called. 0, -1 refused. */
int teams_check_name(struct call *c, const char *name);
/* A group's visibility by a team's, which a body says; NULL: the other. */
const char *teams_visibility(const char *said, const char *otherwise);
/* What is done as soon as it is asked for, and answered as if it took a while: 202 with the place
 * of an operation of at->team. target: key of the team that came of it; NULL: at->team. 0, -1. */
enum teams_operation {
    TEAMS_CREATE,
    TEAMS_ARCHIVE,
    TEAMS_UNARCHIVE,
    TEAMS_CREATE_CHANNEL,
    TEAMS_CLONE,
    TEAMS_ARCHIVE_CHANNEL,
    TEAMS_UNARCHIVE_CHANNEL
};
int teams_accepted(struct teams_at *at, enum teams_operation type, const char *target);
extern const char *const teams_operation_types[]; /* as operations are called */
/* The options of a list or a thing; only those of `allowed` may be there (MG-339). */
int teams_options(struct call *c, const char *type, const char *allowed, struct odata_query *ret);
/* Does $filter hold for a thing that write(arg) writes into the open object of c->out? For lists
 * that are short. 1, 0, -1. */
int teams_is_asked(struct call *c, const struct odata_query *q, int (*write)(void *arg), void *arg);
/* How many of a list are answered. 0, -1. */
int teams_top(struct call *c, const struct odata_query *q, int64_t otherwise, int64_t *ret);

/* ---- vendor.c: ids ---- */

const char *teams_key(struct tx *tx, enum chat_thing thing, enum chat_kind kind);
const char *teams_key_of(struct tx *tx, enum chat_thing thing, const void *row);
bool teams_is_key(enum chat_thing thing, const char *key);
int teams_belongs(struct tx *tx, const struct chat_workspace *w, const struct actor *who);
const char *teams_plain(struct arena *a, const char *text);
/* A message as text without a format, at most so many bytes. In the arena; NULL: no memory. */
const char *teams_preview(struct arena *a, const struct chat_message *m, size_t most);
uint32_t teams_has(const struct chat_message *m);
const char *teams_new_channel_key(struct tx *tx, bool primary);
const char *teams_new_chat_key(struct tx *tx, bool meeting);
const char *teams_pair_key(struct tx *tx, const char *a, const char *b);
/* "MCMjMSMj...": the id of a member of a team, channel (kind 1) or chat (2). */
const char *teams_member_id(struct arena *a, int kind, const char *tenant, const char *of,
                            const char *oid);
/* The object id in it; NULL: it is not one. */
const char *teams_member_oid(struct arena *a, const char *id);
static inline int64_t teams_message_ms(int64_t us)
{
    return us / 1000;
}

/* ---- group.c ---- */

/* By which the directory asks for the teams that groups are, and says what becomes of groups. */
extern const struct graph_team teams_group_record;
/* Was the team's group deleted? */
bool teams_is_gone(const struct chat_team *t);

/* team.c: hooks of seed documents. */
int teams_team_came(struct tx *tx, const struct chat_team *t);
/* The directory's group of a new team. */
int teams_make_group(struct tx *tx, const struct ms_tenant *tenant, const struct chat_team *t,
                     const char *visibility, struct ms_group *ret);
/* Makes the first channel of a team. */
int teams_add_primary(struct tx *tx, const struct chat_team *t, const char *name,
                      struct chat_channel *ret);
/* Every team has a first channel. */
int teams_complete(struct tx *tx, struct doc *doc, const struct json *value);
/* Team, group and channels get a member, or lose one. part: CHAT_PART_... 0, -1. */
int teams_join(struct teams_at *at, const struct ms_user *user, enum chat_part part);
int teams_leave(struct teams_at *at, const struct chat_user *u);
int teams_message_came(struct tx *tx, const struct chat_channel *ch, const struct chat_message *m);

/* ---- write.c: things as they are answered ---- */

/* A time with three digits of a fraction. */
void teams_time(struct json_writer *w, const char *name, int64_t us);
int teams_write_team(struct teams_at *at, const struct chat_team *t, bool whole);
int teams_write_channel(struct teams_at *at, const struct chat_team *t,
                        const struct chat_channel *ch);
int teams_write_member(struct teams_at *at, const struct chat_user *u, enum chat_part part,
                       const char *id, int64_t history_us);
int teams_write_chat(struct teams_at *at, const struct chat_channel *ch,
                     const struct odata_query *q);
void teams_write_user(struct json_writer *w, const char *name, const char *oid, const char *shown,
                      const char *tenant);
/* "teams('t')/channels('c')/messages" of at->channel, for contexts. */
const char *teams_place(struct teams_at *at);

/* message_write.c */
struct teams_known {
    int64_t user;
    const char *oid, *shown;
};
struct teams_writing {
    struct teams_at *at;
    const char *place; /* percent-encoded key of the channel */
    bool system_named; /* Prefer: include-unknown-enum-members */
    bool history;      /* with messageHistory */
    bool one;          /* not of a list: with the users of reactions */
    int64_t user;      /* whose name was written last */
    const char *oid, *shown;
    struct teams_known known[16]; /* authors that were looked up */
    size_t n_known;
};
int teams_writing(struct teams_at *at, struct teams_writing *ret);
/* The members, into an open object. root: the first message of its thread; NULL: it is none. */
int teams_write_message(struct teams_writing *g, const struct chat_message *m,
                        const struct chat_message *root);

/* ---- message.c: what messages are made of ---- */

/* Reads a body, checks it, and posts it into at->channel; thread: id of the message answered, or 0.
 * 0, -1. */
int teams_post(struct teams_at *at, const struct json *body, int64_t thread,
               struct chat_message *ret);
/* Changes a message as a body says. 0, -1. */
int teams_edit(struct teams_at *at, const struct json *body, struct chat_message *m);
int teams_read_text(struct teams_at *at, const struct json *body, struct chat_message *m);
/* An instant with an offset. 0, -1: it is none. */
int teams_read_time(const char *text, int64_t *ret_us);
int teams_message_gone(struct tx *tx, const struct chat_message *m);
/* What the system notes: "#microsoft.graph.membersAddedEventMessageDetail", and its members. */
int teams_note(struct teams_at *at, struct chat_channel *ch, const char *type, const char *members);
/* The message has changed: its time and its place in deltas. 0, -1. */
int teams_touched(struct tx *tx, struct chat_message *m, int64_t us);
/* Whether it was deleted, and can be brought back. */
bool teams_was_deleted(const struct chat_message *m);
/* Whether somebody can react to it: it is there yet, and somebody has said it. */
bool teams_takes_reactions(const struct chat_message *m);

/* The emoji that a reaction's name or the emoji itself is; NULL: it is none. */
const char *teams_emoji(const char *text);

/* ---- act.c ---- */

/* Hooks of struct chat_vendor: what people do in the client. */
bool teams_act_is(const char *name);
int teams_act(struct tx *tx, const struct chat_user *who, const struct json *act,
              const char **ret_refused);

/* ---- html.c ---- */

/* HTML without what the service takes away; NULL: without memory. */
const char *teams_clean_html(struct arena *a, const char *html, size_t n);

/* ---- kept.c: sections of seed documents ---- */

struct teams_presence {
    int64_t workspace, user;                  /* user 0: nothing was said yet */
    const char *preferred, *session, *status; /* "Busy/InACall"; NULL: none */
    int64_t preferred_until_us, session_until_us, status_us;
};
extern struct stored teams_presence_stored;
extern const struct form teams_picture_form;
int teams_picture_seed(struct tx *tx, struct doc *doc, const struct json *item);
int teams_picture_dump(struct tx *tx, int64_t id, struct json_writer *w);

/* ---- rows ---- */

extern const struct rows teams_team_rows, teams_member_rows, teams_channel_rows, teams_message_rows,
    teams_chat_rows, teams_presence_rows, teams_delta_rows, teams_act_rows, teams_meeting_rows,
    teams_activity_rows, teams_tag_rows, teams_tab_rows, teams_shared_rows, teams_folder_rows,
    teams_app_rows, teams_clone_rows, teams_record_rows;

#endif
