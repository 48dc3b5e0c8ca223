/* SPDX-License-Identifier: Apache-2.0 */
/* What a person does in the client, as a method that only he has. */
#include "services/chat/slack/acts/act.h"

static int act(struct call *c)
{
    const struct json *what;
    int64_t entry;
    /* What a client can do no scopes are for: a token that has some is not the person. */
    if (c->app || !c->scopes.all || sl_me(c)->user.bot || !sl_me(c)->user.actor)
        return slack_fail(c, "not_allowed_token_type");
    if (slack_value(c, "do", &what) < 0 || sl_act(c, what, true, &entry) < 0)
        return -1;
    if (entry)
        call_suspend(c, entry);
    return 0;
}

/* ---- rows ---- */

static const struct param params[] = {
    SL_NEEDED("do", SL_OBJECT, .fault = "must be an object with one act, an object")};

static const struct route methods[] = {
    {ROUTE("people.act", POST, "/_act/slack"), .token_kinds = TOKEN_USER, .handler = act,
     .risk = RISK_EXTERNAL, PARAMS(params), .summary = "Do what a person does in the client"},
};

const struct rows sl_act_rows = ROWS(methods);
