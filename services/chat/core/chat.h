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

/* ---- keys and times ---- */

#define CHAT_KEY_LEN 11
#define CHAT_TS_LEN  32 /* of a ts as a text, with the NUL */

/* The last second and microsecond that any row may say. */
#define CHAT_LAST_SECOND  ((INT64_C(1) << 33) - 1)
#define CHAT_LAST_INSTANT (CHAT_LAST_SECOND * INT64_C(1000000))

/* A new key: the letter and ten digits or capitals, the first of which is 0. NULL: failed. */
const char *chat_key(struct tx *tx, char letter);
/* The same where knowing it opens something (tx_secret()). */
const char *chat_secret_key(struct tx *tx, char letter);
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
};
int chat_workspace_get(struct tx *tx, int64_t id, struct chat_workspace *ret);
/* By key or domain. */
int chat_workspace_find(struct tx *tx, const char *name, struct chat_workspace *ret);
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

/* ---- apps (app.c) ---- */

/*
 * setting is what the core and those who deliver go by, whatever a vendor's manifest calls it, as a
 * JSON object. Members, all optional: events_url, options_url, interactivity_url (texts;
 * interactivity, a truth, without a URL too), bot_events, user_events, unfurl_domains (lists of
 * texts), metadata_events (list of {app_id, event_type}), commands (list of {command, description,
 * usage_hint, url, should_escape}), shortcuts (list of {type, name, callback_id, description}),
 * functions (object by callback id), agent_commands_url (a text: where commands of its channels
 * go), agent_channels (it may make such channels), home_tab, messages_tab, messages_tab_read_only,
 * assistant, socket_mode, token_rotation, pkce, org_deploy, webhooks (truths).
 */
struct chat_app {
    int64_t id, app;
    const char *key, *description, *verification;
    const char *manifest; /* as last set; NULL: none */
    const char *setting;
    int64_t owner;    /* chat_user who keeps it; 0: everybody may */
    const char *icon; /* URL; NULL: the default picture */
    bool distributed; /* to other workspaces than its owner's */
    bool deleted;
};
int chat_app_of(struct tx *tx, int64_t app, struct chat_app *ret);
int chat_app_find(struct tx *tx, const char *key, struct chat_app *ret);
/* Fills id and, if it is NULL, key. */
int chat_app_add(struct tx *tx, struct chat_app *a);
/* Writes all of it but its key. */
int chat_app_save(struct tx *tx, const struct chat_app *a);
/* Those behind an id, in their order. */
int chat_app_next(struct tx *tx, int64_t after, struct chat_app *ret);

/* What follows from its setting: subscriptions, and where events go. A deleted one has neither. */
int chat_app_derive(struct tx *tx, const struct chat_app *a);
/* Which kinds of events the app is notified of, for its bot or for the people who agreed (person);
 * in the place of those before. Each counts once. */
int chat_subscribe(struct tx *tx, int64_t app, bool person, const char *const *kinds, size_t n);
/* Where events go, as if it had been verified; NULL: nowhere. Another address than before begins
 * with no failures. */
int chat_endpoint_set(struct tx *tx, int64_t app, const char *url);

struct chat_install {
    int64_t id, workspace, app, user;
    const char *key;                  /* of the bot as a sender */
    const char *scopes, *user_scopes; /* separated by commas; NULL: everything */
    int64_t installer, installed_s;
    bool deleted;
};
int chat_install_of(struct tx *tx, int64_t workspace, int64_t app, struct chat_install *ret);
int chat_install_get(struct tx *tx, int64_t id, struct chat_install *ret);
int chat_install_by_user(struct tx *tx, int64_t user, struct chat_install *ret);
int chat_install_find(struct tx *tx, int64_t workspace, const char *key, struct chat_install *ret);
/* Those of an app behind an id, in their order. */
int chat_install_next(struct tx *tx, int64_t app, int64_t after, struct chat_install *ret);
int chat_install_add(struct tx *tx, struct chat_install *i);
/* Writes all of it. One that was deleted before and is not any more is installed again; members:
 * what changed, as CHAT_EV_INSTALL has it. */
int chat_install_save(struct tx *tx, const struct chat_install *i, const char *const *members);
/* Takes the app out of the workspace: its grants end, its webhooks do, its bot is a member no more.
 * tokens: the bot's end with that, and no event has said so yet. */
int chat_uninstall(struct tx *tx, struct chat_install *i, bool tokens);
/* Tokens of somebody were ended: raises the event for those who subscribe. */
void chat_tokens_ended(struct tx *tx, const struct chat_install *i, int64_t user);

/* What access tokens that end are renewed with. */
struct chat_grant {
    int64_t id;
    const char *token;
    int64_t install, user;
    const char *scopes;          /* of a person; NULL: the installation's */
    const char *access, *before; /* access tokens that came with it and before it; NULL: none */
    int64_t expires_s;           /* 0: never */
};
int chat_grant_find(struct tx *tx, const char *token, struct chat_grant *ret);
int chat_grant_of(struct tx *tx, int64_t install, int64_t user, struct chat_grant *ret);
/* One of an installation and a user takes the place of the other. */
int chat_grant_set(struct tx *tx, struct chat_grant *g);
int chat_grant_end(struct tx *tx, int64_t id);

/* An address at which anybody who knows it may post. */
struct chat_webhook {
    int64_t id;
    const char *key, *secret;
    int64_t workspace, app, channel, user, created_s;
    bool deleted;
};
/* Fills id, and what is left empty of key and secret. */
int chat_webhook_add(struct tx *tx, struct chat_webhook *h);
int chat_webhook_find(struct tx *tx, const char *key, struct chat_webhook *ret);

/* ---- channels ---- */

enum chat_kind { CHAT_PUBLIC, CHAT_PRIVATE, CHAT_DIRECT, CHAT_GROUP };
extern const char *const chat_kinds[];    /* NULL-terminated */
extern const char *const chat_postings[]; /* all, read_only, thread_only, no_threads */

struct chat_channel {
    int64_t id, workspace;
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
/* May the user see it? Public ones everybody but guests, others who is in them. 1, 0, -1. */
int chat_can_see(struct tx *tx, const struct chat_channel *ch, const struct chat_user *u);

struct chat_member {
    int64_t id, channel, user, read_us, joined_s;
    bool open, muted;
};
int chat_member_of(struct tx *tx, int64_t channel, int64_t user, struct chat_member *ret);
/* by: who added the user; 0: the user. 1; 0: the user was in it. */
int chat_member_add(struct tx *tx, struct chat_channel *ch, int64_t user, int64_t by);
/* 1; 0: the user was not in it. by: who removed the user; 0: the user. */
int chat_member_remove(struct tx *tx, struct chat_channel *ch, int64_t user, int64_t by);
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

struct chat_message {
    int64_t id, ts_us, place, user, app;
    const char *subtype; /* NULL: none */
    const char *text;
    const char *blocks, *attachments, *metadata, *extra; /* JSON; NULL: none */
    const char *client;
    int64_t flags, edited_us, editor;
    int64_t thread; /* id of the thread's first message, its own too; 0: none */
    int64_t replies;
    const char *repliers;
    int64_t n_repliers, latest_us;
    const char *reactions, *files;
    int64_t pinned_by, pinned_s;
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

/* ---- reminders (remind.c) ---- */

enum chat_every { CHAT_ONCE, CHAT_DAILY, CHAT_WEEKLY, CHAT_MONTHLY, CHAT_YEARLY };

struct chat_recurrence {
    enum chat_every every;
    unsigned weekdays; /* of CHAT_WEEKLY: 1 << 0 is Sunday; 0: that of the first time */
};

/* {"frequency": "weekly", "weekdays": ["monday"]}. 0; -1: it is none, nothing is refused. */
int chat_recurrence_read(const struct json *v, struct chat_recurrence *ret);
void chat_recurrence_write(struct json_writer *w, const char *key, const struct chat_recurrence *r);
/* The first time at or after first_s and after after_s (seconds since 1970), by the wall clock of
 * the zone. A day that a month does not have is left out. false: there is none. */
bool chat_recurs(const struct chat_recurrence *r, const struct tz *tz, int64_t first_s,
                 int64_t after_s, int64_t *ret_s);
/* A reminder falls due then: an event says so, and one that recurs falls due again. */
int chat_remind_at(struct tx *tx, int64_t reminder, int64_t at_s);
int chat_remind_never(struct tx *tx, int64_t reminder);

/* ---- files (file.c) ---- */

enum chat_file_state { CHAT_FILE_WANTED, CHAT_FILE_UPLOADED, CHAT_FILE_THERE, CHAT_FILE_DELETED };

/* What a PNG, a GIF or a JPEG says of itself, in pixels. */
struct chat_picture {
    unsigned width, height; /* 0: not a picture, or an unknown one */
    unsigned frames;        /* of a GIF; more than one: it moves */
    bool dense;             /* two of its pixels to a point of a screen */
};
struct chat_file {
    int64_t id;
    const char *key;
    int64_t workspace, user, app;
    enum chat_file_state state;
    const char *mode, *name, *title, *mimetype, *filetype;
    int64_t size, blob; /* blob 0: no bytes, or outside */
    const char *upload; /* secret of the address to upload to; NULL: none */
    const char *public_secret;
    bool is_public;
    const char *external_id, *external_url, *alt_text, *snippet; /* NULL: none */
    int64_t created_s, updated_s;
    int64_t editor;              /* 0: nobody changed it */
    int64_t lines;               /* of a text, of which snippet is the beginning; 0: not a text */
    struct chat_picture picture; /* of a picture */
};
int chat_file_get(struct tx *tx, int64_t id, struct chat_file *ret);
int chat_file_find(struct tx *tx, int64_t workspace, const char *key, struct chat_file *ret);
int chat_file_by_upload(struct tx *tx, const char *secret, struct chat_file *ret);
int chat_file_by_external(struct tx *tx, int64_t workspace, const char *id, struct chat_file *ret);
/* Fills id and key. A blob that it names has a reference for it already. */
int chat_file_add(struct tx *tx, struct chat_file *f);
int chat_file_save(struct tx *tx, struct chat_file *f, enum event_operation operation);
/* What its bytes say of a file: mode, snippet, lines and picture become so. data: all n of them, of
 * a larger file the first CHAT_LOOK. A text of so many is a snippet; what is shown of it is the
 * first five lines, which end in three dots after 1,024 characters (as recorded). */
#define CHAT_LOOK          (INT64_C(1) << 20)
#define CHAT_PREVIEW_CHARS 1024
void chat_file_look(struct tx *tx, struct chat_file *f, const char *data, size_t n);
/* False: not one of these pictures. A side beyond 65,535 is given as 65,536. */
bool chat_picture_read(const void *data, size_t n, struct chat_picture *ret);
/* Shares it in a channel, by that message. */
int chat_file_share(struct tx *tx, const struct chat_file *f, int64_t channel, int64_t message);
int chat_file_unshare(struct tx *tx, const struct chat_file *f, int64_t channel, int64_t message);
int chat_file_delete(struct tx *tx, struct chat_file *f);
/* The user's own files, and what is shared in a channel that the user may see. 1, 0, -1. */
int chat_can_see_file(struct tx *tx, const struct chat_file *f, const struct chat_user *u);
struct chat_files_ask {
    int64_t workspace, user, channel; /* user, channel 0: any */
    int64_t from_s, to_s;
};
/* Newest first; fn gives non-zero to stop. */
int chat_files(struct tx *tx, const struct chat_files_ask *ask,
               int (*fn)(void *arg, const struct chat_file *f), void *arg);
/* Where it is shared, by channel; m->id 0: without a message. */
int chat_shares(struct tx *tx, int64_t file,
                int (*fn)(void *arg, const struct chat_channel *ch, const struct chat_message *m),
                void *arg);

/* ---- posted later (schedule.c) ---- */

struct chat_scheduled {
    int64_t id;
    const char *key;
    int64_t channel, user, app, at_s, created_s;
    const char *message; /* JSON: text, blocks, attachments, metadata, extra, subtype, flags, thread
                            (its ts in microseconds) */
};
/* Fills id and, where they are not set, key and created_s. */
int chat_schedule(struct tx *tx, struct chat_scheduled *s);
int chat_scheduled_find(struct tx *tx, const char *key, struct chat_scheduled *ret);
/* A user's first one behind a time and an id; channel 0: in any. 1, 0, -1. */
int chat_scheduled_next(struct tx *tx, int64_t user, int64_t channel, int64_t after_s,
                        int64_t after, struct chat_scheduled *ret);
int chat_scheduled_count(struct tx *tx, int64_t channel, int64_t from_s, int64_t to_s,
                         int64_t *ret);
int chat_scheduled_delete(struct tx *tx, const struct chat_scheduled *s);

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
#define CHAT_EV_STAR     "chat.stars" /* scope: channel; 0: of the file whose key is name */
#define CHAT_EV_BOOKMARK "chat.bookmarks"
#define CHAT_EV_FILE     "chat.files"
#define CHAT_EV_SHARE    "chat.shares" /* scope: channel; entity: file */
#define CHAT_EV_GROUP    "chat.groups"
#define CHAT_EV_QUIET    "chat.quiet"
/* scope: workspace. Added: the app is installed; changed: its scopes ("scopes"), what it is
 * ("app"), or tokens were ended ("tokens"; detail: user, whose); removed: it is uninstalled (its
 * row is there, deleted). */
#define CHAT_EV_INSTALL  "chat.installs"
#define CHAT_EV_READ     "chat.reads"
#define CHAT_EV_REMINDER "chat.reminders"
#define CHAT_EV_VIEW     "chat.views"    /* scope: workspace */
#define CHAT_EV_DIALOG   "chat.dialogs"  /* scope: workspace */
#define CHAT_EV_CONNECT  "chat.connects" /* scope: channel; entity: workspace that has it too */
/* Into a shared channel; scope: the channel's workspace; name: its key. Changed: "accepted",
 * "approved" or "declined", by. */
#define CHAT_EV_INVITE "chat.invites"

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
/* The sections of seed documents behind the workspaces. It comes behind the dialects' cores, which
 * add to workspaces the members whom channels and messages may name. */
extern const struct sosia_core chat_content_core;

#endif
