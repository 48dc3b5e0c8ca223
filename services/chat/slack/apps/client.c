/* SPDX-License-Identifier: Apache-2.0 */
/* The program that calls, by its client id and secret. */
#include "services/chat/slack/web/oauth.h"

const struct oauth_style sl_style = {
    .vendor = "slack",
    .section = APP_SECTION,
    .code = {"slack_code", "", 48, true},
    .code_s = 600,
};

int sl_client(struct tx *tx, const char *client_id, struct ident_app *ret, struct chat_app *ret_app)
{
    int r = oauth_app(tx, &sl_style, client_id, ret);
    if (r)
        return r < 0 ? -1 : 0;
    r = chat_app_of(tx, ret->id, ret_app);
    if (r)
        return r < 0 ? -1 : !ret_app->deleted;
    if (!tx->write)
        return 0;
    *ret_app =
        (struct chat_app){.app = ret->id,
                          .description = "",
                          .setting = "{}",
                          .verification = arena_printf(tx->arena, "%016llx",
                                                       (unsigned long long)chat_hash(client_id))};
    return chat_app_add(tx, ret_app) < 0 ? -1 : 1;
}

int sl_client_arg(struct call *c, bool no_secret, struct ident_app *ret, struct chat_app *ret_app)
{
    const char *id = param_str(c, "client_id"), *secret = param_str(c, "client_secret");
    if (oauth_basic(c->tx.arena, call_request_header(c, "Authorization"), &id, &secret) < 0)
        return slack_fail(c, "invalid_client_id");
    int r = id && *id ? sl_client(&c->tx, id, ret, ret_app) : 0;
    if (r != 1)
        return r < 0 ? -1 : slack_fail(c, "invalid_client_id");
    if (no_secret && (!secret || !*secret) && sl_setting_truth(&c->tx, ret_app, "pkce"))
        return 0;
    r = oauth_authenticate(&c->tx, &sl_style, id, secret, ret);
    return r == 0 ? 0 : r < 0 ? -1 : slack_fail(c, "bad_client_secret");
}
