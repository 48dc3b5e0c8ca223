/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the vendor of a workspace lays down for the chat core: how keys look, how texts read, what
 * hangs on messages beside what the core knows of. A dialect's core names its record among its
 * policies (engine/world/core.h). Functions give 0 or -1 unless it says otherwise; those that may
 * be NULL say so.
 */
#ifndef SOSIA_CHAT_VENDOR_H
#define SOSIA_CHAT_VENDOR_H

#include "services/chat/core/chat.h"

enum chat_thing {
    CHAT_THING_WORKSPACE,
    CHAT_THING_USER,
    CHAT_THING_CHANNEL,
    CHAT_THING_TEAM,
    CHAT_THINGS
};

struct chat_team;
#define CHAT_SAID_MAX 100 /* people in a text */
enum chat_has { CHAT_HAS_LINK = 1, CHAT_HAS_FILE = 2 };

struct chat_vendor {
    /* A new key, which no such thing has; kind: of a channel. NULL: failed. */
    const char *(*key)(struct tx *tx, enum chat_thing thing, enum chat_kind kind);
    /* The key of a thing that follows from what it is: a struct chat_workspace, chat_user,
     * chat_channel or chat_team without one, before it is stored. NULL: key() makes all of them. */
    const char *(*key_of)(struct tx *tx, enum chat_thing thing, const void *row);
    /* One of which keys begin with in seed documents; NULL of a team: it has none. */
    const char *letters[CHAT_THINGS];
    /* Can a thing have that key in seed documents? NULL: it is of capitals, digits and _. */
    bool (*is_key)(enum chat_thing thing, const char *key);
    bool parts;         /* keeps mentions, and files of a drive, beside texts (mention.h) */
    bool hosts;         /* names of workspaces are those of hosts, with dots */
    bool groups_repeat; /* the same people may have several direct channels of a group */
    int64_t step_us;    /* times of messages are multiples of it; 0: of a microsecond */
    /* Without a list of members: is the actor in the workspace? 1, 0, -1. NULL: everybody is. */
    int (*belongs)(struct tx *tx, const struct chat_workspace *w, const struct actor *who);
    /* The team came with a seed document, with its members. NULL: nothing hangs on it. */
    int (*team_came)(struct tx *tx, const struct chat_team *t);
    /* What a person reads who sees the text, for search and diffs: the text itself, or another one
     * in the arena. NULL: without memory. */
    const char *(*plain)(struct arena *a, const char *text);
    /* The same with the names of people in the place of their ids, and who they are: what is said
     * without a vendor's terms. At most CHAT_SAID_MAX. 0, -1. NULL: plain(), and the mentions that
     * are kept beside it. */
    int (*said)(struct tx *tx, int64_t workspace, const char *text, const char **ret_text,
                int64_t *ret_users, size_t *ret_n);
    /* The emoji, in Unicode, that the name of a reaction stands for: in the arena, or the name.
     * NULL: names are emoji. */
    const char *(*emoji)(struct arena *a, const char *name);
    /* Is it deleted, though it is kept for who may bring it back? NULL: what is deleted goes. */
    bool (*was_deleted)(const struct chat_message *m);
    bool (*channel_was_deleted)(const struct chat_channel *ch);
    uint32_t (*has)(const struct chat_message *m); /* enum chat_has */
    /* The message came with a seed document; it goes. NULL: nothing hangs on it. */
    int (*came)(struct tx *tx, const struct chat_channel *ch, const struct chat_message *m);
    int (*gone)(struct tx *tx, const struct chat_message *m);
    /* The messages that a user has saved, each once, in the arena. 0, -1. NULL: nobody saves
     * any. */
    int (*saved_by)(struct tx *tx, int64_t user, int64_t **ret, size_t *ret_n);
    /* What people do in the client, for those who answer by rules: is there an act of that name,
     * and one that somebody does, an object with its name as the only member. 1; 0: it is refused,
     * *ret_refused says why, and what was done of it is to be taken back; -1. NULL: the vendor's
     * own core does it. */
    bool (*act_is)(const char *name);
    int (*act)(struct tx *tx, const struct chat_user *who, const struct json *act,
               const char **ret_refused);
    /* The member "apps" of a workspace in seed documents, read and written. NULL: there is none. */
    int (*seed_apps)(struct tx *tx, struct doc *d, const struct json *workspace,
                     const struct chat_workspace *w);
    int (*dump_apps)(struct tx *tx, struct json_writer *out, const struct chat_workspace *w);
};

/* The member "id" of such a thing in a document; *ret NULL: absent. 0, -1. */
int chat_doc_new_key(struct doc *d, const struct json *v, const struct chat_vendor *vendor,
                     enum chat_thing thing, const char **ret);
/* A key for a row of that workspace, which has none: key_of() or key(); kind: of a channel. NULL:
 * failed. */
const char *chat_new_key(struct tx *tx, const struct chat_vendor *vendor, enum chat_thing thing,
                         enum chat_kind kind, const void *row);

/* Of a workspace, or (0) of the engine's first vendor. Never NULL: without a vendor keys are
 * numbers, and a text is what it says. */
const struct chat_vendor *chat_vendor_of(struct tx *tx, int64_t workspace);
/* The name of whose rules hold in it; of a channel's or a message's workspace. 1, 0 not there, -1.
 */
int chat_channel_vendor(struct tx *tx, int64_t channel, const char **ret);
int chat_message_vendor(struct tx *tx, int64_t message, const char **ret);
/* The next workspace of a vendor's behind an id. The actor's first user in one of these. 1, 0, -1.
 */
int chat_workspace_next(struct tx *tx, const struct chat_vendor *vendor, int64_t after,
                        struct chat_workspace *ret);
int chat_user_at(struct tx *tx, const struct chat_vendor *vendor, int64_t actor,
                 struct chat_user *ret);
/* By its name; "": the first one, as above. NULL: the engine has none of that name. */
const struct chat_vendor *chat_vendor_named(struct tx *tx, const char *name);

#endif
