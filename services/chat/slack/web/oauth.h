/* SPDX-License-Identifier: Apache-2.0 */
/* Slack's sign-in: between the pages on which people agree and the methods that give tokens for it.
 */
#ifndef SOSIA_SL_OAUTH_H
#define SOSIA_SL_OAUTH_H

#include "services/chat/slack/apps/install.h"
#include "services/chat/slack/sl.h"

/* By which page a code was given; each has a method of its own. */
enum sl_flow { SL_FLOW_V1, SL_FLOW_V2, SL_FLOW_USER, SL_FLOW_OPENID };

/* What a code stands for. */
struct sl_agreed {
    enum sl_flow flow;
    const char *team, *user;  /* keys */
    const char *bot, *people; /* scopes, with commas; "": none */
    const char *channel;      /* of an incoming webhook; NULL: none */
};
/* As a code keeps it (JSON); NULL: failed. */
const char *sl_agreed_text(struct tx *tx, const struct sl_agreed *agreed);

extern const struct oauth_style sl_style; /* of codes */

/* Who calls a method without a token: client id and secret, of the Authorization header (Basic) or
 * among the arguments. Refuses with invalid_client_id or bad_client_secret. no_secret: an app may
 * do without one (it keeps none). 0, -1. */
int sl_client_arg(struct call *c, bool no_secret, struct ident_app *ret, struct chat_app *ret_app);
/* A code of that flow against what was agreed to. used: what a used code is refused with. */
int sl_redeem(struct call *c, enum sl_flow flow, const struct ident_app *app,
              const struct chat_app *a, const char *used, struct sl_agreed *ret,
              struct oauth_code *ret_code);
/* The workspace and the person of what was agreed to, into s. Refuses with invalid_code if either
 * is gone. */
int sl_agreed_by(struct call *c, const struct sl_agreed *agreed, struct sl_issue *s);

/* What the argument refresh_token was given for, to the app s->app: fills s->install and
 * s->workspace. Refuses with invalid_refresh_token. 0, -1. */
int sl_grant_arg(struct call *c, struct sl_issue *s, struct chat_grant *g, struct chat_user *u);

#define SL_OPEN(name, way, where, what, danger, text)                                              \
    {                                                                                              \
        .id = (name), .verbs = (way), .paths = PATHS(where), .handler = (what), .risk = (danger),  \
        .anonymous = true, .secret = true, .summary = (text)                                       \
    }

extern const struct rows sl_oauth, sl_oauth_pages, sl_openid, sl_apps, sl_manifests, sl_keeper;

#endif
