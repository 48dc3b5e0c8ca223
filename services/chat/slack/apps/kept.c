/* SPDX-License-Identifier: Apache-2.0 */
/* Who may change an app: who keeps it, with a configuration token. */
#include "services/chat/slack/apps/manifest.h"

bool sl_is_configuring(const struct call *c)
{
    return !c->scopes.all && !c->app;
}

int sl_kept_app(struct call *c, const char *key, struct chat_app *ret)
{
    return sl_kept_app_or(c, key, "app_not_found", "no_permission", ret);
}

int sl_kept_app_or(struct call *c, const char *key, const char *missing, const char *denied,
                   struct chat_app *ret)
{
    struct chat_user owner;
    size_t n = key ? strlen(key) : 0;
    if (n < 2 || n > 40 || key[0] != 'A' ||
        strspn(key, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") != n)
        return slack_fail(c, "invalid_app_id");
    int r = chat_app_find(&c->tx, key, ret);
    if (r < 0)
        return -1;
    if (!r || ret->deleted)
        return slack_fail(c, missing);
    r = ret->owner ? chat_user_get(&c->tx, ret->owner, &owner) : 0;
    if (r < 0)
        return -1;
    return r && owner.actor != c->actor.id ? slack_fail(c, denied) : 0;
}
