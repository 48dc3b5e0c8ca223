/* SPDX-License-Identifier: Apache-2.0 */
/* Apps: what they have set, where they are installed, what their tokens are renewed with, addresses
 * at which anybody may post. Look-ups and strings as in chat.h. */
#ifndef SOSIA_SLACK_APP_H
#define SOSIA_SLACK_APP_H

#include "services/chat/core/chat.h"

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
    int64_t workspace, id; /* the workspace: of documents alone */
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
    int64_t workspace, id, app, channel, user, created_s;
    const char *key, *secret;
    bool deleted;
};
/* Fills id, and what is left empty of key and secret. */
int chat_webhook_add(struct tx *tx, struct chat_webhook *h);
int chat_webhook_find(struct tx *tx, const char *key, struct chat_webhook *ret);

#endif
