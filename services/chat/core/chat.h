/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The chat core: workspaces, who is in them, channels, messages. It knows no vendor: keys are what
 * people and programs see as ids, everything that is rendered is the dialects'. Look-ups give 1
 * found, 0 not, -1 failed; strings live in the arena of the transaction unless it says otherwise.
 */
#ifndef SOSIA_CHAT_H
#define SOSIA_CHAT_H

#include "engine/http/principal.h"
#include "engine/store/record.h"
#include "engine/text/tz.h"
#include "engine/world/core.h"
#include "engine/world/event.h"
#include "identity/app.h"

#define CHAT_CORE "chat"

/* ---- times ---- */

#define CHAT_TS_LEN 32 /* of a ts as a text, with the NUL */

/* The last second and microsecond that any row may say. */
#define CHAT_LAST_SECOND  ((INT64_C(1) << 33) - 1)
#define CHAT_LAST_INSTANT (CHAT_LAST_SECOND * INT64_C(1000000))

/* "1773301243.651609". */
void chat_ts_text(char ret_text[CHAT_TS_LEN], int64_t us);
/* -1: it is none. At most nine digits behind the point, of which six count; the point may be left
 * out with them. */
int chat_ts_read(const char *text, int64_t *ret_us);
/* A numeric constant that follows from a text: for colors and the like. */
uint64_t chat_hash(const char *text);

/* ---- workspaces ---- */

struct chat_workspace {
    int64_t id;
    const char *key, *domain, *name, *email_domain, *plan, *setting;
    int64_t created_s;
    const char *vendor; /* whose rules hold in it (vendor.h); "": the engine's first one's */
};
int chat_workspace_get(struct tx *tx, int64_t id, struct chat_workspace *ret);
/* By key or domain. */
int chat_workspace_find(struct tx *tx, const char *name, struct chat_workspace *ret);
#define CHAT_OTHERS 960 /* from where on ids are of workspaces of other vendors than the first */
int chat_workspace_first(struct tx *tx, int64_t after, struct chat_workspace *ret);
#define CHAT_WORKSPACES                                                                            \
    1024 /* below which their ids are: keys in the search index begin with them */
/* Fills id and, if it is NULL, key. LIMIT: a world has no more. */
int chat_workspace_add(struct tx *tx, struct chat_workspace *w);

/* ---- people and bots ---- */

/* A guest is in the channels that somebody added them to; for a channel_guest it is one. */
enum chat_role {
    CHAT_OWNER, /* the first one */
    CHAT_COOWNER,
    CHAT_ADMIN,
    CHAT_MEMBER,
    CHAT_GUEST,
    CHAT_CHANNEL_GUEST
};
extern const char *const chat_roles[]; /* NULL-terminated */

struct chat_user {
    int64_t id, workspace, actor;
    const char *key, *name, *real_name, *display_name, *title, *phone, *pronouns;
    const char *email; /* NULL: none */
    const char *zone, *locale;
    enum chat_role role;
    bool bot, deleted;
    const char *status_text, *status_emoji;
    int64_t status_expires_s;
    const char *presence; /* auto, away */
    bool active;
    const char *color;
    int64_t photo;
    const char *fields; /* JSON; NULL: none */
    int64_t updated_s;
};
int chat_user_get(struct tx *tx, int64_t id, struct chat_user *ret);
int chat_user_find(struct tx *tx, int64_t workspace, const char *key, struct chat_user *ret);
/* One who is there before one who is deleted. */
int chat_user_by_name(struct tx *tx, int64_t workspace, const char *name, struct chat_user *ret);
int chat_user_by_email(struct tx *tx, int64_t workspace, const char *email, struct chat_user *ret);
/* Of an actor, in a workspace or (0) the first one that he is in. */
int chat_user_of(struct tx *tx, int64_t actor, int64_t workspace, struct chat_user *ret);
/* Fills id, and what is left empty of key, name, color. */
int chat_user_add(struct tx *tx, struct chat_user *u);
/* Writes all of it; members: what changed (struct world_event). */
int chat_user_save(struct tx *tx, struct chat_user *u, const char *const *members);
/* Those of a workspace whose key is at or behind `from`, in the order of keys; fn gives non-zero to
 * stop. 0, -1. */
int chat_users(struct tx *tx, int64_t workspace, const char *from,
               int (*fn)(void *arg, const struct chat_user *u), void *arg);

/* ---- channels ---- */

enum chat_kind { CHAT_PUBLIC, CHAT_PRIVATE, CHAT_DIRECT, CHAT_GROUP };
extern const char *const chat_kinds[];    /* NULL-terminated */
extern const char *const chat_postings[]; /* all, read_only, thread_only, no_threads */

struct chat_channel {
    int64_t workspace, id; /* the workspace first: form.h */
    const char *key;
    enum chat_kind kind;
    const char *name, *pair; /* NULL: none */
    int64_t creator, created_s, updated_us;
    const char *topic;
    int64_t topic_by, topic_s;
    const char *purpose;
    int64_t purpose_by, purpose_s;
    bool archived, general;
    const char *posting, *previous_names, *properties;
    int64_t members, pins, last_us;
    int64_t team; /* whose it is (team.h); 0: the workspace's */
};
int chat_channel_get(struct tx *tx, int64_t id, struct chat_channel *ret);
int chat_channel_find(struct tx *tx, int64_t workspace, const char *key, struct chat_channel *ret);
/* Of public and private ones. */
int chat_channel_by_name(struct tx *tx, int64_t workspace, const char *name,
                         struct chat_channel *ret);
/* Of those that others share with the workspace. */
int chat_channel_shared_by_name(struct tx *tx, int64_t workspace, const char *name,
                                struct chat_channel *ret);
/* The direct one of these, sorted and each once; NULL without memory. */
const char *chat_pair(struct tx *tx, int64_t *users, size_t n);
int chat_channel_by_pair(struct tx *tx, int64_t workspace, const char *pair,
                         struct chat_channel *ret);
/* Fills id and, if it is NULL, key. */
int chat_channel_add(struct tx *tx, struct chat_channel *ch);
/* Writes all but the counters; members: what changed. updated_us becomes now. */
int chat_channel_save(struct tx *tx, struct chat_channel *ch, const char *const *members);
/* Those of a workspace from a key on, in their order; user 0: all, else those that he is in. fn
 * gives non-zero to stop. */
int chat_channels(struct tx *tx, int64_t workspace, int64_t user, const char *from,
                  int (*fn)(void *arg, const struct chat_channel *ch), void *arg);
/* May the user see it? Public ones everybody but guests (of a team: its members), others who is in
 * them. 1, 0, -1. */
int chat_can_see(struct tx *tx, const struct chat_channel *ch, const struct chat_user *u);

/* What somebody is in a channel or a team, of vendors that tell. */
enum chat_part { CHAT_PART_MEMBER, CHAT_PART_OWNER, CHAT_PART_GUEST };
extern const char *const chat_parts[]; /* NULL-terminated */

struct chat_member {
    int64_t id, channel, user, read_us, joined_s;
    bool open, muted;
    enum chat_part part;
};
int chat_member_of(struct tx *tx, int64_t channel, int64_t user, struct chat_member *ret);
/* by: who added the user; 0: the user. 1; 0: the user was in it. */
int chat_member_add(struct tx *tx, struct chat_channel *ch, int64_t user, int64_t by);
/* 1; 0: the user was not in it. by: who removed the user; 0: the user. */
int chat_member_remove(struct tx *tx, struct chat_channel *ch, int64_t user, int64_t by);
int chat_member_part(struct tx *tx, int64_t channel, int64_t user, enum chat_part part);
int chat_member_read(struct tx *tx, int64_t member, int64_t us);
int chat_member_open(struct tx *tx, int64_t channel, int64_t user, bool open);
/* User ids in the order of their keys, from a key on. */
int chat_members(struct tx *tx, int64_t channel, const char *from, int64_t limit,
                 int64_t **ret_users, size_t *ret_n);

/* ---- messages ---- */

enum chat_message_flag {
    CHAT_BROADCAST = 1,   /* a reply that the channel shows too */
    CHAT_TOMBSTONE = 2,   /* deleted, but its thread is there */
    CHAT_MADE_BLOCKS = 4, /* its blocks were made from its text */
    CHAT_LOCKED = 8,
    CHAT_STREAMING = 16,
    CHAT_SYSTEM = 32, /* what happened, not what somebody wrote */
    CHAT_PLAIN = 64,  /* its text is not to be read as markup */
};

/* The order of messages by id is that of channel and time. */
#define CHAT_SEQ_BITS     10
#define CHAT_CHANNEL_BITS 43
static inline int64_t chat_message_channel(int64_t id)
{
    return id >> CHAT_CHANNEL_BITS;
}
/* The first id that a message of that second can have; clamps. */
int64_t chat_message_at(int64_t channel, int64_t us);

enum chat_importance { CHAT_NORMAL, CHAT_HIGH, CHAT_URGENT };
extern const char *const chat_importances[]; /* NULL-terminated */

struct chat_message {
    int64_t id, ts_us, place, user, app;
    const char *subtype; /* NULL: none */
    const char *text;    /* in the vendor's format */
    /* The vendor's: the core carries them. JSON; NULL: none. */
    const char *blocks, *attachments, *metadata, *extra;
    const char *client;
    int64_t flags, edited_us, editor;
    int64_t thread; /* id of the thread's first message, its own too; 0: none */
    int64_t replies;
    const char *repliers;
    int64_t n_repliers, latest_us;
    const char *reactions, *files;
    int64_t pinned_by, pinned_s;
    const char *plain;   /* as a person reads it, if the text is not that; filled here */
    const char *format;  /* how the text is written; NULL: as the vendor usually does */
    const char *subject; /* NULL: none */
    enum chat_importance importance;
};

/* The message of a channel with that ts. */
int chat_message_find(struct tx *tx, int64_t channel, int64_t ts_us, struct chat_message *ret);
int chat_message_get(struct tx *tx, int64_t id, struct chat_message *ret);
/* Puts it into the channel with the time of now (m->ts_us if that is set: seeds); fills id and
 * ts_us. m->thread is the id of the thread's first message, or 0. */
int chat_post(struct tx *tx, struct chat_channel *ch, struct chat_message *m);
/* Writes all of it; before: as it was, for those who are notified; NULL: nobody is. */
int chat_message_save(struct tx *tx, const struct chat_message *m,
                      const struct chat_message *before);
/* Takes it away; a thread's first message leaves a tombstone. */
int chat_message_delete(struct tx *tx, struct chat_channel *ch, struct chat_message *m,
                        bool *ret_tombstone);

/* A stretch of a channel or thread. Bounds are exclusive unless inclusive. */
struct chat_range {
    int64_t channel, thread; /* thread 0: what the channel shows */
    int64_t oldest_us, latest_us;
    bool inclusive, ascending;
};
/* row: as it is stored, if it was read from its page; else NULL. */
typedef int chat_message_fn(void *arg, const struct chat_message *m, const struct record *row);
/* Calls fn for each, newest first unless ascending, until it gives non-zero. Strings of m are valid
 * in fn alone. 0, -1. */
int chat_messages(struct tx *tx, const struct chat_range *range, chat_message_fn *fn, void *arg);

/* ---- on messages (mark.c) ---- */

/* 1; 0: it is (or is not) there already. m is brought up to date. */
int chat_react(struct tx *tx, struct chat_message *m, const char *name, const struct chat_user *u,
               int64_t at_s);
int chat_unreact(struct tx *tx, struct chat_message *m, const char *name,
                 const struct chat_user *u);
int chat_file_react(struct tx *tx, int64_t file, const char *name, const struct chat_user *u,
                    int64_t at_s);
int chat_file_unreact(struct tx *tx, int64_t file, const char *name, const struct chat_user *u);
/* As reactions of struct chat_message. */
int chat_file_reactions(struct tx *tx, int64_t file, const char **ret);
int chat_pin(struct tx *tx, struct chat_channel *ch, struct chat_message *m, int64_t user,
             int64_t at_s);
int chat_unpin(struct tx *tx, struct chat_channel *ch, struct chat_message *m, int64_t user);

/* ---- events ---- */

#define CHAT_EV_MESSAGE "chat.messages" /* scope: channel; detail: struct chat_change */
#define CHAT_EV_CHANNEL "chat.channels" /* scope: workspace */
/* scope: channel; entity: user. Changed: "open" or "closed" in his list. */
#define CHAT_EV_MEMBER   "chat.members"
#define CHAT_EV_USER     "chat.users" /* scope: workspace */
#define CHAT_EV_REACTION "chat.reactions"
#define CHAT_EV_PIN      "chat.pins"
#define CHAT_EV_READ     "chat.reads"
#define CHAT_EV_CONNECT  "chat.connects" /* scope: channel; entity: workspace that has it too */

/* What an event's detail says. */
struct chat_change {
    struct chat_message message, before; /* of messages; id 0: none */
    int64_t user, by;                    /* whom it is about, who did it */
    const char *name;                    /* of a reaction, an old name */
    int64_t at_us;
};
void chat_notify(struct tx *tx, const char *kind, enum event_operation operation, int64_t scope,
                 int64_t entity, const char *const *members, const struct chat_change *detail);

extern const struct sosia_core chat_core;
/* Sections of seed documents behind the workspaces. Dialects have theirs before each of them: those
 * that add to workspaces the members whom channels may name, and files that messages may name. */
extern const struct sosia_core chat_channel_core, chat_message_core;

#endif
