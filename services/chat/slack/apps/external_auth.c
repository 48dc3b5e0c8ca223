/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens of other systems that people gave to an app: apps.auth.external.*. They come from seed
 * documents; what a system would give for a token that has ended is made up. */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "services/chat/slack/apps/platform.h"
#include "services/chat/slack/events/push.h"

#define RENEWED_S 3600

static int external_arg(struct call *c, const char *key, struct chat_external *ret)
{
    const struct sl_caller *me = sl_me(c);
    int r = chat_external_find(&c->tx, key, ret);
    if (r < 0)
        return -1;
    return r && ret->app == me->app && ret->workspace == me->workspace.id
               ? 0
               : slack_fail(c, "token_not_found");
}

static int renew(struct call *c, struct chat_external *e)
{
    uint8_t random[24];
    char hex[2 * sizeof random + 1];
    if (!e->refresh)
        return slack_fail(c, "no_refresh_token");
    if (tx_secret(&c->tx, "slack_external", random, sizeof random) < 0)
        return -1;
    hex_encode(hex, random, sizeof random);
    e->token = arena_strdup(c->tx.arena, hex);
    e->expires_s = c->tx.now_us / US_PER_SECOND + RENEWED_S;
    return chat_external_save(&c->tx, e);
}

static int external_get(struct call *c)
{
    struct chat_external e;
    if (external_arg(c, param_str(c, "external_token_id"), &e) < 0)
        return -1;
    bool ended = e.expires_s && e.expires_s <= c->tx.now_us / US_PER_SECOND;
    if ((ended || slack_flag(c, "force_refresh")) && renew(c, &e) < 0)
        return -1;
    slack_open(c);
    json_str(c->out, "external_token", e.token);
    if (e.extras)
        json_raw(c->out, "token_response_extras", e.extras, strlen(e.extras));
    else
        json_null(c->out, "token_response_extras");
    slack_close(c);
    return 0;
}

/* Has the app's manifest such a provider? 1, 0, -1. */
static int is_provider(struct call *c, const char *name)
{
    struct sl_settings s;
    if (sl_settings_of(&c->tx, &sl_me(c)->chat_app, &s) < 0)
        return -1;
    const struct json *all = json_get(s.all, "external_auth_providers");
    for (uint32_t i = 0; all && all->type == JSON_OBJECT && i < all->n; i++)
        if (json_get(&all->members[i].value, name)) /* by the kind: oauth2 */
            return 1;
    return 0;
}

static int external_delete(struct call *c)
{
    const struct sl_caller *me = sl_me(c);
    const char *key = param_str(c, "external_token_id"), *app = param_str(c, "app_id");
    const char *provider = param_str(c, "provider_key");
    struct chat_external e;
    int64_t n;
    if (app && *app && strcmp(app, me->chat_app.key) != 0)
        return slack_fail(c, "app_not_found");
    if (key && *key) {
        if (external_arg(c, key, &e) < 0)
            return -1;
        return chat_external_drop(&c->tx, e.id) < 0 ? -1 : slack_ok(c);
    }
    if (!provider || !*provider)
        provider = NULL;
    if (!provider && !(app && *app))
        return slack_fail(c, "invalid_args");
    int r = provider ? is_provider(c, provider) : 1;
    if (r != 1)
        return r < 0 ? -1 : slack_fail(c, "providers_not_found");
    if (chat_external_delete(&c->tx, me->workspace.id, me->app, provider, &n) < 0)
        return -1;
    return n ? slack_ok(c) : slack_fail(c, "no_tokens_found");
}

/* ---- rows ---- */

static const struct param get_params[] = {SL_NEEDED("external_token_id"),
                                          SL_ARG("force_refresh", SL_FLAG)};
static const struct param delete_params[] = {SL_ARG("app_id"), SL_ARG("provider_key"),
                                             SL_ARG("external_token_id")};

static const struct route methods[] = {
    {SL_METHOD("apps.auth.external.get"), .token_kinds = TOKEN_BOT, .takes = sl_is_of_app,
     .handler = external_get, .risk = RISK_WRITE, .secret = true, PARAMS(get_params),
     .rate = SLACK_TIER_3, .summary = "A token of another system that somebody gave to the app"},
    {SL_METHOD("apps.auth.external.delete"), .token_kinds = TOKEN_BOT, .takes = sl_is_of_app,
     .handler = external_delete, .risk = RISK_DESTRUCTIVE, PARAMS(delete_params),
     .rate = SLACK_TIER_4, .summary = "Forget tokens of other systems"},
};

const struct rows sl_external_auth = ROWS(methods);
