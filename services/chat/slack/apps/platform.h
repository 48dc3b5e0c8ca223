/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What apps keep at the vendor's own platform: items of datastores, triggers of workflows and where
 * they are featured, who may use functions, tokens of other systems. Look-ups and strings as in
 * chat.h.
 */
#ifndef SOSIA_CHAT_PLATFORM_H
#define SOSIA_CHAT_PLATFORM_H

#include "services/chat/slack/things.h"

/* ---- datastores (datum.c) ---- */

#define CHAT_DATUM_KEY 2048         /* bytes of a primary key */
#define CHAT_DATUM_MAX (400 * 1024) /* bytes of an item */

struct chat_store {
    int64_t workspace, app;
    const char *name;
};
/* The item's JSON. */
int chat_datum_get(struct tx *tx, const struct chat_store *s, const char *key,
                   const char **ret_item);
/* In the place of what is there. */
int chat_datum_put(struct tx *tx, const struct chat_store *s, const char *key, const char *item);
int chat_datum_delete(struct tx *tx, const struct chat_store *s, const char *key);
/* Those behind a key ("": all), in the order of their keys; fn gives non-zero to stop. Strings are
 * valid in fn alone. 0, -1. */
typedef int chat_datum_fn(void *arg, const char *key, const char *item);
int chat_data(struct tx *tx, const struct chat_store *s, const char *after, chat_datum_fn *fn,
              void *arg);

/* ---- who may (permission.c) ---- */

enum chat_permission { CHAT_EVERYONE, CHAT_COLLABORATORS, CHAT_NAMED };
extern const char *const chat_permissions[]; /* everyone, ...; NULL-terminated */

/* ---- triggers of workflows (flow.c) ---- */

struct chat_flow_trigger {
    int64_t workspace, id, app;
    const char *key, *title, *workflow;
    enum chat_permission permission;
    const char *entities; /* JSON object of lists of ids */
};
int chat_flow_trigger_find(struct tx *tx, const char *key, struct chat_flow_trigger *ret);
/* Writes permission and entities. */
int chat_flow_trigger_save(struct tx *tx, const struct chat_flow_trigger *t);

#define CHAT_FEATURED_MAX 15 /* of a channel */

/* Those of a channel, in their order; fn gives non-zero to stop. 0, -1. */
int chat_featured(struct tx *tx, int64_t channel,
                  int (*fn)(void *arg, const char *key, const char *title), void *arg);
int chat_featured_count(struct tx *tx, int64_t channel, int64_t *ret);
/* Behind the others; nothing if it is there. */
int chat_feature(struct tx *tx, int64_t channel, int64_t trigger);
/* trigger 0: all. */
int chat_unfeature(struct tx *tx, int64_t channel, int64_t trigger);

/* ---- who may use a function (permission.c) ---- */

struct chat_distribution {
    int64_t app;
    const char *function;
    enum chat_permission permission;
    const char *entities; /* JSON object of lists of ids */
};
/* As it is set; by default collaborators, and 0. */
int chat_distribution_of(struct tx *tx, int64_t app, const char *function,
                         struct chat_distribution *ret);
int chat_distribution_set(struct tx *tx, const struct chat_distribution *d);

/* ---- tokens of other systems (external.c) ---- */

struct chat_external {
    int64_t workspace, id, app, user;
    const char *key;
    const char *provider, *token;
    const char *refresh; /* NULL: none */
    int64_t expires_s;   /* 0: never */
    const char *extras;  /* JSON object; NULL: none */
};
int chat_external_find(struct tx *tx, const char *key, struct chat_external *ret);
/* Writes token and expires_s. */
int chat_external_save(struct tx *tx, const struct chat_external *e);
/* Those of an app in a workspace (provider NULL: of all of them); ret_n: how many there were. */
int chat_external_delete(struct tx *tx, int64_t workspace, int64_t app, const char *provider,
                         int64_t *ret_n);
int chat_external_drop(struct tx *tx, int64_t id);

extern const struct sosia_core chat_platform_core; /* platform.c */

/* ---- between the files of the core ---- */

extern struct stored slack_datum_stored, slack_flow_trigger_stored, slack_featured_stored,
    slack_distribution_stored, slack_external_stored;

#endif
