/* SPDX-License-Identifier: Apache-2.0 */
/* Apps in workspaces: putting them there with their bots, and their tokens. */
#ifndef SOSIA_SL_INSTALL_H
#define SOSIA_SL_INSTALL_H

#include "identity/oauth.h"
#include "services/chat/slack/things.h"

/* The app's bot as a member of a workspace, made where it is not there or has left; id 0: the app's
 * manifest has none, nor has the app, and none is needed. */
int sl_app_bot(struct tx *tx, struct ident_app *app, const struct chat_app *a,
               const struct chat_workspace *w, bool needed, struct chat_user *ret);

#define SL_FUNCTION_S     900              /* life of the token of a function */
#define SL_ACCESS_S       43200            /* life of an access token that is renewed */
#define SL_PKCE_REFRESH_S (30 * 24 * 3600) /* of what renews those of apps without a secret */

/* What a configuration token may do, and what renews it: that opens nothing. */
#define SL_CONFIGURATION "app_configurations:read app_configurations:write"
#define SL_RENEWAL       "app_configurations:refresh"

struct sl_token {
    const char *access;  /* NULL: none was made */
    const char *refresh; /* NULL: it does not end */
    const char *scopes;  /* with commas */
    int64_t expires_in;  /* seconds */
};

/* Who agreed to what. */
struct sl_issue {
    struct chat_workspace workspace;
    struct chat_user person;
    struct ident_app app;
    struct chat_app chat_app;
    const char *bot, *people; /* scopes, with commas; "": none */
    bool rotate;              /* its tokens end, whatever the app has set */
    bool classic;             /* its bot may do everything that bots may */
    /* Filled. */
    struct chat_install install;
    struct chat_user bot_user;
    struct sl_token bot_token, user_token;
    bool pkce;
};
/* Installs the app in the workspace, or adds to what it may there; and makes tokens. */
int sl_install(struct tx *tx, struct sl_issue *s);
/* A token of an installed app for its bot or somebody. */
int sl_issue_token(struct tx *tx, const struct sl_issue *s, const struct chat_user *u,
                   const char *scopes, struct sl_token *ret);

/* A token of its bot for as long as a function runs: a quarter of an hour at most. */
int sl_function_token(struct tx *tx, const struct chat_install *i, const char *execution,
                      const char **ret_token);

/* What its bot may do, with commas; all that bots may where nothing is said. */
const char *sl_bot_scopes(struct arena *a, const struct chat_install *i);

/* Ten digits that follow from an id, as the numbers in Slack's tokens. */
long long sl_digits(const char *key);
/* Lists with commas, each scope once. */
const char *sl_scopes_union(struct arena *a, const char *list, const char *more);
/* A truth of an app's setting. */
bool sl_setting_truth(struct tx *tx, const struct chat_app *a, const char *member);

/* The app that a program says it is; one that the world has, without what a workspace has of it,
 * gets that. 1; 0: there is none, or it is deleted; -1. */
int sl_client(struct tx *tx, const char *client_id, struct ident_app *ret,
              struct chat_app *ret_app);

#endif
