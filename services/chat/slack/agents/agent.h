/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Channels in which people work with agents on one thing: where the work began, how it goes, what
 * the agents show there in views of their own, and the commands that hold there. Agents are bots.
 */
#ifndef SOSIA_CHAT_AGENT_H
#define SOSIA_CHAT_AGENT_H

#include "services/chat/slack/things.h"

struct chat_agent_channel {
    int64_t workspace, channel, app; /* app: that made it */
    const char *session;             /* the app's own name for it; NULL: none */
    const char *title;
    const char *status;        /* active, processing, suspended, closed */
    int64_t origin, origin_us; /* channel and ts of the message where it began; 0: nowhere */
    const char *about;         /* JSON object: what an agent says of the work */
    const char *resource;      /* JSON object: what the work is about; NULL: nothing was said */
};
extern const char *const chat_agent_statuses[]; /* NULL-terminated */

int chat_agent_channel_get(struct tx *tx, int64_t channel, struct chat_agent_channel *ret);
/* By the app's own name for it. */
int chat_agent_channel_find(struct tx *tx, int64_t workspace, int64_t app, const char *session,
                            struct chat_agent_channel *ret);
/* Makes a channel one; ch gets properties if it has none. */
int chat_agent_channel_add(struct tx *tx, struct chat_channel *ch,
                           const struct chat_agent_channel *a);
/* Writes title, status, about and resource, and says that the channel's properties changed. */
int chat_agent_channel_save(struct tx *tx, const struct chat_agent_channel *a);

/* Is he an agent of the channel? 1, 0, -1. */
int chat_is_agent(struct tx *tx, int64_t channel, int64_t user);
int chat_agent_add(struct tx *tx, int64_t channel, int64_t user);
/* Those of a channel, the first one first; fn gives non-zero to stop. */
int chat_agents(struct tx *tx, int64_t channel, int (*fn)(void *arg, int64_t user), void *arg);

/* ---- views ---- */

enum chat_agent_view_type {
    CHAT_VIEW_PAGE,
    CHAT_VIEW_DIFF, /* a channel has one at most */
    CHAT_VIEW_BLOCKS,
    CHAT_VIEW_DOCUMENT,
    CHAT_VIEW_LINK
};
extern const char *const chat_agent_view_types[]; /* NULL-terminated */

struct chat_agent_view {
    int64_t workspace; /* where names of documents are looked for; no column has it */
    int64_t id;
    const char *key;
    int64_t channel, user; /* user: the agent whose it is */
    const char *name;      /* the agent's own for it; NULL: none, a diff has none */
    enum chat_agent_view_type type;
    const char *label;
    int64_t file; /* what it shows; 0: a link has none */
    int64_t version, added_s;
    const char *detail; /* JSON object: what else was said of it; NULL: nothing */
};
/* By its key or, if that is NULL, by its name. */
int chat_agent_view_find(struct tx *tx, int64_t channel, const char *key, const char *name,
                         struct chat_agent_view *ret);
/* The one of the type that has no name. */
int chat_agent_view_only(struct tx *tx, int64_t channel, enum chat_agent_view_type type,
                         struct chat_agent_view *ret);
/* Those of a channel, the first one first; fn gives non-zero to stop. */
int chat_agent_views(struct tx *tx, int64_t channel,
                     int (*fn)(void *arg, const struct chat_agent_view *v), void *arg);
int chat_agent_view_count(struct tx *tx, int64_t channel, int64_t *ret);
/* Is the file shown in one of them? 1, 0, -1. */
int chat_agent_view_shows(struct tx *tx, int64_t channel, int64_t file);
/* Fills id and, if it is NULL, key. */
int chat_agent_view_add(struct tx *tx, struct chat_agent_view *v);
/* Writes type, label, file, version and detail. */
int chat_agent_view_save(struct tx *tx, const struct chat_agent_view *v);
int chat_agent_view_remove(struct tx *tx, const struct chat_agent_view *v);

/* ---- commands ---- */

#define CHAT_AGENT_COMMANDS 10 /* of all agents of a channel */

struct chat_agent_command {
    int64_t workspace, channel, user, place; /* the workspace: of documents alone */
    const char *name, *description, *hint;   /* name: without a slash; hint NULL: none */
    bool escapes;                            /* people and channels are sent as references */
};
extern struct stored slack_command_stored;
/* How many the channel has of agents other than this one. */
int chat_agent_commands_others(struct tx *tx, int64_t channel, int64_t user, int64_t *ret);
/* In the place of those that the agent had. */
int chat_agent_commands_set(struct tx *tx, int64_t channel, int64_t user,
                            struct chat_agent_command *all, size_t n);
/* The one of that name; of several agents the first one's. */
int chat_agent_command_find(struct tx *tx, int64_t channel, const char *name,
                            struct chat_agent_command *ret);

#endif
