/* SPDX-License-Identifier: Apache-2.0 */
/* What a workspace's administrators may look up: who came in from where, what was done with apps.
 */
#ifndef SOSIA_CHAT_LOG_H
#define SOSIA_CHAT_LOG_H

#include "services/chat/slack/things.h"

struct chat_login {
    int64_t workspace, id, user, first_s, last_s, count;
    const char *ip, *agent, *isp, *country, *region; /* isp, country, region NULL: not known */
};
/* Those that began at or before a second, the last first; skips some. fn gives non-zero to stop. */
int chat_logins(struct tx *tx, int64_t workspace, int64_t before_s, int64_t skip,
                int (*fn)(void *arg, const struct chat_login *l), void *arg);
int chat_logins_count(struct tx *tx, int64_t workspace, int64_t before_s, int64_t *ret);

extern const char *const chat_app_changes[]; /* added, removed, ...; NULL-terminated */

struct chat_app_log {
    int64_t workspace, id, user, app, at_s;
    const char *change;
    const char *scopes, *reason; /* NULL: none */
};
#define CHAT_APP_LOG_MAX 10000 /* of a workspace; the oldest go */

/* Keeps that something was done with an app. */
int chat_app_log_add(struct tx *tx, const struct chat_app_log *l);
struct chat_app_log_ask {
    int64_t workspace, user, app; /* user, app 0: any */
    const char *change;           /* NULL: any */
};
/* The last first. */
int chat_app_logs(struct tx *tx, const struct chat_app_log_ask *ask, int64_t skip,
                  int (*fn)(void *arg, const struct chat_app_log *l), void *arg);
int chat_app_logs_count(struct tx *tx, const struct chat_app_log_ask *ask, int64_t *ret);

#endif
